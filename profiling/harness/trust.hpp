// SPDX-License-Identifier: Apache-2.0
// Rules by which a measurement is believed. A benchmark runs in the process that measures it and
// can mislead it, by mistake more often than on purpose; docs/explain/evidence.md has the ways.
// Pure functions, but for the clocks; no CUDA.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "profiling/harness/check.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge {

// Whether a launch on input that it had not seen costs so much more than the usual ones that these
// cannot have done all the work: more than half as much again, and more than `least`.
[[nodiscard]] bool costs_more(double unseen, double usual, double least);

// Throws Untrusted when costs_more(). unit: of both, "ns" or "requests".
void require_usual_cost(double unseen, double usual, double least, std::string_view unit);

// Throws Untrusted, naming what differs.
void require_same_state(const std::map<std::string, std::string>& before,
                        const std::map<std::string, std::string>& after);

// Throws Untrusted when kernels moved less than half of the bytes that the problem needs at least,
// as a benchmark's work() says.
void require_least_traffic(const results::Work& work, double moved_read, double moved_written);

// The same by the warp instructions that its kernels ran: no way of reading or writing moves as
// much with one of them as it would take.
void require_least_instructions(const results::Work& work, double instructions);

// Throws Untrusted when the device went on for long after what was timed had ended. after_ns: the
// shortest that was seen; both in nanoseconds.
void require_idle(double after_ns, double timed_ns);

// What to remark on a launch whose copies or whose host take much longer than its kernels, or
// empty. Each in nanoseconds.
[[nodiscard]] std::string remark_on_copies(double copies_ns, double kernels_ns);
[[nodiscard]] std::string remark_on_host(double host_ns, double kernels_ns);

// What to remark on results that pass the check and yet are too coarse for their type; or empty.
[[nodiscard]] std::string remark_on_precision(const Check& check);

// Time by the kernel's own counter, which knows neither the C library nor what replaces its clocks.
[[nodiscard]] std::chrono::nanoseconds raw_time();

[[nodiscard]] std::chrono::nanoseconds steady_clock_time();

// Holds a clock against the kernel's counter from its construction on.
class ClockWatch {
 public:
  using Clock = std::function<std::chrono::nanoseconds()>;

  explicit ClockWatch(std::string name = "the process's clock", Clock clock = steady_clock_time);

  // Throws Untrusted when they went apart by more than 1 % and a tenth of a millisecond.
  void require_right() const;

 private:
  struct Reading {
    std::chrono::nanoseconds raw;
    std::chrono::nanoseconds clock;
  };
  [[nodiscard]] Reading read() const;

  std::string name_;
  Clock clock_;
  Reading start_;
};

}  // namespace warpgauge
