// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/occupancy.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace warpgauge::ci {
namespace {

constexpr std::uint64_t kLanes = 32;  // of a warp
constexpr std::uint64_t kPartitions = 4;
constexpr std::uint64_t kRegistersOfPartition = 16'384;
constexpr std::uint64_t kRegisterUnit = 256;
constexpr std::uint64_t kMostThreads = 1'024;  // of a block
constexpr std::uint64_t kMostRegisters = 255;

struct Multiprocessor {
  std::string_view architecture;
  std::uint64_t warps;
  std::uint64_t blocks;
  std::uint64_t barriers;  // 0: they limit nothing
  std::uint64_t shared_kib;
  std::uint64_t shared_kib_of_the_system;  // a block
  std::uint64_t shared_unit;               // in bytes
};

constexpr Multiprocessor kMultiprocessors[] = {
    {"sm_70", 64, 32, 0, 96, 0, 256},    {"sm_72", 64, 32, 0, 96, 0, 256},
    {"sm_75", 32, 16, 0, 64, 0, 256},    {"sm_80", 64, 32, 0, 164, 1, 128},
    {"sm_86", 48, 16, 0, 100, 1, 128},   {"sm_87", 48, 16, 0, 164, 1, 128},
    {"sm_88", 48, 16, 0, 100, 1, 128},   {"sm_89", 48, 24, 0, 100, 1, 128},
    {"sm_90", 64, 32, 64, 228, 1, 128},  {"sm_100", 64, 32, 64, 228, 1, 128},
    {"sm_101", 48, 24, 24, 228, 1, 128}, {"sm_103", 64, 32, 64, 228, 1, 128},
    {"sm_110", 48, 24, 24, 228, 1, 128}, {"sm_120", 48, 24, 24, 100, 1, 128},
    {"sm_121", 48, 24, 24, 100, 1, 128},
};

constexpr std::uint64_t rounded_up(std::uint64_t number, std::uint64_t unit) {
  return (number + unit - 1) / unit * unit;
}

// "sm_90" of "sm_90a", which has instructions of its own and the same multiprocessors.
std::string_view family_of_variant(std::string_view architecture) {
  while (!architecture.empty() && (architecture.back() == 'a' || architecture.back() == 'f')) {
    architecture.remove_suffix(1);
  }
  return architecture;
}

}  // namespace

std::optional<Occupancy> occupancy(const std::string& architecture, const KernelNeeds& needs) {
  const auto* const found = std::find_if(
      std::begin(kMultiprocessors), std::end(kMultiprocessors),
      [&](const auto& each) { return each.architecture == family_of_variant(architecture); });
  if (found == std::end(kMultiprocessors) || needs.threads == 0) return std::nullopt;
  if (needs.threads > kMostThreads) return Occupancy{0, found->warps, "block size"};
  if (needs.registers > kMostRegisters) return Occupancy{0, found->warps, "registers"};
  if (needs.shared_bytes > found->shared_kib * 1'024) {
    return Occupancy{0, found->warps, "shared memory"};
  }
  const std::uint64_t warps = rounded_up(needs.threads, kLanes) / kLanes;
  std::uint64_t blocks = found->warps / warps;
  // Where whole blocks leave room for a few warps more.
  std::string limit = blocks * warps < found->warps ? "block size" : "";
  const auto allow = [&](std::uint64_t most, const char* what) {
    if (most >= blocks) return;
    blocks = most;
    limit = what;
  };
  allow(found->blocks, "blocks");
  if (needs.registers > 0) {
    const std::uint64_t of_warp = rounded_up(needs.registers * kLanes, kRegisterUnit);
    // A block's warps are dealt out to the partitions, each of which holds whole warps.
    allow(kRegistersOfPartition / of_warp * kPartitions / warps, "registers");
  }
  const std::uint64_t shared =
      rounded_up(needs.shared_bytes, found->shared_unit) + found->shared_kib_of_the_system * 1'024;
  if (shared > 0) allow(found->shared_kib * 1'024 / shared, "shared memory");
  if (needs.barriers > 0 && found->barriers > 0) {
    allow(found->barriers / needs.barriers, "barriers");
  }
  return Occupancy{blocks * warps, found->warps, limit};
}

}  // namespace warpgauge::ci
