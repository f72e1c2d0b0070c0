// SPDX-License-Identifier: Apache-2.0
// The rules by which a measurement is believed.
#include "profiling/harness/trust.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "profiling/harness/backend.hpp"
#include "profiling/harness/device_memory.hpp"

namespace warpgauge {
namespace {

using namespace std::chrono_literals;

TEST(Trust, ALaunchOnUnseenInputMayTakeHalfAsMuchAgain) {
  EXPECT_FALSE(costs_more(15'000, 10'000, 2000));
  EXPECT_TRUE(costs_more(15'100, 10'000, 2000));
  EXPECT_FALSE(costs_more(3900, 2000, 2000)) << "of short kernels a little is no sign";
  EXPECT_FALSE(costs_more(5'000, 10'000, 2000)) << "faster is no sign";
  EXPECT_NO_THROW(require_usual_cost(11'000, 10'000, 2000, "ns"));
  EXPECT_THROW(require_usual_cost(90'000, 10'000, 2000, "ns"), Untrusted);
}

TEST(Trust, StateThatIsLeftChangedIsNamed) {
  const std::map<std::string, std::string> before{{"the power limit, in W", "700"}, {"flags", "8"}};
  EXPECT_NO_THROW(require_same_state(before, before));
  EXPECT_NO_THROW(require_same_state({}, before)) << "what was not known before";
  try {
    require_same_state(before, {{"the power limit, in W", "500"}, {"flags", "8"}});
    FAIL();
  } catch (const Untrusted& error) {
    EXPECT_NE(std::string(error.what()).find("the power limit, in W at 500; it was 700"),
              std::string::npos)
        << error.what();
  }
}

// Clocks of the GPU are not changed by any test on a machine: this is what is seen of it.
TEST(Trust, AClockOfTheGpuThatIsLeftChangedIsNamed) {
  const char* const name = "the application clock of the multiprocessors, in MHz";
  EXPECT_THROW(require_same_state({{name, "1980"}}, {{name, "1200"}}), Untrusted);
}

TEST(Trust, KernelsMoveHalfOfWhatTheProblemNeedsAtLeast) {
  const results::Work work{.bytes_read = 8192, .bytes_written = 64};
  EXPECT_NO_THROW(require_least_traffic(work, 4096, 0)) << "64 bytes are too few to accuse";
  EXPECT_THROW(require_least_traffic(work, 4000, 64), Untrusted);
  EXPECT_THROW(require_least_traffic({.bytes_written = 8192}, 0, 32), Untrusted);
}

TEST(Trust, SoFewInstructionsCannotMoveSoMuch) {
  const results::Work work{.bytes_read = 16e6, .bytes_written = 4};
  EXPECT_THROW(require_least_instructions(work, 12), Untrusted);
  EXPECT_NO_THROW(require_least_instructions(work, 1000));
  EXPECT_NO_THROW(require_least_instructions({.bytes_read = 1e5}, 1)) << "too little to tell";
}

TEST(Trust, TheDeviceIsIdleWhenTheClockStops) {
  EXPECT_NO_THROW(require_idle(20'000, 1000)) << "the host learns of it late";
  EXPECT_NO_THROW(require_idle(240'000, 1e6));
  EXPECT_THROW(require_idle(60'000, 3000), Untrusted);
  EXPECT_THROW(require_idle(400'000, 1e6), Untrusted);
}

TEST(Trust, WhatTheTimeLeavesOutIsRemarked) {
  EXPECT_EQ(remark_on_copies(2500, 10'000), "");
  EXPECT_NE(remark_on_copies(40'000, 10'000), "");
  EXPECT_EQ(remark_on_host(500'000, 1000), "");
  EXPECT_EQ(remark_on_host(5e6, 1e6), "");
  EXPECT_NE(remark_on_host(5e6, 1000), "");
}

TEST(Trust, ResultsOfLowerPrecisionAreRemarkedWhereTheCheckLetsThemPass) {
  const auto check_of = [](auto value, double error) {
    std::vector<decltype(value)> values(100, static_cast<decltype(value)>(1 + error));
    return compare(
        std::span<const decltype(value)>(values), [](std::size_t) { return 1.0; },
        Tolerance{.relative = 1e-2});
  };
  EXPECT_EQ(remark_on_precision(check_of(0.0F, 1e-5)), "");
  EXPECT_NE(remark_on_precision(check_of(0.0F, 3e-4)), "");
  EXPECT_EQ(remark_on_precision(check_of(0.0, 1e-12)), "");
  EXPECT_NE(remark_on_precision(check_of(0.0, 1e-7)), "") << "double that was computed as float";
  EXPECT_EQ(remark_on_precision({}), "");
}

TEST(Trust, AClockThatRunsSlowerIsFound) {
  std::chrono::nanoseconds slowed{0};
  const ClockWatch right;
  const ClockWatch wrong("a clock", [&] { return steady_clock_time() - slowed; });
  slowed = 5ms;
  EXPECT_NO_THROW(right.require_right());
  EXPECT_THROW(wrong.require_right(), Untrusted);
  EXPECT_GT(raw_time(), 0ns);
}

TEST(DeviceMemory, APlaceIsGivenToTheNextOfItsSizeLastFirst) {
  DeviceMemory memory;
  const char places[3] = {};
  EXPECT_FALSE(memory.keep({&places[0], 64})) << "it is to be freed";
  EXPECT_EQ(memory.take(64), nullptr);
  memory.keep_places(true);
  for (const char& place : places) EXPECT_TRUE(memory.keep({&place, 64}));
  EXPECT_EQ(memory.take(32), nullptr);
  EXPECT_EQ(memory.take(64), &places[2]);
  EXPECT_EQ(memory.take(64), &places[1]);
  EXPECT_TRUE(memory.take_left_over().empty());
  memory.keep_places(false);
  EXPECT_EQ(memory.take(64), nullptr);
  ASSERT_EQ(memory.take_left_over().size(), 1U);
  EXPECT_TRUE(memory.take_left_over().empty());
}

}  // namespace
}  // namespace warpgauge
