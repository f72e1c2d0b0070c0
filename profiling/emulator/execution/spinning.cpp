// SPDX-License-Identifier: Apache-2.0
// BlockRunner's threads that wait in a loop: for a time, for another thread, or for ever.
#include <algorithm>

#include "profiling/emulator/execution/block_runner.hpp"

namespace warpgauge::emulator {
namespace {

bool is_load(const Record& record) {
  return record.kind == RecordKind::load || record.kind == RecordKind::volatile_load;
}

// Who stores, or goes on from address to address, works long; who spins looks at one place.
bool does_work(std::span<const Record> records) {
  const auto last = std::find_if(records.rbegin(), records.rend(), is_load);
  return std::ranges::any_of(records, [&](const Record& record) {
    return is_plain_store(record.kind) ||
           (last != records.rend() && is_load(record) && record.pc == last->pc &&
            record.address != last->address);
  });
}

bool looks(const Record& record) { return is_load(record) || is_atomic(record.kind); }

// Who looks nowhere computes.
bool spins(std::span<const Record> records) {
  return !does_work(records) && std::ranges::any_of(records, looks);
}

// Others may wait for what it does at a barrier of some threads, which it cannot do while another
// lane of its warp holds up its trace.
bool is_held_up(const Lane& lane) {
  return lane.state == LaneState::arriving || lane.state == LaneState::completing ||
         lane.state == LaneState::beginning || lane.put_off > 0;
}

}  // namespace

// A loop that does nothing but look waits for a time to pass: the clock hurries for it, and runs
// evenly for all others.
long long BlockRunner::tick(Lane& lane) {
  constexpr unsigned kEvenLooks = 64;
  constexpr unsigned kMostDoublings = 24;
  const bool only_looked = lane.clock_seen != nullptr && lane.clock_seen <= lane.next &&
                           std::ranges::all_of(std::span<const Record>(lane.clock_seen, lane.next),
                                               [](const Record& record) {
                                                 return record.kind == RecordKind::block_entry;
                                               });
  lane.clock_looks = only_looked ? lane.clock_looks + 1 : 0;
  lane.clock_seen = lane.next;
  const unsigned beyond = lane.clock_looks - std::min(lane.clock_looks, kEvenLooks);
  return ticks_ += 1LL << std::min(beyond, kMostDoublings);
}

void BlockRunner::extend_budget(const Lane& lane, const Record* begin) {
  const bool works = does_work(std::span<const Record>(begin, lane.next));
  if (works ? ++extensions_ > kMostExtensions : spent_ > launch_.spin_budget + kWatched) {
    stop_spinning(lane);
  }
  if (works) spent_ = 0;
}

// Where nothing else goes on for long: what lanes did while others of their warp spin is merged
// without these. True: there are some. Who looks beyond the block's shared memory may wait for
// another block, which takes as long as it takes.
bool BlockRunner::pass_over_spinners() {
  if (spent_ < spent_before_) spent_before_ = 0;
  const std::uint64_t waited = spent_ - spent_before_;
  if (waited < launch_.spin_budget / kPatience) return false;
  const bool waited_for_blocks = waited >= launch_.spin_budget / kPatienceWithBlocks;
  const auto may_be_passed_over = [&](const Lane& lane) {
    if (lane.state != LaneState::trace_full) return true;
    const std::span<const Record> records(lane.trace_begin, lane.next);
    return spins(records) &&
           (waited_for_blocks || std::ranges::all_of(records, [&](const Record& record) {
              return !looks(record) || is_shared(record.address);
            }));
  };
  bool some = false;
  for (unsigned warp = 0; warp < warps_.size(); ++warp) {
    const std::span<Lane> lanes = lanes_of(warp);
    if (std::ranges::none_of(lanes, is_held_up)) continue;
    if (!std::ranges::all_of(lanes, may_be_passed_over)) continue;
    warps_[warp].is_behind = warps_[warp].passes_over_spinners = true;
    some = true;
  }
  if (some) spent_before_ = spent_;
  return some;
}

}  // namespace warpgauge::emulator
