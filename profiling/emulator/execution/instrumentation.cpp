// SPDX-License-Identifier: Apache-2.0
// The functions that instrumented kernel code calls: callbacks of the thread sanitizer and of the
// coverage. They run on the kernel's stack and do as little as possible: note the access and
// return.
//
// The interface is that of libtsan (tsan_interface.h and tsan_interface_atomic.h of LLVM).
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "profiling/emulator/execution/block_runner.hpp"
#include "profiling/emulator/execution/lanes/lane.hpp"
#include "profiling/emulator/memory/shared_values.hpp"
#include "profiling/emulator/memory/thread_memory.hpp"

namespace warpgauge::emulator {
namespace {

[[gnu::noinline]] void wait_for_merge(Lane& lane) {
  lane.state = LaneState::trace_full;
  lane.fiber.suspend();
}

// Of the last record.
[[gnu::always_inline]] inline void begin_store(Lane& lane) {
  Record* const store = lane.next - 1;
  lane.unread = store;
  StoreTurns* const turns = warpgauge_emulator_thread_memory.runner->store_turns();
  if (turns != nullptr) turns->begin(lane.turn, store->address);
}

// Callbacks save no registers, as long as what happens rarely is the last thing that they call.

// Appends the record where something else is to be done, too. readable: a store, which the lane
// makes next.
[[gnu::noinline]] void append_and_more(Lane& lane, std::uintptr_t address, std::uint32_t pc,
                                       std::size_t bytes, RecordKind kind, std::uintptr_t depth,
                                       bool readable) {
  lane.end_store(true);  // by now it has stored what it had announced last
  *lane.next++ = make_record(address, pc, bytes, kind, depth);
  if (lane.next == lane.trace_end) wait_for_merge(lane);  // the record stays the lane's last
  if (readable) begin_store(lane);
}

// frame: of the callback, so that equal depths mean equal calls.
[[gnu::always_inline]] inline void append(Lane& lane, std::uintptr_t address, std::size_t bytes,
                                          RecordKind kind, const void* return_address,
                                          const void* frame, bool readable = false) {
  const auto pc = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(return_address) -
                                             lane.text_begin);
  const std::uintptr_t depth = lane.stack_top - reinterpret_cast<std::uintptr_t>(frame);
  Record* const next = lane.next;
  if (lane.unread != nullptr || next + 1 == lane.trace_end) [[unlikely]]
    return append_and_more(lane, address, pc, bytes, kind, depth, readable);
  *next = make_record(address, pc, bytes, kind, depth);
  lane.next = next + 1;
  if (readable) begin_store(lane);
}

[[gnu::always_inline]] inline void note_block_entry(const void* return_address, const void* frame) {
  Lane* lane = warpgauge_emulator_thread_memory.lane;
  if (lane != nullptr) append(*lane, 0, 0, RecordKind::block_entry, return_address, frame);
}

// Of a store to shared memory or of an atomic operation.
[[gnu::noinline]] void announce_and_append(Lane& lane, std::uintptr_t address, std::size_t bytes,
                                           RecordKind kind, const void* return_address,
                                           const void* frame) {
  warpgauge_emulator_thread_memory.values->announce(address, bytes, is_atomic(kind));
  append(lane, address, bytes, kind, return_address, frame);
}

// Whether it lies on the thread's own stack, which is its local memory.
[[gnu::always_inline]] inline bool is_local(const Lane& lane, std::uintptr_t address) {
  return address - lane.stack_bottom < FiberStacks::kUsableBytes;
}

// readable: a store is the next thing that the lane does, so that its value can be read afterwards.
[[gnu::always_inline]] inline void note(const void* address, std::size_t bytes, RecordKind kind,
                                        const void* return_address, const void* frame,
                                        bool readable = true) {
  Lane* lane = warpgauge_emulator_thread_memory.lane;
  if (lane == nullptr) return;  // host code
  const auto where = reinterpret_cast<std::uintptr_t>(address);
  if (is_local(*lane, where)) return;
  if (is_atomic(kind)) {
    return announce_and_append(*lane, where, bytes, kind, return_address, frame);
  }
  if (is_plain_store(kind)) {
    auto& values = *warpgauge_emulator_thread_memory.values;
    if (!values.hold(where)) {
      return append(*lane, where, bytes, kind, return_address, frame, readable);
    }
    if (!values.announce_first(where, bytes)) [[unlikely]] {
      return announce_and_append(*lane, where, bytes, kind, return_address, frame);
    }
  }
  append(*lane, where, bytes, kind, return_address, frame);
}

// Copies of structs too large for one access: by word, or by byte if not aligned. The merge
// distinguishes requests by place and depth of the call, so each byte gets its own pretended depth.
[[gnu::always_inline]] inline void note_range(const char* address, std::size_t bytes,
                                              RecordKind kind, const void* return_address,
                                              const void* frame) {
  const bool aligned = (reinterpret_cast<std::uintptr_t>(address) | bytes) % 4 == 0;
  const std::size_t step = aligned ? 4 : 1;
  const void* pretended = aligned ? frame : static_cast<const char*>(frame) - 40 * kStackUnit;
  for (std::size_t i = 0; i < bytes; i += step) {
    note(address + i, step, kind, return_address, pretended, false);
  }
}

// An exchange or an atomic store does not depend on the old value.
void overwrite(const void* address, std::size_t bytes) {
  if (warpgauge_emulator_thread_memory.lane == nullptr) return;
  warpgauge_emulator_thread_memory.runner->note_overwritten(address, bytes);
}

}  // namespace
}  // namespace warpgauge::emulator

using warpgauge::emulator::note;
using warpgauge::emulator::note_range;
using warpgauge::emulator::overwrite;
using warpgauge::emulator::RecordKind;

// The frame's address, as __builtin_frame_address(0) has it, but without a frame pointer.
#define FRAME (static_cast<const char*>(__builtin_dwarf_cfa()) - 2 * sizeof(void*))
#define NOTE(address, bytes, kind) \
  note(address, bytes, RecordKind::kind, __builtin_return_address(0), FRAME)
#define NOTE_RANGE(address, bytes, kind)                                 \
  note_range(static_cast<const char*>(address), bytes, RecordKind::kind, \
             __builtin_return_address(0), FRAME)
#define ACCESS(bytes)                                                    \
  void __tsan_read##bytes(void* address) { NOTE(address, bytes, load); } \
  void __tsan_write##bytes(void* address) { NOTE(address, bytes, store); }
#define VOLATILE_ACCESS(bytes)                                                             \
  void __tsan_volatile_read##bytes(void* address) { NOTE(address, bytes, volatile_load); } \
  void __tsan_volatile_write##bytes(void* address) { NOTE(address, bytes, volatile_store); }
// What the types at hand do not promise to be aligned, nvcc accesses by the word or the byte.
#define UNALIGNED(address, bytes, kind)                       \
  if (reinterpret_cast<std::uintptr_t>(address) % bytes == 0) \
    NOTE(address, bytes, kind);                               \
  else                                                        \
    NOTE_RANGE(address, bytes, kind)
#define UNALIGNED_ACCESS(bytes)                                                         \
  void __tsan_unaligned_read##bytes(void* address) { UNALIGNED(address, bytes, load); } \
  void __tsan_unaligned_write##bytes(void* address) { UNALIGNED(address, bytes, store); }

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
void __tsan_read16(void* address) { NOTE(address, 16, wide_load); }
void __tsan_write16(void* address) { NOTE(address, 16, wide_store); }
VOLATILE_ACCESS(1)
VOLATILE_ACCESS(2)
VOLATILE_ACCESS(4)
VOLATILE_ACCESS(8)
VOLATILE_ACCESS(16)
UNALIGNED_ACCESS(2)
UNALIGNED_ACCESS(4)
UNALIGNED_ACCESS(8)
UNALIGNED_ACCESS(16)
void __tsan_read_range(void* address, std::size_t bytes) { NOTE_RANGE(address, bytes, load); }
void __tsan_write_range(void* address, std::size_t bytes) { NOTE_RANGE(address, bytes, store); }

// Entry of a basic block: lets divergence be seen where no access lies.
void __sanitizer_cov_trace_pc() {
  warpgauge::emulator::note_block_entry(__builtin_return_address(0), FRAME);
}

// std::atomic and the compiler's own atomics, in kernels and in the host code beside them. The
// order asked for is ignored in favour of the strongest.
#define FETCH(bits, name, type)                                                      \
  type __tsan_atomic##bits##_fetch_##name(volatile type* address, type value, int) { \
    NOTE(const_cast<type*>(address), sizeof(type), atomic);                          \
    return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                  \
  }
#define COMPARE_EXCHANGE(bits, strength, weak, type)                                            \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile type* address, type* expected, \
                                                        type value, int, int) {                 \
    NOTE(const_cast<type*>(address), sizeof(type), atomic);                                     \
    return __atomic_compare_exchange_n(address, expected, value, weak, __ATOMIC_SEQ_CST,        \
                                       __ATOMIC_SEQ_CST);                                       \
  }
#define ATOMIC(bits, type)                                                       \
  type __tsan_atomic##bits##_load(const volatile type* address, int) {           \
    NOTE(const_cast<type*>(address), sizeof(type), atomic);                      \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                           \
  }                                                                              \
  void __tsan_atomic##bits##_store(volatile type* address, type value, int) {    \
    overwrite(const_cast<type*>(address), sizeof(type));                         \
    NOTE(const_cast<type*>(address), sizeof(type), atomic);                      \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                          \
  }                                                                              \
  type __tsan_atomic##bits##_exchange(volatile type* address, type value, int) { \
    overwrite(const_cast<type*>(address), sizeof(type));                         \
    NOTE(const_cast<type*>(address), sizeof(type), atomic);                      \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                \
  }                                                                              \
  FETCH(bits, add, type)                                                         \
  FETCH(bits, sub, type)                                                         \
  FETCH(bits, and, type)                                                         \
  FETCH(bits, or, type)                                                          \
  FETCH(bits, xor, type)                                                         \
  FETCH(bits, nand, type)                                                        \
  COMPARE_EXCHANGE(bits, strong, false, type)                                    \
  COMPARE_EXCHANGE(bits, weak, true, type)
ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)
void __tsan_atomic_thread_fence(int) {
  NOTE(nullptr, 0, fence);
  if (warpgauge_emulator_thread_memory.lane != nullptr) {
    warpgauge_emulator_thread_memory.runner->note_fence();
  }
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

}  // extern "C"

namespace warpgauge_emulator {

using warpgauge::emulator::Lane;
using warpgauge::emulator::LaneState;

namespace {

Lane& running() { return *warpgauge_emulator_thread_memory.lane; }
warpgauge::emulator::BlockRunner& runner() { return *warpgauge_emulator_thread_memory.runner; }

void wait_at_barrier(Lane& lane, BarrierScope scope, BarrierVote vote, bool predicate,
                     CallSite site) {
  lane.waiting_at = site;
  lane.scope = scope;
  lane.vote = vote;
  lane.predicate = predicate;
  lane.clock_seen = nullptr;
  lane.state = LaneState::at_block_barrier;
}

}  // namespace

bool runs_kernel() { return warpgauge_emulator_thread_memory.lane != nullptr; }

bool in_local_memory(const void* address) {
  return warpgauge::emulator::is_local(running(), reinterpret_cast<std::uintptr_t>(address));
}

unsigned lane_index() { return running().thread % warpgauge::emulator::kWarpLanes; }

void record_access(const void* address, unsigned bytes, AccessKind kind, CallSite site) {
  note(address, bytes, warpgauge::emulator::record_kind(kind), site.return_address, site.frame);
}

void record_overwrite(const void* address, unsigned bytes) {
  warpgauge::emulator::overwrite(address, bytes);
}

// The merge distinguishes requests by place and depth of the call, and here one place makes several
// of different kinds and widths, so each gets its own pretended depth.
void async_copy(void* shared, const void* global, std::size_t bytes, std::size_t zero_bytes,
                CallSite site) {
  using warpgauge::emulator::kStackUnit;
  const auto is_aligned = [&](const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
  };
  if ((bytes != 4 && bytes != 8 && bytes != 16) || zero_bytes > bytes) {
    stop_kernel(StopReason::invalid_call,
                "asynchronous copy of other than 4, 8 or 16 bytes, or more zeros than bytes", site);
  }
  if (!is_aligned(shared) || !is_aligned(global)) {
    stop_kernel(StopReason::invalid_call, "asynchronous copy that is not aligned to its size",
                site);
  }
  const std::size_t copied = bytes - zero_bytes;
  const char* frame = static_cast<const char*>(site.frame);
  if (copied > 0) {
    note(global, copied, RecordKind::load, site.return_address, frame - copied * kStackUnit);
  }
  note(shared, bytes, RecordKind::store, site.return_address, frame, false);
  note(shared, bytes, RecordKind::async_copy, site.return_address, frame - 32 * kStackUnit);
  if (copied > 0) {
    std::memcpy(shared, global, copied);
  }
  std::memset(static_cast<char*>(shared) + copied, 0, zero_bytes);
}

void async_commit(CallSite site) {
  note(nullptr, 0, RecordKind::async_commit, site.return_address, site.frame);
}

void async_wait_prior(std::size_t newest, CallSite site) {
  note(reinterpret_cast<const void*>(newest), 0, RecordKind::async_wait, site.return_address,
       site.frame);
}

bool in_shared_memory(const void* address) {
  return runner().is_shared(reinterpret_cast<std::uintptr_t>(address));
}

void memory_fence(CallSite site) {
  runner().note_fence();
  note(nullptr, 0, RecordKind::fence, site.return_address, site.frame);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void block_memory_fence(CallSite site) {
  note(nullptr, 0, RecordKind::block_fence, site.return_address, site.frame);
}

bool cooperative_launch() { return runner().cooperative(); }

void grid_barrier(CallSite site) {
  if (!cooperative_launch()) {
    stop_kernel(StopReason::invalid_call, "barrier of the grid without a cooperative launch", site);
  }
  Lane& lane = running();
  wait_at_barrier(lane, BarrierScope::grid, BarrierVote::none, false, site);
  lane.fiber.suspend();
}

void stop_kernel(StopReason reason, const char* what, CallSite site) {
  Lane& lane = running();
  lane.waiting_at = site;
  lane.stop_reason = reason;
  lane.stop_text = what;
  lane.state = LaneState::stopped;
  lane.fiber.suspend();  // for good
  __builtin_unreachable();
}

void require_host(const char* what, CallSite site) {
  if (warpgauge_emulator_thread_memory.lane != nullptr) {
    stop_kernel(StopReason::invalid_call, what, site);
  }
}

int block_barrier(BarrierVote vote, bool predicate, CallSite site) {
  Lane& lane = running();
  wait_at_barrier(lane, BarrierScope::block, vote, predicate, site);
  lane.fiber.suspend();
  return static_cast<int>(lane.result);
}

std::uint64_t warp_operation(WarpOperation operation, unsigned mask, std::uint64_t value,
                             unsigned source, CallSite site) {
  Lane& lane = running();
  lane.waiting_at = site;
  lane.operation = operation;
  lane.mask = mask;
  lane.value = value;
  lane.source = source;
  lane.clock_seen = nullptr;
  lane.state = LaneState::at_warp_operation;
  lane.fiber.suspend();
  return lane.result;
}

void warp_together(WarpWork& work, const char* what, CallSite site) {
  running().together = what;
  warp_operation(WarpOperation::together, 0xffffffffU, reinterpret_cast<std::uint64_t>(&work), 0,
                 site);
}

unsigned active_mask(CallSite site) {
  return static_cast<unsigned>(warp_operation(WarpOperation::converge, 0xffffffffU, 0, 0, site));
}

long long clock() { return runner().tick(running()); }

}  // namespace warpgauge_emulator

// The commonest barrier ends with the switch, as a jump: the kernel goes on without a return.
void __syncthreads() {
  using namespace warpgauge_emulator;
  Lane& lane = running();
  wait_at_barrier(lane, BarrierScope::block, BarrierVote::none, false,
                  {__builtin_return_address(0), const_cast<char*>(FRAME)});
  lane.fiber.suspend();
}
