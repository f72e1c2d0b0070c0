// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/roofline.hpp"

#include <fmt/format.h>

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Ceilings;
using results::Work;

double bytes_of(const Work& work) { return work.bytes_read + work.bytes_written; }

std::string ceiling_for(const Work& work) {
  constexpr double kNegligible = 0.01;
  if (work.bytes_written < kNegligible * work.bytes_read) return "read";
  if (work.bytes_read < kNegligible * work.bytes_written) return "write";
  return "copy";
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
  const auto bandwidth = bandwidth_of(benchmark);
  const auto ceiling = ceilings.bytes_per_second.find(share.ceiling);
  if (!bandwidth) {
    share.not_measured = "nothing is moved, or it was not timed";
  } else if (compute_bound(benchmark.work)) {
    share.not_measured = "its operations bound it, not memory";
  } else if (bytes_of(benchmark.work) <= static_cast<double>(l2_bytes)) {
    share.not_measured = "it fits into the L2";
    share.fits_into_l2 = true;
  } else if (!ceilings.not_measured.empty()) {
    share.not_measured = ceilings.not_measured;
  } else if (ceiling == ceilings.bytes_per_second.end()) {
    share.not_measured = fmt::format("{}/{} was not timed", results::kCeilingFamily, share.ceiling);
  } else {
    share.share = *bandwidth / ceiling->second;
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
