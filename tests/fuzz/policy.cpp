// SPDX-License-Identifier: Apache-2.0
// policy.toml, and the rules that come of it.
#include "ci/policy/policy.hpp"

#include "tests/fuzz/target.hpp"

void warpgauge::read_hostile(const std::string& text) {
  const ci::Policy policy = ci::on_day(ci::parse_policy(text, "policy.toml"), "2026-11-21");
  if (policy.metrics.empty()) found("a policy that gates nothing is accepted");
  for (const char* id : {"transpose/padded/256x192", "scan_inclusive/lookback/1", ""}) {
    (void)policy.is_critical(id);
    for (const char* metric : {"time", "shared_load_wavefronts", ""}) {
      const ci::Rule rule = policy.rule_for(id, metric);
      if (!(rule.relative_floor >= 0 && rule.absolute_floor >= 0)) found("a floor below 0");
    }
  }
  refuse_idle_patterns(policy, {"transpose/padded/256x192"});
}
