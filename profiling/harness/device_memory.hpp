// SPDX-License-Identifier: Apache-2.0
// Which device memory the fixtures hold, to tell their input from other memory, and to put other
// input in the same place; and how much of it the driver got back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace warpgauge {

// No default values: with them, nvcc 13.0 would not copy it.
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

  // While places are kept, a destroyed buffer leaves its memory to the next one of its size. The
  // last one destroyed gives first: a fixture destroys its members in reverse order.
  void keep_places(bool keeps) { keeps_ = keeps; }
  // False: it must be freed.
  bool keep(DeviceBlock block) {
    if (keeps_) kept_.push_back(block);
    return keeps_;
  }
  // nullptr: no block of this size is kept.
  [[nodiscard]] const void* take(std::size_t bytes) {
    const auto found =
        std::find_if(kept_.rbegin(), kept_.rend(),
                     [bytes](const DeviceBlock& block) { return block.bytes == bytes; });
    if (!keeps_ || found == kept_.rend()) return nullptr;
    const void* data = found->data;
    kept_.erase(std::prev(found.base()));
    return data;
  }
  // Blocks that are no longer kept, for the caller to free.
  [[nodiscard]] std::vector<DeviceBlock> take_left_over() {
    return keeps_ ? std::vector<DeviceBlock>{} : std::exchange(kept_, {});
  }

  void note_freed(std::size_t bytes) { freed_bytes_ += bytes; }
  // How many bytes went back to the driver since this was last asked.
  [[nodiscard]] std::size_t take_freed_bytes() { return std::exchange(freed_bytes_, 0); }

 private:
  std::vector<DeviceBlock> blocks_;
  std::vector<DeviceBlock> kept_;
  bool keeps_ = false;
  std::size_t freed_bytes_ = 0;
};

[[nodiscard]] inline DeviceMemory& device_memory() {
  static DeviceMemory memory;
  return memory;
}

}  // namespace warpgauge
