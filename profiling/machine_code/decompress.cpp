// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/decompress.hpp"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <stdexcept>

namespace warpgauge::machine_code {
namespace {

// One block without a frame around it.
std::uint64_t from_lz4(std::string_view stored, std::string& into) {
  const int got = LZ4_decompress_safe(stored.data(), into.data(), static_cast<int>(stored.size()),
                                      static_cast<int>(into.size()));
  if (got < 0) throw std::runtime_error("has an image that is damaged: it is no LZ4 block");
  return static_cast<std::uint64_t>(got);
}

// One frame or several.
std::uint64_t from_zstd(std::string_view stored, std::string& into) {
  const std::size_t got = ZSTD_decompress(into.data(), into.size(), stored.data(), stored.size());
  if (ZSTD_isError(got) != 0) {
    throw std::runtime_error(
        fmt::format("has an image that is damaged: of its zstd frame, zstd "
                    "says '{}'",
                    ZSTD_getErrorName(got)));
  }
  return got;
}

}  // namespace

void require_plausible(std::uint64_t stored, std::uint64_t size) {
  if (size > kMostImageBytes || stored > kMostImageBytes) {
    throw std::runtime_error(fmt::format("has an image of {} bytes, and at most {} MiB are read",
                                         std::max(stored, size), kMostImageBytes >> 20));
  }
  if (size / kMostTimesStored > stored) {
    throw std::runtime_error(fmt::format(
        "has an image that decompresses from {} to {} bytes, which no code does", stored, size));
  }
}

std::string decompressed(Compression compression, std::string_view stored, std::uint64_t size) {
  require_plausible(stored.size(), size);
  if (compression == Compression::none) return std::string(stored);
  std::string bytes(size, '\0');
  const std::uint64_t got =
      compression == Compression::lz4 ? from_lz4(stored, bytes) : from_zstd(stored, bytes);
  if (got != size) {
    throw std::runtime_error(
        fmt::format("has an image that decompresses to {} bytes instead of {}", got, size));
  }
  return bytes;
}

}  // namespace warpgauge::machine_code
