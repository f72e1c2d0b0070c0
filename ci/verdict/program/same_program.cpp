// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/program/same_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>

#include "ci/verdict/text/inconclusive.hpp"
#include "profiling/results/program_id.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

// Of its range's floor, what a kernel may add to the range and is left to it.
constexpr double kLeftToTheRange = 0.2;

using Decided = std::map<std::string_view, const BenchmarkVerdict*>;

const MetricVerdict* metric_of(const BenchmarkVerdict& benchmark, std::string_view name) {
  const auto found = std::find_if(benchmark.metrics.begin(), benchmark.metrics.end(),
                                  [&](const auto& each) { return each.metric == name; });
  return found == benchmark.metrics.end() ? nullptr : &*found;
}

bool is_open_time(const MetricVerdict& metric) {
  return is_open(metric) && results::is_of_timestamps(metric.metric) && metric.evidence.has_value();
}

// The innermost one around that is timed.
const BenchmarkVerdict* timed_range_around(std::string_view id, const Decided& decided) {
  for (std::string range = results::range_around(id); !range.empty();
       range = results::range_around(range)) {
    const auto found = decided.find(range);
    if (found == decided.end()) continue;
    const MetricVerdict* const time = metric_of(*found->second, results::kTimeMetric);
    if (time != nullptr && time->basis == Basis::statistics) return found->second;
  }
  return nullptr;
}

// How much of the range's time the kernel's is.
std::optional<double> share_of(const BenchmarkVerdict& kernel, const BenchmarkVerdict& range) {
  const MetricVerdict* const part = metric_of(kernel, results::kGpuTimeShare);
  const MetricVerdict* const whole = metric_of(range, results::kGpuTimeShare);
  if (part == nullptr || !part->after) return std::nullopt;
  if (range.id == results::kWholeProgram) return part->after;
  if (whole == nullptr || !whole->after || *whole->after <= 0) return std::nullopt;
  return *part->after / *whole->after;
}

void decide_by_range(const BenchmarkVerdict& kernel, const Decided& decided,
                     MetricVerdict& metric) {
  if (!is_open_time(metric) || !metric.high) return;
  const BenchmarkVerdict* const range = timed_range_around(kernel.id, decided);
  if (range == nullptr) return;
  const MetricVerdict& time = *metric_of(*range, results::kTimeMetric);
  const bool passes = time.verdict == Verdict::same || time.verdict == Verdict::not_worse ||
                      time.verdict == Verdict::improved;
  const std::optional<double> share = share_of(kernel, *range);
  if (!passes || !share || !time.floor) return;
  const double most = *share * (*metric.high - 1);
  if (!(most < kLeftToTheRange * *time.floor)) return;
  metric.reason = fmt::format(
      "{}: the machine code is the same, launched alike, and that is at most {:.2g} % of {}, which "
      "is "
      "not slower",
      interval_text(metric), 100 * std::max(most, 0.0), range->id);
  metric.verdict = Verdict::same;
  metric.more_processes_help = false;
}

}  // namespace

void decide_by_same_program(bool more_may_follow, MetricVerdict& metric) {
  if (!is_open_time(metric)) return;
  const double ratio = *metric.after / *metric.before;
  const double most = worst_that_is_let_pass(metric);
  const double reach = std::exp(metric.evidence->estimate.of_processes.half_width);
  const bool processes_tell = ratio * reach <= most;
  if (!processes_tell && more_may_follow) {
    metric.more_processes_help = true;
    return;
  }
  if (ratio > most) return;
  metric.reason =
      fmt::format("{}: {}, and the machine code is the same, launched alike", interval_text(metric),
                  processes_tell ? "as far as its processes differ it is within the floor"
                                 : "the processes differ too much to tell more");
  metric.verdict = Verdict::same;
  metric.more_processes_help = false;
}

void decide_by_what_was_added(double added, MetricVerdict& metric) {
  if (!is_open_time(metric)) return;
  const double most = worst_that_is_let_pass(metric);
  const double reach = std::exp(metric.evidence->estimate.of_processes.half_width);
  if (!(1 + added > most) || !(*metric.after / *metric.before / reach > most)) return;
  metric.reason = fmt::format(
      "{}: what is launched only now takes {:.2g} % of what the rest does, which is of the same "
      "machine code, and as far as its processes differ it is beyond the floor",
      interval_text(metric), 100 * added);
  metric.verdict = Verdict::regressed;
  metric.more_processes_help = false;
}

void decide_by_range(const std::set<std::string>& same_code,
                     std::vector<BenchmarkVerdict>& decided) {
  Decided by_id;
  for (const BenchmarkVerdict& each : decided) by_id.emplace(each.id, &each);
  for (BenchmarkVerdict& each : decided) {
    if (!same_code.contains(each.id) || !results::program_kernel(each.id)) continue;
    for (MetricVerdict& metric : each.metrics) decide_by_range(each, by_id, metric);
  }
}

}  // namespace warpgauge::ci
