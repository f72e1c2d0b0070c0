// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/attribution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using results::KernelCode;

constexpr std::size_t kMaxNamed = 3;

std::string named(const std::vector<std::string>& kernels) {
  std::set<std::string_view> names;
  for (const std::string& each : kernels) names.insert(without_parameters(each));
  return some_of({names.begin(), names.end()}, kMaxNamed);
}

void add_reason(MetricVerdict& metric, const std::string& reason) {
  metric.reason += fmt::format("{}{}", metric.reason.empty() ? "" : "; ", reason);
}

void explain(const CodeIdentity& identity, bool is_stored, BenchmarkVerdict& verdict) {
  const MachineCodeIdentity& code = identity.machine_code;
  const LaunchIdentity& launches = identity.launches;
  for (MetricVerdict& metric : verdict.metrics) {
    if (metric.verdict != Verdict::regressed && metric.verdict != Verdict::improved) continue;
    if (launches.is == Identity::different) {
      // Different machine code names different kernels, too.
      if (!launches.different_kernels || code.is != Identity::different) {
        add_reason(metric, "launched differently: " + launches.difference);
      }
    } else if (!launches.alike()) {
      add_reason(metric, "how it is launched was not observed this time");
    }
    if (code.is == Identity::unknown) continue;
    if (code.is == Identity::different) {
      add_reason(metric, "other machine code: " + named(code.different_kernels));
    } else if (metric.metric != results::kTimeMetric || !is_stored || !launches.alike()) {
      add_reason(metric, "same machine code");
    } else if (!identity.same()) {
      add_reason(metric, "same machine code: the cause is not in the machine code");
    } else if (!may_be_of_the_machine(metric)) {
      const bool told = launches.is == Identity::same;
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

bool launched_otherwise_alone(const CodeIdentity& identity, const BenchmarkVerdict& verdict) {
  return identity.launches.is == Identity::different &&
         std::none_of(verdict.metrics.begin(), verdict.metrics.end(), [](const auto& metric) {
           return metric.verdict == Verdict::regressed || metric.verdict == Verdict::improved;
         });
}

}  // namespace

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

void explain_by_machine_code(const CodeIdentities& identities, bool is_stored,
                             GateVerdict& verdict) {
  std::map<std::pair<std::string, std::string>, std::size_t> other_compilations;
  std::set<std::string> unmoved;
  std::size_t untold = 0;
  for (BenchmarkVerdict& benchmark : verdict.benchmarks) {
    const auto found = identities.find(benchmark.id);
    if (found == identities.end()) continue;
    const CodeIdentity& identity = found->second;
    const MachineCodeIdentity& code = identity.machine_code;
    explain(identity, is_stored, benchmark);
    if (launched_otherwise_alone(identity, benchmark)) unmoved.insert(benchmark.id);
    untold += is_stored && !identity.launches.known_before && identity.launches.known_after;
    if (!code.compiled_alike()) ++other_compilations[{code.compiled_before, code.compiled_after}];
  }
  for (const auto& [sides, count] : other_compilations) {
    verdict.notes.push_back(fmt::format(
        "machine code of {} is of {}, before of {}: what kernels take is not compared; approve "
        "again to compare it from here on",
        counted(count, "benchmark"), sides.second, sides.first));
  }
  if (!unmoved.empty()) {
    verdict.notes.push_back(fmt::format("launched differently, though no gated figure moved: {}",
                                        some_of({unmoved.begin(), unmoved.end()}, kMaxNamed)));
  }
  if (untold > 0) {
    verdict.notes.push_back(
        fmt::format("the baseline does not say how {} launched: approve again to compare it from "
                    "here on",
                    untold == 1 ? "1 benchmark is" : fmt::format("{} benchmarks are", untold)));
  }
}

}  // namespace warpgauge::ci
