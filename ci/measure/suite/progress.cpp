// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/suite/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ci/support/terminal_lines.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kRewrite = "\r\x1b[K";

// Narrower terminals have room for the words alone.
constexpr std::size_t kLeastForBar = 80;

std::string readable_wait(double seconds) {
  constexpr long kMinute = 60;
  const long whole = std::lround(seconds);
  if (whole < kMinute) return fmt::format("{} s", whole);
  return fmt::format("{} min {} s", whole / kMinute, whole % kMinute);
}

// Of all processes, as if each took as long.
double share_done(const Progress& progress) {
  const double of_process = progress.benchmarks == 0 ? 0
                                                     : static_cast<double>(progress.finished) /
                                                           static_cast<double>(progress.benchmarks);
  return (static_cast<double>(progress.process - 1) + of_process) /
         static_cast<double>(progress.processes);
}

std::string time_left(const Progress& progress) {
  constexpr double kLeastShare = 0.02;
  constexpr double kLeastSeconds = 2;
  const double share = share_done(progress);
  const double elapsed = progress.elapsed.count();
  if (share < kLeastShare || elapsed < kLeastSeconds) return {};
  return fmt::format(", about {} left", readable_wait(elapsed * (1 - share) / share));
}

std::string process_of(const Progress& progress) {
  std::string pass = to_string(progress.pass);
  if (progress.counter_passes > 0) {
    pass += fmt::format(", each kernel in {} passes", progress.counter_passes);
  }
  return fmt::format("process {} of {} ({})", progress.process, progress.processes, pass);
}

std::string how_it_went(const Progress& progress) {
  constexpr double kMinute = 60;
  const double seconds = progress.took.count();
  std::string text =
      "took " + (seconds < kMinute ? readable_time(seconds * results::kNanosecondsPerSecond)
                                   : readable_wait(seconds));
  if (progress.failed > 0) text += fmt::format(", {} failed", progress.failed);
  if (progress.process < progress.processes) text += time_left(progress);
  return text;
}

// "━━━━━━━···  75 %  50 of 100, process 4 of 6 (time), about 10 s left".
std::string bar_and_text(const Progress& progress, std::size_t columns) {
  constexpr std::size_t kWide = 100;
  const int cells = columns < kWide ? 10 : 20;
  const double share = std::clamp(share_done(progress), 0.0, 1.0);
  const int full = static_cast<int>(std::floor(share * cells));
  std::string bar;
  for (int i = 0; i < cells; ++i) bar += i < full ? "━" : "·";
  return fmt::format("{} {:3.0f} %  {} of {}, {}{}", bar, std::floor(100 * share),
                     progress.finished, progress.benchmarks, process_of(progress),
                     time_left(progress));
}

}  // namespace

std::string describe(const Progress& progress) {
  return fmt::format("{}: {} of {}{}", process_of(progress), progress.finished,
                     counted(progress.benchmarks, "benchmark"), time_left(progress));
}

void ProgressDisplay::log(std::string_view line) {
  clear();
  write_(log_text(one_line(line)) + "\n");
}

void ProgressDisplay::show(const Progress& progress) {
  if (columns_ == 0) {
    if (progress.moment == Progress::Moment::runs) return;
    log(fmt::format("{}: {}", process_of(progress),
                    progress.moment == Progress::Moment::begins
                        ? counted(progress.benchmarks, "benchmark")
                        : how_it_went(progress)));
    return;
  }
  if (progress.process == progress.processes && progress.moment == Progress::Moment::ended) {
    clear();
    return;
  }
  // A line that fills the last column would begin another one, which is not rewritten.
  const std::string text =
      columns_ < kLeastForBar ? describe(progress) : bar_and_text(progress, columns_);
  write_(kRewrite + shortened(text, columns_ - 1));
  shown_ = true;
}

void ProgressDisplay::clear() {
  if (!shown_) return;
  write_(kRewrite);
  shown_ = false;
}

std::size_t columns_of_standard_error() {
  constexpr std::size_t kUsual = 80;
  constexpr std::size_t kLeast = 20;
  const char* const terminal = std::getenv("TERM");
  if (::isatty(STDERR_FILENO) != 1 || terminal == nullptr || std::string_view(terminal) == "dumb") {
    return 0;
  }
  const std::size_t columns = terminal_columns(STDERR_FILENO);
  return columns < kLeast ? kUsual : columns;
}

}  // namespace warpgauge::ci
