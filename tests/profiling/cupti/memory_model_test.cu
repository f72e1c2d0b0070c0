// SPDX-License-Identifier: Apache-2.0
// The emulator's models of shared and global memory, held against a GPU's counters: the same
// accesses of one warp, at addresses that broadcast, conflict and are drawn at random.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "profiling/cupti/counters/range_profiler.hpp"
#include "profiling/cupti/cupti_error.hpp"
#include "profiling/emulator/models/bank_model.hpp"
#include "profiling/emulator/models/sector_model.hpp"
#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/launch.hpp"

namespace warpgauge {
namespace {

using emulator::kWarpLanes;

constexpr unsigned kElements = 1024;  // that the lanes choose from
constexpr const char* kAtomicRequests = "smsp__sass_inst_executed_op_shared_atom.sum";
constexpr const char* kAtomicWavefronts =
    "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom.sum";

using Words4 = uint4;

// Which element each lane of a warp accesses, and which lanes do.
struct Pattern {
  std::string name;
  std::array<unsigned, kWarpLanes> element;
  std::uint32_t lanes = ~0U;
};

Pattern pattern(std::string name, const std::function<unsigned(unsigned)>& element,
                std::uint32_t lanes = ~0U) {
  Pattern made{std::move(name), {}, lanes};
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) made.element[lane] = element(lane);
  return made;
}

std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  for (const unsigned stride : {0U, 1U, 2U, 3U, 4U, 8U, 16U, 17U, 32U, 33U}) {
    all.push_back(pattern("stride " + std::to_string(stride),
                          [=](unsigned lane) { return stride * lane % kElements; }));
  }
  for (const unsigned share : {2U, 4U, 8U, 16U}) {
    all.push_back(pattern(std::to_string(share) + " neighbours share",
                          [=](unsigned lane) { return lane / share; }));
    all.push_back(pattern(std::to_string(share) + " neighbours share, stride 32",
                          [=](unsigned lane) { return lane / share * 32; }));
    all.push_back(pattern("every " + std::to_string(share) + "th shares",
                          [=](unsigned lane) { return lane % share; }));
    all.push_back(pattern("every " + std::to_string(share) + "th shares, stride 32",
                          [=](unsigned lane) { return lane % share * 32; }));
  }
  for (const std::uint32_t lanes : {0x1U, 0xffffU, 0xffff0000U, 0x55555555U, 0xff00ff00U, 0x101U}) {
    all.push_back(pattern(
        "some lanes", [](unsigned lane) { return lane; }, lanes));
    all.push_back(pattern(
        "some lanes, stride 32", [](unsigned lane) { return lane * 32 % kElements; }, lanes));
  }
  std::mt19937 random(1);
  for (const unsigned among : {2U, 4U, 16U, 64U, 256U, kElements}) {
    for (int i = 0; i < 6; ++i) {
      const std::uint32_t lanes = i % 3 == 0 ? static_cast<std::uint32_t>(random()) | 1U : ~0U;
      all.push_back(pattern(
          "random among " + std::to_string(among),
          [&](unsigned) { return static_cast<unsigned>(random() % among); }, lanes));
    }
  }
  return all;
}

std::string described(const Pattern& pattern) {
  std::ostringstream text;
  text << pattern.name << ", lanes " << std::hex << pattern.lanes << std::dec << ", elements";
  for (const unsigned element : pattern.element) text << ' ' << element;
  return text.str();
}

emulator::LaneAddresses addresses(const Pattern& pattern, unsigned bytes) {
  emulator::LaneAddresses made;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    made[lane] = std::uintptr_t{pattern.element[lane]} * bytes;
  }
  return made;
}

// Loaded by every lane, also where only some go on with it: nvcc leaves a volatile load in its
// place.
__device__ unsigned element_of(const volatile unsigned* element, unsigned lane) {
  return element[lane];
}

extern __shared__ __align__(16) unsigned char shared_bytes[];

template <class T>
__global__ void load_shared(const unsigned* element, std::uint32_t lanes, T* out) {
  const T* values = reinterpret_cast<const T*>(shared_bytes);
  const unsigned lane = threadIdx.x;
  const unsigned mine = element_of(element, lane);
  if ((lanes >> lane & 1U) != 0) out[lane] = values[mine];
}

template <class T>
__global__ void store_shared(const unsigned* element, std::uint32_t lanes, T value, bool keep,
                             T* out) {
  T* values = reinterpret_cast<T*>(shared_bytes);
  const unsigned lane = threadIdx.x;
  const unsigned mine = element_of(element, lane);
  if ((lanes >> lane & 1U) != 0) values[mine] = value;
  __syncwarp();
  if (keep) out[lane] = values[lane];  // never so: without it the store would be left out
}

template <class T, class Operation>
__global__ void atomic_shared(const unsigned* element, std::uint32_t lanes, T value, bool keep,
                              T* out, Operation operation) {
  T* values = reinterpret_cast<T*>(shared_bytes);
  const unsigned lane = threadIdx.x;
  const unsigned mine = element_of(element, lane);
  if ((lanes >> lane & 1U) != 0) operation(values + mine, value);
  __syncwarp();
  if (keep) out[lane] = values[lane];
}

template <class T>
__global__ void load_global(const unsigned* element, std::uint32_t lanes, const T* in, T* out) {
  const unsigned lane = threadIdx.x;
  const unsigned mine = element_of(element, lane);
  if ((lanes >> lane & 1U) != 0) out[lane] = in[mine];
}

template <class T>
__global__ void store_global(const unsigned* element, std::uint32_t lanes, T value, T* out) {
  const unsigned lane = threadIdx.x;
  const unsigned mine = element_of(element, lane);
  if ((lanes >> lane & 1U) != 0) out[mine] = value;
}

class MemoryModel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
      why_not_ = std::string("no GPU: ") + cudaGetErrorString(error);
      return;
    }
    try {
      profiler_.emplace(std::vector<std::string>{kAtomicRequests, kAtomicWavefronts});
    } catch (const cupti::CuptiError& why) {
      why_not_ = std::string("no counters: ") + why.what();
    }
  }

  void SetUp() override {
    if (!profiler_) GTEST_SKIP() << why_not_;
  }

  // What `metric` counts of one warp that does `launch(element, lanes)`, for each of the patterns,
  // against what the model says of it.
  void compare(
      const char* requests, double expected_requests, const char* metric, unsigned bytes,
      const std::function<void(const unsigned* element, std::uint32_t lanes)>& launch,
      const std::function<unsigned(const emulator::LaneAddresses&, std::uint32_t lanes)>& model) {
    const std::vector<Pattern> all = patterns();
    std::vector<DeviceBuffer<unsigned>> elements;
    for (const Pattern& each : all) {
      elements.emplace_back(std::vector<unsigned>(each.element.begin(), each.element.end()));
    }
    const std::function<void()> one_by_one = [&launch, &all, &elements] {
      for (std::size_t i = 0; i < all.size(); ++i) launch(elements[i].data(), all[i].lanes);
    };
    const auto counted = profiler_->measure_each(one_by_one);
    ASSERT_EQ(counted.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(counted[i].values.at(requests), expected_requests) << requests;
      EXPECT_EQ(counted[i].values.at(metric), model(addresses(all[i], bytes), all[i].lanes))
          << metric << " of " << bytes << " bytes: " << described(all[i]);
    }
  }

  template <class T>
  static unsigned wavefronts(const emulator::LaneAddresses& where, std::uint32_t lanes,
                             emulator::Access access) {
    return emulator::count_wavefronts(where, lanes, sizeof(T), access).needed;
  }

  template <class T>
  void compare_shared() {
    const DeviceBuffer<T> out(kWarpLanes);
    compare(
        "shared_load_requests", 1, "shared_load_wavefronts", sizeof(T),
        [&](const unsigned* element, std::uint32_t lanes) {
          launch_with_shared(load_shared<T>, 1, kWarpLanes, kElements * sizeof(T), element, lanes,
                             out.data());
        },
        [](const auto& where, std::uint32_t lanes) {
          return wavefronts<T>(where, lanes, emulator::Access::load);
        });
    compare(
        "shared_store_requests", 1, "shared_store_wavefronts", sizeof(T),
        [&](const unsigned* element, std::uint32_t lanes) {
          launch_with_shared(store_shared<T>, 1, kWarpLanes, kElements * sizeof(T), element, lanes,
                             T{}, false, out.data());
        },
        [](const auto& where, std::uint32_t lanes) {
          return wavefronts<T>(where, lanes, emulator::Access::store);
        });
  }

  // passes: over the banks, of each operation.
  template <class T, class Operation>
  void compare_atomics(Operation operation, unsigned passes = 1) {
    const DeviceBuffer<T> out(kWarpLanes);
    compare(
        kAtomicRequests, 1, kAtomicWavefronts, sizeof(T),
        [&](const unsigned* element, std::uint32_t lanes) {
          launch_with_shared(atomic_shared<T, Operation>, 1, kWarpLanes, kElements * sizeof(T),
                             element, lanes, T{1}, false, out.data(), operation);
        },
        [passes](const auto& where, std::uint32_t lanes) {
          return passes * wavefronts<T>(where, lanes, emulator::Access::atomic);
        });
  }

  template <class T>
  void compare_global() {
    const DeviceBuffer<T> in(kElements);
    const DeviceBuffer<T> out(kElements);
    const auto sectors = [](const auto& where, std::uint32_t lanes) {
      return emulator::count_sectors(where, lanes, sizeof(T)).touched;
    };
    constexpr unsigned kSectorsOfElements = kWarpLanes * sizeof(unsigned) / emulator::kSectorBytes;
    compare(
        "global_load_requests", 2, "global_load_sectors", sizeof(T),
        [&](const unsigned* element, std::uint32_t lanes) {
          launch(load_global<T>, 1, kWarpLanes, element, lanes, in.data(), out.data());
        },
        [&](const auto& where, std::uint32_t lanes) {
          return sectors(where, lanes) + kSectorsOfElements;
        });
    compare(
        "global_store_requests", 1, "global_store_sectors", sizeof(T),
        [&](const unsigned* element, std::uint32_t lanes) {
          launch(store_global<T>, 1, kWarpLanes, element, lanes, T{}, out.data());
        },
        sectors);
  }

  // Before CUDA's own end.
  static void TearDownTestSuite() { profiler_.reset(); }

 private:
  static std::optional<cupti::RangeProfiler> profiler_;
  static std::string why_not_;
};

std::optional<cupti::RangeProfiler> MemoryModel::profiler_;
std::string MemoryModel::why_not_;

TEST_F(MemoryModel, SharedAccessesOf1Byte) { compare_shared<std::uint8_t>(); }
TEST_F(MemoryModel, SharedAccessesOf4Bytes) { compare_shared<std::uint32_t>(); }
TEST_F(MemoryModel, SharedAccessesOf8Bytes) { compare_shared<unsigned long long>(); }
TEST_F(MemoryModel, SharedAccessesOf16Bytes) { compare_shared<Words4>(); }

struct Add {
  template <class T>
  __device__ void operator()(T* where, T value) const {
    atomicAdd(where, value);
  }
};
struct Exchange {
  template <class T>
  __device__ void operator()(T* where, T value) const {
    atomicExch(where, value);
  }
};
struct CompareAndSwap {
  template <class T>
  __device__ void operator()(T* where, T value) const {
    atomicCAS(where, value, T{2});
  }
};

TEST_F(MemoryModel, SharedAtomicAddOf4Bytes) { compare_atomics<unsigned>(Add{}); }
TEST_F(MemoryModel, SharedAtomicExchangeOf4Bytes) { compare_atomics<unsigned>(Exchange{}); }
TEST_F(MemoryModel, SharedAtomicCompareAndSwapOf4Bytes) {
  compare_atomics<unsigned>(CompareAndSwap{}, 2);
}
TEST_F(MemoryModel, SharedAtomicExchangeOf8Bytes) {
  compare_atomics<unsigned long long>(Exchange{});
}
TEST_F(MemoryModel, SharedAtomicCompareAndSwapOf8Bytes) {
  compare_atomics<unsigned long long>(CompareAndSwap{}, 2);
}

TEST_F(MemoryModel, GlobalSectorsOf4Bytes) { compare_global<std::uint32_t>(); }
TEST_F(MemoryModel, GlobalSectorsOf8Bytes) { compare_global<unsigned long long>(); }
TEST_F(MemoryModel, GlobalSectorsOf16Bytes) { compare_global<Words4>(); }

// Threads that have returned are no longer waited for, one by one or a warp at a time; those that
// are left see what was written before the barrier.
__global__ void leave_before_the_barrier(unsigned first, unsigned last, unsigned* out) {
  __shared__ unsigned values[256];
  values[threadIdx.x] = threadIdx.x + 1;
  if (threadIdx.x >= first && threadIdx.x < last) return;
  __syncthreads();
  out[threadIdx.x] = values[255 - threadIdx.x];
}

TEST_F(MemoryModel, ThreadsThatHaveReturnedLeaveTheBarrier) {
  for (const auto& [first, last] : {std::pair{32U, 64U}, std::pair{5U, 32U}, std::pair{100U, 256U},
                                    std::pair{0U, 255U}, std::pair{1U, 2U}}) {
    DeviceBuffer<unsigned> out(256);
    launch(leave_before_the_barrier, 1, 256, first, last, out.data());
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const std::vector<unsigned> values = out.to_host();
    for (unsigned i = 0; i < 256; ++i) {
      if (i < first || i >= last) EXPECT_EQ(values[i], 256 - i);
    }
  }
}

}  // namespace
}  // namespace warpgauge
