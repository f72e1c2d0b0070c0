// SPDX-License-Identifier: Apache-2.0
// BlockRunner's operations for lanes of a warp that meet: shuffles, votes, matches, reductions,
// __syncwarp.
#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <utility>

#include "profiling/emulator/execution/block_runner.hpp"

namespace warpgauge::emulator {
namespace {

std::uint32_t combine(WarpOperation reduction, std::uint32_t a, std::uint32_t b) {
  switch (reduction) {
    case WarpOperation::reduce_min:
      return std::min(a, b);
    case WarpOperation::reduce_max:
      return std::max(a, b);
    case WarpOperation::reduce_and:
      return a & b;
    case WarpOperation::reduce_or:
      return a | b;
    case WarpOperation::reduce_xor:
      return a ^ b;
    default:
      return a + b;
  }
}

// Over the values of the lanes named in `mask`, at least one.
std::uint32_t reduce(WarpOperation reduction, std::span<const Lane> lanes, std::uint32_t mask) {
  const auto first_value = [&] {
    const Lane& lane = lanes[static_cast<std::size_t>(std::countr_zero(mask))];
    return static_cast<std::uint32_t>(lane.value);
  };
  std::uint32_t result = first_value();
  while ((mask &= mask - 1) != 0) result = combine(reduction, result, first_value());
  return result;
}

// Lanes reconverge as the merge has it: the deepest call first, then the smallest address.
std::pair<std::uintptr_t, std::uintptr_t> convergence_order(const Lane& lane) {
  return {reinterpret_cast<std::uintptr_t>(lane.waiting_at.frame) - lane.stack_top,
          reinterpret_cast<std::uintptr_t>(lane.waiting_at.return_address)};
}

}  // namespace

// The lanes that take part in the operation that `lane` waits for, or 0 while some are absent.
// Does not wait for lanes that have finished, nor for any lane where lanes only converge.
std::uint32_t BlockRunner::participants(std::span<const Lane> lanes, const Lane& lane) const {
  std::uint32_t taking_part = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const Lane& other = lanes[i];
    if (lane.operation == WarpOperation::converge) {
      if (other.state != LaneState::at_warp_operation || other.operation != lane.operation) {
        continue;
      }
      const auto order = convergence_order(other) <=> convergence_order(lane);
      if (std::is_lt(order)) return 0;  // those come first, and may yet come here
      if (std::is_eq(order)) taking_part |= 1U << i;
      continue;
    }
    if ((lane.mask >> i & 1U) == 0 || other.state == LaneState::finished) continue;
    if (other.state != LaneState::at_warp_operation || other.operation != lane.operation ||
        other.mask != lane.mask) {
      return 0;
    }
    taking_part |= 1U << i;
  }
  return taking_part;
}

void BlockRunner::work_together(std::span<Lane> lanes, std::uint32_t taking_part) {
  std::array<WarpWork*, kWarpLanes> work{};
  const auto work_of = [](const Lane& lane) { return reinterpret_cast<WarpWork*>(lane.value); };
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if ((taking_part >> i & 1U) == 0) continue;
    work[i] = work_of(lanes[i]);
    const auto first = static_cast<std::size_t>(std::countr_zero(taking_part));
    if (taking_part != ~0U || work[i]->run != work_of(lanes[first])->run) {
      stop_incomplete_warp(lanes[i]);
    }
  }
  work.front()->run(work.data());
}

bool BlockRunner::complete_warp_operations(unsigned warp) {
  const std::span<Lane> lanes = lanes_of(warp);
  bool completed = false;
  for (Lane& lane : lanes) {
    if (lane.state != LaneState::at_warp_operation) continue;
    if ((lane.mask >> lane.thread % kWarpLanes & 1U) == 0) stop_outside_mask(lane);
    const std::uint32_t taking_part = participants(lanes, lane);
    if (taking_part == 0) continue;
    if (lane.operation == WarpOperation::synchronize) {
      share_clocks(warp, taking_part);
      warps_[warp].clocks.synchronize(taking_part, analysis_.next_stamp());
    } else if (lane.operation != WarpOperation::converge) {
      analysis_.values_leave(warp * kWarpLanes, taking_part);
    }
    complete_warp_operation(lanes, taking_part);
    completed = true;
  }
  return completed;
}

void BlockRunner::complete_warp_operation(std::span<Lane> lanes, std::uint32_t taking_part) {
  const auto bits_where = [&](auto&& holds) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if ((taking_part >> i & 1U) != 0 && holds(lanes[i])) bits |= 1U << i;
    }
    return bits;
  };
  if (lanes[static_cast<std::size_t>(std::countr_zero(taking_part))].operation ==
      WarpOperation::together) {
    work_together(lanes, taking_part);
  }
  const std::uint32_t ballot = bits_where([](const Lane& lane) { return lane.value != 0; });
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if ((taking_part >> i & 1U) == 0) continue;
    Lane& lane = lanes[i];
    switch (lane.operation) {
      case WarpOperation::synchronize:
      case WarpOperation::together:
        break;
      case WarpOperation::converge:
        lane.result = taking_part;
        break;
      case WarpOperation::shuffle:
        if ((taking_part >> lane.source & 1U) == 0) stop_absent_source(lane);
        lane.result = lanes[lane.source].value;
        break;
      case WarpOperation::ballot:
        lane.result = ballot;
        break;
      case WarpOperation::match:
        lane.result = bits_where([&](const Lane& other) { return other.value == lane.value; });
        break;
      case WarpOperation::match_all: {
        const auto same = bits_where([&](const Lane& other) { return other.value == lane.value; });
        lane.result = same == taking_part ? taking_part : 0;
        break;
      }
      default:
        lane.result = reduce(lane.operation, lanes, taking_part);
        break;
    }
    lane.state = LaneState::ready;
  }
}

}  // namespace warpgauge::emulator
