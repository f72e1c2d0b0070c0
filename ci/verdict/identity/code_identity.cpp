// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/code_identity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>

#include "ci/support/text.hpp"
#include "profiling/machine_code/resource_metrics.hpp"
#include "profiling/results/host_calls.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::KernelCode;
using results::KernelLaunch;
using results::Results;

constexpr std::size_t kMostDifferencesNamed = 3;

std::set<std::string> architectures(const std::vector<KernelCode>& codes) {
  std::set<std::string> all;
  for (const KernelCode& each : codes) all.insert(each.architecture);
  return all;
}

// "sm_80 and sm_90 by ptxas 13.0.88", of what is for these. Empty: there is none.
std::string compilation(const std::vector<KernelCode>& codes, const std::set<std::string>& wanted) {
  std::set<std::string> compilers;
  for (const KernelCode& each : codes) {
    if (wanted.contains(each.architecture)) compilers.insert(each.compiler);
  }
  if (compilers.empty()) return "";
  return fmt::format("{} by {}", fmt::join(wanted, " and "), fmt::join(compilers, " and "));
}

// A program may have several of one name, in modules of their own.
using Codes = std::vector<const KernelCode*>;

// By kernel and architecture, of those architectures.
std::map<std::pair<std::string, std::string>, Codes> by_kernel(
    const std::vector<KernelCode>& codes, const std::set<std::string>& wanted) {
  std::map<std::pair<std::string, std::string>, Codes> kernels;
  for (const KernelCode& each : codes) {
    if (wanted.contains(each.architecture)) {
      kernels[{each.name, each.architecture}].push_back(&each);
    }
  }
  return kernels;
}

bool is_same(const KernelCode& before, KernelCode after) {
  after.compiler = before.compiler;  // if it makes the same, it may be another
  return before == after;
}

// Whatever their order.
bool are_same(const Codes& before, const Codes& after) {
  const auto all_are_in = [](const Codes& these, const Codes& those) {
    return std::all_of(these.begin(), these.end(), [&](const KernelCode* each) {
      return std::any_of(those.begin(), those.end(),
                         [&](const KernelCode* other) { return is_same(*each, *other); });
    });
  };
  return all_are_in(before, after) && all_are_in(after, before);
}

// Of one kernel.
struct Sides {
  std::vector<KernelLaunch> before;
  std::vector<KernelLaunch> after;
};

// "32×16" of 32, 16 and 1.
std::string extents_text(const results::Extents& extents) {
  std::size_t dimensions = extents.size();
  while (dimensions > 1 && extents[dimensions - 1] == 1) --dimensions;
  return fmt::format("{}", fmt::join(extents.begin(), extents.begin() + dimensions, "×"));
}

std::string carveout_text(const std::optional<std::uint32_t>& percent) {
  return percent ? fmt::format("{} %", *percent) : "left to the driver";
}

// What differs of a kernel, without the launches that both sides share.
std::string launch_difference(const std::vector<KernelLaunch>& all_before,
                              const std::vector<KernelLaunch>& all_after) {
  if (all_before.empty()) return "is launched now";
  if (all_after.empty()) return "is launched no longer";
  std::vector<KernelLaunch> before;
  std::vector<KernelLaunch> after;
  std::ranges::set_difference(all_before, all_after, std::back_inserter(before));
  std::ranges::set_difference(all_after, all_before, std::back_inserter(after));
  if (before.size() != 1 || after.size() != 1) return "other launches";
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const std::string& old_text, const std::string& new_text) {
    if (old_text != new_text) parts.push_back(fmt::format("{} {} → {}", what, old_text, new_text));
  };
  if (before.front().arguments != after.front().arguments) parts.emplace_back("other arguments");
  const KernelLaunch& old_launch = before.front();
  const KernelLaunch& new_launch = after.front();
  add("grid", extents_text(old_launch.grid), extents_text(new_launch.grid));
  add("block", extents_text(old_launch.block), extents_text(new_launch.block));
  add("dynamic shared memory", fmt::format("{} bytes", old_launch.dynamic_shared_bytes),
      fmt::format("{} bytes", new_launch.dynamic_shared_bytes));
  add("cluster", extents_text(old_launch.cluster), extents_text(new_launch.cluster));
  add("shared memory carve-out", carveout_text(old_launch.shared_carveout),
      carveout_text(new_launch.shared_carveout));
  add("launches", fmt::format("{}", old_launch.count), fmt::format("{}", new_launch.count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool know_arguments(const std::vector<KernelLaunch>& launches) {
  return std::none_of(launches.begin(), launches.end(),
                      [](const KernelLaunch& each) { return each.arguments.empty(); });
}

std::vector<KernelLaunch> without_arguments(const std::vector<KernelLaunch>& launches) {
  std::vector<KernelLaunch> without;
  for (KernelLaunch each : launches) {
    each.arguments.clear();
    results::add_launch(std::move(each), without);
  }
  return without;
}

ExactFigures exact_figures(const BenchmarkResult& result, const Policy& policy) {
  ExactFigures figures;
  for (const auto& [name, metric] : result.metrics) {
    const Rule rule = policy.rule_for(result.id, name);
    if (rule.gated() && rule.metric_class == MetricClass::exact) {
      figures[name] = metric.only_figure();
    }
  }
  return figures;
}

// Of the resources, or of all others.
enum class FigureKind { counter, resource, host };

FigureKind kind_of(const std::string& metric) {
  if (is_resource_metric(metric)) return FigureKind::resource;
  return results::is_host_metric(metric) ? FigureKind::host : FigureKind::counter;
}

Identity compare_exact_figures(const ExactFigures& before, const ExactFigures& after,
                               FigureKind kind) {
  std::set<std::string> names;
  for (const ExactFigures* side : {&before, &after}) {
    for (const auto& [name, figure] : *side) {
      if (kind_of(name) == kind) names.insert(name);
    }
  }
  Identity identity = names.empty() ? Identity::unknown : Identity::same;
  for (const std::string& name : names) {
    const auto old_figure = before.find(name);
    const auto new_figure = after.find(name);
    if (old_figure == before.end() || new_figure == after.end() || !old_figure->second ||
        !new_figure->second) {
      identity = Identity::unknown;
    } else if (*old_figure->second != *new_figure->second) {
      return Identity::different;
    }
  }
  return identity;
}

// A range of one value in so many sessions is a counter that repeats.
constexpr int kSessionsThatRepeat = 3;

Identity compare_repeating(const BenchmarkResult& before, const BenchmarkResult& after) {
  Identity identity = Identity::same;
  for (const auto& [name, range] : before.ranges) {
    if (range.least != range.greatest || range.sessions < kSessionsThatRepeat) continue;
    if (name.starts_with("dram_")) continue;  // in most sessions 0 if all fits the L2
    const auto found = after.metrics.find(name);
    const auto figure = found == after.metrics.end() ? std::nullopt : found->second.only_figure();
    if (!figure) {
      identity = Identity::unknown;
    } else if (*figure != range.least) {
      return Identity::different;
    }
  }
  return identity;
}

Identity compare_texts(const std::string& before, const std::string& after) {
  if (before.empty() || after.empty()) return Identity::unknown;
  return before == after ? Identity::same : Identity::different;
}

bool has_counters(const ExactFigures& figures) {
  return std::any_of(figures.begin(), figures.end(),
                     [](const auto& each) { return kind_of(each.first) == FigureKind::counter; });
}

}  // namespace

bool MachineCodeIdentity::compiled_alike() const {
  return compiled_before.empty() || compiled_after.empty() || compiled_before == compiled_after;
}

bool LaunchIdentity::alike() const { return is == Identity::same || !known_before; }

std::string CodeIdentity::not_same_because() const {
  const auto check = [](Identity is, const char* different, const char* unknown) {
    return is == Identity::same ? "" : is == Identity::different ? different : unknown;
  };
  for (const char* reason :
       {check(machine_code.is, "other machine code", "machine code is not known on both sides"),
        check(launches.is, "launched differently", "launches are not known on both sides"),
        check(launches.arguments, "launched differently",
              "arguments of launches are not known on both sides"),
        check(input, "other input", "the input is not known on both sides"),
        knows_host_calls ? check(host_calls, "other copies, allocations or synchronizations",
                                 "copies, allocations and synchronizations are not known on both "
                                 "sides")
                         : "",
        counted ? check(counters, "other counters", "a counter is missing on one side") : "",
        counted ? check(repeating, "other counters", "a counter is missing on one side") : ""}) {
    if (*reason != '\0') return reason;
  }
  return at_merge_base;
}

bool CodeIdentity::same_instructions_and_counters() const {
  return machine_code.is == Identity::same && launches.alike() && counters == Identity::same &&
         input != Identity::different && host_calls != Identity::different && at_merge_base.empty();
}

bool CodeIdentity::different() const {
  return machine_code.is == Identity::different || launches.is == Identity::different;
}

bool CodeIdentity::same_instructions() const {
  return machine_code.is == Identity::same && launches.is != Identity::different &&
         at_merge_base.empty();
}

bool CodeIdentity::may_be_same() const {
  return !different() && counters != Identity::different && resources != Identity::different &&
         input != Identity::different && host_calls != Identity::different;
}

MachineCodeIdentity compare_machine_code(const std::vector<KernelCode>& before,
                                         const std::vector<KernelCode>& after) {
  MachineCodeIdentity identity;
  const auto of_before = architectures(before);
  const auto of_after = architectures(after);
  std::set<std::string> shared;
  std::ranges::set_intersection(of_before, of_after, std::inserter(shared, shared.end()));
  identity.compiled_before = compilation(before, shared.empty() ? of_before : shared);
  identity.compiled_after = compilation(after, shared.empty() ? of_after : shared);
  if (shared.empty()) return identity;
  std::ranges::set_difference(
      of_after, shared,
      std::inserter(identity.new_architectures, identity.new_architectures.end()));

  const auto old_kernels = by_kernel(before, shared);
  const auto new_kernels = by_kernel(after, shared);
  std::set<std::string> different;
  for (const auto& [key, code] : old_kernels) {
    const auto found = new_kernels.find(key);
    if (found == new_kernels.end() || !are_same(code, found->second)) different.insert(key.first);
  }
  for (const auto& [key, code] : new_kernels) {
    if (!old_kernels.contains(key)) different.insert(key.first);
  }
  identity.is = different.empty() ? Identity::same : Identity::different;
  identity.different_kernels.assign(different.begin(), different.end());
  return identity;
}

LaunchIdentity compare_launches(const std::vector<KernelLaunch>& before,
                                const std::vector<KernelLaunch>& after) {
  LaunchIdentity identity;
  identity.known_before = !before.empty();
  identity.known_after = !after.empty();
  if (before.empty() || after.empty()) return identity;
  if (!know_arguments(before) || !know_arguments(after)) {
    const auto old_launches = without_arguments(before);
    const auto new_launches = without_arguments(after);
    if (old_launches != before || new_launches != after) {
      return compare_launches(old_launches, new_launches);
    }
  } else {
    identity.arguments = before == after ? Identity::same : Identity::different;
  }
  identity.is = before == after ? Identity::same : Identity::different;
  if (before == after) return identity;

  std::map<std::string, Sides> kernels;
  for (const KernelLaunch& each : before) kernels[each.kernel].before.push_back(each);
  for (const KernelLaunch& each : after) kernels[each.kernel].after.push_back(each);
  std::map<std::string_view, int> overloads;
  for (const auto& [kernel, sides] : kernels) ++overloads[without_parameters(kernel)];
  std::vector<std::string> differences;
  for (const auto& [kernel, sides] : kernels) {
    if (sides.before == sides.after) continue;
    identity.different_kernels |= sides.before.empty() || sides.after.empty();
    const std::string_view name = without_parameters(kernel);
    differences.push_back(fmt::format("{}: {}", overloads[name] > 1 ? kernel : name,
                                      launch_difference(sides.before, sides.after)));
  }
  identity.difference = some_of(differences, kMostDifferencesNamed, "; ");
  return identity;
}

CodeIdentity code_identity(const CodeSide& before, const CodeSide& after) {
  CodeIdentity identity;
  identity.machine_code = compare_machine_code(before.machine_code, after.machine_code);
  identity.launches = compare_launches(before.launches, after.launches);
  identity.counters = compare_exact_figures(before.exact, after.exact, FigureKind::counter);
  identity.resources = compare_exact_figures(before.exact, after.exact, FigureKind::resource);
  identity.host_calls = compare_exact_figures(before.exact, after.exact, FigureKind::host);
  identity.input = compare_texts(before.input_digest, after.input_digest);
  return identity;
}

CodeIdentity code_identity(const BenchmarkResult& before, const BenchmarkResult& after,
                           const Policy& policy) {
  const ExactFigures old_figures = exact_figures(before, policy);
  const ExactFigures new_figures = exact_figures(after, policy);
  CodeIdentity identity =
      code_identity({before.machine_code, before.launches, before.input_digest, old_figures},
                    {after.machine_code, after.launches, after.input_digest, new_figures});
  identity.repeating = compare_repeating(before, after);
  const auto asks_for_host_calls = [](const auto& each) {
    return kind_of(each.first) == FigureKind::host;
  };
  identity.knows_host_calls =
      std::any_of(old_figures.begin(), old_figures.end(), asks_for_host_calls) ||
      std::any_of(new_figures.begin(), new_figures.end(), asks_for_host_calls);
  identity.counted = has_counters(old_figures) || has_counters(new_figures) ||
                     !before.ranges.empty() || !after.not_measured.contains("counters");
  return identity;
}

CodeIdentities code_identities(const Results& before, const Results& after, const Policy& policy) {
  const auto old_results = before.by_id();
  CodeIdentities identities;
  for (const BenchmarkResult& each : after.benchmarks) {
    const auto found = old_results.find(each.id);
    if (found == old_results.end()) continue;
    identities.emplace(each.id, code_identity(*found->second, each, policy));
  }
  return identities;
}

void hold_against_merge_base(const CodeIdentities& there, CodeIdentities& identities) {
  for (auto& [id, identity] : identities) {
    const auto found = there.find(id);
    if (found == there.end()) {
      identity.at_merge_base = "the merge base has no baseline of it";
      continue;
    }
    const std::string why = found->second.not_same_because();
    if (!why.empty()) identity.at_merge_base = why + " since the merge base";
  }
}

std::string launch_text(const KernelLaunch& launch) {
  std::string text = fmt::format("{}: grid {}, block {}", without_parameters(launch.kernel),
                                 extents_text(launch.grid), extents_text(launch.block));
  if (launch.dynamic_shared_bytes > 0) {
    text += fmt::format(", {} bytes of dynamic shared memory", launch.dynamic_shared_bytes);
  }
  if (launch.cluster != KernelLaunch().cluster) {
    text += fmt::format(", cluster {}", extents_text(launch.cluster));
  }
  if (launch.shared_carveout) {
    text += fmt::format(", shared memory carve-out {}", carveout_text(launch.shared_carveout));
  }
  if (launch.count > 1) text += fmt::format(", {} times", launch.count);
  return text;
}

std::string_view without_parameters(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  int depth = 0;
  for (std::size_t at = 0; at < name.size(); ++at) {
    if (name[at] == '<') ++depth;
    if (name[at] == '>') --depth;
    if (name[at] != '(' || depth > 0) continue;
    if (!name.substr(at).starts_with(kAnonymous)) return name.substr(0, at);
    at += kAnonymous.size() - 1;
  }
  return name;
}

}  // namespace warpgauge::ci
