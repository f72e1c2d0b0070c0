// SPDX-License-Identifier: Apache-2.0
// What cudaMalloc gave out. Each allocation lies alone between pages that nobody may touch, so a
// stray access is either seen or faults, and never damages the emulator. What has been freed is
// kept out of use for a while, so that late accesses to it are known for what they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
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

  // What is known of the content of new memory.
  enum class Content { unwritten, written };

  // Page-aligned memory, or nullptr when there is not enough.
  [[nodiscard]] void* allocate(std::size_t bytes, Content content = Content::unwritten);

  [[nodiscard]] std::size_t total_bytes() const;
  [[nodiscard]] std::size_t free_bytes() const { return total_bytes() - allocated_; }

  // False when `pointer` did not come from allocate().
  [[nodiscard]] bool release(void* pointer);

  // The allocation that holds all of the access, or nullptr.
  [[nodiscard]] const MemoryRange* find_allocation(std::uintptr_t address, std::size_t bytes) const;

  // The host has written to these bytes.
  void note_written(const void* pointer, std::size_t bytes);

  // To be called after each launch: allocations of which kernels have by now written all need no
  // more care.
  void settle();

  // Whether some allocation has not been written everywhere.
  [[nodiscard]] bool any_unwritten() const { return !unwritten_.empty(); }

  // Whether the address lies in memory that has been freed, as far as is remembered.
  [[nodiscard]] bool was_freed(std::uintptr_t address) const;

  // Variables of the program, as __device__ makes them.
  [[nodiscard]] bool holds_variable(std::uintptr_t address, std::size_t bytes) const;

  // Constants of the program, which are no global traffic.
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
  void forget_oldest_freed();

  std::vector<MemoryRange> ranges_;                // allocations, sorted
  std::map<std::uintptr_t, Unwritten> unwritten_;  // by where the allocation begins
  std::deque<MemoryRange> freed_;                  // the oldest first
  std::vector<MemoryRange> variables_;             // the program's writable data
  std::vector<MemoryRange> constants_;
  std::size_t allocated_ = 0;
};

}  // namespace warpgauge::emulator
