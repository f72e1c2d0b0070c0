// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/machine_code/worse_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "ci/verdict/identity/code_identity.hpp"
#include "profiling/machine_code/instructions/code_shape.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::CodeChange;
using machine_code::ImageChanges;
using machine_code::ImageKernel;
using machine_code::InstructionMix;
using machine_code::KernelChange;
using results::KernelCode;
using results::KernelLaunch;
using Figure = std::optional<std::uint64_t>;

// "copy" of "copy<4>".
std::string_view without_template_arguments(std::string_view name) {
  if (!name.ends_with('>')) return name;
  std::size_t open = 0;
  for (std::size_t at = name.size(); at > 0; --at) {
    if (name[at - 1] == '>') ++open;
    if (name[at - 1] == '<' && --open == 0) return name.substr(0, at - 1);
  }
  return name;
}

std::string moved(const std::string& what, std::uint64_t before, std::uint64_t after) {
  return fmt::format("{} {} -> {}", what, before, after);
}

struct LoadsMoved {
  std::string what;
  std::vector<std::string> more;  // kinds
};

std::optional<LoadsMoved> narrower_loads(const InstructionMix& before,
                                         const InstructionMix& after) {
  const auto narrower = machine_code::narrower_loads(before, after);
  if (!narrower) return std::nullopt;
  LoadsMoved loads;
  std::vector<std::string> moves;
  for (const std::string& kind : narrower->kinds) {
    const std::uint64_t was = machine_code::count_in(before, kind);
    const std::uint64_t is = machine_code::count_in(after, kind);
    moves.push_back(moved(kind, was, is));
    if (is > was) loads.more.push_back(kind);
  }
  loads.what = fmt::format("narrower loads: {}", fmt::join(moves, ", "));
  return loads;
}

// Of kernels of one name those of each copy, the most first. Absent: not known of one of them.
struct Spill {
  std::uint64_t bytes = 0;
  const ImageKernel* kernel = nullptr;
};
using Spills = std::optional<std::vector<Spill>>;

Spills spills_of(const std::vector<ImageKernel>& kernels, Figure KernelCode::*figure) {
  std::vector<Spill> spills;
  for (const ImageKernel& each : kernels) {
    if (!(each.code.*figure)) return std::nullopt;
    spills.insert(spills.end(), each.copies, {*(each.code.*figure), &each});
  }
  std::stable_sort(spills.begin(), spills.end(),
                   [](const Spill& a, const Spill& b) { return a.bytes > b.bytes; });
  return spills;
}

// Of all copies together.
InstructionMix mix_of(const std::vector<ImageKernel>& kernels) {
  InstructionMix mix;
  for (const ImageKernel& each : kernels) {
    for (const auto& [kind, count] : each.shape.mix) mix[kind] += count * each.copies;
  }
  return mix;
}

// Of kernels of one name, each figure that is worst. Of one kernel: its own.
struct Worst {
  std::uint64_t local_accesses = 0;
  std::string most_local;                       // the hash of the one that has so many
  std::vector<std::string> local_kinds;         // of all of them
  std::optional<KernelOccupancy> fewest_warps;  // absent: not known of any of them
  std::string fewest;                           // the hash of the one that has so few
};

Worst worst_of(const std::vector<ImageKernel>& kernels, const StaticBlocks& blocks) {
  Worst worst;
  for (const ImageKernel& each : kernels) {
    const std::uint64_t local = machine_code::local_accesses(each.shape.mix);
    if (local > worst.local_accesses) worst.most_local = each.code.sass_hash;
    worst.local_accesses = std::max(worst.local_accesses, local);
    for (const auto& [kind, count] : each.shape.mix) {
      if (machine_code::local_accesses({{kind, count}}) > 0) worst.local_kinds.push_back(kind);
    }
    const auto warps = occupancy_of(each, blocks);
    const bool fewer = warps && (!worst.fewest_warps ||
                                 warps->occupancy.warps < worst.fewest_warps->occupancy.warps);
    if (!fewer) continue;
    worst.fewest_warps = warps;
    worst.fewest = each.code.sass_hash;
  }
  return worst;
}

class Worse {
 public:
  explicit Worse(const StaticBlocks& blocks) : blocks_(blocks) {}

  void compare(const KernelChange& change) {
    key_ = change.key;
    suffix_ = change.several ? ", the worst of several kernels of this name that changed" : "";
    if (!change.name_before.empty()) {
      suffix_ = fmt::format(" (renamed from {})", without_parameters(change.name_before));
    }
    if (change.change == CodeChange::architecture_removed) {
      add(Worsening::architecture_removed,
          fmt::format("is no longer compiled for {}", change.key.second));
    }
    if (change.before.empty() || change.after.empty()) return;
    const Worst after = worst_of(change.after, blocks_);
    compare_spills("spill_store_bytes", change, &KernelCode::spill_store_bytes, after.local_kinds);
    compare_spills("spill_load_bytes", change, &KernelCode::spill_load_bytes, after.local_kinds);
    compare(worst_of(change.before, blocks_), after);
    compare_loads(change.before, change.after);
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
    if (before.local_accesses == 0 && after.local_accesses > 0) {
      add(Worsening::local, moved("accesses to local memory", 0, after.local_accesses),
          after.most_local, after.local_kinds);
    }
    if (!before.fewest_warps || !after.fewest_warps) return;
    const Occupancy& warps_before = before.fewest_warps->occupancy;
    const Occupancy& warps_after = after.fewest_warps->occupancy;
    if (warps_after.warps >= warps_before.warps) return;
    add(Worsening::occupancy,
        fmt::format("{} of {} with {} threads a block, limited by {}",
                    moved("resident warps", warps_before.warps, warps_after.warps),
                    warps_after.most_warps, after.fewest_warps->block_threads, warps_after.limit),
        after.fewest);
  }

  // Of several, those of all together, if there are as many: which of them was which is not known.
  void compare_loads(const std::vector<ImageKernel>& before,
                     const std::vector<ImageKernel>& after) {
    const bool is_one = before.size() == 1 && after.size() == 1;
    if (!is_one && copies_of(before) != copies_of(after)) return;
    const auto found = is_one ? narrower_loads(before.front().shape.mix, after.front().shape.mix)
                              : narrower_loads(mix_of(before), mix_of(after));
    if (!found) return;
    const auto loads_more = [&](const ImageKernel& each) {
      return std::any_of(found->more.begin(), found->more.end(), [&](const std::string& kind) {
        return machine_code::count_in(each.shape.mix, kind) > 0;
      });
    };
    const auto one = std::find_if(after.begin(), after.end(), loads_more);
    add(Worsening::narrower_loads, found->what,
        (one == after.end() ? after.front() : *one).code.sass_hash, found->more);
  }

  // The most with the most, the second with the second, if there are as many; else the most alone.
  void compare_spills(const char* what, const KernelChange& change, Figure KernelCode::*figure,
                      const std::vector<std::string>& kinds) {
    const Spills before = spills_of(change.before, figure);
    const Spills after = spills_of(change.after, figure);
    if (!before || !after) return;
    const std::size_t count = before->size() == after->size() ? after->size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
      const Spill& was = (*before)[i];
      const Spill& is = (*after)[i];
      if (is.bytes <= was.bytes) continue;
      add(Worsening::spills, moved(what, was.bytes, is.bytes), is.kernel->code.sass_hash, kinds);
      return;
    }
  }

  void add(Worsening kind, const std::string& what, std::string shown_by = {},
           std::vector<std::string> kinds = {}) {
    all_.push_back({kind, key_, what + suffix_, std::move(kinds), std::move(shown_by)});
  }

  const StaticBlocks& blocks_;
  machine_code::KernelKey key_;
  std::string suffix_;
  std::vector<StaticFinding> all_;
};

}  // namespace

std::optional<KernelOccupancy> occupancy_of(const ImageKernel& kernel, const StaticBlocks& blocks) {
  const KernelCode& code = kernel.code;
  const auto of = [&](std::uint64_t threads, std::uint64_t dynamic_shared_bytes,
                      const char* from) -> std::optional<KernelOccupancy> {
    const auto found =
        occupancy(code.architecture,
                  {threads, static_cast<std::uint64_t>(code.registers),
                   code.static_shared_bytes + dynamic_shared_bytes, code.barriers.value_or(0)});
    return found ? std::optional(KernelOccupancy{*found, threads, from}) : std::nullopt;
  };
  const std::uint64_t noted = kernel.dynamic_shared_bytes.value_or(0);
  if (blocks.threads) return of(*blocks.threads, noted, "given");
  std::optional<KernelOccupancy> fewest;
  if (const auto found = blocks.launches.find(code.name); found != blocks.launches.end()) {
    for (const KernelLaunch& launch : found->second) {
      const std::uint64_t threads =
          std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
      const auto here = of(threads, launch.dynamic_shared_bytes, "recorded");
      if (here && (!fewest || here->occupancy.warps < fewest->occupancy.warps)) fewest = here;
    }
  }
  if (fewest || code.most_threads == 0) return fewest;
  return of(code.most_threads, noted, "launch bounds");
}

ImageChanges static_changes_of(machine_code::ImageKernels before,
                               machine_code::ImageKernels after) {
  return machine_code::with_renamed(
      machine_code::changes(std::move(before), std::move(after)), [](const std::string& kernel) {
        return std::string(without_template_arguments(without_parameters(kernel)));
      });
}

std::vector<StaticFinding> worse_code(const ImageChanges& changes, const StaticBlocks& blocks) {
  Worse worse(blocks);
  for (const std::string& each : changes.images_removed) worse.lost(each);
  for (const KernelChange& each : changes.kernels) worse.compare(each);
  return worse.take();
}

std::size_t unknown_blocks(const ImageChanges& changes, const StaticBlocks& blocks) {
  const auto known = [&](const std::vector<ImageKernel>& kernels) {
    return std::any_of(kernels.begin(), kernels.end(), [&](const ImageKernel& each) {
      return occupancy_of(each, blocks).has_value();
    });
  };
  return static_cast<std::size_t>(
      std::count_if(changes.kernels.begin(), changes.kernels.end(), [&](const KernelChange& each) {
        return !each.before.empty() && !each.after.empty() &&
               (!known(each.before) || !known(each.after));
      }));
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

}  // namespace warpgauge::ci
