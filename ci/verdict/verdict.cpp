// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/verdict.hpp"

#include <algorithm>

namespace warpgauge::ci {

std::string to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::not_worse:
      return "not worse";
    case Verdict::improved:
      return "improved";
    case Verdict::added:
      return "new";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::regressed:
      return "regressed";
    case Verdict::not_measured:
      return "not measured";
    case Verdict::missing:
      return "missing";
    case Verdict::failed:
      return "failed";
  }
  return "";
}

Verdict verdict_of_presence(Presence presence) {
  switch (presence) {
    case Presence::both_sides:
      return Verdict::same;
    case Presence::missing:
      return Verdict::missing;
    case Presence::failed:
      return Verdict::failed;
    case Presence::not_measured:
      return Verdict::not_measured;
    case Presence::nowhere_measured:
      return Verdict::inconclusive;
    case Presence::without_baseline:
      return Verdict::added;
    case Presence::left_to_range:
      return Verdict::not_worse;
  }
  return Verdict::not_measured;
}

std::size_t GateVerdict::count(Verdict verdict) const {
  return static_cast<std::size_t>(
      std::count_if(benchmarks.begin(), benchmarks.end(),
                    [&](const BenchmarkVerdict& each) { return each.verdict == verdict; }));
}

bool has_moved(const MetricVerdict& metric) {
  return metric.verdict == Verdict::regressed || metric.verdict == Verdict::improved;
}

bool is_open(const MetricVerdict& metric) {
  return metric.verdict == Verdict::inconclusive && metric.basis == Basis::statistics &&
         !metric.by_limit;
}

bool has_slowed(const MetricVerdict& metric) {
  return metric.verdict == Verdict::regressed && metric.metric_class == MetricClass::statistical &&
         !metric.by_limit;
}

}  // namespace warpgauge::ci
