// SPDX-License-Identifier: Apache-2.0
// Who looks at figures again and again until they are clear errs more often than each look says. So
// the looks are counted before the first one, and each spends its share of the chance of an error.
#pragma once

namespace warpgauge::ci {

// What of alpha, the chance of a false alarm, and of beta, that of a change that is called same,
// each look may spend.
struct LookShares {
  double of_each = 1;       // of alpha, at figures that grow
  double beta_of_each = 1;  // of beta, likewise
  double beta_of_early = 0;
  double in_turns = 0;  // of both, at figures of two sides in turns, all of them new
};

// Equal shares of looks at growing figures, as S. J. Pocock, "Group sequential methods in the
// design and analysis of clinical trials", 1977, and a quarter for the one in turns, which has the
// least noise. They add up to 1, so that the chances hold however much the looks depend on each
// other (Bonferroni): on Pocock's assumptions, of two looks at normal figures, 0.57 of alpha = 1 %
// each would do, and 0.61 of beta = 5 %; but what sessions differ by is in both looks alike, and
// there are few degrees of freedom. An early look, which can let pass and raises no alarm, spends
// beta alone: a fifth of what is left of it.
[[nodiscard]] constexpr LookShares look_shares(int growing, bool in_turns, bool early = false) {
  constexpr double kInTurns = 0.25;
  constexpr double kEarly = 0.2;
  const double of_turns = in_turns ? kInTurns : 0;
  const double left = 1 - of_turns;
  const double of_early = early ? kEarly * left : 0;
  return {left / growing, (left - of_early) / growing, of_early, of_turns};
}

}  // namespace warpgauge::ci
