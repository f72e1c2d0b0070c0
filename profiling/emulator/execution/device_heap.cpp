// SPDX-License-Identifier: Apache-2.0
// The heap from which kernels allocate by malloc and new. Host code in the same program gets the
// library's memory.
//
// Memory that a thread frees goes to that thread again, never to another: the two would look like a
// race. The heap is a variable of the program, so its accesses are those of global memory; what
// lies within it is not checked for bounds nor for being written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include "profiling/emulator/execution/lanes/lane.hpp"
#include "profiling/emulator/memory/thread_memory.hpp"

namespace {

using warpgauge_emulator::CallSite;
using warpgauge_emulator::StopReason;

constexpr std::size_t kHeapBytes = std::size_t{64} << 20;
constexpr std::uint64_t kInUse = 0x7573656475736564U;
constexpr std::uint64_t kFree = 0x6672656566726565U;

struct alignas(16) Piece {
  std::uint64_t state;
  std::uint64_t owner;  // the thread that it was given to first
  std::size_t bytes;    // of what follows
  Piece* next;          // that is free, of threads of the same list
};

alignas(4096) char heap[kHeapBytes];
std::size_t used = 0;
Piece* free_pieces[4096];
std::mutex mutex;

bool in_kernel() { return warpgauge_emulator_thread_memory.lane != nullptr; }

bool in_heap(const void* memory) {
  return static_cast<const char*>(memory) >= heap &&
         static_cast<const char*>(memory) < heap + kHeapBytes;
}

// Of the block and thread, those of another launch included.
std::uint64_t owner() {
  const uint3 block = warpgauge_emulator_block_index;
  const std::uint64_t of_grid =
      (std::uint64_t{block.z} << 40) ^ (std::uint64_t{block.y} << 20) ^ block.x;
  return of_grid << 10 | warpgauge_emulator_thread_memory.lane->thread;
}

// nullptr: no room.
void* allocate(std::size_t bytes) {
  const std::scoped_lock lock(mutex);
  const std::uint64_t self = owner();
  for (Piece** link = &free_pieces[self % 4096]; *link != nullptr; link = &(*link)->next) {
    Piece* piece = *link;
    if (piece->owner != self || piece->bytes < bytes) continue;
    *link = piece->next;
    piece->state = kInUse;
    return piece + 1;
  }
  const std::size_t rounded = (bytes + 15) / 16 * 16;
  if (rounded > kHeapBytes || rounded + sizeof(Piece) > kHeapBytes - used) return nullptr;
  auto* piece = new (heap + used) Piece{kInUse, self, rounded, nullptr};
  used += sizeof(Piece) + rounded;
  return piece + 1;
}

// False: it was not allocated, or is free already.
bool release(void* memory) {
  const std::scoped_lock lock(mutex);
  auto* piece = static_cast<Piece*>(memory) - 1;
  if (static_cast<char*>(memory) < heap + sizeof(Piece) || piece->state != kInUse) return false;
  piece->state = kFree;
  piece->next = free_pieces[piece->owner % 4096];
  free_pieces[piece->owner % 4096] = piece;
  return true;
}

void release_or_stop(void* memory, CallSite site) {
  if (memory == nullptr) return;
  if (in_heap(memory) && release(memory)) return;
  if (in_kernel()) {
    warpgauge_emulator::stop_kernel(
        StopReason::invalid_call,
        "free of memory that no kernel has allocated, or that was freed before", site);
  }
}

void* allocate_or_stop(std::size_t bytes, CallSite site) {
  if (!in_kernel()) {
    void* memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  void* memory = allocate(bytes);
  if (memory == nullptr) {
    warpgauge_emulator::stop_kernel(StopReason::invalid_call,
                                    "new beyond the 64 MiB heap of kernels", site);
  }
  return memory;
}

void release_new(void* memory, CallSite site) {
  if (in_heap(memory)) {
    release_or_stop(memory, site);
  } else {
    std::free(memory);
  }
}

}  // namespace

#define WARPGAUGE_SITE \
  CallSite { __builtin_return_address(0), __builtin_frame_address(0) }

extern "C" void* warpgauge_emulator_malloc(std::size_t bytes) noexcept {
  return in_kernel() ? allocate(bytes) : std::malloc(bytes);
}

extern "C" void warpgauge_emulator_free(void* memory) noexcept {
  if (in_kernel() || in_heap(memory)) {
    release_or_stop(memory, WARPGAUGE_SITE);
  } else {
    std::free(memory);
  }
}

// These replace the library's in the whole program.
void* operator new(std::size_t bytes) { return allocate_or_stop(bytes, WARPGAUGE_SITE); }
void* operator new[](std::size_t bytes) { return allocate_or_stop(bytes, WARPGAUGE_SITE); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return warpgauge_emulator_malloc(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return warpgauge_emulator_malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept { release_new(memory, WARPGAUGE_SITE); }
void operator delete(void* memory, std::size_t) noexcept { release_new(memory, WARPGAUGE_SITE); }
void operator delete[](void* memory) noexcept { release_new(memory, WARPGAUGE_SITE); }
void operator delete[](void* memory, std::size_t) noexcept { release_new(memory, WARPGAUGE_SITE); }
