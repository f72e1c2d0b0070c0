// SPDX-License-Identifier: Apache-2.0
// Lanes run one after the other; this finds the instructions that they would execute together.
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

#include "profiling/emulator/execution/lanes/trace.hpp"
#include "profiling/emulator/models/bank_model.hpp"

namespace warpgauge::emulator {

struct LaneTrace {
  const Record* next = nullptr;
  const Record* end = nullptr;
  // The lane continues where the trace ends, so no other lane may run ahead of it.
  bool continues = false;
};

// Leaves out the first arrival that is put off, and what follows it until that has counted.
inline void end_at_arrival(LaneTrace& trace) {
  trace.end = std::find_if(trace.next, trace.end,
                           [](const Record& record) { return record.kind == RecordKind::arrival; });
  trace.continues = true;
}

// One instruction of the warp: the lanes that execute it, and where each accesses memory.
struct Request {
  Record record;  // of the first of the lanes; its address is in `addresses`
  std::uint32_t lanes = 0;
  LaneAddresses addresses;
  LaneDigests digests;  // of what was stored, where the record is a plain store
};

namespace detail {

inline constexpr std::uint64_t kNoKey = ~std::uint64_t{0};

// Smaller runs first.
inline std::uint64_t merge_key(const Record& record) {
  return std::uint64_t{static_cast<std::uint16_t>(~record.depth)} << 32 | record.pc;
}

// The lanes that run next; they are at the same place.
struct Runners {
  std::size_t count = 0;
  std::array<std::uint8_t, kWarpLanes> lane;
  std::array<const Record*, kWarpLanes> next;
  std::ptrdiff_t least = 0;      // records that each of them has at least
  std::uint64_t limit = kNoKey;  // key of the next to run among the others
};

inline Runners next_runners(std::span<const LaneTrace> traces) {
  Runners runners;
  std::uint64_t smallest = kNoKey;
  std::array<std::uint64_t, kWarpLanes> keys;
  for (std::size_t lane = 0; lane < traces.size(); ++lane) {
    const LaneTrace& trace = traces[lane];
    keys[lane] = trace.next == trace.end ? kNoKey : merge_key(*trace.next);
    smallest = std::min(smallest, keys[lane]);
  }
  if (smallest == kNoKey) return runners;
  runners.least = std::numeric_limits<std::ptrdiff_t>::max();
  for (std::size_t lane = 0; lane < traces.size(); ++lane) {
    if (keys[lane] != smallest) {
      runners.limit = std::min(runners.limit, keys[lane]);
      continue;
    }
    runners.lane[runners.count] = static_cast<std::uint8_t>(lane);
    runners.next[runners.count++] = traces[lane].next;
    runners.least = std::min(runners.least, traces[lane].end - traces[lane].next);
  }
  return runners;
}

// Advances the runners while they are in step and precede the others. Returns the number of steps.
template <class Visit>
std::ptrdiff_t run_in_step(const Runners& runners, Request& request, Visit& visit) {
  request.lanes = 0;
  for (std::size_t i = 0; i < runners.count; ++i) request.lanes |= 1U << runners.lane[i];
  std::ptrdiff_t step = 0;
  for (; step < runners.least; ++step) {
    const Record& first = runners.next[0][step];
    const std::uint64_t operation = operation_of(first);
    std::uint64_t different = 0;
    for (std::size_t i = 1; i < runners.count; ++i) {
      different |= operation_of(runners.next[i][step]) ^ operation;
    }
    if (step > 0 && (different != 0 || merge_key(first) >= runners.limit)) break;
    if (first.kind == RecordKind::block_entry) continue;
    if (is_plain_store(first.kind)) {
      for (std::size_t i = 0; i < runners.count; ++i) {
        request.addresses[runners.lane[i]] = address_of(runners.next[i][step]);
        request.digests[runners.lane[i]] = digest_of(runners.next[i][step]);
      }
    } else {
      for (std::size_t i = 0; i < runners.count; ++i) {
        request.addresses[runners.lane[i]] = runners.next[i][step].address;
      }
    }
    request.record = first;
    visit(std::as_const(request));
  }
  return step;
}

}  // namespace detail

// Calls visit(const Request&) for each access that lanes execute together, in order. Stops when all
// traces, or one that continues, are used up; `next` then holds each lane's position.
template <class Visit>
void merge_traces(std::span<LaneTrace> traces, Visit&& visit) {
  const auto must_stop = [](const LaneTrace& trace) {
    return trace.continues && trace.next == trace.end;
  };
  Request request;
  while (!std::any_of(traces.begin(), traces.end(), must_stop)) {
    const detail::Runners runners = detail::next_runners(traces);
    if (runners.count == 0) return;
    const std::ptrdiff_t steps = detail::run_in_step(runners, request, visit);
    for (std::size_t i = 0; i < runners.count; ++i) traces[runners.lane[i]].next += steps;
  }
}

}  // namespace warpgauge::emulator
