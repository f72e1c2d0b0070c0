// SPDX-License-Identifier: Apache-2.0
// Killed at any moment: what the command changes is as before or as after, nothing that it started
// outlives it, and the next run comes to the new state and removes what was left.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <thread>

#include "tests/helpers/sample_results.hpp"
#include "tests/system/faults/place.hpp"
#include "tests/system/faults/tasks.hpp"

namespace warpgauge {
namespace {

class Kill : public InFolder, public testing::WithParamInterface<Task> {};

TEST_P(Kill, LeavesTheOldOrTheNewState) {
  using Clock = std::chrono::steady_clock;
  const int wanted = is_nightly() ? 1000 : 8;
  std::atomic<int> hits{0};
  std::mutex mutex;
  std::map<Outcome, int> outcomes;
  int left_behind = 0;
  on_every_core(GetParam(), folder_, [&](Place& place, unsigned core) {
    std::mt19937 random(core);
    const auto begin = Clock::now();
    ASSERT_TRUE(place.run().succeeded());
    std::chrono::duration<double> takes = Clock::now() - begin;
    while (hits < wanted) {
      place.restore();
      const pid_t process = place.start();
      std::this_thread::sleep_for(takes * std::uniform_real_distribution(0.0, 1.0)(random));
      ::kill(process, SIGKILL);
      const Ended ended = place.wait(process);
      // It was held up when it was timed, or is now.
      takes *= WIFSIGNALED(ended.status) ? 1.02 : 0.9;
      if (!WIFSIGNALED(ended.status) || ended.log.empty()) continue;  // not one at work
      ++hits;
      const Found found = place.look(true);
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(ended.alone) << "what it started outlives it";
      EXPECT_EQ(found.wrong, "");
      ++outcomes[found.outcome];
      if (!found.left_behind.empty()) ++left_behind;
    }
  });
  EXPECT_GE(hits, wanted);
  fmt::print(
      "{:<25} {:4} killed: {:4} old state, {:4} new state, {:3} in between, {:4} left "
      "something to the next run\n",
      GetParam().name, hits.load(), outcomes[Outcome::old_state], outcomes[Outcome::new_state],
      outcomes[Outcome::between], left_behind);
}

INSTANTIATE_TEST_SUITE_P(All, Kill, testing::ValuesIn(tasks()));

}  // namespace
}  // namespace warpgauge
