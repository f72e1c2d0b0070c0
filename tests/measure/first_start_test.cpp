// SPDX-License-Identifier: Apache-2.0
// When a program's first start counts like the others.
#include "ci/measure/program/first_start.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "tests/measure/program_run.hpp"

namespace warpgauge::ci {
namespace {

ProgramStart start(double seconds) {
  ProgramStart made;
  made.took = std::chrono::duration<double>(seconds);
  launches::ProcessRecords& process = made.processes.emplace_back();
  launches::RecordedEntry& entry = process.entries.emplace_back();
  entry.range = "step";
  entry.kernel = "norm";
  entry.alike.grid[0] = 4096;
  entry.alike.code[0] = 17;
  entry.total.launches = 40;
  entry.total.gpu_ns = 400'000;
  process.modules.push_back({{17, 0}, 1'000});
  return made;
}

TEST(FirstStart, CountsIfItDidTheSameInTheSameTimeWhateverItsKernelsTook) {
  ProgramStart first = start(12.1);
  EXPECT_TRUE(counts_like_the_next(first, start(12)));
  first.processes[0].entries[0].total.gpu_ns *= 2;
  EXPECT_TRUE(counts_like_the_next(first, start(12)));
}

TEST(FirstStart, DoesNotCountIfItFilledACache) {
  EXPECT_FALSE(counts_like_the_next(start(14), start(12))) << "it compiled";
  EXPECT_FALSE(counts_like_the_next(start(0.5), start(0.5))) << "there is nothing to save";
  const auto differs = [](const std::function<void(launches::ProcessRecords&)>& change) {
    ProgramStart first = start(12);
    change(first.processes[0]);
    return !counts_like_the_next(first, start(12));
  };
  EXPECT_TRUE(differs([](auto& process) { ++process.entries[0].total.launches; }));
  EXPECT_TRUE(differs([](auto& process) { process.entries[0].kernel = "other"; }));
  EXPECT_TRUE(differs([](auto& process) { process.entries[0].range = ""; }));
  EXPECT_TRUE(differs([](auto& process) { process.entries[0].alike.grid[0] = 2048; }));
  EXPECT_TRUE(differs([](auto& process) { process.entries[0].alike.block[2] = 2; }));
  EXPECT_TRUE(differs([](auto& process) { process.entries[0].alike.dynamic_shared_bytes = 64; }));
  EXPECT_TRUE(differs([](auto& process) { process.entries[0].alike.code[0] = 18; }));
  EXPECT_TRUE(differs([](auto& process) { process.modules.push_back({{18, 0}, 1'000}); }));
  EXPECT_TRUE(differs([](auto& process) { process.entries.clear(); }));
}

}  // namespace
}  // namespace warpgauge::ci

namespace warpgauge {
namespace {

TEST_F(ProgramRun, CountsItsFirstStartWhereCachesWereFull) {
  const std::string work = step("norm", noisy(10'000));
  const Finished full = start("run --processes 3", "sleep 2100,4000,0 " + work);
  ASSERT_EQ(full.status, 0) << full.output;
  EXPECT_EQ(starts(), 3U);
  const results::Results results = results::read_results(folder_ / "results.json");
  EXPECT_EQ(results.session->processes, 3);
  EXPECT_EQ(results.find("step/norm/4096·128")->find("time")->figures(),
            (std::vector<double>{10'000, 10'003, 9'996}));
  const Finished filled = start("run --processes 3", "sleep 4500,2100,0,0 " + work);
  ASSERT_EQ(filled.status, 0) << filled.output;
  EXPECT_EQ(starts(), 4U);
}

}  // namespace
}  // namespace warpgauge
