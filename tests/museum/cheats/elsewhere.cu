// SPDX-License-Identifier: Apache-2.0
// Cheats that work where no clock looks.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/museum/cheats/subjects.hpp"

namespace warpgauge::cheats {
namespace {

cudaStream_t other_stream() {
  static cudaStream_t stream = [] {
    cudaStream_t made = nullptr;
    require_success(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking),
                    "cudaStreamCreateWithFlags");
    return made;
  }();
  return stream;
}

// On a stream that the default stream, and events on it, do not wait for.
VARIANT(Wave, other_stream) {
  launch(nothing, 1, 1);
  launch_wave(in_.data(), out_.data(), n_, other_stream());
}

// A thread launches it a little later.
class Later {
 public:
  void launch(const float* in, float* out, std::size_t n) {
    if (thread_.joinable()) thread_.join();
    thread_ = std::jthread([=] {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      launch_wave(in, out, n, other_stream());
      cudaStreamSynchronize(other_stream());
    });
  }

 private:
  std::jthread thread_;
};
VARIANT(Wave, later) {
  static Later later;
  launch(nothing, 1, 1);
  later.launch(in_.data(), out_.data(), n_);
}

void wave_on_host(const std::vector<float>& in, std::vector<float>& out) {
  static_cast<void>(map_parts(in.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = wave_of(in[i]);
    return 0;
  }));
}

// The host computes the result while kernels seem to, and copies it.
VARIANT(Wave, on_the_host) {
  launch(nothing, 1, 1);
  std::vector<float> out(n_);
  wave_on_host(in_.to_host(), out);
  require_success(cudaMemcpy(out_.data(), out.data(), n_ * sizeof(float), cudaMemcpyHostToDevice),
                  "cudaMemcpy");
}

// The host adds up in a thread of its own, from the seed, and a kernel fetches the number from the
// host's memory.
__global__ void fetch(const int* from, int* to) { *to = *from; }
class FromTheHost : public Total {
 protected:
  int* number_ = nullptr;
};
VARIANT_OF(Total, mapped_memory, FromTheHost) {
  if (number_ == nullptr) {
    void* memory = nullptr;
    require_success(cudaHostAlloc(&memory, sizeof(int), cudaHostAllocMapped), "cudaHostAlloc");
    number_ = static_cast<int*>(memory);
    std::thread([this] {
      *number_ = parallel_sum<int>(
          n_, [this](std::size_t i) { return random_whole_number<int>(i, 1 << 13, seed()); });
    }).join();
  }
  launch(fetch, 1, 1, number_, out_.data());
}

// A function of the host in the stream, after the kernel.
struct HostWork {
  std::vector<float> in;
  std::vector<float> out;
};
void compute(void* work) {
  auto& host = *static_cast<HostWork*>(work);
  wave_on_host(host.in, host.out);
}
class WithHostWork : public Wave {
 protected:
  HostWork work_;
};
VARIANT_OF(Wave, host_function, WithHostWork) {
  launch(nothing, 1, 1);
  work_.in.resize(n_);
  work_.out.resize(n_);
  const std::size_t bytes = n_ * sizeof(float);
  require_success(cudaMemcpyAsync(work_.in.data(), in_.data(), bytes, cudaMemcpyDeviceToHost),
                  "cudaMemcpyAsync");
  require_success(cudaLaunchHostFunc(nullptr, compute, &work_), "cudaLaunchHostFunc");
  require_success(cudaMemcpyAsync(out_.data(), work_.out.data(), bytes, cudaMemcpyHostToDevice),
                  "cudaMemcpyAsync");
}

// Two thirds of each launch are done by copies, which no kernel's duration holds: the result is
// kept, and copied by the device's copy engine.
class CopiedWave : public Wave {
 protected:
  DeviceBuffer<float> kept_;
};
VARIANT_OF(Wave, by_copy, CopiedWave) {
  if (kept_.size() != n_) {
    kept_ = DeviceBuffer<float>(n_);
    launch_wave(in_.data(), kept_.data(), n_);
  } else {
    launch(nothing, 1, 1);
  }
  require_success(
      cudaMemcpyAsync(out_.data(), kept_.data(), n_ * sizeof(float), cudaMemcpyDeviceToDevice),
      "cudaMemcpyAsync");
}

}  // namespace
}  // namespace warpgauge::cheats
