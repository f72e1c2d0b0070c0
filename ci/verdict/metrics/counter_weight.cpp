// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/counter_weight.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/verdict/machine_code/code_changes.hpp"
#include "ci/verdict/machine_code/kernel_warps.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

using results::Access;
using results::BenchmarkResult;
using results::KernelCode;

constexpr std::string_view kWavefronts = "_wavefronts";

std::optional<Access> access_of_wavefronts(const std::string& metric) {
  for (const Access access : {Access::shared_load, Access::shared_store, Access::shared_atomic}) {
    if (metric == fmt::format("{}{}", to_string(access), kWavefronts)) return access;
  }
  return std::nullopt;
}

std::optional<double> excess_of(const BenchmarkResult& result, const std::string& metric,
                                Access access) {
  const results::Metric* const counted = result.find(metric);
  if (counted == nullptr) return std::nullopt;
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal = 0;
  for (const results::SourceLine& line : result.lines) {
    if (line.access != access) continue;
    wavefronts += line.wavefronts;
    ideal += line.ideal_wavefronts;
  }
  if (static_cast<double>(wavefronts) != counted->figures().front()) return std::nullopt;
  return static_cast<double>(wavefronts) - static_cast<double>(ideal);
}

using Warps = std::map<std::pair<std::string, std::string>, std::uint64_t>;  // name, architecture

// Of each kernel, by the block that leaves room for the fewest.
std::optional<Warps> warps_of(const BenchmarkResult& result, WarpsBy by) {
  Warps warps;
  for (const KernelCode& code : result.machine_code) {
    const auto fewest = fewest_warps(code, result, by);
    if (!fewest) return std::nullopt;
    const auto [known, is_new] = warps.try_emplace({code.name, code.architecture}, fewest->warps);
    if (!is_new) known->second = std::min(known->second, fewest->warps);  // several of one name
  }
  if (warps.empty()) return std::nullopt;
  return warps;
}

std::uint64_t fewest_of(const Warps& warps) {
  return std::min_element(warps.begin(), warps.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->second;
}

bool same_kernels(const Warps& a, const Warps& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first; });
}

// What the clock says of the benchmark.
enum class TimeSays { none, unclear, loss, no_loss, gain };

TimeSays time_says(const BenchmarkVerdict& benchmark) {
  const auto time =
      std::find_if(benchmark.metrics.begin(), benchmark.metrics.end(),
                   [](const auto& metric) { return metric.metric == results::kTimeMetric; });
  if (time == benchmark.metrics.end()) return TimeSays::none;
  const bool judged = time->basis == Basis::statistics || time->basis == Basis::one_figure ||
                      time->basis == Basis::same_code;
  if (!judged) return TimeSays::none;
  switch (time->verdict) {
    case Verdict::same:
    case Verdict::not_worse:
      return TimeSays::no_loss;
    case Verdict::improved:
      return TimeSays::gain;
    case Verdict::regressed:
      return TimeSays::loss;
    default:
      return TimeSays::unclear;
  }
}

// By how much it grew, as a share; of nothing, without end.
double growth_of(const MetricVerdict& metric) {
  if (*metric.before == 0) return std::numeric_limits<double>::infinity();
  return std::abs(*metric.after / *metric.before - 1);
}

bool is_of_occupancy(const std::string& metric) {
  return metric == "registers" || metric == "static_shared_bytes";
}

// Those that a change may trade for time.
bool may_be_traded(const std::string& metric) {
  constexpr std::string_view kKinds[] = {"_requests", "_wavefronts", "_sectors"};
  const bool traffic = metric.starts_with("shared_") || metric.starts_with("global_");
  return metric == "barriers" || metric == "stack_bytes" ||
         (traffic && std::any_of(std::begin(kKinds), std::end(kKinds),
                                 [&](std::string_view kind) { return metric.ends_with(kind); }));
}

void let_pass(std::string reason, MetricVerdict& metric) {
  metric.verdict = Verdict::not_worse;
  metric.reason = std::move(reason);
}

void weigh_resource(TimeSays clock, MetricVerdict& metric) {
  if (clock == TimeSays::no_loss || clock == TimeSays::gain || clock == TimeSays::loss) {
    return let_pass("the clock judges what it costs", metric);
  }
  const auto& warps = metric.resident_warps;
  if (!warps) {
    metric.reason = "whether fewer warps are resident is not known";
  } else if (warps->after < warps->before) {
    metric.reason =
        fmt::format("{:g} warps are resident, before {:g}", warps->after, warps->before);
  } else {
    let_pass(fmt::format("as many warps are resident, {:g}", warps->after), metric);
  }
}

// Nothing but machine code and launches: it decides where no clock does, that is, also for the code
// that the GPU of the clock does not run.
void weigh_code(TimeSays clock, MetricVerdict& metric) {
  const bool judged =
      clock == TimeSays::no_loss || clock == TimeSays::gain || clock == TimeSays::loss;
  if (judged && metric.worse_where_not_run.empty()) {
    let_pass("the clock judges what it costs", metric);
  } else if (judged) {
    metric.reason =
        fmt::format("the clock judged no code for {}", fmt::join(metric.worse_where_not_run, ", "));
  } else if (metric.metric == kLocalAccesses && *metric.before > 0) {
    let_pass("there were some before", metric);
  }
}

// Whether they are conflicts: then no clock excuses them.
bool has_more_conflicts(TimeSays clock, MetricVerdict& metric) {
  if (!access_of_wavefronts(metric.metric)) return false;
  const auto& excess = metric.excess_wavefronts;
  if (!excess && clock != TimeSays::none) {
    metric.reason = "whether they are bank conflicts is not known: the source lines do not say";
  }
  return !excess || excess->after > excess->before;
}

void weigh_counter(double limit, TimeSays clock, MetricVerdict& metric) {
  if (clock == TimeSays::none || clock == TimeSays::loss || has_more_conflicts(clock, metric))
    return;
  if (clock == TimeSays::gain) return let_pass("time is shown to be better", metric);
  constexpr double kRounding = 1e-9;
  if (growth_of(metric) > limit + kRounding) {
    metric.reason = fmt::format(
        "more than counter_limit, {:g} %, and time is not shown to be better", 100 * limit);
    return;
  }
  let_pass(
      fmt::format("within counter_limit, {:g} %, and time is not shown to be worse", 100 * limit),
      metric);
}

}  // namespace

std::optional<BeforeAfter> excess_wavefronts(const std::string& metric,
                                             const BenchmarkResult& before,
                                             const BenchmarkResult& after) {
  const auto access = access_of_wavefronts(metric);
  if (!access) return std::nullopt;
  const auto excess_before = excess_of(before, metric, *access);
  const auto excess_after = excess_of(after, metric, *access);
  if (!excess_before || !excess_after) return std::nullopt;
  return BeforeAfter{*excess_before, *excess_after};
}

std::optional<BeforeAfter> resident_warps(const std::string& metric, const BenchmarkResult& before,
                                          const BenchmarkResult& after) {
  if (!is_of_occupancy(metric)) return std::nullopt;
  const auto by = warps_by(before, after);
  if (!by) return std::nullopt;
  const auto warps_before = warps_of(before, *by);
  const auto warps_after = warps_of(after, *by);
  if (!warps_before || !warps_after) return std::nullopt;
  if (!same_kernels(*warps_before, *warps_after)) {
    return BeforeAfter{static_cast<double>(fewest_of(*warps_before)),
                       static_cast<double>(fewest_of(*warps_after))};
  }
  std::optional<BeforeAfter> worst;
  for (const auto& [kernel, count] : *warps_before) {
    const BeforeAfter each{static_cast<double>(count),
                           static_cast<double>(warps_after->at(kernel))};
    if (!worst || each.after * worst->before < worst->after * each.before) worst = each;
  }
  return worst;
}

bool always_decides(const std::string& metric) {
  return !is_of_occupancy(metric) && !may_be_traded(metric) && !is_code_metric(metric);
}

void weigh_counters(double counter_limit, BenchmarkVerdict& benchmark) {
  const TimeSays clock = time_says(benchmark);
  for (MetricVerdict& metric : benchmark.metrics) {
    if (metric.basis != Basis::exact || metric.verdict != Verdict::regressed) continue;
    if (is_code_metric(metric.metric)) {
      weigh_code(clock, metric);
    } else if (is_of_occupancy(metric.metric)) {
      weigh_resource(clock, metric);
    } else if (may_be_traded(metric.metric)) {
      weigh_counter(counter_limit, clock, metric);
    }
  }
}

}  // namespace warpgauge::ci
