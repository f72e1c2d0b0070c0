// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/trust.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiling/harness/backend.hpp"

namespace warpgauge {
namespace {

using std::chrono::nanoseconds;

constexpr double kDearer = 1.5;
constexpr double kLeastShare = 0.5;
constexpr double kSmallBytes = 1024;  // less is not worth the accusation

}  // namespace

bool costs_more(double unseen, double usual, double least) {
  return unseen > kDearer * usual && unseen - usual > least;
}

void require_usual_cost(double unseen, double usual, double least, std::string_view unit) {
  if (!costs_more(unseen, usual, least)) return;
  throw Untrusted(fmt::format(
      "a launch on input that it had not seen took {:.4g} {}, the usual one takes {:.4g}: "
      "something is kept from launch to launch, by address, by content or by how often it ran. "
      "Do all of the work in every launch; what may be kept belongs into prepare()",
      unseen, unit, usual));
}

void require_same_state(const std::map<std::string, std::string>& before,
                        const std::map<std::string, std::string>& after) {
  for (const auto& [name, value] : after) {
    const auto found = before.find(name);
    if (found == before.end() || found->second == value) continue;
    throw Untrusted(fmt::format(
        "the launches left {} at {}; it was {} before: this and the benchmarks after it are "
        "measured on another device than the rest. Put it back before the launch returns, or "
        "set it in prepare() and put it back with the fixture",
        name, value, found->second));
  }
}

void require_least_traffic(const results::Work& work, double moved_read, double moved_written) {
  const auto require = [](const char* did, const char* needs, double moved, double needed) {
    if (needed < kSmallBytes || moved >= kLeastShare * needed) return;
    throw Untrusted(fmt::format(
        "its kernels {} {:.0f} bytes, and the problem needs {:.0f} bytes {} at least: part of the "
        "work is done elsewhere, by the host, by copies, or not at all. If work() says too much, "
        "correct it there",
        did, moved, needed, needs));
  };
  require("read", "read", moved_read, work.bytes_read);
  require("wrote", "written", moved_written, work.bytes_written);
}

void require_least_instructions(const results::Work& work, double instructions) {
  // The largest box that one bulk copy of a multiprocessor takes fits into its shared memory.
  constexpr double kMostBytesEach = 64 * 1024;
  constexpr double kLargeBytes = 1 << 20;
  const double needed = std::max(work.bytes_read, work.bytes_written);
  if (needed < kLargeBytes || needed <= kMostBytesEach * instructions) return;
  throw Untrusted(fmt::format(
      "its kernels ran {:.0f} instructions, and the problem needs {:.0f} bytes moved at least: the "
      "work is done elsewhere, by the host, by copies, or not at all. If work() says too much, "
      "correct it there",
      instructions, needed));
}

void require_idle(double after_ns, double timed_ns) {
  constexpr double kLatencyNs = 25'000;  // until the host knows that the device is idle
  constexpr double kShare = 0.25;
  if (after_ns <= kLatencyNs + kShare * timed_ns) return;
  throw Untrusted(fmt::format(
      "the device worked on for {:.1f} µs after the last kernel and copy that the clock sees, of "
      "{:.1f} µs that it times: kernels that kernels launch, functions of the host in a stream, "
      "or a stream that the clock does not wait for. Do all of it in kernels that the host "
      "launches, on the default stream or on streams that wait for it",
      after_ns / 1000, timed_ns / 1000));
}

std::string remark_on_copies(double copies_ns, double kernels_ns) {
  constexpr double kLeastNs = 2000;
  constexpr double kShare = 0.1;
  if (copies_ns <= kLeastNs + kShare * kernels_ns) return "";
  return fmt::format(
      "copies and memory sets take {:.1f} µs of each launch, its kernels {:.1f} µs, and time is "
      "that of the kernels alone: compare such a benchmark only with others that copy as much",
      copies_ns / 1000, kernels_ns / 1000);
}

std::string remark_on_host(double host_ns, double kernels_ns) {
  constexpr double kLeastNs = 1'000'000;
  constexpr double kTimes = 10;
  if (host_ns <= kLeastNs + kTimes * kernels_ns) return "";
  return fmt::format(
      "the host works for {:.2f} ms in each launch, the kernels for {:.3f} ms, and time is that of "
      "the kernels alone: what the host computes belongs into prepare(), or into a kernel",
      host_ns / 1e6, kernels_ns / 1e6);
}

std::string remark_on_precision(const Check& check) {
  if (check.compared == 0 || !check.is_coarse()) return "";
  return fmt::format(
      "{} of {} elements are as far from the reference as if they were computed in lower precision "
      "than their type has, and the check's tolerance lets them pass: tighten it if that is not "
      "meant",
      check.coarse, check.compared);
}

nanoseconds raw_time() {
  timespec now{};
  // Not clock_gettime(): a library that is loaded before the C library can answer that.
  if (::syscall(SYS_clock_gettime, CLOCK_MONOTONIC_RAW, &now) != 0) return nanoseconds(0);
  return std::chrono::seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

nanoseconds steady_clock_time() { return std::chrono::steady_clock::now().time_since_epoch(); }

// Both at one moment: tries again where the process was interrupted between them.
ClockWatch::Reading ClockWatch::read() const {
  constexpr int kAttempts = 16;
  Reading best{};
  nanoseconds least = nanoseconds::max();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const nanoseconds before = raw_time();
    const nanoseconds clock = clock_();
    const nanoseconds after = raw_time();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + (after - before) / 2, clock};
  }
  return best;
}

ClockWatch::ClockWatch(std::string name, Clock clock)
    : name_(std::move(name)), clock_(std::move(clock)), start_(read()) {}

void ClockWatch::require_right() const {
  const Reading end = read();
  const auto raw = std::chrono::duration<double, std::milli>(end.raw - start_.raw).count();
  const auto said = std::chrono::duration<double, std::milli>(end.clock - start_.clock).count();
  if (std::abs(said - raw) <= 0.1 + 0.01 * raw) return;
  throw Untrusted(fmt::format(
      "{} says that {:.3f} ms went by, the kernel's counter {:.3f} ms: something stands in for "
      "the clock. Look at LD_PRELOAD, and for clock_gettime() in the suite's own code",
      name_, said, raw));
}

}  // namespace warpgauge
