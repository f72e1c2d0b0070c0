// SPDX-License-Identifier: Apache-2.0
// What a second build changed in machine code, with what of that is worse.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "ci/report/machine_code/static_code.hpp"
#include "profiling/machine_code/instructions/code_shape.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::CodeChange;
using machine_code::ImageChanges;
using machine_code::ImageKernel;
using machine_code::InstructionMix;
using machine_code::KernelChange;
using Figure = std::optional<std::uint64_t>;

std::string text_of(const Figure& figure) {
  return figure ? fmt::format("{}", *figure) : std::string("?");
}

// "32", or "32 and 40" of several kernels of one name.
template <class FigureOf>
std::string texts_of(const std::vector<ImageKernel>& kernels, const FigureOf& figure_of) {
  std::set<Figure> figures;
  for (const ImageKernel& each : kernels) figures.insert(figure_of(each));
  std::vector<std::string> texts;
  texts.reserve(figures.size());
  for (const Figure& each : figures) texts.push_back(text_of(each));
  return fmt::format("{}", fmt::join(texts, " and "));
}

std::string clusters_of(const std::vector<ImageKernel>& kernels) {
  std::set<std::string> clusters;
  for (const ImageKernel& each : kernels) {
    clusters.insert(each.cluster ? fmt::format("{}", fmt::join(*each.cluster, "x"))
                                 : "of the launch");
  }
  return fmt::format("{}", fmt::join(clusters, " and "));
}

struct Shown {
  const char* name;
  Figure (*of)(const ImageKernel&);
};

constexpr Shown kShown[] = {
    {"registers",
     [](const ImageKernel& each) -> Figure {
       return static_cast<std::uint64_t>(each.code.registers);
     }},
    {"spill_store_bytes",
     [](const ImageKernel& each) -> Figure { return each.code.spill_store_bytes; }},
    {"spill_load_bytes",
     [](const ImageKernel& each) -> Figure { return each.code.spill_load_bytes; }},
    {"stack_bytes", [](const ImageKernel& each) -> Figure { return each.code.stack_bytes; }},
    {"static_shared_bytes",
     [](const ImageKernel& each) -> Figure { return each.code.static_shared_bytes; }},
    {"dynamic_shared_bytes",
     [](const ImageKernel& each) -> Figure { return each.dynamic_shared_bytes.value_or(0); }},
    {"barriers", [](const ImageKernel& each) -> Figure { return each.code.barriers.value_or(0); }},
    {"most_threads", [](const ImageKernel& each) -> Figure { return each.code.most_threads; }},
    {"instructions", [](const ImageKernel& each) -> Figure { return each.code.instructions; }},
};

template <class FigureOf>
void add_move(const std::string& what, const KernelChange& change, const FigureOf& figure_of,
              std::vector<std::string>& moves) {
  const std::string before = texts_of(change.before, figure_of);
  const std::string after = texts_of(change.after, figure_of);
  if (before != after) moves.push_back(fmt::format("{} {} -> {}", what, before, after));
}

// Where there is one side alone: what it takes, but for what is 0.
std::vector<std::string> figures_of(const std::vector<ImageKernel>& kernels) {
  std::vector<std::string> figures;
  for (const Shown& each : kShown) {
    std::string text = texts_of(kernels, each.of);
    if (text != "0") figures.push_back(fmt::format("{} {}", each.name, text));
  }
  return figures;
}

std::vector<std::string> moves_of(const KernelChange& change) {
  if (change.change == CodeChange::added) return figures_of(change.after);
  std::vector<std::string> moves;
  // Both sides have other kernels of this name.
  if (change.change == CodeChange::changed && change.before.empty() != change.after.empty()) {
    const bool more = change.before.empty();
    const auto& kernels = more ? change.after : change.before;
    moves.push_back(fmt::format("{} {} of this name", kernels.size(), more ? "more" : "fewer"));
    for (std::string& each : figures_of(kernels)) moves.push_back(std::move(each));
    return moves;
  }
  if (change.before.empty() || change.after.empty()) return moves;
  for (const Shown& each : kShown) add_move(each.name, change, each.of, moves);
  const std::string cluster_before = clusters_of(change.before);
  const std::string cluster_after = clusters_of(change.after);
  if (cluster_before != cluster_after) {
    moves.push_back(fmt::format("cluster {} -> {}", cluster_before, cluster_after));
  }
  InstructionMix all;
  for (const auto* side : {&change.before, &change.after}) {
    for (const ImageKernel& each : *side) all.insert(each.shape.mix.begin(), each.shape.mix.end());
  }
  for (const auto& [kind, count] : all) {
    add_move(
        kind, change,
        [&, &name = kind](const ImageKernel& each) -> Figure {
          return machine_code::count_in(each.shape.mix, name);
        },
        moves);
  }
  if (moves.empty() && change.change == CodeChange::changed) {
    moves.emplace_back("as many instructions of each kind");
  }
  return moves;
}

const char* heading(CodeChange change) {
  switch (change) {
    case CodeChange::same:
      return "the same machine code";
    case CodeChange::rearranged:
      return "the same instructions, but for the names of registers, their order or addresses";
    case CodeChange::changed:
      return "changed";
    case CodeChange::added:
      return "added";
    case CodeChange::removed:
      return "removed";
    case CodeChange::architecture_removed:
      return "for an architecture that is gone";
  }
  return "";
}

std::string of_kind(const std::vector<KernelChange>& changes, CodeChange kind) {
  const auto count = std::count_if(changes.begin(), changes.end(),
                                   [&](const auto& each) { return each.change == kind; });
  if (count == 0) return "";
  std::string text = fmt::format("\n{}: {}\n", heading(kind), count);
  for (const KernelChange& each : changes) {
    const bool renamed = !each.name_before.empty();
    if (each.change != kind || (kind == CodeChange::same && !renamed)) continue;
    text += fmt::format("  {} {}\n", each.key.second, each.key.first);
    if (renamed) text += fmt::format("    renamed, before {}\n", each.name_before);
    const auto moves = moves_of(each);
    if (!moves.empty()) text += fmt::format("    {}\n", fmt::join(moves, ", "));
  }
  return text;
}

std::string worse_text(const ImageChanges& changes, const std::vector<StaticFinding>& worse) {
  std::string text = !worse.empty()           ? "Worse, most severe first:\n"
                     : changes.broken.empty() ? "Nothing got worse.\n"
                                              : "Nothing got worse in what could be read.\n";
  for (const StaticFinding& each : worse) {
    text += fmt::format("  {} {}: {}{}\n", each.key.second, each.key.first, each.what,
                        each.line.empty() ? "" : " at " + each.line);
  }
  return text;
}

std::string entries_text(const ImageChanges& changes) {
  std::string of_kernels;
  std::string of_linker;
  std::size_t count = 0;
  for (const machine_code::EntryChange& each : changes.entries) {
    if (each.key.first == machine_code::kNoKernel) {
      of_linker += fmt::format(
          "\nFor {} the functions that a linker joins with kernels are {}: "
          "link both builds to see the kernels that changed.\n",
          each.key.second, to_string(each.change));
    } else {
      ++count;
      of_kernels +=
          fmt::format("  {} {}: {}\n", each.key.second, each.key.first, to_string(each.change));
    }
  }
  if (count == 0) return of_linker;
  return fmt::format("\nPTX, which the driver compiles, that is not the same: {}\n{}{}", count,
                     of_kernels, of_linker);
}

}  // namespace

std::string static_outcome(const ImageChanges& changes, const std::vector<StaticFinding>& worse) {
  return worse_text(changes, worse) + named_broken(changes.broken);
}

std::string static_changes(const ImageChanges& changes, const StaticBlocks& blocks,
                           const std::vector<StaticFinding>& worse) {
  std::string text = worse_text(changes, worse);
  if (const std::size_t count = unknown_blocks(changes, blocks); count > 0) {
    text += fmt::format(
        "Not compared: the occupancy of {} of the kernels that changed, since no block is known of "
        "them; give --block or --launches.\n",
        count);
  }
  if (const std::size_t count = unknown_spills(changes); count > 0) {
    text += fmt::format(
        "Not known: whether {} of the kernels that changed spill more; compilers before CUDA 13 do "
        "not say what they spilled.\n",
        count);
  }
  if (!changes.images_added.empty()) {
    text += fmt::format("New, to be compiled where it runs or not read here: {}.\n",
                        fmt::join(changes.images_added, ", "));
  }
  text += entries_text(changes);
  text += named_broken(changes.broken);
  for (const CodeChange kind :
       {CodeChange::architecture_removed, CodeChange::removed, CodeChange::changed,
        CodeChange::rearranged, CodeChange::added, CodeChange::same}) {
    text += of_kind(changes.kernels, kind);
  }
  return text;
}

}  // namespace warpgauge::ci
