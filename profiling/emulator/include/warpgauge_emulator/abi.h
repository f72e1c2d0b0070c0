// SPDX-License-Identifier: Apache-2.0
// The emulator's runtime as kernel code calls it. The other headers build on it; kernels never use
// it directly.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vector_types.h"

// A device function that the runtime implements. It is never inlined, so that its return address is
// the kernel's source line, and not instrumented, so that it records no accesses itself.
#define WARPGAUGE_DEVICE_CALL \
  __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage)) inline

// Where the kernel called the enclosing WARPGAUGE_DEVICE_CALL.
#define WARPGAUGE_CALL_SITE \
  ::warpgauge_emulator::CallSite { __builtin_return_address(0), __builtin_frame_address(0) }

namespace warpgauge_emulator {

struct CallSite {
  void* return_address;
  void* frame;  // of the callee; shows how deep the call is
};

enum class AccessKind : std::uint8_t {
  load,
  store,
  atomic,
  matrix_load,   // of a row, whose elements other lanes get
  block_atomic,  // an atomic to threads of the block alone
  // What shared memory has no operation for: machine code loads there, and exchanges if nothing has
  // changed, until that succeeds.
  looping_atomic,
  looping_block_atomic,
  table_load,  // of coefficients, by a function of mathematics
};

// What a barrier computes from the block's threads.
enum class BarrierVote { none, count, conjunction, disjunction };

// Which threads wait for each other at a barrier.
enum class BarrierScope : std::uint8_t { block, cluster, grid };

// Operations of the lanes in a mask.
enum class WarpOperation {
  synchronize,
  shuffle,
  ballot,
  match,
  match_all,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_and,
  reduce_or,
  reduce_xor,
  converge,
  together,
};

// What the lanes of a warp do together, each with its own part of the data.
struct WarpWork {
  void (*run)(WarpWork* const* lanes) = nullptr;  // the same for all 32; while all of them wait
};

// What threads do together once all of them have come to a barrier, each with its own part of the
// data. In the order of the block.
struct BarrierWork {
  void (*run)(BarrierWork* const* threads, unsigned count) = nullptr;  // the same for all
};

// What a thread brings to a barrier of some threads of its block.
struct Arrival {
  const void* barrier = nullptr;  // where it lies, or a number that is no address
  unsigned arrivals = 1;          // 0: only what follows
  unsigned expected = 0;          // of all; 0: the barrier has begun, and knows
  bool waits = false;             // until the barrier opens
  bool drops = false;             // one arrival fewer is expected from the next phase on
  bool copies = false;  // the barrier opens when the copies that the thread has committed are done
  BarrierWork* work = nullptr;
  // Of who begins the barrier: the last to arrive does something of its own before a phase is over.
  bool completed_by_thread = false;
};

// The running thread's place in its warp.
[[gnu::const]] unsigned lane_index();

// Notes an access that the instrumentation does not see. Global atomics mark the kernel as one
// whose blocks depend on each other.
void record_access(const void* address, unsigned bytes, AccessKind kind, CallSite site);

// The next access, though noted as atomic, does not depend on the old value.
void record_overwrite(const void* address, unsigned bytes);

// Whether a kernel's thread calls; else it is host code.
bool runs_kernel();

// Whether this is the thread's own memory, whose accesses are not noted.
bool in_local_memory(const void* address);

// What memcpy, memmove and memset do: see memory/byte_copies.h.
void copy_bytes(void* to, const void* from, std::size_t bytes, CallSite site);
void set_bytes(void* to, int value, std::size_t bytes, CallSite site);

// Copies from global to shared memory, and notes both accesses and that the copy is pending until
// the thread has waited for the batch that it is committed with.
void async_copy(void* shared, const void* global, std::size_t bytes, std::size_t zero_bytes,
                CallSite site);
void async_commit(CallSite site);
void async_wait_prior(std::size_t newest, CallSite site);

// Whether this lies in the block's shared memory.
bool in_shared_memory(const void* address);

// Memory fences order blocks among each other, no lane waits.
void memory_fence(CallSite site);

// The same for threads of the block.
void block_memory_fence(CallSite site);

// Waits for all threads of the block.
int block_barrier(BarrierVote vote, bool predicate, CallSite site);

// Begins the first phase of a barrier of some threads, which opens when so many arrivals have come.
void begin_barrier(const void* barrier, unsigned expected, CallSite site);

// The number of the barrier's current phase, from 0 on; kNoBarrier: the block has none there.
constexpr std::uint64_t kNoBarrier = ~std::uint64_t{0};
std::uint64_t barrier_phase(const void* barrier);

// Returns the number of the phase that the thread has arrived in.
std::uint64_t arrive(const Arrival& arrival, CallSite site);

// Waits until this phase is over.
void await_phase(const void* barrier, std::uint64_t phase, CallSite site);

// Whether all blocks of the launch run at the same time, so that they can wait for each other.
bool cooperative_launch();

// Waits for all threads of the grid. An error where the launch is not cooperative.
void grid_barrier(CallSite site);

// The cluster of blocks that the running one belongs to; {1, 1, 1}: it is alone.
uint3 cluster_dimensions();

// Waits for all threads of the cluster.
void cluster_barrier(CallSite site);

// The two halves of that, between which the thread may do something else.
void arrive_in_cluster(CallSite site);
void await_cluster(CallSite site);

// Where this address of the block's shared memory is in that of the cluster's block of this rank.
void* map_shared(const void* address, unsigned rank, CallSite site);

// Addresses in shared memory as numbers of 32 bits, also in that of other blocks of the cluster.
unsigned shared_address(const void* pointer);
void* shared_pointer(unsigned address);

// The rank of the cluster's block in whose shared memory the address is.
unsigned rank_of_shared(const void* address, CallSite site);

// Ends the kernel if its clusters have other extents: the launch did not know them.
void require_cluster(const unsigned* extents);

// Waits for the lanes in `mask`. shuffle: the value of lane `source`; ballot: a bit for each lane
// with a value other than zero; match: a bit for each lane with the same value; match_all: a bit
// for each lane, or 0 where not all have the same value; reduce: of values of 32 bits without sign.
std::uint64_t warp_operation(WarpOperation operation, unsigned mask, std::uint64_t value,
                             unsigned source, CallSite site);

// Runs the work once all 32 lanes of the warp have come. An error where one of them has returned or
// does something else. `what` names it.
void warp_together(WarpWork& work, const char* what, CallSite site);

// The lanes that reach this place before they wait for anything else, one bit each.
unsigned active_mask(CallSite site);

// Why a thread ends its kernel.
enum class StopReason : std::uint8_t {
  trap,
  assertion,
  invalid_call,  // of a function of the device
  undefined_result,
};

// Ends the kernel with an error that starts with `what`.
[[noreturn]] void stop_kernel(StopReason reason, const char* what, CallSite site);

// Ends the kernel where the host alone may do `what`.
void require_host(const char* what, CallSite site);

// Grows from call to call. Its differences mean nothing: the emulator has no clock.
long long clock();

}  // namespace warpgauge_emulator
