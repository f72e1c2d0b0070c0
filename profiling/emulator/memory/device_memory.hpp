// SPDX-License-Identifier: Apache-2.0
// Device memory from cudaMalloc. Each allocation lies between inaccessible pages, so a stray access
// is either detected or faults, and never damages the emulator. Freed memory is not reused for a
// while, so that late accesses to it are recognised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace warpgauge::emulator {

struct MemoryRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  std::uint8_t* written = nullptr;  // see written_bytes.hpp; null: all of it has been written

  [[nodiscard]] bool holds(std::uintptr_t address, std::size_t bytes) const {
    return address >= begin && address < end && bytes <= end - address;
  }
};

class DeviceMemory {
 public:
  DeviceMemory();
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();

  // Whether new memory counts as written.
  enum class Content { unwritten, written };

  // Page-aligned memory, or nullptr when there is not enough.
  [[nodiscard]] void* allocate(std::size_t bytes, Content content = Content::unwritten);

  [[nodiscard]] std::size_t total_bytes() const;
  [[nodiscard]] std::size_t free_bytes() const { return total_bytes() - allocated_; }

  // False when `pointer` did not come from allocate().
  [[nodiscard]] bool release(void* pointer);

  // Frees it for now: the addresses are kept for resume(), which gives it back unwritten, or for
  // drop(). False: it is not in that state.
  [[nodiscard]] bool suspend(void* pointer);
  [[nodiscard]] bool resume(void* pointer);
  [[nodiscard]] bool drop(void* pointer);

  // Memory of the host, which counts as written, for kernels to use until it is disowned. False
  // where a part of it is device memory already, or where it was not adopted.
  [[nodiscard]] bool adopt(void* pointer, std::size_t bytes);
  [[nodiscard]] bool disown(void* pointer);

  // Frees all that was allocated, and disowns the rest.
  void reset();

  // The allocation that holds all of the access, or nullptr.
  [[nodiscard]] const MemoryRange* find_allocation(std::uintptr_t address, std::size_t bytes) const;

  // The host has written to these bytes.
  void note_written(const void* pointer, std::size_t bytes);

  // Call after each launch: stops tracking allocations that kernels have written completely.
  void settle();

  // Whether some allocation still has unwritten bytes.
  [[nodiscard]] bool any_unwritten() const { return !unwritten_.empty(); }

  // Whether the address lies in recently freed memory.
  [[nodiscard]] bool was_freed(std::uintptr_t address) const;

  // Whether an allocation, even a freed one, lies so near that an access may have been meant for
  // it.
  [[nodiscard]] bool is_near(std::uintptr_t address) const;

  // The program's __device__ variables.
  [[nodiscard]] bool holds_variable(std::uintptr_t address, std::size_t bytes) const;

  // The program's constants, which do not count as global traffic.
  void add_constant(std::uintptr_t address, std::size_t bytes) {
    constants_.push_back({address, address + bytes});
  }
  [[nodiscard]] bool holds_constant(std::uintptr_t address, std::size_t bytes) const;

  // "byte 16 of an allocation of 256 bytes", for an address within one; "a variable of the
  // program".
  [[nodiscard]] std::string describe_inside(std::uintptr_t address) const;

  // "4 bytes beyond the end of an allocation of 256 bytes".
  [[nodiscard]] std::string describe(std::uintptr_t address) const;

 private:
  struct Unwritten {
    // From calloc, which takes no memory for what nobody touches.
    std::unique_ptr<std::uint8_t[], void (*)(void*)> states;
    std::size_t count = 0;
    std::size_t settled = 0;  // of the states, the first ones
  };

  [[nodiscard]] MemoryRange* find(std::uintptr_t address, std::size_t bytes);
  [[nodiscard]] bool open(MemoryRange range, Content content);
  [[nodiscard]] MemoryRange close(void* pointer);
  void remember_freed(const MemoryRange& range);
  void forget_oldest_freed();

  std::vector<MemoryRange> ranges_;                // allocations, sorted
  std::map<std::uintptr_t, Unwritten> unwritten_;  // by where the allocation begins
  std::set<std::uintptr_t> adopted_;               // by where they begin
  std::vector<MemoryRange> suspended_;
  std::deque<MemoryRange> freed_;       // the oldest first
  std::vector<MemoryRange> variables_;  // the program's writable data
  std::vector<MemoryRange> constants_;
  std::size_t allocated_ = 0;
};

}  // namespace warpgauge::emulator
