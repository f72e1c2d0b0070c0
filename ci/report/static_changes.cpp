// SPDX-License-Identifier: Apache-2.0
// What a second build changed in machine code, with what of that is worse.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>

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
    add_figure(kind.c_str(), machine_code::count_in(before.shape.mix, kind),
               machine_code::count_in(after.shape.mix, kind), moves);
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

std::string worse_text(const ImageChanges& changes, const StaticBlocks& blocks) {
  const std::vector<StaticFinding> worse = worse_code(changes, blocks);
  std::string text = !worse.empty()           ? "Worse, the gravest first:\n"
                     : changes.broken.empty() ? "Nothing got worse.\n"
                                              : "Nothing got worse in what could be read.\n";
  for (const StaticFinding& each : worse) {
    text += fmt::format("  {} {}: {}\n", each.key.second, each.key.first, each.what);
  }
  return text;
}

}  // namespace

std::string static_outcome(const ImageChanges& changes, const StaticBlocks& blocks) {
  return worse_text(changes, blocks) + named_broken(changes.broken);
}

std::string static_changes(const ImageChanges& changes, const StaticBlocks& blocks) {
  std::string text = worse_text(changes, blocks);
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
