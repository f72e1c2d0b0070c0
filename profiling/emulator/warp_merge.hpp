// SPDX-License-Identifier: Apache-2.0
// Lanes ran one after the other; this finds what they would have done together.
//
// SIMT hardware reconverges lanes; of the orders in which it may do so, the deepest call first and
// then the smallest program counter (MinSP-PC; Collange, "Stack-less SIMT reconvergence at low
// cost", 2011) is the one that follows structured control flow. Pairing the k-th occurrences of an
// access instead counts too few requests as soon as lanes diverge.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "profiling/emulator/bank_model.hpp"
#include "profiling/emulator/trace.hpp"

namespace warpgauge::emulator {

struct LaneTrace {
  const Record* next = nullptr;
  const Record* end = nullptr;
  // The lane will go on from where the trace ends, so nothing may run ahead of it.
  bool continues = false;
};

// One instruction of the warp: the lanes that execute it, and where each accesses memory.
struct Request {
  Record record;  // of the first of the lanes; its address is in `addresses`
  std::uint32_t lanes = 0;
  LaneAddresses addresses;
};

namespace detail {

inline constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

// Smaller runs first.
inline std::uint64_t merge_key(const LaneTrace& trace) {
  if (trace.next == trace.end) return kNoKey;
  return std::uint64_t{static_cast<std::uint16_t>(~trace.next->depth)} << 32 | trace.next->pc;
}

// In four strands, which the processor follows at once.
inline std::uint64_t smallest(const std::array<std::uint64_t, kWarpLanes>& keys) {
  std::array<std::uint64_t, 4> least{keys[0], keys[1], keys[2], keys[3]};
  for (std::size_t i = 4; i < keys.size(); i += 4) {
    for (std::size_t strand = 0; strand < 4; ++strand) {
      least[strand] = std::min(least[strand], keys[i + strand]);
    }
  }
  return std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
}

}  // namespace detail

namespace detail {

// Lets lanes that are in step go on together for as long as they are, the fast way.
template <class Visit>
void merge_in_step(std::span<LaneTrace> traces, Request& request, Visit& visit) {
  std::array<const Record*, kWarpLanes> next;
  std::array<std::uint8_t, kWarpLanes> lane_of;
  std::size_t count = 0;
  std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::max();
  request.lanes = 0;
  for (std::size_t lane = 0; lane < traces.size(); ++lane) {
    const std::ptrdiff_t left = traces[lane].end - traces[lane].next;
    if (left == 0) continue;
    next[count] = traces[lane].next;
    lane_of[count++] = static_cast<std::uint8_t>(lane);
    request.lanes |= 1U << lane;
    least = std::min(least, left);
  }
  if (count == 0) return;
  std::ptrdiff_t step = 0;
  for (; step < least; ++step) {
    const Record& first = next[0][step];
    const std::uint64_t operation = operation_of(first);
    std::uint64_t different = 0;
    for (std::size_t i = 1; i < count; ++i) different |= operation_of(next[i][step]) ^ operation;
    if (different != 0) break;
    if (first.kind == RecordKind::block_entry) continue;
    for (std::size_t i = 0; i < count; ++i) {
      request.addresses[lane_of[i]] = next[i][step].address;
    }
    request.record = first;
    visit(std::as_const(request));
  }
  for (std::size_t i = 0; i < count; ++i) traces[lane_of[i]].next += step;
}

// Of the lanes that wait to run, those which MinSP-PC runs next make one step. False: there are
// none left.
template <class Visit>
bool merge_one_step(std::span<LaneTrace> traces, Request& request, Visit& visit) {
  std::array<std::uint64_t, kWarpLanes> keys;
  keys.fill(kNoKey);
  for (std::size_t lane = 0; lane < traces.size(); ++lane) keys[lane] = merge_key(traces[lane]);
  const std::uint64_t next = smallest(keys);
  if (next == kNoKey) return false;
  request.lanes = 0;
  for (std::size_t lane = 0; lane < traces.size(); ++lane) {
    if (keys[lane] != next) continue;
    request.lanes |= 1U << lane;
    request.addresses[lane] = traces[lane].next->address;
    request.record = *traces[lane].next++;
  }
  if (request.record.kind != RecordKind::block_entry) visit(std::as_const(request));
  return true;
}

}  // namespace detail

// Calls visit(const Request&) for each access that lanes execute together, in their order. Stops
// when all traces are used up, or one that continues is; `next` then tells how far each came.
template <class Visit>
void merge_traces(std::span<LaneTrace> traces, Visit&& visit) {
  const auto must_stop = [&] {
    return std::any_of(traces.begin(), traces.end(), [](const LaneTrace& trace) {
      return trace.continues && trace.next == trace.end;
    });
  };
  Request request;
  while (!must_stop()) {
    detail::merge_in_step(traces, request, visit);
    if (must_stop() || !detail::merge_one_step(traces, request, visit)) return;
  }
}

}  // namespace warpgauge::emulator
