// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/roofline.hpp"

#include <fmt/format.h>

#include <vector>

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Ceilings;
using results::Work;

constexpr double kNegligible = 0.01;

std::string ceiling_for(const Work& work) {
  if (work.bytes_written < kNegligible * work.bytes_read) return "read";
  if (work.bytes_read < kNegligible * work.bytes_written) return "write";
  return "copy";
}

struct Part {
  const char* variant;
  double bytes;
};

// What reads and writes, as a sum of what `bandwidth` does: copying, writing or reading alone, and,
// where it was timed, the triad, which reads two bytes for each that it writes.
std::vector<Part> parts_of(const Work& work, bool has_triad) {
  const double read = work.bytes_read;
  const double written = work.bytes_written;
  if (read <= written) return {{"copy", 2 * read}, {"write", written - read}};
  if (!has_triad) return {{"copy", 2 * written}, {"read", read - written}};
  if (read <= 2 * written) {
    return {{"copy", 4 * written - 2 * read}, {"triad", 3 * (read - written)}};
  }
  return {{"triad", 3 * written}, {"read", read - 2 * written}};
}

// Seconds that the memory needs for work at its ceilings; absent: one of them, `missing`, was not
// timed.
std::optional<double> least_seconds(const Work& work, const Ceilings& ceilings,
                                    std::string& missing) {
  const double bytes = bytes_of(work);
  const std::string ceiling = ceiling_for(work);
  std::vector<Part> parts{{ceiling.c_str(), bytes}};
  if (ceiling == "copy") parts = parts_of(work, ceilings.bytes_per_second.contains("triad"));
  double seconds = 0;
  double counted = 0;
  for (const Part& part : parts) {
    if (part.bytes < kNegligible * bytes) continue;
    const auto rate = ceilings.bytes_per_second.find(part.variant);
    if (rate == ceilings.bytes_per_second.end()) {
      missing = part.variant;
      return std::nullopt;
    }
    seconds += part.bytes / rate->second;
    counted += part.bytes;
  }
  return seconds * bytes / counted;
}

}  // namespace

bool compute_bound(const Work& work) {
  constexpr double kOperationsPerByte = 8;
  return work.operations > kOperationsPerByte * bytes_of(work);
}

CeilingShare share_of_ceiling(const BenchmarkResult& benchmark, const Ceilings& ceilings,
                              std::uint64_t l2_bytes) {
  CeilingShare share{
      .ceiling = ceiling_for(benchmark.work), .share = std::nullopt, .not_measured = {}};
  const auto duration = duration_of(benchmark);
  if (!bandwidth_of(benchmark)) {
    share.not_measured = "nothing is moved, or it was not timed";
  } else if (compute_bound(benchmark.work)) {
    share.not_measured = "its operations bound it, not memory";
  } else if (bytes_of(benchmark.work) <= static_cast<double>(l2_bytes)) {
    share.not_measured = "it fits into the L2";
    share.fits_into_l2 = true;
  } else if (!ceilings.not_measured.empty()) {
    share.not_measured = ceilings.not_measured;
  } else {
    std::string missing;
    const auto seconds = least_seconds(benchmark.work, ceilings, missing);
    if (seconds) {
      share.share = results::kNanosecondsPerSecond * *seconds / *duration;
    } else {
      share.not_measured = fmt::format("{}/{} was not timed", results::kCeilingFamily, missing);
    }
  }
  return share;
}

std::optional<Achieved> achieved(const BenchmarkResult& benchmark, const Ceilings& ceilings,
                                 std::uint64_t l2_bytes) {
  const auto bandwidth = bandwidth_of(benchmark);
  if (!bandwidth) return std::nullopt;
  const CeilingShare share = share_of_ceiling(benchmark, ceilings, l2_bytes);
  return Achieved{.bytes_per_second = *bandwidth,
                  .ceiling = share.share ? share.ceiling : "",
                  .share = share.share,
                  .no_share_because = share.not_measured};
}

}  // namespace warpgauge::ci
