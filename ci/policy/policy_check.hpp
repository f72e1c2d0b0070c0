// SPDX-License-Identifier: Apache-2.0
// What a policy says, held against what there is: for whoever writes one.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// What is known of the benchmarks that a policy is for.
struct KnownBenchmarks {
  std::vector<std::string> ids;
  std::set<std::string> metrics;
  std::vector<std::string> devices;  // keys
};

// Which benchmarks a rule speaks of.
struct RuleMatches {
  int line = 0;
  std::string rule;  // "[[override]] 'transpose/*': time"
  std::vector<std::string> ids;
};

struct PolicyCheck {
  std::string name;
  std::vector<std::string> faults;  // mistakes, and what is never matched, in the order of lines
  std::vector<std::string> notes;   // what no longer counts
  std::vector<RuleMatches> rules;   // in the order of lines
  bool has_benchmarks = false;      // else rules are matched with nothing
};

// `today`: as of on_day().
[[nodiscard]] PolicyCheck check_policy(std::string_view text, const std::string& name,
                                       const KnownBenchmarks& known, const std::string& today);

[[nodiscard]] std::string to_text(const PolicyCheck& check);

}  // namespace warpgauge::ci
