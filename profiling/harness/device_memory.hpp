// SPDX-License-Identifier: Apache-2.0
// Which device memory the fixtures hold, so that what they put there can be told from other input.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpgauge {

// Without default values, with which nvcc 13.0 would not copy it.
struct DeviceBlock {
  const void* data;
  std::size_t bytes;
};

// Of this process, in the order of allocation.
class DeviceMemory {
 public:
  void add(DeviceBlock block) { blocks_.push_back(block); }
  void remove(const void* data) {
    std::erase_if(blocks_, [data](const DeviceBlock& block) { return block.data == data; });
  }
  [[nodiscard]] std::size_t size() const { return blocks_.size(); }
  // A copy, since whoever looks at them may allocate more.
  [[nodiscard]] std::vector<DeviceBlock> since(std::size_t first) const {
    return {blocks_.begin() + static_cast<std::ptrdiff_t>(std::min(first, blocks_.size())),
            blocks_.end()};
  }

 private:
  std::vector<DeviceBlock> blocks_;
};

[[nodiscard]] inline DeviceMemory& device_memory() {
  static DeviceMemory memory;
  return memory;
}

}  // namespace warpgauge
