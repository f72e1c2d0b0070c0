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

// Calls visit(const Request&) for each access that lanes execute together, in their order. Stops
// when all traces are used up, or one that continues is; `next` then tells how far each came.
template <class Visit>
void merge_traces(std::span<LaneTrace> traces, Visit&& visit) {
  std::array<std::uint64_t, kWarpLanes> keys;
  keys.fill(detail::kNoKey);
  for (std::size_t lane = 0; lane < traces.size(); ++lane) {
    keys[lane] = detail::merge_key(traces[lane]);
    if (keys[lane] == detail::kNoKey && traces[lane].continues) return;
  }
  Request request;
  for (;;) {
    const std::uint64_t smallest = detail::smallest(keys);
    if (smallest == detail::kNoKey) return;
    request.lanes = 0;
    bool ran_out = false;
    for (std::size_t lane = 0; lane < traces.size(); ++lane) {
      if (keys[lane] != smallest) continue;
      LaneTrace& trace = traces[lane];
      request.lanes |= 1U << lane;
      request.addresses[lane] = trace.next->address;
      request.record = *trace.next++;
      keys[lane] = detail::merge_key(trace);
      ran_out |= keys[lane] == detail::kNoKey && trace.continues;
    }
    if (request.record.kind != RecordKind::block_entry) visit(std::as_const(request));
    if (ran_out) return;
  }
}

}  // namespace warpgauge::emulator
