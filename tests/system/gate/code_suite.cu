// SPDX-License-Identifier: Apache-2.0
// A suite of the kernels that change, for code_changes_test.cpp.
#include <cuda_runtime.h>

#include <cstddef>

#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/device_check.hpp"
#include "profiling/harness/fixture.hpp"
#include "profiling/harness/random_buffer.hpp"
#include "tests/system/gate/code_kernels.cuh"

namespace {

using namespace warpgauge;

class Code : public KernelFixture {
 public:
  void prepare(const Sizes& size) override {
    n_ = size[0];
    in_ = random_buffer<float>(4 * n_, seed());
    out_ = DeviceBuffer<float>(4 * n_);
  }
  Work work() const override { return {.bytes_read = 1, .bytes_written = 1}; }
  // What they compute is not what is on trial.
  Check check(Coverage) const override { return {}; }
  void poison_result() override { out_.poison(); }

 protected:
  template <class Kernel, class Word>
  void start(Kernel kernel, const Word* in, Word* out) {
    launch(kernel, static_cast<unsigned>(parts_of(n_, kCodeBlock)), kCodeBlock, in, out, n_);
  }

  std::size_t n_ = 0;
  DeviceBuffer<float> in_;
  DeviceBuffer<float> out_;
};

VARIANT(Code, vectors) {
  start(code_vectors, reinterpret_cast<const float4*>(in_.data()),
        reinterpret_cast<float4*>(out_.data()));
}
VARIANT(Code, live) { start(code_live, static_cast<const float*>(in_.data()), out_.data()); }
VARIANT(Code, tile) { start(code_tile, static_cast<const float*>(in_.data()), out_.data()); }

SIZES(Code, .emulated = {{1024}}, .gpu = {{1024}})

}  // namespace
