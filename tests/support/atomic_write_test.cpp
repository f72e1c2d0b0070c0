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
#include <utility>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using AtomicWrite = InFolder;

// Two families, so that half a change shows.
std::string many_benchmarks(double counter, const std::string& created) {
  std::vector<Measured> benchmarks;
  for (int i = 0; i < 300; ++i) {
    benchmarks.push_back({.id = (i % 2 == 0 ? "even/variant/" : "odd/variant/") + std::to_string(i),
                          .counters = {{"barriers", counter}, {"global_load_sectors", counter}}});
  }
  return results_text(emulated(), benchmarks, created);
}

TEST_F(AtomicWrite, KilledAtAnyMomentTheOldOrTheNewBaselineIsThereWhole) {
  const std::string old_session = "2026-11-21T01:00:00Z";
  const std::string new_session = "2026-11-21T02:00:00Z";
  write("old.json", many_benchmarks(1, old_session));
  write("new.json", many_benchmarks(2, new_session));
  const auto place = folder_ / "baselines" / "emulated";
  const std::string approve = "approve --reason why ";
  const auto families = [&] {
    return std::pair(results::read_file(place / "even.json"),
                     results::read_file(place / "odd.json"));
  };
  ASSERT_EQ(warpgauge(approve + "new.json").status, 0);
  const auto new_texts = families();
  ASSERT_EQ(warpgauge(approve + "old.json").status, 0);
  const auto old_texts = families();
  ASSERT_NE(old_texts.first, new_texts.first);
  ASSERT_NE(old_texts.second, new_texts.second);

  // How long it takes undisturbed only spreads the kills; nothing is asserted of it.
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  ASSERT_EQ(warpgauge(approve + "new.json").status, 0);
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
      ::execl(WARPGAUGE, "warpgauge", "approve", i % 2 == 0 ? "old.json" : "new.json", "--reason",
              "why", nullptr);
      ::_exit(99);
    }
    // However slow the machine is, some are killed at once and some are let live.
    if (i % 10 != 1) std::this_thread::sleep_for(std::chrono::microseconds(moment(random)));
    if (i % 5 != 0) ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    const auto texts = families();
    ASSERT_TRUE(texts == old_texts || texts == new_texts) << "half a baseline after kill " << i;
    const bool is_old = texts == old_texts;
    ++(is_old ? found_old : found_new);
    const std::string device = results::read_file(place / "device.json");
    EXPECT_EQ(device.find('"' + old_session + '"') != device.npos, is_old) << device;
    EXPECT_EQ(device.find('"' + new_session + '"') == device.npos, is_old) << device;
    // The old results are no worse than either: 4 would mean that the folder cannot be read.
    ASSERT_EQ(warpgauge("compare baselines old.json").status, 0);
  }
  EXPECT_GT(found_old, 0);
  EXPECT_GT(found_new, 0);
}

}  // namespace
}  // namespace warpgauge
