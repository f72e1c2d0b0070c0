// SPDX-License-Identifier: Apache-2.0
// How much longer a kernel that reads 1 GiB takes behind cudaFree: the driver probably clears in
// the background what was freed. docs/explain/measurement.md has the results.
//
//   freed      needs one GPU and 6 GiB of its memory
//
// Prints a line for each way to leave other memory behind: µs of the launches that follow it. The
// data that is read lies in one place throughout.
#include <cuda_runtime.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr std::size_t kGibibyte = std::size_t{1} << 30;
constexpr std::chrono::milliseconds kPause{20};
constexpr int kLaunches = 32;

void require(cudaError_t code, const char* what) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "freed: %s failed: %s\n", what, cudaGetErrorString(code));
  std::exit(4);
}

__global__ void read_all(const uint4* data, std::size_t count, unsigned* sink) {
  unsigned bits = 0;
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const uint4 value = data[i];
    bits |= value.x ^ value.y ^ value.z ^ value.w;
  }
  if (bits == 77) *sink = bits;
}

char* filled(std::size_t bytes) {
  char* data = nullptr;
  require(cudaMalloc(&data, bytes), "cudaMalloc");
  require(cudaMemset(data, 1, bytes), "cudaMemset");
  require(cudaDeviceSynchronize(), "cudaMemset");
  return data;
}

class Reader {
 public:
  Reader() : data_(filled(kGibibyte)) {
    require(cudaMalloc(&sink_, sizeof(unsigned)), "cudaMalloc");
    for (cudaEvent_t& each : events_) require(cudaEventCreate(&each), "cudaEventCreate");
  }
  void print_times(const char* what) {
    constexpr unsigned kBlocks = 2048;
    for (int i = 0; i <= kLaunches; ++i) {
      if (i > 0) {
        read_all<<<kBlocks, 512>>>(reinterpret_cast<const uint4*>(data_), kGibibyte / sizeof(uint4),
                                   sink_);
      }
      require(cudaEventRecord(events_[i]), "a launch");
    }
    require(cudaDeviceSynchronize(), "a kernel");
    std::printf("%-24s", what);
    for (int i = 0; i < kLaunches; ++i) {
      float milliseconds = 0;
      require(cudaEventElapsedTime(&milliseconds, events_[i], events_[i + 1]), "an event");
      std::printf(" %.0f", static_cast<double>(milliseconds) * 1e3);
    }
    std::printf("\n");
  }

 private:
  char* data_;
  unsigned* sink_ = nullptr;
  std::array<cudaEvent_t, kLaunches + 1> events_{};
};

}  // namespace

int main() {
  Reader reader;
  for (int i = 0; i < 3; ++i) reader.print_times("nothing");
  for (int gibibytes = 1; gibibytes <= 4; gibibytes *= 2) {
    std::printf("%d GiB:\n", gibibytes);
    const std::size_t bytes = static_cast<std::size_t>(gibibytes) * kGibibyte;
    char* other = filled(bytes);
    reader.print_times("kept");
    require(cudaFree(other), "cudaFree");
    reader.print_times("freed");
    other = filled(bytes);
    require(cudaFree(other), "cudaFree");
    std::this_thread::sleep_for(kPause);
    reader.print_times("freed 20 ms before");
  }
}
