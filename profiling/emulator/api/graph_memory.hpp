// SPDX-License-Identifier: Apache-2.0
// Memory of a graph's node that allocates: its address is known when the node is made, but it is
// allocated only between a launch that runs the node and whatever frees it.
#pragma once

#include "profiling/emulator/memory/device_memory.hpp"

namespace warpgauge::emulator {

class GraphMemory {
 public:
  // Its address is nullptr when there is not enough memory.
  GraphMemory(DeviceMemory& memory, std::size_t bytes)
      : memory_(&memory), bytes_(bytes), address_(memory.allocate(bytes)) {
    if (address_ != nullptr) static_cast<void>(memory.suspend(address_));
  }
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;
  // What is allocated then outlives the graph; cudaFree frees it.
  ~GraphMemory() { static_cast<void>(memory_->drop(address_)); }

  [[nodiscard]] void* address() const { return address_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool is_allocated() const { return allocated_; }

  // False: it is allocated already, or the host has no room. It holds nothing that was written.
  [[nodiscard]] bool begin() {
    if (allocated_ || !memory_->resume(address_)) return false;
    allocated_ = true;
    return true;
  }
  // False: it is not allocated.
  [[nodiscard]] bool end() {
    if (!allocated_ || !memory_->suspend(address_)) return false;
    allocated_ = false;
    return true;
  }

 private:
  DeviceMemory* memory_;
  std::size_t bytes_;
  void* address_;
  bool allocated_ = false;
};

}  // namespace warpgauge::emulator
