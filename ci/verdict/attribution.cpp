// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/attribution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "ci/support/text.hpp"
#include "ci/verdict/kernel_name.hpp"
#include "ci/verdict/launches.hpp"
#include "profiling/machine_code/resources.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::KernelCode;
using results::Results;

constexpr std::size_t kMaxNamed = 3;

std::set<std::string> architectures(const std::vector<KernelCode>& codes) {
  std::set<std::string> all;
  for (const KernelCode& each : codes) all.insert(each.architecture);
  return all;
}

// "sm_80 and sm_90 by ptxas 13.0.88".
std::string compilation(const std::vector<KernelCode>& codes) {
  std::set<std::string> compilers;
  for (const KernelCode& each : codes) compilers.insert(each.compiler);
  return fmt::format("{} by {}", fmt::join(architectures(codes), " and "),
                     fmt::join(compilers, " and "));
}

// By kernel and architecture, of those architectures.
std::map<std::pair<std::string, std::string>, const KernelCode*> by_kernel(
    const std::vector<KernelCode>& codes, const std::set<std::string>& wanted) {
  std::map<std::pair<std::string, std::string>, const KernelCode*> kernels;
  for (const KernelCode& each : codes) {
    if (wanted.contains(each.architecture)) kernels[{each.name, each.architecture}] = &each;
  }
  return kernels;
}

bool is_same(const KernelCode& before, KernelCode after) {
  after.compiler = before.compiler;  // if it makes the same, it may be another
  return before == after;
}

std::string named(const std::vector<std::string>& kernels) {
  std::set<std::string_view> names;
  for (const std::string& each : kernels) names.insert(without_parameters(each));
  return some_of({names.begin(), names.end()}, kMaxNamed);
}

const results::Metric* find(const BenchmarkResult& result, const std::string& metric) {
  const auto found = result.metrics.find(metric);
  return found == result.metrics.end() ? nullptr : &found->second;
}

// Of all sessions and processes; nothing where they differ or there is none.
std::optional<double> only_figure(const results::Metric& metric) {
  std::optional<double> only;
  for (const std::vector<double>& session : metric.sessions) {
    for (const double figure : session) {
      if (only.value_or(figure) != figure) return std::nullopt;
      only = figure;
    }
  }
  return only;
}

void add_reason(MetricVerdict& metric, const std::string& reason) {
  metric.reason += fmt::format("{}{}", metric.reason.empty() ? "" : "; ", reason);
}

std::map<std::string, const BenchmarkResult*> by_id(const Results& results) {
  std::map<std::string, const BenchmarkResult*> all;
  for (const BenchmarkResult& each : results.benchmarks) all[each.id] = &each;
  return all;
}

void explain(const BenchmarkResult& before, const BenchmarkResult& after, const Policy& policy,
             bool is_stored, BenchmarkVerdict& verdict) {
  const CodeComparison code = compare_code(before.machine_code, after.machine_code);
  const LaunchComparison launches = compare_launches(before.launches, after.launches);
  const bool alike = launched_alike(before.launches, after.launches);
  for (MetricVerdict& metric : verdict.metrics) {
    if (metric.verdict != Verdict::regressed && metric.verdict != Verdict::improved) continue;
    if (launches.result == LaunchComparison::Result::other) {
      // Other machine code names other kernels, too.
      if (!launches.other_kernels || code.result != CodeComparison::Result::other) {
        add_reason(metric, "launched otherwise: " + launches.difference);
      }
    } else if (!alike) {
      add_reason(metric, "how it is launched was not observed this time");
    }
    if (code.result == CodeComparison::Result::unknown) continue;
    if (code.result == CodeComparison::Result::other) {
      add_reason(metric, "other machine code: " + named(code.kernels));
    } else if (metric.metric != results::kTimeMetric || !is_stored || !alike) {
      add_reason(metric, "same machine code");
    } else if (!same_exact_counters(before, after, policy)) {
      add_reason(metric, "same machine code: the cause is not in the machine code");
    } else if (!may_be_of_the_machine(metric)) {
      const bool told = launches.result == LaunchComparison::Result::same;
      add_reason(metric,
                 fmt::format("same machine code, the same exact counters{}, but more than machines "
                             "of a model differ: look at {}",
                             told ? " and launches" : "",
                             told ? "what it is given" : "how it is launched"));
    } else {
      metric.verdict = Verdict::inconclusive;
      add_reason(
          metric,
          fmt::format("{:+.1f} to {:+.1f} % with the same machine code and the same "
                      "exact counters: it is the machine; measure again, on another one if there "
                      "is one, or approve this as one more session",
                      100 * (metric.low.value_or(1) - 1), 100 * (metric.high.value_or(1) - 1)));
    }
  }
}

bool launched_otherwise_alone(const BenchmarkResult& before, const BenchmarkResult& after,
                              const BenchmarkVerdict& verdict) {
  return launched_otherwise(before.launches, after.launches) &&
         std::none_of(verdict.metrics.begin(), verdict.metrics.end(), [](const auto& metric) {
           return metric.verdict == Verdict::regressed || metric.verdict == Verdict::improved;
         });
}

}  // namespace

CodeComparison compare_code(const std::vector<KernelCode>& before,
                            const std::vector<KernelCode>& after) {
  CodeComparison comparison;
  const auto of_before = architectures(before);
  std::set<std::string> shared;
  for (const std::string& each : architectures(after)) {
    if (of_before.contains(each)) shared.insert(each);
  }
  if (shared.empty()) return comparison;

  const auto old_kernels = by_kernel(before, shared);
  const auto new_kernels = by_kernel(after, shared);
  std::set<std::string> differing;
  for (const auto& [key, code] : old_kernels) {
    const auto found = new_kernels.find(key);
    if (found == new_kernels.end() || !is_same(*code, *found->second)) differing.insert(key.first);
  }
  for (const auto& [key, code] : new_kernels) {
    if (!old_kernels.contains(key)) differing.insert(key.first);
  }
  comparison.result =
      differing.empty() ? CodeComparison::Result::same : CodeComparison::Result::other;
  comparison.kernels.assign(differing.begin(), differing.end());
  return comparison;
}

bool compiled_alike(const BenchmarkResult& before, const BenchmarkResult& after) {
  if (before.machine_code.empty() || after.machine_code.empty()) return true;
  return compilation(before.machine_code) == compilation(after.machine_code);
}

bool same_exact_counters(const BenchmarkResult& before, const BenchmarkResult& after,
                         const Policy& policy) {
  std::set<std::string> counters;
  for (const BenchmarkResult* side : {&before, &after}) {
    for (const auto& [name, metric] : side->metrics) {
      const Rule rule = policy.rule_for(side->id, name);
      if (rule.gated() && rule.metric_class == MetricClass::exact && !is_resource_metric(name)) {
        counters.insert(name);
      }
    }
  }
  return !counters.empty() && std::all_of(counters.begin(), counters.end(), [&](const auto& name) {
    const results::Metric* old_metric = find(before, name);
    const results::Metric* new_metric = find(after, name);
    if (old_metric == nullptr || new_metric == nullptr) return false;
    const std::optional<double> figure = only_figure(*old_metric);
    return figure.has_value() && figure == only_figure(*new_metric);
  });
}

bool may_be_of_the_machine(const MetricVerdict& time) {
  constexpr double kMost = 0.10;
  return time.before && time.after &&
         std::abs(std::log(*time.after / *time.before)) <= std::log1p(kMost);
}

std::vector<KernelVersions> kernel_versions(const std::vector<KernelCode>& before,
                                            const std::vector<KernelCode>& after) {
  std::map<std::pair<std::string, std::string>, KernelVersions> versions;
  for (const KernelCode& code : before) versions[{code.name, code.architecture}].before = code;
  for (const KernelCode& code : after) versions[{code.name, code.architecture}].after = code;
  std::vector<KernelVersions> all;
  for (auto& [key, version] : versions) {
    version.name = key.first;
    all.push_back(std::move(version));
  }
  return all;
}

void explain_by_machine_code(const Results& before, const Results& after, const Policy& policy,
                             GateVerdict& verdict) {
  const auto old_results = by_id(before);
  const auto new_results = by_id(after);
  std::map<std::pair<std::string, std::string>, std::size_t> other_compilations;
  std::set<std::string> unmoved;
  std::size_t untold = 0;
  for (BenchmarkVerdict& benchmark : verdict.benchmarks) {
    const auto old_result = old_results.find(benchmark.id);
    const auto new_result = new_results.find(benchmark.id);
    if (old_result == old_results.end() || new_result == new_results.end()) continue;
    explain(*old_result->second, *new_result->second, policy, before.is_baseline, benchmark);
    if (launched_otherwise_alone(*old_result->second, *new_result->second, benchmark)) {
      unmoved.insert(benchmark.id);
    }
    untold += before.is_baseline && old_result->second->launches.empty() &&
              !new_result->second->launches.empty();
    if (!compiled_alike(*old_result->second, *new_result->second)) {
      ++other_compilations[{compilation(old_result->second->machine_code),
                            compilation(new_result->second->machine_code)}];
    }
  }
  for (const auto& [sides, count] : other_compilations) {
    verdict.notes.push_back(fmt::format(
        "machine code of {} is of {}, before of {}: what kernels take is not compared; approve "
        "anew to compare it from here on",
        counted(count, "benchmark"), sides.second, sides.first));
  }
  if (!unmoved.empty()) {
    verdict.notes.push_back(fmt::format("launched otherwise, though no gated figure moved: {}",
                                        some_of({unmoved.begin(), unmoved.end()}, kMaxNamed)));
  }
  if (untold > 0) {
    verdict.notes.push_back(
        fmt::format("the baseline does not tell how {} launched: approve anew to compare it from "
                    "here on",
                    untold == 1 ? "1 benchmark is" : fmt::format("{} benchmarks are", untold)));
  }
}

}  // namespace warpgauge::ci
