// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/code_changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "ci/support/text.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "profiling/machine_code/architecture.hpp"
#include "profiling/machine_code/code_shape.hpp"
#include "profiling/machine_code/occupancy.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::InstructionMix;
using results::BenchmarkResult;
using results::CodePlace;
using results::KernelCode;

constexpr std::size_t kMostKernels = 3;

using Codes = std::vector<const KernelCode*>;
using ByArchitecture = std::map<std::string, std::map<std::string, const KernelCode*>>;

// A kernel for one architecture, or all that have no counterpart by name.
struct KernelPair {
  std::string architecture;
  Codes before;
  Codes after;
};

ByArchitecture by_architecture(const BenchmarkResult& side) {
  ByArchitecture all;
  for (const KernelCode& code : side.machine_code) all[code.architecture][code.name] = &code;
  return all;
}

std::set<std::string> compilers(const Codes& codes) {
  std::set<std::string> all;
  for (const KernelCode* each : codes) all.insert(each->compiler);
  return all;
}

std::vector<KernelPair> pairs_of(const BenchmarkResult& before, const BenchmarkResult& after) {
  std::vector<KernelPair> pairs;
  const ByArchitecture old_code = by_architecture(before);
  for (const auto& [architecture, kernels] : by_architecture(after)) {
    const auto old = old_code.find(architecture);
    if (old == old_code.end()) continue;
    KernelPair others{architecture, {}, {}};
    for (const auto& [name, code] : kernels) {
      const auto same_name = old->second.find(name);
      if (same_name == old->second.end()) {
        others.after.push_back(code);
      } else {
        pairs.push_back({architecture, {same_name->second}, {code}});
      }
    }
    for (const auto& [name, code] : old->second) {
      if (!kernels.contains(name)) others.before.push_back(code);
    }
    pairs.push_back(std::move(others));
  }
  std::erase_if(pairs, [](const KernelPair& each) {
    return each.before.empty() || each.after.empty() ||
           compilers(each.before) != compilers(each.after);
  });
  return pairs;
}

// Absent: not known of one of them.
std::optional<InstructionMix> mix_of(const Codes& codes) {
  InstructionMix mix;
  for (const KernelCode* each : codes) {
    if (!each->accesses) return std::nullopt;
    for (const auto& [kind, count] : *each->accesses) mix[kind] += count;
  }
  return mix;
}

// By the launch that leaves room for the fewest.
std::optional<Occupancy> fewest_warps(const Codes& codes, const BenchmarkResult& side) {
  std::optional<Occupancy> fewest;
  for (const KernelCode* code : codes) {
    bool launched = false;
    for (const results::KernelLaunch& launch : side.launches) {
      if (launch.kernel != code->name) continue;
      const auto& [x, y, z] = launch.block;
      const auto warps =
          occupancy(code->architecture,
                    {std::uint64_t{x} * y * z, static_cast<std::uint64_t>(code->registers),
                     code->static_shared_bytes + launch.dynamic_shared_bytes});
      if (!warps) return std::nullopt;
      if (!fewest || warps->warps < fewest->warps) fewest = warps;
      launched = true;
    }
    if (!launched) return std::nullopt;
  }
  return fewest;
}

std::set<std::string> lost_architectures(const BenchmarkResult& before,
                                         const BenchmarkResult& after) {
  std::set<std::string> lost;
  if (after.machine_code.empty()) return lost;
  const ByArchitecture now = by_architecture(after);
  for (const auto& [architecture, kernels] : by_architecture(before)) {
    if (!now.contains(architecture)) lost.insert(architecture);
  }
  return lost;
}

// What one pair of kernels says.
struct KernelMove {
  double before = 0;
  double after = 0;
  bool worse = false;
  std::string what = {};
  std::vector<std::string> kinds = {};  // of accesses whose places show it
};

std::string move_text(const std::string& what, std::uint64_t before, std::uint64_t after) {
  return fmt::format("{} {} → {}", what, before, after);
}

std::uint64_t in(const InstructionMix& mix, const std::string& kind) {
  const auto found = mix.find(kind);
  return found == mix.end() ? 0 : found->second;
}

std::vector<std::string> local_kinds(const InstructionMix& mix) {
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : mix) {
    if (machine_code::local_accesses({{kind, count}}) > 0) kinds.push_back(kind);
  }
  return kinds;
}

std::optional<KernelMove> local_moved(const KernelPair& pair) {
  const auto before = mix_of(pair.before);
  const auto after = mix_of(pair.after);
  if (!before || !after) return std::nullopt;
  const std::uint64_t was = machine_code::local_accesses(*before);
  const std::uint64_t is = machine_code::local_accesses(*after);
  return KernelMove{static_cast<double>(was), static_cast<double>(is), was == 0 && is > 0,
                    move_text("accesses to local memory", was, is), local_kinds(*after)};
}

std::optional<KernelMove> loads_moved(const KernelPair& pair) {
  const auto before = mix_of(pair.before);
  const auto after = mix_of(pair.after);
  if (!before || !after) return std::nullopt;
  const auto narrower = machine_code::narrower_loads(*before, *after);
  if (!narrower) return KernelMove{};
  KernelMove moved{0, static_cast<double>(narrower->count), true};
  std::vector<std::string> moves;
  for (const std::string& kind : narrower->kinds) {
    moves.push_back(move_text(kind, in(*before, kind), in(*after, kind)));
    if (in(*after, kind) > in(*before, kind)) moved.kinds.push_back(kind);
  }
  moved.what = fmt::format("{}", fmt::join(moves, ", "));
  return moved;
}

std::optional<KernelMove> warps_moved(const KernelPair& pair, const BenchmarkResult& before,
                                      const BenchmarkResult& after) {
  const auto was = fewest_warps(pair.before, before);
  const auto is = fewest_warps(pair.after, after);
  if (!was || !is) return std::nullopt;
  return KernelMove{
      static_cast<double>(was->warps), static_cast<double>(is->warps), is->warps < was->warps,
      fmt::format("{} of {}, limited by {}", move_text("resident warps", was->warps, is->warps),
                  is->most_warps, is->limit.empty() ? "nothing" : is->limit)};
}

struct Resource {
  const char* metric;
  bool is_local;  // accesses to local memory show it
  std::optional<std::uint64_t> (*figure)(const KernelCode&);
};

using Figure = std::optional<std::uint64_t>;

constexpr Resource kResources[] = {
    {"registers", false,
     [](const KernelCode& code) -> Figure { return static_cast<std::uint64_t>(code.registers); }},
    {"static_shared_bytes", false,
     [](const KernelCode& code) -> Figure { return code.static_shared_bytes; }},
    {"stack_bytes", true, [](const KernelCode& code) -> Figure { return code.stack_bytes; }},
    {"spill_store_bytes", true,
     [](const KernelCode& code) -> Figure { return code.spill_store_bytes; }},
    {"spill_load_bytes", true,
     [](const KernelCode& code) -> Figure { return code.spill_load_bytes; }},
};

std::optional<KernelMove> resource_moved(const Resource& resource, const KernelPair& pair) {
  const auto sum = [&](const Codes& codes) {
    Figure all = 0;
    for (const KernelCode* each : codes) {
      const Figure figure = resource.figure(*each);
      all = all && figure ? Figure(*all + *figure) : std::nullopt;
    }
    return all;
  };
  const Figure was = sum(pair.before);
  const Figure is = sum(pair.after);
  if (!was || !is) return std::nullopt;
  KernelMove moved{static_cast<double>(*was), static_cast<double>(*is), *is > *was,
                   move_text(resource.metric, *was, *is)};
  if (const auto mix = mix_of(pair.after); mix && resource.is_local) {
    moved.kinds = local_kinds(*mix);
  }
  return moved;
}

std::optional<KernelMove> moved_by(const std::string& metric, const KernelPair& pair,
                                   const BenchmarkResult& before, const BenchmarkResult& after) {
  if (metric == kLocalAccesses) return local_moved(pair);
  if (metric == kNarrowerLoads) return loads_moved(pair);
  if (metric == kResidentWarps) return warps_moved(pair, before, after);
  for (const Resource& each : kResources) {
    if (metric == each.metric) return resource_moved(each, pair);
  }
  return std::nullopt;
}

// Those of which the side before has the same text, too, show nothing; but rather these than none.
std::vector<CodePlace> places_of(const std::vector<std::string>& kinds, const KernelPair& pair) {
  std::set<std::tuple<std::string, std::string, std::string>> known;
  for (const KernelCode* code : pair.before) {
    for (const CodePlace& each : code->places) known.insert({each.kind, each.file, each.text});
  }
  std::vector<CodePlace> all;
  std::vector<CodePlace> fresh;
  std::set<std::pair<std::string, int>> lines;
  for (const KernelCode* code : pair.after) {
    for (const CodePlace& each : code->places) {
      const bool wanted = std::find(kinds.begin(), kinds.end(), each.kind) != kinds.end();
      if (!wanted || !lines.insert({each.file, each.line}).second) continue;
      all.push_back(each);
      if (!known.contains({each.kind, each.file, each.text})) fresh.push_back(each);
    }
  }
  return fresh.empty() ? all : fresh;
}

std::string at_places(const std::vector<CodePlace>& places) {
  if (places.empty()) return "";
  std::vector<std::string> names;
  for (const CodePlace& each : places) {
    if (names.size() < kMostKernels) names.push_back(fmt::format("{}:{}", each.file, each.line));
  }
  const std::size_t more = places.size() - names.size();
  std::string text = fmt::format(" at {}{}", fmt::join(names, ", "),
                                 more == 0 ? "" : fmt::format(" and {} more", more));
  if (places.size() == 1 && !places.front().text.empty()) {
    text += ": " + one_line(places.front().text);
  }
  return text;
}

std::string kernels_text(const Codes& codes) {
  std::vector<std::string> names;
  for (const KernelCode* each : codes) names.emplace_back(without_parameters(each->name));
  return some_of(names, kMostKernels);
}

// Of all pairs together; absent where it moved nothing.
std::optional<CodeMetric> together(const std::string& metric, const std::vector<KernelMove>& all) {
  CodeMetric sum{metric, 0, 0};
  const bool any_worse =
      std::any_of(all.begin(), all.end(), [](const KernelMove& each) { return each.worse; });
  std::optional<KernelMove> worst;
  for (const KernelMove& each : all) {
    if (any_worse && metric == kLocalAccesses && !each.worse) continue;
    sum.before += each.before;
    sum.after += each.after;
    if (!worst || each.after * worst->before < worst->after * each.before) worst = each;
  }
  if (metric == kResidentWarps && worst) sum = {metric, worst->before, worst->after};
  if (sum.before == sum.after) return std::nullopt;
  return sum;
}

}  // namespace

bool is_code_metric(const std::string& metric) {
  return metric == kLocalAccesses || metric == kNarrowerLoads || metric == kResidentWarps ||
         metric == kLostArchitectures;
}

std::vector<CodeMetric> code_metrics(const BenchmarkResult& before, const BenchmarkResult& after) {
  std::vector<CodeMetric> metrics;
  const std::vector<KernelPair> pairs = pairs_of(before, after);
  for (const char* const metric : {kLocalAccesses, kNarrowerLoads, kResidentWarps}) {
    std::vector<KernelMove> all;
    for (const KernelPair& each : pairs) {
      if (auto moved = moved_by(metric, each, before, after)) all.push_back(*std::move(moved));
    }
    if (auto found = together(metric, all)) metrics.push_back(*std::move(found));
  }
  const auto lost = lost_architectures(before, after);
  if (!lost.empty()) metrics.push_back({kLostArchitectures, 0, static_cast<double>(lost.size())});
  return metrics;
}

std::map<std::string, double> code_figures(const BenchmarkResult& side) {
  std::map<std::string, double> figures;
  const ByArchitecture all = by_architecture(side);
  const auto newest = std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return machine_code::architecture_named(a.first) < machine_code::architecture_named(b.first);
  });
  if (newest == all.end()) return figures;
  Codes codes;
  for (const auto& [name, code] : newest->second) codes.push_back(code);
  if (const auto mix = mix_of(codes)) {
    figures[kLocalAccesses] = static_cast<double>(machine_code::local_accesses(*mix));
  }
  if (const auto warps = fewest_warps(codes, side)) {
    figures[kResidentWarps] = static_cast<double>(warps->warps);
  }
  return figures;
}

std::string worse_kernels(const std::string& metric, const BenchmarkResult& before,
                          const BenchmarkResult& after) {
  if (metric == kLostArchitectures) {
    const auto lost = lost_architectures(before, after);
    if (lost.empty()) return "";
    Codes codes;
    for (const KernelCode& each : before.machine_code) {
      if (each.architecture == *lost.begin()) codes.push_back(&each);
    }
    return fmt::format("{} is no longer compiled for {}", kernels_text(codes),
                       fmt::join(lost, ", "));
  }
  std::vector<std::string> texts;
  std::size_t more = 0;
  for (const KernelPair& pair : pairs_of(before, after)) {
    const auto moved = moved_by(metric, pair, before, after);
    if (!moved || !moved->worse) continue;
    if (texts.size() == kMostKernels) {
      ++more;
      continue;
    }
    texts.push_back(fmt::format("{} for {}: {}{}", kernels_text(pair.after), pair.architecture,
                                moved->what, at_places(places_of(moved->kinds, pair))));
  }
  if (more > 0) texts.push_back(fmt::format("{} more", counted(more, "kernel")));
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace warpgauge::ci
