// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/machine_code/code_changes.hpp"

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
#include "ci/verdict/machine_code/kernel_pairs.hpp"
#include "ci/verdict/machine_code/kernel_places.hpp"
#include "ci/verdict/machine_code/kernel_warps.hpp"
#include "profiling/machine_code/architecture.hpp"
#include "profiling/machine_code/instructions/code_shape.hpp"
#include "profiling/machine_code/occupancy.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::InstructionMix;
using results::BenchmarkResult;
using results::KernelCode;

constexpr std::size_t kMostKernels = 3;

// Absent: not known of one of them.
std::optional<InstructionMix> mix_of(const KernelCodes& codes) {
  InstructionMix mix;
  for (const KernelCode* each : codes) {
    if (!each->accesses) return std::nullopt;
    for (const auto& [kind, count] : *each->accesses) mix[kind] += count;
  }
  return mix;
}

// Of the kernel that has room for the fewest; absent: not known of one of them.
std::optional<Occupancy> fewest_of(const KernelCodes& codes, const BenchmarkResult& side,
                                   WarpsBy by) {
  std::optional<Occupancy> fewest;
  for (const KernelCode* code : codes) {
    const auto warps = fewest_warps(*code, side, by);
    if (!warps) return std::nullopt;
    if (!fewest || warps->warps < fewest->warps) fewest = warps;
  }
  return fewest;
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
    moves.push_back(move_text(kind, machine_code::count_in(*before, kind),
                              machine_code::count_in(*after, kind)));
    if (machine_code::count_in(*after, kind) > machine_code::count_in(*before, kind))
      moved.kinds.push_back(kind);
  }
  moved.what = fmt::format("{}", fmt::join(moves, ", "));
  return moved;
}

std::optional<KernelMove> warps_moved(const KernelPair& pair, const BenchmarkResult& before,
                                      const BenchmarkResult& after) {
  const auto by = warps_by(before, after);
  if (!by) return std::nullopt;
  const auto was = fewest_of(pair.before, before, *by);
  const auto is = fewest_of(pair.after, after, *by);
  if (!was || !is) return std::nullopt;
  return KernelMove{
      static_cast<double>(was->warps), static_cast<double>(is->warps), is->warps < was->warps,
      fmt::format(
          "{} of {}, limited by {}{}", move_text("resident warps", was->warps, is->warps),
          is->most_warps, is->limit.empty() ? "nothing" : is->limit,
          by->blocks == BlockSource::launch_bounds ? ", for the blocks of its launch bounds" : "")};
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
  const auto sum = [&](const KernelCodes& codes) {
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

std::string or_unknown(const std::string& line) { return line.empty() ? ", no line known" : line; }

std::string where_it_shows(const std::string& metric, const KernelMove& moved,
                           const KernelPair& pair) {
  if (metric == kResidentWarps) return or_unknown(where_they_are(pair.after));
  std::string text = at_places(places_of(moved.kinds, pair));
  return text.empty() ? where_they_are(pair.after) : text;
}

// Of what is still there under these names.
KernelCodes still_there(const KernelCodes& lost, const BenchmarkResult& after) {
  KernelCodes codes;
  for (const KernelCode& each : after.machine_code) {
    const bool has_name = std::any_of(
        lost.begin(), lost.end(), [&](const KernelCode* gone) { return gone->name == each.name; });
    if (has_name) codes.push_back(&each);
  }
  return codes;
}

// Of all pairs together; absent where it moved nothing.
std::optional<CodeMetric> together(const std::string& metric, const std::vector<KernelMove>& all) {
  CodeMetric sum{metric};
  const bool any_worse =
      std::any_of(all.begin(), all.end(), [](const KernelMove& each) { return each.worse; });
  std::optional<KernelMove> worst;
  for (const KernelMove& each : all) {
    if (any_worse && metric == kLocalAccesses && !each.worse) continue;
    sum.before += each.before;
    sum.after += each.after;
    if (!worst || each.after * worst->before < worst->after * each.before) worst = each;
  }
  if (metric == kResidentWarps && worst) {
    sum.before = worst->before;
    sum.after = worst->after;
  }
  if (sum.before == sum.after) return std::nullopt;
  return sum;
}

KernelCodes newest_of(const BenchmarkResult& side) {
  std::optional<machine_code::Architecture> newest;
  for (const KernelCode& each : side.machine_code) {
    newest = std::max(newest, machine_code::architecture_named(each.architecture));
  }
  KernelCodes codes;
  for (const KernelCode& each : side.machine_code) {
    if (machine_code::architecture_named(each.architecture) == newest) codes.push_back(&each);
  }
  return codes;
}

// What it adds to this metric of its benchmark; absent: not known.
Figure part_of(const std::string& metric, const KernelCode& code, const BenchmarkResult& side) {
  if (metric == kLocalAccesses) {
    const auto mix = mix_of({&code});
    return mix ? Figure(machine_code::local_accesses(*mix)) : std::nullopt;
  }
  if (metric == kResidentWarps) {
    const auto warps = fewest_of({&code}, side, warps_by(side));
    return warps ? Figure(warps->warps) : std::nullopt;
  }
  const auto* const found = std::find_if(std::begin(kResources), std::end(kResources),
                                         [&](const auto& each) { return metric == each.metric; });
  return found == std::end(kResources) ? std::nullopt : found->figure(code);
}

// Whether the GPU runs all of these.
bool all_run(const KernelCodes& codes, const BenchmarkResult& side, const std::optional<int>& gpu) {
  return std::all_of(codes.begin(), codes.end(), [&](const KernelCode* each) {
    return runs_of(side.machine_code, each->name, each->architecture, gpu);
  });
}

bool is_run(const KernelPair& pair, const BenchmarkResult& after, const std::optional<int>& gpu) {
  return all_run(pair.after, after, gpu);
}

}  // namespace

bool is_code_metric(const std::string& metric) {
  return metric == kLocalAccesses || metric == kNarrowerLoads || metric == kResidentWarps ||
         metric == kLostArchitectures;
}

int gravity_rank(const std::string& metric) {
  if (metric.starts_with("spill_")) return 0;
  if (metric == kLocalAccesses || metric == "stack_bytes") return 2;
  if (metric == kResidentWarps) return 3;
  if (metric == kNarrowerLoads) return 4;
  if (metric == kLostArchitectures) return 5;
  if (metric == "registers" || metric == "static_shared_bytes") return 6;
  return 1;
}

std::vector<CodeMetric> code_metrics(const BenchmarkResult& before, const BenchmarkResult& after,
                                     const std::string& compute_capability) {
  std::vector<CodeMetric> metrics;
  const std::optional<int> gpu = machine_code::gpu_number(compute_capability);
  const std::vector<KernelPair> pairs = kernel_pairs(before.machine_code, after.machine_code);
  for (const char* const metric : {kLocalAccesses, kNarrowerLoads, kResidentWarps}) {
    std::vector<KernelMove> all;
    std::set<std::string> not_run;
    for (const KernelPair& each : pairs) {
      auto moved = moved_by(metric, each, before, after);
      if (!moved) continue;
      if (moved->worse && !is_run(each, after, gpu)) not_run.insert(each.architecture);
      all.push_back(*std::move(moved));
    }
    if (auto found = together(metric, all)) {
      found->worse_where_not_run = std::move(not_run);
      metrics.push_back(*std::move(found));
    }
  }
  const auto lost = lost_architectures(before.machine_code, after.machine_code);
  if (lost.empty()) return metrics;
  CodeMetric& gone = metrics.emplace_back();
  gone.metric = kLostArchitectures;
  gone.after = static_cast<double>(lost.size());
  for (const LostArchitecture& each : lost) {
    if (!all_run(each.kernels, before, gpu)) gone.worse_where_not_run.insert(each.architecture);
  }
  return metrics;
}

std::map<std::string, double> code_figures(const BenchmarkResult& side) {
  std::map<std::string, double> figures;
  const KernelCodes codes = newest_of(side);
  if (codes.empty()) return figures;
  if (const auto mix = mix_of(codes)) {
    figures[kLocalAccesses] = static_cast<double>(machine_code::local_accesses(*mix));
  }
  if (const auto warps = fewest_of(codes, side, warps_by(side))) {
    figures[kResidentWarps] = static_cast<double>(warps->warps);
  }
  return figures;
}

std::string worse_kernels(const std::string& metric, const BenchmarkResult& before,
                          const BenchmarkResult& after) {
  std::vector<std::string> texts;
  if (metric == kLostArchitectures) {
    for (const LostArchitecture& each :
         lost_architectures(before.machine_code, after.machine_code)) {
      texts.push_back(fmt::format("{} is no longer compiled for {}{}", kernels_text(each.kernels),
                                  each.architecture,
                                  or_unknown(where_they_are(still_there(each.kernels, after)))));
    }
    return fmt::format("{}", fmt::join(texts, "; "));
  }
  std::size_t more = 0;
  for (const KernelPair& pair : kernel_pairs(before.machine_code, after.machine_code)) {
    const auto moved = moved_by(metric, pair, before, after);
    if (!moved || !moved->worse) continue;
    if (texts.size() == kMostKernels) {
      ++more;
      continue;
    }
    texts.push_back(fmt::format("{} for {}{}: {}{}", kernels_text(pair.after), pair.architecture,
                                pair.by_order ? ", of several of its name compared in order" : "",
                                moved->what, where_it_shows(metric, *moved, pair)));
  }
  if (more > 0) texts.push_back(fmt::format("{} more", counted(more, "kernel")));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string deciding_kernels(const std::string& metric, const BenchmarkResult& side) {
  const bool fewest = metric == kResidentWarps;
  std::map<std::uint64_t, KernelCodes> by_part;
  for (const KernelCode* each : newest_of(side)) {
    const Figure part = part_of(metric, *each, side);
    if (part && (*part > 0 || fewest)) by_part[*part].push_back(each);
  }
  if (by_part.empty()) return "";
  const KernelCodes& codes = fewest ? by_part.begin()->second : by_part.rbegin()->second;
  return fmt::format("{} for {}{}", kernels_text(codes), codes.front()->architecture,
                     where_they_are(codes));
}

}  // namespace warpgauge::ci
