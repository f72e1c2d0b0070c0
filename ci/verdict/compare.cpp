// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/compare.hpp"

#include <fmt/format.h>

#include "ci/support/errors.hpp"
#include "ci/verdict/aggregate.hpp"
#include "ci/verdict/attribute.hpp"
#include "ci/verdict/estimate.hpp"

namespace warpgauge::ci {

using results::Results;

GateVerdict compare(const Results& before, const Results& after, const Policy& policy,
                    const ComparisonTerms& terms, const std::set<Verdict>& allowed,
                    const std::optional<Confirmation>& confirmation) {
  const Estimates estimates = estimate(before, after, policy, terms);
  return aggregate(attribute(decide(estimates, confirmation), estimates, before, after), estimates,
                   before, after, allowed);
}

GateVerdict without_baseline(const std::string& reason, const Results& after, const Policy& policy,
                             const std::set<Verdict>& allowed) {
  const Results before;
  const Estimates estimates = estimate_without_baseline(reason, after, policy);
  return aggregate(attribute(decide(estimates), estimates, before, after), estimates, before, after,
                   allowed);
}

void refuse_shard(const results::Results& results) {
  if (!results.session || !results.session->shard) return;
  const results::Shard& shard = *results.session->shard;
  throw Error(kExitUsage, fmt::format("{} is shard {} of {}: join all of them with warpgauge merge "
                                      "first",
                                      results.name, shard.index, shard.count));
}

}  // namespace warpgauge::ci
