// SPDX-License-Identifier: Apache-2.0
// How often a suite on machines of two kinds errs.
#include <gtest/gtest.h>

#include "tests/statistics/fleet.hpp"

namespace warpgauge::ci {
namespace {

TEST(MachineFactorRates, IdenticalWorkIsSeldomCalledDifferent) {
  Fleet fleet;
  int suites_with_alarm = 0;
  constexpr int kRuns = 500;
  for (int run = 0; run < kRuns; ++run) {
    suites_with_alarm += judge(fleet.suite(kBothKinds, run % 2), 0).greater > 0 ? 1 : 0;
  }
  EXPECT_LE(suites_with_alarm, kRuns * kAlpha + 7);  // three standard deviations above 5
}

}  // namespace
}  // namespace warpgauge::ci
