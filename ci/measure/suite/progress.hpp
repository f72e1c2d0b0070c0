// SPDX-License-Identifier: Apache-2.0
// How far a measurement is, for whoever waits for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

struct Progress {
  enum class Moment { begins, runs, ended };  // of the process that runs

  std::size_t process = 1;  // that runs, counted from 1
  std::size_t processes = 1;
  results::Pass pass = results::Pass::time;
  int counter_passes = 0;    // in which each kernel runs to be counted; 0: not known
  std::size_t finished = 0;  // benchmarks that this process is done with
  std::size_t benchmarks = 0;
  std::chrono::duration<double> elapsed{};  // since the first process started
  Moment moment = Moment::runs;
  // Of a process that has ended.
  std::size_t failed = 0;  // benchmarks
  std::chrono::duration<double> took{};
};

// "process 2 of 6 (time): 50 of 137 benchmarks, about 1 min 10 s left". The time left takes each
// process to be as long as those so far; it is not told in the first seconds, when that says
// little.
[[nodiscard]] std::string describe(const Progress& progress);

// Shows progress as lines of a log, or on a terminal as one line with a bar that is rewritten.
class ProgressDisplay {
 public:
  using Write = std::function<void(std::string_view)>;

  // columns: of the terminal; 0: a log.
  ProgressDisplay(Write write, std::size_t columns) : write_(std::move(write)), columns_(columns) {}
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // Something worth a line of its own, such as a benchmark that failed.
  void log(std::string_view line);

  // A log gets a line when a process begins, and one of how it went when it has ended. Nothing is
  // left on the terminal of one that is complete.
  void show(const Progress& progress);

  // Takes the rewritten line away, before others write to the terminal.
  void clear();

 private:
  Write write_;
  std::size_t columns_;
  bool shown_ = false;
};

// Of the terminal that standard error is; 0: it is none, or one that cannot rewrite a line.
[[nodiscard]] std::size_t columns_of_standard_error();

}  // namespace warpgauge::ci
