// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/compare.hpp"

#include <fmt/format.h>

#include <utility>

#include "ci/support/errors.hpp"
#include "ci/verdict/aggregate.hpp"
#include "ci/verdict/attribute.hpp"
#include "ci/verdict/estimate.hpp"
#include "ci/verdict/filter_scope.hpp"
#include "ci/verdict/metrics/limit_check.hpp"
#include "ci/verdict/policy_coverage.hpp"

namespace warpgauge::ci {

using results::Results;

GateVerdict compare(const Results& before_as_named, const Results& measured, const Policy& policy,
                    const ComparisonTerms& terms, const std::set<Verdict>& allowed,
                    const FurtherLooks& further) {
  Estimates estimates = estimate(before_as_named, measured, policy, terms);
  const Results& before = estimates.match ? estimates.match->before : before_as_named;
  const Results& after =
      estimates.match && estimates.match->after ? *estimates.match->after : measured;
  add_limits(before, after, policy, terms, estimates);
  std::set<std::string> known = terms.known_metrics;
  for (const Results* side : {&before, &after}) known.merge(metric_names(*side));
  for (Shortfall& each : policy_shortfalls(policy, known, estimates, after)) {
    estimates.shortfalls.push_back(std::move(each));
  }
  for (std::string& part : parts_of_the_suite(before, after)) {
    estimates.shortfalls.push_back({kExitNoVerdict, std::move(part)});
  }
  return aggregate(attribute(decide(estimates, further), estimates, before, after), estimates,
                   before, after, allowed);
}

GateVerdict without_baseline(const std::string& reason, const Results& after, const Policy& policy,
                             const std::set<std::string>& known_metrics,
                             const std::set<Verdict>& allowed) {
  const Results before;
  Estimates estimates = estimate_without_baseline(reason, after, policy);
  add_limits(before, after, policy, {}, estimates);
  std::set<std::string> known = known_metrics;
  known.merge(metric_names(after));
  estimates.shortfalls = policy_shortfalls(policy, known, estimates, after);
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
