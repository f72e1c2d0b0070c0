// SPDX-License-Identifier: Apache-2.0
// What cudaMalloc gave out. Each allocation lies alone between pages that nobody may touch, so a
// stray access is either seen or faults, and never damages the emulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpgauge::emulator {

struct MemoryRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

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

  // Page-aligned memory, or nullptr when there is not enough.
  [[nodiscard]] void* allocate(std::size_t bytes);

  [[nodiscard]] std::size_t total_bytes() const;
  [[nodiscard]] std::size_t free_bytes() const { return total_bytes() - allocated_; }

  // False when `pointer` did not come from allocate().
  [[nodiscard]] bool release(void* pointer);

  // The allocation that holds all of the access, or nullptr.
  [[nodiscard]] const MemoryRange* find_allocation(std::uintptr_t address, std::size_t bytes) const;

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
  std::vector<MemoryRange> ranges_;     // allocations, sorted
  std::vector<MemoryRange> variables_;  // the program's writable data
  std::vector<MemoryRange> constants_;
  std::size_t allocated_ = 0;
};

}  // namespace warpgauge::emulator
