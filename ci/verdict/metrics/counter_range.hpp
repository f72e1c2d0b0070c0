// SPDX-License-Identifier: Apache-2.0
// What repetition says of counters that are shown, not gated: between which values each was in a
// baseline's sessions, and so whether it repeats.
#pragma once

#include <string>

#include "ci/policy/policy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Up to so many sessions are told apart, so that each further one changes no baseline whose range
// it is in. Fewer say too little.
inline constexpr int kSessionsOfARange = 5;

// The greatest spread of what is bounded, as a share of the greatest value.
inline constexpr double kBoundedSpread = 0.05;

enum class Repeats { unknown, exact, bounded, noisy };

// As baselines write it: "exact".
[[nodiscard]] std::string to_string(Repeats repeats);

// Unknown of too few sessions, unless those differ by more than what is bounded.
[[nodiscard]] Repeats repeats(const results::CounterRange& range);

// Takes in what one session counted of a benchmark's counters that the policy does not gate. Times,
// what is read off machine code and what several processes measured are none.
void take_in(const results::BenchmarkResult& session, const Policy& policy,
             results::CounterRanges& ranges);

// Whether a value is beyond what the sessions differ by: further outside the range than the range
// is wide, since of six equal sessions one in three is the least or the greatest. Never where too
// few were counted.
[[nodiscard]] bool is_beyond(const results::CounterRange& range, double value);

// "100 to 102 in 5 sessions or more, bounded".
[[nodiscard]] std::string range_text(const results::CounterRange& range);

}  // namespace warpgauge::ci
