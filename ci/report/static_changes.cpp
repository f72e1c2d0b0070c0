// SPDX-License-Identifier: Apache-2.0
// What a second build changed in machine code, and what of that is worse.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "ci/report/static_code.hpp"
#include "profiling/machine_code/code_shape.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::CodeChange;
using machine_code::ImageKernel;
using machine_code::InstructionMix;
using machine_code::KernelChange;
using machine_code::mean_load_bytes;
using Figure = std::optional<std::uint64_t>;

std::string moved(const std::string& what, std::uint64_t before, std::uint64_t after) {
  return fmt::format("{} {} -> {}", what, before, after);
}

std::uint64_t count_of(const InstructionMix& mix, std::string_view beginning) {
  std::uint64_t count = 0;
  for (const auto& [kind, number] : mix) count += kind.starts_with(beginning) ? number : 0;
  return count;
}

std::uint64_t local_accesses(const ImageKernel& kernel) {
  return count_of(kernel.shape.mix, "load local") + count_of(kernel.shape.mix, "store local");
}

std::uint64_t loads(const InstructionMix& mix) {
  return count_of(mix, "load global ") + count_of(mix, "load shared ");
}

// Fewer bytes a load, and more loads: what a wide one did is now done by several.
std::optional<std::string> narrower_loads(const InstructionMix& before,
                                          const InstructionMix& after) {
  if (loads(after) <= loads(before) || mean_load_bytes(after) >= mean_load_bytes(before)) {
    return std::nullopt;
  }
  std::vector<std::string> widths;
  std::set<std::string> kinds;
  for (const auto* mix : {&before, &after}) {
    for (const auto& [kind, count] : *mix) {
      if (kind.starts_with("load global ") || kind.starts_with("load shared ")) kinds.insert(kind);
    }
  }
  const auto in = [](const InstructionMix& mix, const std::string& kind) {
    const auto found = mix.find(kind);
    return found == mix.end() ? 0 : found->second;
  };
  for (const std::string& kind : kinds) {
    if (in(before, kind) == in(after, kind)) continue;
    widths.push_back(moved(kind, in(before, kind), in(after, kind)));
  }
  return fmt::format("narrower loads: {}", fmt::join(widths, ", "));
}

class Worse {
 public:
  explicit Worse(const StaticBlocks& blocks) : blocks_(blocks) {}

  void compare(const KernelChange& change) {
    key_ = change.key;
    if (change.change == CodeChange::architecture_removed) {
      add(Worsening::architecture_removed,
          fmt::format("no kernel is compiled for {} any more", change.key.second));
    }
    // Of several kernels of one name nobody knows which became which.
    if (change.before.size() != 1 || change.after.size() != 1) return;
    compare(change.before.front(), change.after.front());
  }

  [[nodiscard]] std::vector<StaticFinding> take() {
    std::stable_sort(all_.begin(), all_.end(),
                     [](const auto& a, const auto& b) { return a.kind < b.kind; });
    return std::move(all_);
  }

 private:
  void compare(const ImageKernel& before, const ImageKernel& after) {
    if (before.code.sass_hash == after.code.sass_hash &&
        before.code.registers == after.code.registers) {
      return;
    }
    compare_spills("spill_store_bytes", before.code.spill_store_bytes,
                   after.code.spill_store_bytes);
    compare_spills("spill_load_bytes", before.code.spill_load_bytes, after.code.spill_load_bytes);
    if (local_accesses(before) == 0 && local_accesses(after) > 0) {
      add(Worsening::local, moved("accesses to local memory", 0, local_accesses(after)));
    }
    const auto warps_before = occupancy_of(before, blocks_);
    const auto warps_after = occupancy_of(after, blocks_);
    if (warps_before && warps_after &&
        warps_after->occupancy.warps < warps_before->occupancy.warps) {
      add(Worsening::occupancy,
          fmt::format(
              "{} of {} with {} threads a block, limited by {}",
              moved("resident warps", warps_before->occupancy.warps, warps_after->occupancy.warps),
              warps_after->occupancy.most_warps, warps_after->block_threads,
              warps_after->occupancy.limit));
    }
    if (auto found = narrower_loads(before.shape.mix, after.shape.mix)) {
      add(Worsening::narrower_loads, std::move(*found));
    }
  }

  void compare_spills(const char* what, const Figure& before, const Figure& after) {
    if (before && after && *after > *before) add(Worsening::spills, moved(what, *before, *after));
  }

  void add(Worsening kind, std::string what) { all_.push_back({kind, key_, std::move(what)}); }

  const StaticBlocks& blocks_;
  machine_code::KernelKey key_;
  std::vector<StaticFinding> all_;
};

void add_figure(const char* what, const Figure& before, const Figure& after,
                std::vector<std::string>& moves) {
  if (before && after && *before != *after) moves.push_back(moved(what, *before, *after));
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
  add_figure("instructions", a.instructions, b.instructions, moves);
  InstructionMix all = before.shape.mix;
  all.insert(after.shape.mix.begin(), after.shape.mix.end());
  for (const auto& [kind, count] : all) {
    const auto in = [&kind = kind](const InstructionMix& mix) {
      const auto found = mix.find(kind);
      return found == mix.end() ? std::uint64_t{0} : found->second;
    };
    add_figure(kind.c_str(), in(before.shape.mix), in(after.shape.mix), moves);
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

std::vector<StaticFinding> worse_code(const std::vector<KernelChange>& changes,
                                      const StaticBlocks& blocks) {
  Worse worse(blocks);
  for (const KernelChange& each : changes) worse.compare(each);
  return worse.take();
}

std::string static_changes(const std::vector<KernelChange>& changes, const StaticBlocks& blocks) {
  const std::vector<StaticFinding> worse = worse_code(changes, blocks);
  std::string text = worse.empty() ? "Nothing got worse.\n" : "Worse, the gravest first:\n";
  for (const StaticFinding& each : worse) {
    text += fmt::format("  {} {}: {}\n", each.key.second, each.key.first, each.what);
  }
  for (const CodeChange kind :
       {CodeChange::architecture_removed, CodeChange::removed, CodeChange::changed,
        CodeChange::rearranged, CodeChange::added, CodeChange::same}) {
    text += of_kind(changes, kind);
  }
  return text;
}

}  // namespace warpgauge::ci
