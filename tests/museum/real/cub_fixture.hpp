// SPDX-License-Identifier: Apache-2.0
// An algorithm of CUB under the gate, from whatever revision of it lies in the include path.
// Nothing of CUB is part of this project.
#pragma once

#include <cstddef>
#include <vector>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"

namespace warpgauge::museum {

// call(): returns CUB's status; without memory it says how many bytes it takes. Size: elements.
template <class In, class Out>
class CubFixture : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    in_ = random_buffer<In>(n_, seed());
    out_ = DeviceBuffer<Out>(results());
    make();
    std::size_t bytes = 0;
    require_success(call(nullptr, bytes), "CUB, asked for the bytes that it takes");
    memory_ = DeviceBuffer<char>(bytes);
  }

  Work work() const override {
    return {.bytes_read = static_cast<double>(n_ * sizeof(In)),
            .bytes_written = static_cast<double>(results() * sizeof(Out))};
  }

  void poison_result() override { out_.poison(); }

 protected:
  virtual cudaError_t call(void* memory, std::size_t& bytes) = 0;
  virtual void make() {}
  [[nodiscard]] virtual std::size_t results() const { return n_; }

  void run() {
    std::size_t bytes = memory_.size();
    require_success(call(memory_.data(), bytes), "CUB");
  }

  std::size_t n_ = 0;
  DeviceBuffer<In> in_;
  DeviceBuffer<Out> out_;

 private:
  DeviceBuffer<char> memory_;
};

}  // namespace warpgauge::museum
