// SPDX-License-Identifier: Apache-2.0
// An array in device memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

#include "profiling/harness/device_arena.hpp"
#include "profiling/harness/device_memory.hpp"
#include "profiling/harness/launch.hpp"

namespace warpgauge {

namespace detail {

inline void free_memory(DeviceBlock block) {
  if (device_arena() != nullptr && device_arena()->give_back(block.data)) return;
  cudaFree(const_cast<void*>(block.data));
  device_memory().note_freed(block.bytes);
}

// Throws DeviceError when the device has no memory left.
inline void* take_memory(std::size_t bytes) {
  for (const DeviceBlock& each : device_memory().take_left_over()) free_memory(each);
  if (const void* kept = device_memory().take(bytes)) return const_cast<void*>(kept);
  void* memory = device_arena() == nullptr ? nullptr : device_arena()->take(bytes);
  if (memory == nullptr) require_success(cudaMalloc(&memory, bytes), "cudaMalloc");
  return memory;
}

}  // namespace detail

template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;

  // Sets every byte to 0xff, which is NaN in floating point, so that elements a kernel forgot to
  // write are noticed. WARPGAUGE_NO_POISON in the environment turns this off, for tools that find
  // reads of uninitialised memory.
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    if (count == 0) return;
    data_ = static_cast<T*>(detail::take_memory(bytes()));
    device_memory().add({data_, bytes()});
    if (std::getenv("WARPGAUGE_NO_POISON") == nullptr) poison();
  }

  explicit DeviceBuffer(const std::vector<T>& values) : DeviceBuffer(values.size()) {
    if (values.empty()) return;
    require_success(cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice),
                    "cudaMemcpy to the device");
  }

  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer() {
    if (data_ == nullptr) return;
    device_memory().remove(data_);
    if (!device_memory().keep({data_, bytes()})) detail::free_memory({data_, bytes()});
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return count_; }

  void poison() {
    if (count_ > 0) require_success(cudaMemset(data_, 0xff, bytes()), "cudaMemset");
  }

  [[nodiscard]] std::vector<T> to_host() const { return to_host(0, count_); }

  // Copies elements [first, first + count), which must lie within the buffer.
  [[nodiscard]] std::vector<T> to_host(std::size_t first, std::size_t count) const {
    std::vector<T> values(count);
    if (count == 0) return values;
    require_success(
        cudaMemcpy(values.data(), data_ + first, count * sizeof(T), cudaMemcpyDeviceToHost),
        "cudaMemcpy to the host");
    return values;
  }

 private:
  [[nodiscard]] std::size_t bytes() const { return count_ * sizeof(T); }

  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace warpgauge
