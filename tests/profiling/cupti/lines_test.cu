// SPDX-License-Identifier: Apache-2.0
// What instructions count by CUPTI, against what is known of the kernels and against the Range
// Profiler's counters. Each observation is a process of its own, as CUPTI wants it: this program,
// started again with the name of one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kernels/transpose.cuh"
#include "profiling/harness/backend.hpp"
#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/launch.hpp"
#include "profiling/machine_code/cubin.hpp"
#include "profiling/results/json/record_json.hpp"
#include "tests/helpers/process.hpp"

namespace warpgauge {
namespace {

using machine_code::Operation;
using results::InstructionTraffic;
using results::Json;
using results::Pass;
using results::Record;

constexpr std::size_t kExtent = 512;
constexpr unsigned kTiles = (kExtent / 32) * (kExtent / 32);
constexpr std::uint64_t kRequests = kTiles * 32;  // of a warp, a tile of 32×32 floats

// Shared atomics, which are counted for a whole warp, and a branch that half of the warps do not
// take.
__global__ void count_and_add(const float* in, unsigned* counts) {
  __shared__ unsigned bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&bins[static_cast<unsigned>(in[threadIdx.x]) + threadIdx.x % 8], 1U);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

class Buffers {
 public:
  template <int Padding>
  void transpose() const {
    launch(transpose_tiled<Padding>, kTiles, dim3(32, 8), in_.data(), out_.data(), kExtent,
           kExtent);
  }
  void count() const { launch(count_and_add, 4, 128, in_.data(), counts_.data()); }

 private:
  DeviceBuffer<float> in_{std::vector<float>(kExtent * kExtent, 0.0F)};
  DeviceBuffer<float> out_{kExtent * kExtent};
  DeviceBuffer<unsigned> counts_{std::vector<unsigned>(8, 0U)};
};

// What the observations launch, by name.
std::function<void()> launches(const std::string& name, const Buffers& buffers) {
  if (name == "unpadded" || name == "again") return [&] { buffers.transpose<0>(); };
  if (name == "padded") return [&] { buffers.transpose<1>(); };
  // Three kernels, one of them twice.
  return [&] {
    buffers.transpose<0>();
    buffers.count();
    buffers.transpose<1>();
    buffers.count();
  };
}

int observe(const std::string& name, const std::string& pass) {
  const auto backend = make_backend();
  const Buffers buffers;
  Record record;
  record.id = name;
  record.pass = results::pass_from({Json(pass), "pass"});
  if (name == "again") {
    Record first = record;
    backend->observe(first.pass, {.launch = launches("several", buffers)}, first);
  }
  backend->observe(record.pass, {.launch = launches(name, buffers)}, record);
  std::cout << to_json(record).dump() << std::endl;
  return 0;
}

class GpuLines : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "no GPU: " << cudaGetErrorString(error);
    }
  }

  static Record observed(const std::string& name, const std::string& pass) {
    const Finished finished =
        shell(quoted(std::filesystem::read_symlink("/proc/self/exe")) + " " + name + " " + pass);
    if (finished.status != 0) throw std::runtime_error(finished.output);
    return results::record_from(Json::parse(finished.output));
  }

  // The reason why this machine counts no lines; empty when it does.
  static std::string refused(const Record& record) {
    const auto found = record.not_measured.find("source_lines");
    return found == record.not_measured.end() ? "" : found->second;
  }
};

// Sums by operation and line, of the innermost place.
using Place = std::pair<Operation, int>;
std::map<Place, InstructionTraffic> by_line(const Record& record) {
  std::map<Place, InstructionTraffic> sums;
  for (const auto& cubin : machine_code::read_cubins("/proc/self/exe")) {
    for (const auto& function : cubin.functions) {
      for (const auto& instruction : function.accesses) {
        for (const InstructionTraffic& counted : record.instructions) {
          if (counted.kernel != function.name) continue;
          if (counted.offset_bytes != instruction.offset_bytes) continue;
          const int line = instruction.places.empty() ? 0 : instruction.places.front().line;
          InstructionTraffic& sum = sums[{instruction.access.operation, line}];
          sum.requests += counted.requests;
          sum.wavefronts += counted.wavefronts;
          sum.ideal_wavefronts += counted.ideal_wavefronts;
          sum.sectors += counted.sectors;
          sum.ideal_sectors += counted.ideal_sectors;
        }
      }
    }
  }
  return sums;
}

// The only line with that operation.
std::pair<int, InstructionTraffic> only(const Record& record, Operation operation) {
  std::pair<int, InstructionTraffic> found{0, {}};
  for (const auto& [place, sum] : by_line(record)) {
    if (place.first != operation) continue;
    EXPECT_EQ(found.first, 0) << "on two lines: " << found.first << " and " << place.second;
    found = {place.second, sum};
  }
  EXPECT_GT(found.first, 0) << "no line with " << to_string(operation);
  return found;
}

void expect_tiles_of(const Record& record, std::uint64_t wavefronts_a_load) {
  const auto [load_line, load] = only(record, Operation::shared_load);
  const auto [store_line, store] = only(record, Operation::shared_store);
  const auto [in_line, in] = only(record, Operation::global_load);
  const auto [out_line, out] = only(record, Operation::global_store);
  EXPECT_EQ(store_line, in_line);
  EXPECT_EQ(load_line, out_line);
  EXPECT_LT(store_line, load_line);
  EXPECT_EQ(load.requests, kRequests);
  EXPECT_EQ(load.wavefronts, kRequests * wavefronts_a_load);
  EXPECT_EQ(load.ideal_wavefronts, kRequests);
  EXPECT_EQ(store.requests, kRequests);
  EXPECT_EQ(store.wavefronts, kRequests);
  for (const InstructionTraffic& global : {in, out}) {
    EXPECT_EQ(global.requests, kRequests);
    EXPECT_EQ(global.sectors, kRequests * 4);
    EXPECT_EQ(global.ideal_sectors, kRequests * 4);
  }
}

// What the record says of the kernels with that in their names.
Record part(const Record& record, const std::string& name) {
  Record part = record;
  std::erase_if(part.instructions, [&](const InstructionTraffic& each) {
    return each.kernel.find(name) == each.kernel.npos;
  });
  return part;
}

TEST_F(GpuLines, TellWhereATransposeHasBankConflicts) {
  const Record unpadded = observed("unpadded", "lines");
  if (!refused(unpadded).empty()) GTEST_SKIP() << refused(unpadded);
  expect_tiles_of(unpadded, 32);
  expect_tiles_of(observed("padded", "lines"), 1);
}

TEST_F(GpuLines, AreOfEveryKernelOfTheLaunch) {
  const Record several = observed("several", "lines");
  if (!refused(several).empty()) GTEST_SKIP() << refused(several);
  EXPECT_EQ(several.kernels.size(), 3U);
  expect_tiles_of(part(several, "transpose_tiled<0>"), 32);
  expect_tiles_of(part(several, "transpose_tiled<1>"), 1);
  // Two launches of 4 blocks, of which 2 warps add to the bins.
  EXPECT_EQ(only(part(several, "count_and_add"), Operation::shared_count).second.requests,
            2U * 4 * 2);
}

// A second benchmark in the same process, with a kernel that the first one had.
TEST_F(GpuLines, BeginAtZeroForEachBenchmark) {
  const Record again = observed("again", "lines");
  if (!refused(again).empty()) GTEST_SKIP() << refused(again);
  EXPECT_EQ(again.kernels.size(), 1U);
  expect_tiles_of(again, 32);
}

// Every exact counter of the launch is the sum of its lines.
TEST_F(GpuLines, AddUpToTheCounters) {
  const Record counters = observed("several", "counters");
  if (counters.not_measured.contains("counters")) {
    GTEST_SKIP() << counters.not_measured.at("counters");
  }
  const Record lines = observed("several", "lines");
  if (!refused(lines).empty()) GTEST_SKIP() << refused(lines);
  std::map<std::string, double> sums;
  for (const auto& [place, sum] : by_line(lines)) {
    constexpr std::array<std::pair<Operation, const char*>, 4> kNames{
        {{Operation::shared_load, "shared_load"},
         {Operation::shared_store, "shared_store"},
         {Operation::global_load, "global_load"},
         {Operation::global_store, "global_store"}}};
    for (const auto& [operation, name] : kNames) {
      if (operation != place.first) continue;
      const std::string prefix = name;
      sums[prefix + "_requests"] += static_cast<double>(sum.requests);
      if (prefix.starts_with("shared")) {
        sums[prefix + "_wavefronts"] += static_cast<double>(sum.wavefronts);
      } else {
        sums[prefix + "_sectors"] += static_cast<double>(sum.sectors);
      }
    }
  }
  EXPECT_EQ(sums.size(), 8U);
  for (const auto& [name, sum] : sums) EXPECT_EQ(counters.counters.at(name), sum) << name;
}

}  // namespace
}  // namespace warpgauge

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (argc == 3) return warpgauge::observe(argv[1], argv[2]);
  return RUN_ALL_TESTS();
}
