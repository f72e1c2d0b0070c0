// SPDX-License-Identifier: Apache-2.0
// What is shown to whoever waits for a measurement.
#include "ci/measure/suite/progress.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace warpgauge::ci {
namespace {

using Moment = Progress::Moment;

Progress at(std::size_t process, std::size_t finished, double seconds,
            Moment moment = Moment::runs) {
  return {.process = process,
          .processes = 4,
          .finished = finished,
          .benchmarks = 100,
          .elapsed = std::chrono::duration<double>(seconds),
          .moment = moment};
}

Progress ended(std::size_t process, double seconds, double took, std::size_t failed = 0) {
  Progress progress = at(process, 100, seconds, Moment::ended);
  progress.took = std::chrono::duration<double>(took);
  progress.failed = failed;
  return progress;
}

TEST(Progress, SaysWhatIsLeftByWhatItTookSoFar) {
  EXPECT_EQ(describe(at(1, 0, 0)), "process 1 of 4 (time): 0 of 100 benchmarks");
  EXPECT_EQ(describe(at(1, 50, 10)),
            "process 1 of 4 (time): 50 of 100 benchmarks, about 1 min 10 s left");
  EXPECT_EQ(describe(at(4, 0, 30)), "process 4 of 4 (time): 0 of 100 benchmarks, about 10 s left");
  EXPECT_EQ(describe(at(4, 100, 30)),
            "process 4 of 4 (time): 100 of 100 benchmarks, about 0 s left");
}

TEST(Progress, SaysNothingOfTheTimeLeftBeforeItCanBeKnown) {
  EXPECT_EQ(describe(at(1, 50, 1.9)), "process 1 of 4 (time): 50 of 100 benchmarks");
  EXPECT_EQ(describe(at(1, 7, 100)), "process 1 of 4 (time): 7 of 100 benchmarks");
  Progress none;
  EXPECT_EQ(describe(none), "process 1 of 1 (time): 0 of 0 benchmarks");
}

std::string shown(std::size_t columns) {
  std::string text;
  ProgressDisplay display([&](std::string_view part) { text += part; }, columns);
  display.show(at(1, 0, 0, Moment::begins));
  display.show(at(1, 0, 0));  // its first benchmark has begun
  display.show(at(1, 1, 0.1));
  display.log("::error::a/b\n failed");
  display.show(ended(1, 90, 90, 1));
  display.show(at(4, 0, 100, Moment::begins));
  display.show(at(4, 100, 103));
  display.show(ended(4, 103, 3.25));
  return text;
}

TEST(ProgressDisplay, IsALineAtTheBeginningOfAProcessAndOneAtItsEndInALog) {
  EXPECT_EQ(shown(0),
            "process 1 of 4 (time): 100 benchmarks\n"
            ": :error::a/b  failed\n"
            "process 1 of 4 (time): took 1 min 30 s, 1 failed, about 4 min 30 s left\n"
            "process 4 of 4 (time): 100 benchmarks\n"
            "process 4 of 4 (time): took 3.250 s\n");
}

TEST(ProgressDisplay, IsOneRewrittenLineWithABarOnATerminalAndLeavesNothing) {
  EXPECT_EQ(shown(80),
            "\r\x1b[K··········   0 %  0 of 100, process 1 of 4 (time)"
            "\r\x1b[K··········   0 %  0 of 100, process 1 of 4 (time)"
            "\r\x1b[K··········   0 %  1 of 100, process 1 of 4 (time)"
            "\r\x1b[K: :error::a/b  failed\n"
            "\r\x1b[K━━········  25 %  100 of 100, process 1 of 4 (time), about 4 min 30 s left"
            "\r\x1b[K━━━━━━━···  75 %  0 of 100, process 4 of 4 (time), about 33 s left"
            "\r\x1b[K━━━━━━━━━━ 100 %  100 of 100, process 4 of 4 (time), about 0 s left"
            "\r\x1b[K");
}

TEST(ProgressDisplay, StaysOnOneLineOfANarrowTerminal) {
  std::string text;
  ProgressDisplay display([&](std::string_view part) { text += part; }, 20);
  display.show(at(1, 1, 0));
  EXPECT_EQ(text, "\r\x1b[Kprocess 1 of…hmarks");
}

TEST(ProgressDisplay, TakesItsLineAwayWhenItEnds) {
  std::string text;
  {
    const auto write = [&](std::string_view part) { text += part; };
    ProgressDisplay display(write, 80);
    display.show(at(1, 1, 0));
  }
  EXPECT_TRUE(text.ends_with("\r\x1b[K")) << text;
}

}  // namespace
}  // namespace warpgauge::ci
