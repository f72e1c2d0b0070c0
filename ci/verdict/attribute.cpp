// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/attribute.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "ci/support/text.hpp"
#include "ci/verdict/machine_code/code_changes.hpp"
#include "ci/verdict/machine_code/kernel_pairs.hpp"
#include "ci/verdict/metrics/counter_range.hpp"
#include "ci/verdict/metrics/line_attribution.hpp"
#include "ci/verdict/metrics/roofline.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::KernelCode;
using results::Results;

std::string named(const std::vector<std::string>& kernels) {
  constexpr std::size_t kMostNamed = 3;
  std::set<std::string_view> names;
  for (const std::string& each : kernels) names.insert(without_parameters(each));
  return some_of({names.begin(), names.end()}, kMostNamed);
}

void add_reason(const std::string& reason, MetricVerdict& metric) {
  metric.reason += fmt::format("{}{}", metric.reason.empty() ? "" : "; ", reason);
}

void add_launches(const CodeIdentity& identity, MetricVerdict& metric) {
  const LaunchIdentity& launches = identity.launches;
  if (launches.is == Identity::different) {
    // Different machine code names different kernels, too.
    const bool both_differ =
        launches.different_kernels && identity.machine_code.is == Identity::different;
    if (!both_differ) add_reason("launched differently: " + launches.difference, metric);
  } else if (!launches.alike()) {
    add_reason("how it is launched was not observed this time", metric);
  }
}

void add_machine_code(const CodeIdentity& identity, bool against_baseline, MetricVerdict& metric) {
  const MachineCodeIdentity& code = identity.machine_code;
  if (code.is == Identity::unknown) return;
  if (code.is == Identity::different) {
    add_reason("other machine code: " + named(code.different_kernels), metric);
  } else if (metric.metric != results::kTimeMetric || !against_baseline ||
             !identity.launches.alike()) {
    add_reason("same machine code", metric);
  } else if (identity.input == Identity::different) {
    add_reason("same machine code, other input", metric);
  } else if (!identity.same_instructions_and_counters()) {
    add_reason("same machine code: the cause is not in the machine code", metric);
  } else {
    const bool launches_known = identity.launches.is == Identity::same;
    add_reason(fmt::format("same machine code, the same exact counters{}, but more than machines "
                           "of a model differ: look at {}",
                           launches_known ? " and launches" : "",
                           launches_known ? "what it is given" : "how it is launched"),
               metric);
  }
}

// Other code that got slower for no reason that an exact metric names, and runs more instructions:
// by how many. They are no measure of time, so they decide nothing, and a few more are in any
// change.
void add_instructions(const BenchmarkVerdict& benchmark, MetricVerdict& time) {
  constexpr double kWorthSaying = 1.02;
  if (time.metric != results::kTimeMetric || time.verdict != Verdict::regressed) return;
  const auto& metrics = benchmark.metrics;
  const bool is_named = std::any_of(metrics.begin(), metrics.end(), [](const auto& metric) {
    return metric.basis == Basis::exact && metric.verdict == Verdict::regressed;
  });
  if (is_named) return;
  const auto found = std::find_if(metrics.begin(), metrics.end(), [](const MetricVerdict& metric) {
    return metric.metric == "instructions";
  });
  if (found == metrics.end() || !found->before || !found->after) return;
  if (!(*found->after > kWorthSaying * *found->before)) return;
  add_reason(
      fmt::format("instructions {} → {} ({})", readable_large(*found->before),
                  readable_large(*found->after), readable_change(found->before, found->after)),
      time);
}

// A kernel that takes another time, and whose counters are beyond what the baseline's sessions had,
// is likely to take it for that reason: adds them to the reason.
void mention_counters(BenchmarkVerdict& benchmark) {
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> beyond;
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (!metric.range || !metric.after || !is_beyond(*metric.range, *metric.after)) continue;
    beyond.push_back(fmt::format("{} {} ({})", metric.metric, readable_count(*metric.after),
                                 range_text(*metric.range)));
  }
  if (beyond.empty()) return;
  const std::size_t more = beyond.size() - std::min(beyond.size(), kMostNamed);
  beyond.resize(beyond.size() - more);
  for (MetricVerdict& metric : benchmark.metrics) {
    const bool moved = has_moved(metric) && !metric.by_limit;
    if (!moved || metric.metric != results::kTimeMetric) continue;
    add_reason(fmt::format("{}{}{}", kNotAsInSessions, fmt::join(beyond, ", "),
                           more == 0 ? "" : fmt::format(" and {} more", more)),
               metric);
  }
}

// What a reader of the verdict may want to see for himself.
void add_evidence(const BenchmarkResult* before, const BenchmarkResult* after,
                  BenchmarkVerdict& verdict) {
  using Codes = std::vector<KernelCode>;
  verdict.kernels = kernel_versions(before != nullptr ? before->machine_code : Codes(),
                                    after != nullptr ? after->machine_code : Codes());
  if (before != nullptr) {
    verdict.work = before->work;
    verdict.samples_before = before->samples_ns;
    verdict.lines_before = before->lines;
  }
  if (after == nullptr) return;
  verdict.work = after->work;
  verdict.samples_after = after->samples_ns;
  verdict.lines_after = after->lines;
  verdict.not_measured = after->not_measured;
  verdict.remarks = after->remarks;
}

const BenchmarkResult* find(const std::map<std::string_view, const BenchmarkResult*>& results,
                            const std::string& id) {
  const auto found = results.find(id);
  return found == results.end() ? nullptr : found->second;
}

std::uint64_t l2_bytes_of(const Results& results) {
  return results.session ? results.session->device.l2_bytes : 0;
}

}  // namespace

std::vector<BenchmarkVerdict> attribute(std::vector<BenchmarkVerdict> decided,
                                        const Estimates& estimates, const Results& before,
                                        const Results& after) {
  const auto old_results = before.by_id();
  const auto new_results = after.by_id();
  std::map<std::string_view, const CodeIdentity*> codes;
  for (const BenchmarkEstimate& each : estimates.benchmarks) codes[each.id] = &each.code;
  const results::Ceilings ceilings = ceilings_of(after);
  for (BenchmarkVerdict& benchmark : decided) {
    const BenchmarkResult* const old_result = find(old_results, benchmark.id);
    const BenchmarkResult* const new_result = find(new_results, benchmark.id);
    add_evidence(old_result, new_result, benchmark);
    if (new_result != nullptr) {
      benchmark.achieved = achieved(*new_result, ceilings, l2_bytes_of(after));
    }
    for (MetricVerdict& metric : benchmark.metrics) {
      const bool grew = metric.before != metric.after;
      if (metric.basis == Basis::exact && metric.verdict == Verdict::regressed && grew) {
        metric.cause = find_cause(metric.metric, *old_result, *new_result);
        const std::string kernels = worse_kernels(metric.metric, *old_result, *new_result);
        if (!kernels.empty()) add_reason(kernels, metric);
      } else if (metric.by_limit && new_result != nullptr) {
        const std::string kernels = deciding_kernels(metric.metric, *new_result);
        if (!kernels.empty()) add_reason(kernels, metric);
      }
    }
    // What all of them have in common is said once, of the one that decides.
    const auto deciding =
        std::find_if(benchmark.metrics.begin(), benchmark.metrics.end(),
                     [](const auto& metric) { return has_moved(metric) && !metric.by_limit; });
    if (deciding != benchmark.metrics.end()) {
      add_launches(*codes.at(benchmark.id), *deciding);
      add_machine_code(*codes.at(benchmark.id), estimates.against_baseline, *deciding);
      if (codes.at(benchmark.id)->machine_code.is == Identity::different)
        add_instructions(benchmark, *deciding);
    }
    mention_counters(benchmark);
  }
  return decided;
}

std::vector<KernelVersions> kernel_versions(const std::vector<KernelCode>& before,
                                            const std::vector<KernelCode>& after) {
  std::map<std::pair<std::string, std::string>, std::pair<KernelCodes, KernelCodes>> by_kernel;
  for (const KernelCode& code : before) {
    by_kernel[{code.name, code.architecture}].first.push_back(&code);
  }
  for (const KernelCode& code : after) {
    by_kernel[{code.name, code.architecture}].second.push_back(&code);
  }
  std::vector<KernelVersions> all;
  for (const auto& [key, sides] : by_kernel) {
    for (const CodePair& pair : paired(sides.first, sides.second)) {
      KernelVersions& version = all.emplace_back();
      version.name = key.first;
      if (pair.before != nullptr) version.before = *pair.before;
      if (pair.after != nullptr) version.after = *pair.after;
      for (auto* const side : {&version.before, &version.after}) {
        if (*side) (*side)->places.clear();  // of those that matter the reasons tell
      }
    }
  }
  return all;
}

}  // namespace warpgauge::ci
