// SPDX-License-Identifier: Apache-2.0
// Checks a policy for whoever writes it: its mistakes, and what its rules match.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// The benchmarks that a policy is for, as far as they are known.
struct KnownBenchmarks {
  std::vector<std::string> ids;
  std::set<std::string> metrics;
  std::vector<std::string> devices;  // keys
};

// The benchmarks that a rule matches.
struct RuleMatches {
  int line = 0;
  std::string rule;  // "[[override]] 'transpose/*': time"
  std::vector<std::string> ids;
};

struct PolicyCheck {
  std::string name;
  std::vector<std::string> faults;  // mistakes and rules that match nothing, in the order of lines
  std::vector<std::string> notes;   // what no longer counts, or only on machines that are not known
  std::vector<RuleMatches> rules;   // in the order of lines
  bool has_benchmarks = false;      // otherwise rules cannot be matched
};

// `today`: as of on_day().
[[nodiscard]] PolicyCheck check_policy(std::string_view text, const std::string& name,
                                       const KnownBenchmarks& known, const std::string& today);

[[nodiscard]] std::string to_text(const PolicyCheck& check);

}  // namespace warpgauge::ci
