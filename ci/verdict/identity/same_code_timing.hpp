// SPDX-License-Identifier: Apache-2.0
// What the same code says of time: a benchmark whose code, input and counters are the same on both
// sides is the same, unless its time says that there is something that identity does not see.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "ci/policy/policy.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// On which two results are compared, beside the policy.
struct ComparisonTerms {
  Design design = Design::apart;
  // By how much, as a share of the smaller side, a statistical metric may differ where a side has
  // one figure only, which tells nothing about its spread; absent: it is inconclusive then.
  std::optional<double> threshold = std::nullopt;
  // The same code is no evidence: all is judged by its figures.
  bool treat_as_changed = false;
  // Metrics that are known beside those of the two sides: of what was filtered out, of other
  // baselines. A policy may name them.
  std::set<std::string> known_metrics = {};
  // What the baseline was where the change branched off, by which alone code is the same. Absent:
  // that is not known, and the side before says it.
  std::optional<results::Results> merge_base = std::nullopt;
  // Time alone decides; all else is shown.
  bool time_alone = false;
  // A --filter has left benchmarks out of both sides.
  bool is_filtered = false;
  // See results::comparability().
  bool compares_builds = false;
};

// Of all that both sides have, on these terms.
[[nodiscard]] CodeIdentities code_identities(const results::Results& before,
                                             const results::Results& after, const Policy& policy,
                                             const ComparisonTerms& terms);

// Ids of benchmarks whose code is the same.
struct SameCode {
  std::set<std::string> same;   // whose sentinel agrees with the others': their time is the same
  std::set<std::string> timed;  // without a sentinel, whose full time agrees with the others'
  std::set<std::string> apart;  // whose time is further from the others' than the policy allows
  // By how much the time of the same code is another as a whole, a ratio: the machine's part.
  double typical_ratio = 1;
};

// By the new side's full figure or, where it was not timed in full, by its sentinel; how the
// machine is off as a whole is told by the sentinels, where there are any. Nothing for two sides of
// different environments, which save no clock.
[[nodiscard]] SameCode same_code(const results::Results& before, const results::Results& after,
                                 const Policy& policy, const CodeIdentities& identities);

// How long ago the benchmarks that were left untimed, since their code is the same, were timed in
// full, the oldest of them.
struct Untimed {
  std::size_t benchmarks = 0;
  std::string since;        // UTC; empty: the side before does not say
  int days = 0;             // before the new side was measured
  bool is_to_come = false;  // that day is after the new side was measured: nobody wrote it then
};
[[nodiscard]] Untimed untimed(const results::Results& before, const results::Results& after,
                              const SameCode& same_code);

// Which benchmarks are to be timed in full, once code and sentinel of all are known.
struct TimingPlan {
  std::set<std::string> to_time;   // with gated time, and not the same by their code
  std::set<std::string> controls;  // of the same code: they tell what the machine is like
  std::map<std::string, std::string> untimed;  // the others: why not
};

// before: absent: there is nothing to compare with, and all is timed.
[[nodiscard]] TimingPlan timing_plan(const results::Results* before, const results::Results& after,
                                     const Policy& policy, const ComparisonTerms& terms);

}  // namespace warpgauge::ci
