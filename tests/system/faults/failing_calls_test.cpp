// SPDX-License-Identifier: Apache-2.0
// One call after the other fails, once: what the command changes is as before or as after, it says
// in one line what went wrong, and leaves nothing behind. What is allowed besides stands here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <tuple>

#include "tests/helpers/sample_results.hpp"
#include "tests/system/faults/place.hpp"
#include "tests/system/faults/tasks.hpp"

namespace warpgauge {
namespace {

constexpr std::size_t kMostShown = 20;
constexpr long kFewCalls = 12;     // when not all are to fail
constexpr long kNightlyStep = 10;  // tens of thousands ask for memory

// A state in between, which is_sound() of the task describes. A gate takes the reports of the old
// results away, then puts the new ones, which took long, in their place, and only then writes
// reports of them.
bool may_be_between(const Task& task) { return task.name.starts_with("gate"); }

// What SQLite could not bring into its file stays in the log ahead of it, with an index. That is a
// part of the database, which the next one that opens it reads. Where memory lacks in what cannot
// throw, as in a destructor of nlohmann's, the process ends at once (see ci/cli/main.cpp), and what
// it was writing is for the next run to remove. Files of an approval that holds may wait for their
// places, where they are read. Nothing else may be left by any call.
bool may_be_left(const Task& task, const std::string& call, const Found& found,
                 const std::string& name) {
  const bool waits = name.find("/.approval/") != name.npos;
  if (waits) return task.name.starts_with("approve") && found.outcome == Outcome::new_state;
  if (task.name.starts_with("history record")) {
    return name == "work/history/history.sqlite-wal" || name == "work/history/history.sqlite-shm";
  }
  return call == "malloc" &&
         (name.starts_with("tmp/warpgauge-tmp-") || name.find(".unfinished-") != name.npos);
}

// What is wrong with how it ended; empty: nothing.
std::string complaint(const Ended& ended, const Found& found) {
  if (!found.wrong.empty()) return found.wrong;
  if (!ended.alone) return "what it started outlives it";
  if (!WIFEXITED(ended.status)) return fmt::format("died of signal {}", WTERMSIG(ended.status));
  if (ended.succeeded()) {
    return found.outcome == Outcome::new_state ? "" : "ends with 0 without the new state";
  }
  std::istringstream text(ended.said);
  int errors = 0;
  for (std::string line; std::getline(text, line);) {
    constexpr std::string_view kBegin = "warpgauge: ";
    if (line.starts_with(kBegin) && line.size() > kBegin.size()) ++errors;
  }
  if (errors != 1) return fmt::format("says {} errors", errors);
  return ended.said.find("bad_alloc") == ended.said.npos ? ""
                                                         : "does not say what there is none of";
}

class Failures {
 public:
  Failures(const Task& task, const std::string& call) : task_(task), call_(call) {}

  void add(long number, const Ended& ended, const Found& found) {
    const std::lock_guard lock(mutex_);
    std::string wrong = complaint(ended, found);
    if (wrong.empty() && found.outcome == Outcome::between && !may_be_between(task_)) {
      wrong = "neither old nor new: " + found.between;
    }
    for (const std::string& name : found.left_behind) {
      if (wrong.empty() && !may_be_left(task_, call_, found, name)) wrong = "leaves " + name;
    }
    ++calls_;
    if (!wrong.empty()) {
      if (++wrong_ <= kMostShown)
        ADD_FAILURE() << "call " << number << ": " << wrong << "\n" << ended.said;
      return;
    }
    ++(ended.succeeded() ? passed_ : refused_[found.outcome]);
    if (!found.left_behind.empty()) ++left_behind_;
  }

  [[nodiscard]] std::string line() {
    return fmt::format(
        "{:5} failed: {:5} no matter, {:5} error and old state, {:3} error and new "
        "state, {:3} error and in between, {:3} left something to the next run",
        calls_, passed_, refused_[Outcome::old_state], refused_[Outcome::new_state],
        refused_[Outcome::between], left_behind_);
  }
  [[nodiscard]] long calls() const { return calls_; }

 private:
  const Task& task_;
  const std::string call_;
  std::mutex mutex_;
  long calls_ = 0;
  long passed_ = 0;
  std::map<Outcome, long> refused_;
  long left_behind_ = 0;
  std::size_t wrong_ = 0;
};

class FailingCall : public InFolder,
                    public testing::WithParamInterface<std::tuple<Task, const char*>> {};

TEST_P(FailingCall, LeavesTheOldOrTheNewStateAndSaysSo) {
  const Task& task = std::get<0>(GetParam());
  const std::string call = std::get<1>(GetParam());
  long step = is_nightly() && !leaves_nothing_out() && call == "malloc" ? kNightlyStep : 1;
  if (!is_nightly()) {
    const std::string log =
        Place(task, folder_ / "count").run({call, std::numeric_limits<long>::max()}).log;
    step = std::max(1L, std::stol(log.substr(log.find('\n') + 1)) / kFewCalls);
  }
  Failures failures(task, call);
  std::atomic<long> next{1};
  std::atomic<bool> over{false};
  on_every_core(task, folder_, [&](Place& place, unsigned) {
    while (!over) {
      const long number = next.fetch_add(step);
      place.restore();
      const Ended ended = place.run({call, number});
      // It may end before it has called so often.
      if (ended.log.find("failed") == ended.log.npos) {
        over = true;
        EXPECT_TRUE(ended.succeeded()) << ended.said;
        return;
      }
      failures.add(number, ended, place.look());
    }
  });
  fmt::print("{:<25} {:<6} {}\n", task.name, call, failures.line());
  if (call == "malloc") {
    EXPECT_GE(failures.calls(), kFewCalls);
  }
}

// What is thrown where the C library calls back does not arrive, as under RE2, which compiles the
// filter here.
TEST(FailingMemory, IsSaidWhateverLibraryAsksForIt) {
  constexpr long kLast = 120;  // calls, once the command line is read
  const auto run = [](long number) {
    return shell(
        fmt::format("FAILING_CALL=malloc FAILING_NUMBER={} FAILING_LOG=/dev/stdout "
                    "LD_PRELOAD={} {} compare none.json none.json --filter ^x",
                    number, quoted(FAILING_CALLS), quoted(WARPGAUGE)));
  };
  const std::string log = run(std::numeric_limits<long>::max()).output;
  const std::size_t end = log.rfind('\n', log.size() - 2);
  const long calls = std::stol(log.substr(end + 1));
  ASSERT_GT(calls, kLast);
  for (long number = calls - kLast; number <= calls; ++number) {
    const Finished finished = run(number);
    EXPECT_EQ(finished.status, 4) << "call " << number << ": " << finished.output;
  }
}

INSTANTIATE_TEST_SUITE_P(All, FailingCall,
                         testing::Combine(testing::ValuesIn(tasks()),
                                          testing::Values("open", "write", "fsync", "rename",
                                                          "mkdir", "flock", "malloc")));

}  // namespace
}  // namespace warpgauge
