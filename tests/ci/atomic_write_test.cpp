// SPDX-License-Identifier: Apache-2.0
// A baseline that is being approved is whole at every moment, old or new.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <random>
#include <thread>

#include "tests/ci/helpers.hpp"

namespace warpgauge {
namespace {

using AtomicWrite = InFolder;

std::string many_benchmarks(double counter) {
  std::vector<Measured> benchmarks;
  for (int i = 0; i < 300; ++i) {
    benchmarks.push_back({.id = "family/variant/" + std::to_string(i),
                          .counters = {{"barriers", counter}, {"global_load_sectors", counter}}});
  }
  return results_text(emulated(), benchmarks);
}

TEST_F(AtomicWrite, KilledAtAnyMomentTheOldOrTheNewBaselineIsThereWhole) {
  write("old.json", many_benchmarks(1));
  write("new.json", many_benchmarks(2));
  const auto family = folder_ / "baselines" / "emulated" / "family.json";
  ASSERT_EQ(warpgauge("approve new.json").status, 0);
  const std::string new_text = results::read_file(family);
  ASSERT_EQ(warpgauge("approve old.json").status, 0);
  const std::string old_text = results::read_file(family);
  ASSERT_NE(old_text, new_text);

  // How long it takes undisturbed only spreads the kills; nothing is asserted of it.
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  ASSERT_EQ(warpgauge("approve old.json").status, 0);
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);

  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  std::uniform_int_distribution<std::int64_t> moment(0, 2 * whole.count());
  int found_old = 0;
  int found_new = 0;
  for (int i = 0; i < 60; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::filesystem::current_path(folder_);
      std::freopen("/dev/null", "w", stdout);
      ::execl(WARPGAUGE, "warpgauge", "approve", i % 2 == 0 ? "new.json" : "old.json", nullptr);
      ::_exit(99);
    }
    // However slow the machine is, some are killed at once and some are let live.
    if (i % 10 != 1) std::this_thread::sleep_for(std::chrono::microseconds(moment(random)));
    if (i % 5 != 0) ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    const std::string text = results::read_file(family);
    ASSERT_TRUE(text == old_text || text == new_text) << "half a file after kill " << i;
    ++(text == old_text ? found_old : found_new);
    // The old results are no worse than either: 4 would mean that the folder cannot be read.
    ASSERT_EQ(warpgauge("compare baselines old.json").status, 0);
  }
  EXPECT_GT(found_old, 0);
  EXPECT_GT(found_new, 0);
}

}  // namespace
}  // namespace warpgauge
