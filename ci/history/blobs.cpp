// SPDX-License-Identifier: Apache-2.0
#include "ci/history/blobs.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "ci/support/errors.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

// Above this a double's neighbour is more than 1 away.
constexpr double kLargestWhole = 9007199254740992.0;

// Records are written often and read seldom; higher levels take several times as long for a few
// per cent.
constexpr int kCompressionLevel = 3;

bool is_whole(double value) {
  // -0.0 would come back as 0.0.
  return std::abs(value) <= kLargestWhole && value == std::floor(value) &&
         !(value == 0 && std::signbit(value));
}

void put(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>((value & 0x7f) | 0x80));
  bytes.push_back(static_cast<char>(value));
}

// Small for small numbers of either sign.
std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0);
}
std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

// Takes values off the front of bytes.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {
    if (bytes.size() > results::kFiguresLimit.bytes) throw damaged();
  }

  [[nodiscard]] bool at_end() const { return bytes_.empty(); }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw damaged();
  }

  double real() {
    std::uint64_t bits = 0;
    unsigned shift = 0;
    for (const char byte : take(8)) {
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << shift;
      shift += 8;
    }
    return std::bit_cast<double>(bits);
  }

  // Head and figures of one metric. Not `wanted`: they are passed over.
  int metric(std::vector<double>& figures, std::optional<int> wanted) {
    const std::uint64_t metric = number();
    const std::uint64_t head = number();
    const std::uint64_t count = head >> 1;
    if (metric > INT32_MAX || count > bytes_.size()) throw damaged();
    const bool whole = (head & 1) != 0;
    const bool keep = !wanted || static_cast<std::uint64_t>(*wanted) == metric;
    if (!keep && !whole) {
      (void)take(8 * count);
      return static_cast<int>(metric);
    }
    if (keep) figures.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const double value = whole ? static_cast<double>(unzigzag(number())) : real();
      if (keep) figures.push_back(value);
    }
    return static_cast<int>(metric);
  }

 private:
  static Error damaged() {
    return {kExitNotMeasured,
            "the history's figures are damaged: restore the database from a copy, or record "
            "the results again"};
  }

  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size()) throw damaged();
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace

std::string pack_figures(const PackedFigures& figures) {
  std::string bytes;
  for (const auto& [metric, values] : figures) {
    const bool whole = std::all_of(values.begin(), values.end(), is_whole);
    put(bytes, static_cast<std::uint64_t>(metric));
    put(bytes, (static_cast<std::uint64_t>(values.size()) << 1) | (whole ? 1 : 0));
    for (const double value : values) {
      if (whole) {
        put(bytes, zigzag(static_cast<std::int64_t>(value)));
        continue;
      }
      const auto bits = std::bit_cast<std::uint64_t>(value);
      for (unsigned shift = 0; shift < 64; shift += 8) {
        bytes.push_back(static_cast<char>((bits >> shift) & 0xff));
      }
    }
  }
  return bytes;
}

PackedFigures unpack_figures(std::string_view bytes) {
  PackedFigures figures;
  for (Reader reader(bytes); !reader.at_end();) {
    std::vector<double> values;
    const int metric = reader.metric(values, std::nullopt);
    figures.emplace(metric, std::move(values));
  }
  return figures;
}

std::optional<std::vector<double>> unpack_figures_of(int metric, std::string_view bytes) {
  for (Reader reader(bytes); !reader.at_end();) {
    std::vector<double> values;
    if (reader.metric(values, metric) == metric) return values;
  }
  return std::nullopt;
}

std::string compress(std::string_view text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), kCompressionLevel);
  if (ZSTD_isError(size) != 0) {
    throw Error(kExitNotMeasured, fmt::format("cannot compress the results: {}; free some memory",
                                              ZSTD_getErrorName(size)));
  }
  bytes.resize(size);
  return bytes;
}

Error too_large_results() {
  return {kExitNotMeasured,
          fmt::format("the history's copy of a results file {}: remove the run, or restore the "
                      "database from a copy",
                      results::beyond(results::kResultsLimit))};
}

std::string decompress(std::string_view bytes) {
  // What the bytes say of their length; the two values that mean an error are the greatest.
  const unsigned long long length = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  const bool is_known = length != ZSTD_CONTENTSIZE_UNKNOWN && length != ZSTD_CONTENTSIZE_ERROR;
  if (is_known && length > results::kResultsLimit.bytes) {
    throw too_large_results();
  }
  if (is_known) {
    std::string text(length, '\0');
    const std::size_t size = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
    if (ZSTD_isError(size) == 0 && size == length) return text;
  }
  throw Error(kExitNotMeasured,
              "the history's copy of a results file is damaged: restore the database from a copy");
}

}  // namespace warpgauge::ci
