// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/environment.hpp"

#include <gtest/gtest.h>

namespace warpgauge::results {
namespace {

Session session_on(DeviceKind kind) {
  Session session;
  session.created = "2026-11-21T04:19:54Z";
  session.device.kind = kind;
  session.device.name = "NVIDIA H200";
  session.device.uuid = "GPU-test";
  session.device.driver = "580.1";
  session.toolchain = {"g++ 12", "13.0", "Release", "0.1.0"};
  session.source.revision = "0123456789abcdef";
  session.processes = 5;
  return session;
}

std::string value_in(const std::vector<EnvironmentRow>& table, std::string_view name) {
  for (const EnvironmentRow& row : table) {
    if (row.field->name == name) {
      return row.before + ", " + row.after + (row.differs ? " differ" : "");
    }
  }
  return "";
}

TEST(Environment, WithAnotherCudaTimeHasNoVerdictAndCountersHave) {
  const Session before = session_on(DeviceKind::gpu);
  Session after = before;
  after.toolchain.cuda = "13.1";
  const Comparability result = comparability(before, after);
  EXPECT_NE(result.no_verdict_on_time.find("another CUDA '13.0' → '13.1'"), std::string::npos);
  EXPECT_EQ(result.notes, (std::vector<std::string>{
                              "CUDA differs from the baseline's: '13.0' → '13.1'; exact counters "
                              "are gated all the same, though the machine code may be another"}));
}

TEST(Environment, WhereTwoBuildsAreComparedWhatTheyWereMadeWithIsToldAndTheDriverStillCounts) {
  const Session before = session_on(DeviceKind::gpu);
  Session after = before;
  after.toolchain.cuda = "13.1";
  after.toolchain.host_compiler = "g++ 13";
  const Comparability builds = comparability(before, after, true);
  EXPECT_EQ(builds.no_verdict_on_time, "");
  EXPECT_EQ(builds.notes, (std::vector<std::string>{
                              "the builds were made differently: CUDA '13.0' → '13.1', host "
                              "compiler 'g++ 12' → 'g++ 13'"}));
  after.device.driver = "590.1";
  EXPECT_NE(comparability(before, after, true).no_verdict_on_time.find("another driver"),
            std::string::npos);
}

TEST(Environment, WhatDoesNotMoveTheClockLeavesTimeItsVerdict) {
  const Session before = session_on(DeviceKind::gpu);
  Session after = before;
  EXPECT_EQ(listed(differences(before, after)), "nothing that was recorded");
  after.toolchain.host_compiler = "g++ 13";
  after.toolchain.build_type = "Debug";
  after.device.uuid = "GPU-other";
  const Comparability result = comparability(before, after);
  EXPECT_EQ(result.no_verdict_on_time, "");
  EXPECT_EQ(result.notes, (std::vector<std::string>{
                              "host compiler differs from the baseline's: 'g++ 12' → 'g++ 13'",
                              "build type differs from the baseline's: 'Release' → 'Debug'"}));
  const std::string of_build = "host compiler 'g++ 12' → 'g++ 13', build type 'Release' → 'Debug'";
  EXPECT_EQ(listed(differences(before, after)), of_build);
  EXPECT_EQ(listed(differences(before, after, Varies::between_devices)),
            of_build + ", device UUID 'GPU-test' → 'GPU-other'");
}

// What an emulator counts is no GPU's, whatever the two are called.
TEST(Environment, DevicesOfAnotherKindAreOthers) {
  const Session gpu = session_on(DeviceKind::gpu);
  Session emulated = gpu;
  emulated.device.kind = DeviceKind::emulated;
  EXPECT_EQ(different_devices(gpu, gpu), "");
  EXPECT_NE(different_devices(gpu, emulated).find("is gpu on one side and emulated on the other"),
            std::string::npos)
      << different_devices(gpu, emulated);
}

TEST(Environment, AnEmulatedDeviceHasNoClock) {
  const Session before = session_on(DeviceKind::emulated);
  Session after = before;
  after.toolchain.cuda = "13.1";
  after.device.driver = "590.1";
  EXPECT_EQ(comparability(before, after).no_verdict_on_time, "");
}

TEST(Environment, WhatOldResultsLackIsNoDifferenceAndWhatAllHaveIs) {
  Session before = session_on(DeviceKind::gpu);
  Session after = before;
  after.settings.emplace().power_limit_w = 600;
  EXPECT_TRUE(differences(before, after).empty());
  before.settings.emplace().power_limit_w = 700;
  before.device.driver = "";
  EXPECT_EQ(listed(differences(before, after)),
            "driver '' → '580.1', power limit '700 W' → '600 W'");
  EXPECT_TRUE(environments_differ(before, after));
}

TEST(Environment, TheTableMarksWhatDiffersButForWhatAlwaysDoes) {
  const Session before = session_on(DeviceKind::gpu);
  Session after = before;
  after.created = "2026-11-22T04:19:54Z";
  after.source.modified = true;
  after.device.driver = "590.1";
  after.device.uuid = "GPU-other";
  const auto table = environment_table(before, after);
  EXPECT_EQ(value_in(table, "measured"), "2026-11-21T04:19:54Z, 2026-11-22T04:19:54Z");
  EXPECT_EQ(value_in(table, "source"), "0123456789ab, 0123456789ab with changes");
  EXPECT_EQ(value_in(table, "driver"), "580.1, 590.1 differ");
  EXPECT_EQ(value_in(table, "device UUID"), "GPU-test, GPU-other differ");
  EXPECT_EQ(value_in(environment_table(before, {}), "driver"), "580.1, ");
  EXPECT_TRUE(environment_table({}, {}).empty());
}

TEST(Environment, TheTableLeavesOutWhatIsUsualOnBothSides) {
  const Session cold = session_on(DeviceKind::gpu);
  Session hot = cold;
  hot.hot = true;
  EXPECT_EQ(value_in(environment_table(cold, cold), "state of the caches"), "");
  EXPECT_EQ(value_in(environment_table(hot, hot), "state of the caches"), "hot, hot");
  EXPECT_EQ(value_in(environment_table(hot, cold), "state of the caches"), "hot, cold differ");
  EXPECT_EQ(value_in(environment_table(cold, cold), "program"), "");
  hot.imported = Imported{"NVBench 0.1.0", true};
  EXPECT_EQ(value_in(environment_table(cold, hot), "program"), "Warpgauge, NVBench 0.1.0 differ");
}

}  // namespace
}  // namespace warpgauge::results
