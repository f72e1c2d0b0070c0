// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/files/decompress.hpp"

#include <fmt/format.h>
#include <lz4.h>
#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace warpgauge::machine_code {
namespace {

constexpr std::string_view kLz4FrameMagic{"\x04\x22\x4d\x18", 4};

[[noreturn]] void refuse_lz4_frame(const char* what) {
  throw std::runtime_error(
      fmt::format("has an image that is damaged: of its LZ4 frame, LZ4 says '{}'", what));
}

// One frame or several.
std::uint64_t from_lz4_frames(std::string_view stored, std::string& into) {
  LZ4F_dctx* made = nullptr;
  const std::size_t error = LZ4F_createDecompressionContext(&made, LZ4F_VERSION);
  if (LZ4F_isError(error) != 0) refuse_lz4_frame(LZ4F_getErrorName(error));
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(
      made, &LZ4F_freeDecompressionContext);
  std::size_t done = 0;
  std::size_t expected = 1;  // 0: the frame is whole
  while (!stored.empty()) {
    std::size_t got = into.size() - done;
    std::size_t taken = stored.size();
    expected =
        LZ4F_decompress(context.get(), into.data() + done, &got, stored.data(), &taken, nullptr);
    if (LZ4F_isError(expected) != 0) refuse_lz4_frame(LZ4F_getErrorName(expected));
    if (got == 0 && taken == 0) refuse_lz4_frame("it is longer than the image");
    done += got;
    stored.remove_prefix(taken);
  }
  if (expected != 0) refuse_lz4_frame("it ends too early");
  return done;
}

// A frame, or one block without a frame around it. No block begins as a frame does: it would repeat
// what is before its first byte.
std::uint64_t from_lz4(std::string_view stored, std::string& into) {
  if (stored.starts_with(kLz4FrameMagic)) return from_lz4_frames(stored, into);
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

std::string decompressed(Compression compression, std::string stored, std::uint64_t size) {
  require_plausible(stored.size(), size);
  if (compression == Compression::none) return stored;
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
