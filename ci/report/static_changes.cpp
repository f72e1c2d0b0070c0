// SPDX-License-Identifier: Apache-2.0
// What a second build changed in machine code, and what of that is worse.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "ci/report/static_code.hpp"
#include "profiling/machine_code/instructions/code_shape.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::CodeChange;
using machine_code::ImageChanges;
using machine_code::ImageKernel;
using machine_code::InstructionMix;
using machine_code::KernelChange;
using Figure = std::optional<std::uint64_t>;

std::string moved(const std::string& what, std::uint64_t before, std::uint64_t after) {
  return fmt::format("{} {} -> {}", what, before, after);
}

std::uint64_t in(const InstructionMix& mix, const std::string& kind) {
  const auto found = mix.find(kind);
  return found == mix.end() ? 0 : found->second;
}

std::optional<std::string> narrower_loads(const InstructionMix& before,
                                          const InstructionMix& after) {
  const auto narrower = machine_code::narrower_loads(before, after);
  if (!narrower) return std::nullopt;
  std::vector<std::string> moves;
  for (const std::string& kind : narrower->kinds) {
    moves.push_back(moved(kind, in(before, kind), in(after, kind)));
  }
  return fmt::format("narrower loads: {}", fmt::join(moves, ", "));
}

// Of kernels of one name, each figure that is worst. Of one kernel: its own.
struct Worst {
  Figure spill_store_bytes = 0;  // as the next one absent: not known of one of them
  Figure spill_load_bytes = 0;
  std::uint64_t local_accesses = 0;
  std::optional<KernelOccupancy> fewest_warps;  // absent: not known of any of them
};

void take_larger(const Figure& other, Figure& figure) {
  figure = figure && other ? std::optional(std::max(*figure, *other)) : std::nullopt;
}

Worst worst_of(const std::vector<ImageKernel>& kernels, const StaticBlocks& blocks) {
  Worst worst;
  for (const ImageKernel& each : kernels) {
    take_larger(each.code.spill_store_bytes, worst.spill_store_bytes);
    take_larger(each.code.spill_load_bytes, worst.spill_load_bytes);
    worst.local_accesses =
        std::max(worst.local_accesses, machine_code::local_accesses(each.shape.mix));
    const auto warps = occupancy_of(each, blocks);
    const bool fewer = warps && (!worst.fewest_warps ||
                                 warps->occupancy.warps < worst.fewest_warps->occupancy.warps);
    if (fewer) worst.fewest_warps = warps;
  }
  return worst;
}

class Worse {
 public:
  explicit Worse(const StaticBlocks& blocks) : blocks_(blocks) {}

  void compare(const KernelChange& change) {
    key_ = change.key;
    suffix_ = change.several ? ", the worst of several kernels of this name that changed" : "";
    if (change.change == CodeChange::architecture_removed) {
      add(Worsening::architecture_removed,
          fmt::format("is no longer compiled for {}", change.key.second));
    }
    if (change.before.empty() || change.after.empty()) return;
    compare(worst_of(change.before, blocks_), worst_of(change.after, blocks_));
    if (change.before.size() != 1 || change.after.size() != 1) return;
    auto found = narrower_loads(change.before.front().shape.mix, change.after.front().shape.mix);
    if (found) add(Worsening::narrower_loads, std::move(*found));
  }

  void lost(const std::string& images) {
    key_ = {kAllKernels, images};
    suffix_.clear();
    add(Worsening::architecture_removed, images.starts_with("sm_")
                                             ? "no longer there; it is not read here"
                                             : "no longer there for a driver or linker to compile");
  }

  [[nodiscard]] std::vector<StaticFinding> take() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const auto& a, const auto& b) { return a.kind < b.kind; });
    return std::move(all_);
  }

 private:
  void compare(const Worst& before, const Worst& after) {
    compare_spills("spill_store_bytes", before.spill_store_bytes, after.spill_store_bytes);
    compare_spills("spill_load_bytes", before.spill_load_bytes, after.spill_load_bytes);
    if (before.local_accesses == 0 && after.local_accesses > 0) {
      add(Worsening::local, moved("accesses to local memory", 0, after.local_accesses));
    }
    if (!before.fewest_warps || !after.fewest_warps) return;
    const Occupancy& warps_before = before.fewest_warps->occupancy;
    const Occupancy& warps_after = after.fewest_warps->occupancy;
    if (warps_after.warps >= warps_before.warps) return;
    add(Worsening::occupancy,
        fmt::format("{} of {} with {} threads a block, limited by {}",
                    moved("resident warps", warps_before.warps, warps_after.warps),
                    warps_after.most_warps, after.fewest_warps->block_threads, warps_after.limit));
  }

  void compare_spills(const char* what, const Figure& before, const Figure& after) {
    if (before && after && *after > *before) add(Worsening::spills, moved(what, *before, *after));
  }

  void add(Worsening kind, const std::string& what) {
    all_.push_back({kind, key_, what + suffix_});
  }

  const StaticBlocks& blocks_;
  machine_code::KernelKey key_;
  std::string suffix_;
  std::vector<StaticFinding> all_;
};

void add_figure(const char* what, const Figure& before, const Figure& after,
                std::vector<std::string>& moves) {
  const auto text = [](const Figure& each) {
    return each ? fmt::format("{}", *each) : std::string("?");
  };
  if (before != after) moves.push_back(fmt::format("{} {} -> {}", what, text(before), text(after)));
}

std::vector<std::string> moves_between(const ImageKernel& before, const ImageKernel& after) {
  std::vector<std::string> moves;
  const auto& a = before.code;
  const auto& b = after.code;
  add_figure("registers", static_cast<std::uint64_t>(a.registers),
             static_cast<std::uint64_t>(b.registers), moves);
  add_figure("spill_store_bytes", a.spill_store_bytes, b.spill_store_bytes, moves);
  add_figure("spill_load_bytes", a.spill_load_bytes, b.spill_load_bytes, moves);
  add_figure("stack_bytes", a.stack_bytes, b.stack_bytes, moves);
  add_figure("static_shared_bytes", a.static_shared_bytes, b.static_shared_bytes, moves);
  add_figure("most_threads", before.most_threads, after.most_threads, moves);
  add_figure("instructions", a.instructions, b.instructions, moves);
  InstructionMix all = before.shape.mix;
  all.insert(after.shape.mix.begin(), after.shape.mix.end());
  for (const auto& [kind, count] : all) {
    add_figure(kind.c_str(), in(before.shape.mix, kind), in(after.shape.mix, kind), moves);
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
  if (kind == CodeChange::same) return text;
  for (const KernelChange& each : changes) {
    if (each.change != kind) continue;
    text += fmt::format("  {} {}\n", each.key.second, each.key.first);
    if (each.before.size() != 1 || each.after.size() != 1) continue;
    const auto moves = moves_between(each.before.front(), each.after.front());
    if (!moves.empty()) text += fmt::format("    {}\n", fmt::join(moves, ", "));
  }
  return text;
}

}  // namespace

std::vector<StaticFinding> worse_code(const ImageChanges& changes, const StaticBlocks& blocks) {
  Worse worse(blocks);
  for (const std::string& each : changes.images_removed) worse.lost(each);
  for (const KernelChange& each : changes.kernels) worse.compare(each);
  return worse.take();
}

std::size_t unknown_spills(const ImageChanges& changes) {
  const auto unknown = [](const std::vector<ImageKernel>& kernels) {
    return std::any_of(kernels.begin(), kernels.end(), [](const ImageKernel& each) {
      return !each.code.spill_store_bytes || !each.code.spill_load_bytes;
    });
  };
  return static_cast<std::size_t>(
      std::count_if(changes.kernels.begin(), changes.kernels.end(), [&](const KernelChange& each) {
        return !each.before.empty() && !each.after.empty() &&
               (unknown(each.before) || unknown(each.after));
      }));
}

std::string static_changes(const ImageChanges& changes, const StaticBlocks& blocks) {
  const std::vector<StaticFinding> worse = worse_code(changes, blocks);
  std::string text = !worse.empty()           ? "Worse, the gravest first:\n"
                     : changes.broken.empty() ? "Nothing got worse.\n"
                                              : "Nothing got worse in what could be read.\n";
  for (const StaticFinding& each : worse) {
    text += fmt::format("  {} {}: {}\n", each.key.second, each.key.first, each.what);
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
  if (!changes.entries.empty()) {
    text += fmt::format("\nPTX, which the driver compiles, that is not the same: {}\n",
                        changes.entries.size());
    for (const machine_code::EntryChange& each : changes.entries) {
      text += fmt::format("  {} {}: {}\n", each.key.second, each.key.first, to_string(each.change));
    }
  }
  text += named_broken(changes.broken);
  for (const CodeChange kind :
       {CodeChange::architecture_removed, CodeChange::removed, CodeChange::changed,
        CodeChange::rearranged, CodeChange::added, CodeChange::same}) {
    text += of_kind(changes.kernels, kind);
  }
  return text;
}

}  // namespace warpgauge::ci
