// SPDX-License-Identifier: Apache-2.0
// The whole backend on kernels whose counts are known by construction.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/transpose.cuh"
#include "profiling/cupti/device/device.hpp"
#include "profiling/cupti/device/nvml.hpp"
#include "profiling/cupti/timing/cache_flush.hpp"
#include "profiling/cupti/timing/event_timer.hpp"
#include "profiling/harness/backend.hpp"
#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/launch.hpp"
#include "profiling/results/host_calls.hpp"
#include "tests/profiling/cluster_visits.cuh"
#include "tests/profiling/counted_accesses.cuh"

namespace warpgauge {
namespace {

using results::Pass;
using results::Record;

constexpr unsigned kBlocks = 24;
constexpr unsigned kBlockThreads = 128;
// Of a kernel of microseconds: eight batches of six.
constexpr std::size_t kFewestSamples = 48;
constexpr unsigned kWarps = kBlocks * kBlockThreads / 32;

// One global load and one global store a warp, a block of 4 sectors each.
__global__ void add_one(float* values) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  values[i] += 1;
}

// Two microseconds, and for each round some 16 to 20 ns more: eight multiplications in a row.
__global__ void multiply(float* values, int rounds) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  float value = values[i];
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < 8; ++k) value = value * 0.5F + 1;
  }
  values[i] = value;
}

// From place to place, each of which says where the next one is.
__global__ void follow(const unsigned* places, int steps, unsigned* sink) {
  unsigned at = 0;
  for (int step = 0; step < steps; ++step) at = places[at];
  *sink = at;
}

// One ldmatrix of four matrices a warp, whose rows of 16 bytes lie `stride` bytes apart.
__global__ void load_matrices(unsigned stride, unsigned* sink) {
  extern __shared__ __align__(128) unsigned char rows[];
  const auto row =
      static_cast<unsigned>(__cvta_generic_to_shared(rows + threadIdx.x % 32 * stride));
  unsigned d[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(row)
               : "memory");
  sink[threadIdx.x] = d[0] ^ d[1] ^ d[2] ^ d[3];
}

__global__ void fail_with_a_trap() { asm volatile("trap;"); }

class GpuBackend : public testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const cudaError_t error = cudaGetDeviceCount(&devices);
    if (error != cudaSuccess || devices == 0) {
      GTEST_SKIP() << "no GPU: " << cudaGetErrorString(error);
    }
  }

  Record observe(Pass pass, const std::function<void()>& launch) {
    Record record;
    record.id = "test/backend";
    record.pass = pass;
    backend_->observe(pass, {launch}, record);
    return record;
  }

  static bool has_clusters() {
    int value = 0;
    return cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0) == cudaSuccess && value != 0;
  }

  // The reason why this machine gives no counters; empty when it does.
  static std::string refused(const Record& record) {
    const auto found = record.not_measured.find("counters");
    return found == record.not_measured.end() ? "" : found->second;
  }

  std::unique_ptr<Backend> backend_ = make_backend();
};

TEST(GpuBackendWithoutDevice, SaysWhatItIs) {
  const auto backend = make_backend();
  EXPECT_EQ(backend->kind(), results::DeviceKind::gpu);
  EXPECT_EQ(backend->passes(),
            (std::vector<Pass>{Pass::time, Pass::sentinel, Pass::counters, Pass::lines}));
  EXPECT_FALSE(backend->toolchain().cuda.empty());
}

TEST_F(GpuBackend, TimesAKernel) {
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  const Record record =
      observe(Pass::time, [&] { launch(add_one, kBlocks, kBlockThreads, values.data()); });
  ASSERT_TRUE(record.time_ns.has_value());
  EXPECT_GT(*record.time_ns, 0);
  EXPECT_GE(record.samples_ns.size(), kFewestSamples);
  EXPECT_FALSE(record.time_method.empty());
  EXPECT_TRUE(record.not_measured.contains("counters"));
  for (const auto& [name, value] : record.counters) {
    EXPECT_TRUE(results::is_host_metric(name)) << name;
    EXPECT_EQ(value, 0) << name;
  }
}

// Without what they are given, which depends on where the memory lies.
std::vector<results::KernelLaunch> shapes_of(std::vector<results::KernelLaunch> launches) {
  for (results::KernelLaunch& launch : launches) launch.arguments.clear();
  return launches;
}

TEST_F(GpuBackend, TellsHowKernelsAreLaunched) {
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  const Record record = observe(Pass::time, [&] {
    launch(add_one, kBlocks, kBlockThreads, values.data());
    launch(add_one, dim3(1, 2), dim3(32, 4), values.data());
    launch(add_one, kBlocks, kBlockThreads, values.data());
  });
  if (record.not_measured.contains("cupti_activity")) {
    GTEST_SKIP() << record.not_measured.at("cupti_activity");
  }
  const std::string& name = record.kernels.at(0);
  EXPECT_EQ(
      shapes_of(record.launches),
      (std::vector<results::KernelLaunch>{
          {.kernel = name, .grid = {1, 2, 1}, .block = {32, 4, 1}},
          {.kernel = name, .grid = {kBlocks, 1, 1}, .block = {kBlockThreads, 1, 1}, .count = 2}}));
}

TEST_F(GpuBackend, TellsOfClustersAndWhatWasAskedOfSharedMemory) {
  if (!has_clusters()) GTEST_SKIP() << "this device has no clusters";
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  const auto kernel = &multiply;
  ASSERT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 50),
            cudaSuccess);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(kBlocks);
  config.blockDim = dim3(kBlockThreads);
  config.dynamicSmemBytes = 1024;
  config.attrs = &cluster;
  config.numAttrs = 1;
  const Record record =
      observe(Pass::time, [&] { cudaLaunchKernelEx(&config, kernel, values.data(), 1); });
  if (record.not_measured.contains("cupti_activity")) {
    GTEST_SKIP() << record.not_measured.at("cupti_activity");
  }
  EXPECT_EQ(shapes_of(record.launches),
            (std::vector<results::KernelLaunch>{{.kernel = record.kernels.at(0),
                                                 .grid = {kBlocks, 1, 1},
                                                 .block = {kBlockThreads, 1, 1},
                                                 .dynamic_shared_bytes = 1024,
                                                 .cluster = {2, 1, 1},
                                                 .shared_carveout = 50}}));
}

// What a host pays for beside kernels. The first launch, which may prepare, does not count.
TEST_F(GpuBackend, CountsWhatOneLaunchAsksOfTheDriver) {
  DeviceBuffer<float> values(kBlocks * kBlockThreads);
  std::vector<float> host(values.size());
  void* first = nullptr;
  Record record;
  record.id = "test/host_calls";
  record.pass = Pass::sentinel;
  backend_->observe(
      Pass::sentinel,
      {.launch =
           [&] {
             if (first == nullptr) require_success(cudaMalloc(&first, 1 << 20), "cudaMalloc");
             void* some = nullptr;
             void* more = nullptr;
             require_success(cudaMalloc(&some, 3 << 20), "cudaMalloc");
             require_success(cudaMallocAsync(&more, 2 << 20, nullptr), "cudaMallocAsync");
             require_success(cudaMemset(some, 0, 1024), "cudaMemset");
             add_one<<<kBlocks, kBlockThreads>>>(values.data());
             require_success(cudaMemcpy(host.data(), values.data(), host.size() * sizeof(float),
                                        cudaMemcpyDeviceToHost),
                             "cudaMemcpy");
             require_success(cudaMemcpyAsync(values.data(), host.data(),
                                             host.size() * sizeof(float), cudaMemcpyHostToDevice),
                             "cudaMemcpyAsync");
             require_success(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
             require_success(cudaFreeAsync(more, nullptr), "cudaFreeAsync");
             require_success(cudaFree(some), "cudaFree");
           },
       .memory_bytes = 1000},
      record);
  cudaFree(first);
  if (record.not_measured.contains("host_calls")) GTEST_SKIP() << record.not_measured["host_calls"];
  EXPECT_EQ(record.counters["copies"], 2);
  EXPECT_EQ(record.counters["memory_sets"], 1);
  EXPECT_EQ(record.counters["allocations"], 2);
  EXPECT_EQ(record.counters["frees"], 2);
  EXPECT_EQ(record.counters["synchronizations"], 1);
  EXPECT_EQ(record.counters["peak_memory_bytes"], 1000 + (5 << 20));
}

TEST_F(GpuBackend, LaunchesThatDifferFromSampleToSampleAreNotTold) {
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  unsigned launches = 0;
  const Record record = observe(
      Pass::time, [&] { launch(add_one, 1 + launches++ % kBlocks, kBlockThreads, values.data()); });
  if (record.not_measured.contains("cupti_activity")) {
    GTEST_SKIP() << record.not_measured.at("cupti_activity");
  }
  EXPECT_TRUE(record.launches.empty());
  ASSERT_TRUE(record.not_measured.contains(results::kLaunches));
  EXPECT_EQ(record.not_measured.at(results::kLaunches), "they differ from sample to sample");
}

TEST_F(GpuBackend, ReadsTheDevicesSensorsAndSettings) {
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  const Record record =
      observe(Pass::time, [&] { launch(add_one, kBlocks, kBlockThreads, values.data()); });
  if (record.not_measured.contains("device_state")) {
    GTEST_SKIP() << record.not_measured.at("device_state");
  }
  ASSERT_TRUE(record.device_state.has_value());
  for (const auto& reading : {record.device_state->before, record.device_state->after}) {
    EXPECT_GT(reading.sm_clock_mhz.value_or(0), 100);
    EXPECT_GT(reading.power_w.value_or(0), 1);
    EXPECT_GT(reading.temperature_c.value_or(0), 1);
    EXPECT_TRUE(reading.slowed_by.has_value());
  }
  EXPECT_GE(
      record.samples_ns.size() + static_cast<std::size_t>(record.device_state->discarded_samples),
      kFewestSamples);
  const auto settings = backend_->settings();
  ASSERT_TRUE(settings.has_value());
  EXPECT_EQ(settings->not_measured, "");
  EXPECT_GT(settings->power_limit_w.value_or(0), 1);

  // What it costs: a reading and eleven questions, which must not outweigh the measurement.
  const cupti::Nvml nvml;
  const cupti::NvmlDevice device(nvml, cupti::current_pci_bus_id());
  const auto start = std::chrono::steady_clock::now();
  static_cast<void>(device.read());
  const std::chrono::duration<double, std::milli> reading =
      std::chrono::steady_clock::now() - start;
  for (int i = 0; i < 11; ++i) static_cast<void>(device.slowed());
  const std::chrono::duration<double, std::milli> all = std::chrono::steady_clock::now() - start;
  RecordProperty("reading_ms", std::to_string(reading.count()));
  RecordProperty("reading_and_questions_ms", std::to_string(all.count()));
  EXPECT_LT(all.count(), 50);
}

TEST_F(GpuBackend, SaysThatATimeIsASumOfKernels) {
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  const Record record = observe(Pass::time, [&] {
    for (int i = 0; i < 3; ++i) launch(add_one, kBlocks, kBlockThreads, values.data());
  });
  if (record.not_measured.contains("cupti_activity")) {
    GTEST_SKIP() << record.not_measured.at("cupti_activity");
  }
  EXPECT_EQ(record.kernels.size(), 1U);  // each once
  EXPECT_NE(record.kernels.at(0).find("add_one(float*"), std::string::npos) << record.kernels[0];
  EXPECT_NE(record.time_method.find("sum of 3 kernels"), std::string::npos) << record.time_method;
}

TEST_F(GpuBackend, EventsTimeAKernelToo) {
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  cupti::CacheFlush flush;
  const cupti::SampleOpening flushed{[&] { flush(); }, "L2 flushed"};
  const cupti::SampleOpening hot{cupti::hold_back, "hot"};
  for (const cupti::SampleOpening& opening : {flushed, hot}) {
    const cupti::Timing timing = cupti::time_by_events(
        {[&] { launch(add_one, kBlocks, kBlockThreads, values.data()); }}, opening);
    EXPECT_GE(timing.samples_ns.size(), kFewestSamples);
    for (const double sample : timing.samples_ns) EXPECT_GT(sample, 0);
    EXPECT_EQ(timing.method, "cuda_events, " + opening.caches);
  }
}

// A figure that is stuck on a step of the timestamps, 32 ns, shows neither a spread nor a change.
TEST_F(GpuBackend, SeesOnePerCentOfAKernelOfTwoMicroseconds) {
  constexpr unsigned kGrid = 132;
  DeviceBuffer<float> values(std::vector<float>(kGrid * kBlockThreads, 1.0F));
  const auto figure_of = [&](int rounds) {
    Record record;
    record.id = "test/backend";
    const auto enqueue = [&] { launch(multiply, kGrid, kBlockThreads, values.data(), rounds); };
    const auto relocate = [&] {
      values = DeviceBuffer<float>(std::vector<float>(kGrid * kBlockThreads, 1.0F));
    };
    backend_->observe(Pass::time, {enqueue, relocate}, record);
    EXPECT_GT(record.sampling.value_or(results::Sampling()).placements, 1);
    return record.time_ns.value_or(0);
  };
  constexpr int kPairs = 4;
  double sum = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const double before = figure_of(10);
    const double after = figure_of(11);
    RecordProperty("pair_" + std::to_string(pair),
                   std::to_string(before) + " " + std::to_string(after));
    sum += after - before;
  }
  RecordProperty("mean_difference_ns", std::to_string(sum / kPairs));
  EXPECT_GT(sum / kPairs, 8);
  EXPECT_LT(sum / kPairs, 32);
}

// Each step waits for the one before: a miss in every cache takes more than twice what a hit in the
// L2 does.
TEST_F(GpuBackend, HotFindsWhatTheLastLaunchLeftInTheCachesAndColdDoesNot) {
  constexpr int kSteps = 1024;
  constexpr unsigned kStride = 1024;  // 4 KiB, so that no step fetches what the next one needs
  std::vector<unsigned> next(std::size_t{kSteps} * kStride);
  for (std::size_t i = 0; i < kSteps; ++i) {
    next[i * kStride] = static_cast<unsigned>((i + 1) % kSteps) * kStride;
  }
  DeviceBuffer<unsigned> places(next);
  const DeviceBuffer<unsigned> sink(1);
  const auto observed = [&](bool hot) {
    Record record;
    record.id = "test/backend";
    const auto enqueue = [&] { launch(follow, 1, 1, places.data(), kSteps, sink.data()); };
    const auto relocate = [&] { places = DeviceBuffer<unsigned>(next); };
    backend_->observe(Pass::time, {enqueue, relocate, hot}, record);
    EXPECT_GT(record.sampling.value_or(results::Sampling()).placements, 1);
    RecordProperty(hot ? "hot_ns" : "cold_ns", std::to_string(record.time_ns.value_or(0)));
    return record;
  };
  const Record cold = observed(false);
  const Record hot = observed(true);
  EXPECT_NE(cold.time_method.find("L2 flushed"), std::string::npos) << cold.time_method;
  EXPECT_NE(hot.time_method.find("caches as the last launch left them"), std::string::npos)
      << hot.time_method;
  EXPECT_LT(hot.time_ns.value_or(1e9), 0.7 * cold.time_ns.value_or(0));
}

// Data that moves is no kernel of the benchmark.
TEST_F(GpuBackend, WhatRunsWhileDataIsPlacedAnewIsNotMeasured) {
  DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  Record record;
  record.id = "test/backend";
  const auto enqueue = [&] { launch(add_one, kBlocks, kBlockThreads, values.data()); };
  const auto relocate = [&] {
    values = DeviceBuffer<float>(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
    launch(multiply, kBlocks, kBlockThreads, values.data(), 100'000);
  };
  backend_->observe(Pass::time, {enqueue, relocate}, record);
  if (record.not_measured.contains("cupti_activity")) {
    GTEST_SKIP() << record.not_measured.at("cupti_activity");
  }
  ASSERT_EQ(record.kernels.size(), 1U);
  EXPECT_NE(record.kernels[0].find("add_one"), std::string::npos) << record.kernels[0];
  EXPECT_EQ(record.time_method.find("sum of"), std::string::npos) << record.time_method;
  EXPECT_LT(record.time_ns.value_or(1e9), 100'000);
  EXPECT_GT(record.sampling.value_or(results::Sampling()).placements, 1);
}

// The pool would give its memory back while the host waits, which is no work of the launch.
TEST_F(GpuBackend, MemoryOfTheStreamsPoolIsNoWorkThatTheClockMisses) {
  constexpr std::size_t kScratchBytes = std::size_t{64} << 20;
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  const auto add_after_scratch = [&] {
    void* scratch = nullptr;
    require_success(cudaMallocAsync(&scratch, kScratchBytes, nullptr), "cudaMallocAsync");
    require_success(cudaMemsetAsync(scratch, 0, kScratchBytes, nullptr), "cudaMemsetAsync");
    launch(add_one, kBlocks, kBlockThreads, values.data());
    require_success(cudaFreeAsync(scratch, nullptr), "cudaFreeAsync");
  };
  Record record;
  record.id = "test/backend";
  record.pass = Pass::time;
  int settled = 0;
  EXPECT_NO_THROW(backend_->observe(Pass::time,
                                    {.launch = add_after_scratch,
                                     .relocate = [] {},
                                     .surprise = [] {},
                                     .settle = [&] { ++settled; }},
                                    record));
  EXPECT_EQ(settled, 1) << "it was not inspected";
}

TEST_F(GpuBackend, ALaunchOfNothingIsNotMeasured) {
  for (const Pass pass : {Pass::time, Pass::counters}) {
    const Record record = observe(pass, [] {});
    EXPECT_FALSE(record.time_ns.has_value());
    EXPECT_TRUE(record.counters.empty());
    EXPECT_TRUE(record.not_measured.contains("time"));
    EXPECT_TRUE(record.not_measured.contains("counters"));
  }
}

// More kernels than there is room for at first.
TEST_F(GpuBackend, CountsEveryOneOfManyKernels) {
  constexpr unsigned kLaunches = 100;
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  const Record record = observe(Pass::counters, [&] {
    for (unsigned i = 0; i < kLaunches; ++i) {
      launch(add_one, kBlocks, kBlockThreads, values.data());
    }
  });
  if (!refused(record).empty()) GTEST_SKIP() << refused(record);
  EXPECT_EQ(record.counters.at("global_load_requests"), kLaunches * kWarps);
  EXPECT_EQ(record.counters.at("global_load_sectors"), kLaunches * kWarps * 4);
  EXPECT_EQ(record.counters.at("global_store_requests"), kLaunches * kWarps);
  EXPECT_EQ(record.counters.at("global_store_sectors"), kLaunches * kWarps * 4);
  EXPECT_EQ(record.counters.at("shared_load_requests"), 0);
}

// A tile of 32×32 floats: 32 loads and 32 stores of a warp, each load 32 wavefronts without
// padding.
TEST_F(GpuBackend, CountsBankConflictsOfATranspose) {
  constexpr std::size_t kExtent = 512;
  constexpr unsigned kTiles = (kExtent / 32) * (kExtent / 32);
  const DeviceBuffer<float> in(std::vector<float>(kExtent * kExtent, 1.0F));
  const DeviceBuffer<float> out(kExtent * kExtent);
  const auto transposed_by = [&](auto kernel) {
    return observe(Pass::counters, [&, kernel] {
      launch(kernel, kTiles, dim3(32, 8), in.data(), out.data(), kExtent, kExtent);
    });
  };
  const Record unpadded = transposed_by(transpose_tiled<0>);
  if (!refused(unpadded).empty()) GTEST_SKIP() << refused(unpadded);
  const Record padded = transposed_by(transpose_tiled<1>);
  EXPECT_EQ(unpadded.counters.at("shared_load_requests"), kTiles * 32);
  EXPECT_EQ(unpadded.counters.at("shared_load_wavefronts"), kTiles * 32 * 32);
  EXPECT_EQ(padded.counters.at("shared_load_wavefronts"), kTiles * 32);
  EXPECT_EQ(padded.counters.at("shared_store_wavefronts"), kTiles * 32);
  EXPECT_FALSE(unpadded.time_ns.has_value());
}

// What needs several passes runs several times; all but one of them must leave no trace.
TEST_F(GpuBackend, AKernelThatIsReplayedWritesOnce) {
  constexpr std::size_t kCount = kBlocks * kBlockThreads;
  const DeviceBuffer<float> values(std::vector<float>(kCount, 0.0F));
  float launches = 0;
  const Record record = observe(Pass::counters, [&] {
    launch(add_one, kBlocks, kBlockThreads, values.data());
    ++launches;
  });
  if (!refused(record).empty()) GTEST_SKIP() << refused(record);
  EXPECT_GT(record.counter_passes, 1);
  EXPECT_EQ(values.to_host(), std::vector<float>(kCount, launches));
}

TEST_F(GpuBackend, ReadsTheMemorysBytesTheHitRateAndTheOccupancy) {
  constexpr std::size_t kCount = std::size_t{1} << 28;  // 1 GiB, which no cache holds
  const DeviceBuffer<float> values(kCount);
  const Record record = observe(Pass::counters, [&] {
    launch(add_one, static_cast<unsigned>(kCount / 1024), 1024, values.data());
  });
  if (!refused(record).empty()) GTEST_SKIP() << refused(record);
  constexpr double kBytes = 4.0 * kCount;
  EXPECT_NEAR(record.counters.at("dram_read_bytes"), kBytes, 0.1 * kBytes);
  EXPECT_NEAR(record.counters.at("dram_write_bytes"), kBytes, 0.2 * kBytes);
  for (const char* rate : {"l2_request_hit_rate", "occupancy"}) {
    EXPECT_GT(record.counters.at(rate), 1) << rate;
    EXPECT_LE(record.counters.at(rate), 100) << rate;
  }
}

// A matrix of eight rows is a wavefront where its rows lie in different banks, else eight.
TEST_F(GpuBackend, CountsMatrixLoadsAmongTheLoadsOfSharedMemory) {
  const DeviceBuffer<unsigned> sink(32);
  const auto loaded = [&](unsigned stride) {
    return observe(Pass::counters,
                   [&, stride] { load_matrices<<<1, 32, 32 * 128>>>(stride, sink.data()); });
  };
  const Record side_by_side = loaded(16);
  if (!refused(side_by_side).empty()) GTEST_SKIP() << refused(side_by_side);
  EXPECT_EQ(side_by_side.counters.at("shared_load_requests"), 1);
  EXPECT_EQ(side_by_side.counters.at("shared_load_wavefronts"), 4);
  EXPECT_EQ(loaded(128).counters.at("shared_load_wavefronts"), 32);
}

TEST_F(GpuBackend, CountsNothingOfVisitsToAnotherBlocksSharedMemory) {
  if (!has_clusters()) GTEST_SKIP() << "this device has no clusters";
  constexpr const char* kAtomics = "smsp__sass_inst_executed_op_shared_atom.sum";
  constexpr const char* kWavefronts = "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum";
  constexpr const char* kGlobal = "smsp__sass_inst_executed_op_global.sum";
  backend_->select_counters({kAtomics, kWavefronts, kGlobal});
  const DeviceBuffer<int> out(kVisitors);
  for (const CountedVisit& visit : kCountedVisits) {
    const auto counted = [&](auto* kernel) {
      return observe(Pass::counters, [&, kernel] {
        launch(kernel, 2, kVisitors, visit.own, visit.stride, out.data());
      });
    };
    SCOPED_TRACE(testing::Message() << visit.own << " lanes, stride " << visit.stride);
    const Record loads = counted(visit_words<Visit::load>);
    if (!refused(loads).empty()) GTEST_SKIP() << refused(loads);
    EXPECT_EQ(loads.counters.at("shared_load_requests"), visit.requests);
    EXPECT_EQ(loads.counters.at("shared_load_wavefronts"), visit.wavefronts);
    EXPECT_EQ(loads.counters.at("global_load_requests"), 0);
    const Record stores = counted(visit_words<Visit::store>);
    EXPECT_EQ(stores.counters.at("shared_store_requests"), kVisitFills + visit.requests);
    EXPECT_EQ(stores.counters.at("shared_store_wavefronts"), kVisitFills + visit.wavefronts);
    EXPECT_EQ(stores.counters.at("global_store_requests"), 0);
    const Record atomics = counted(visit_words<Visit::atomic>);
    EXPECT_EQ(atomics.counters.at(kAtomics), visit.requests);
    EXPECT_EQ(atomics.counters.at(kWavefronts), kVisitFills + visit.wavefronts);
    EXPECT_EQ(atomics.counters.at(kGlobal), 0);
  }
}

// The same kernels and figures as on the emulator.
TEST_F(GpuBackend, CountsAccessesThatAreNotInTheSource) {
  const DeviceBuffer<double> in(std::vector<double>(96, 0.25)), out(64);
  const auto expect = [&](const char* counted, unsigned count, auto* kernel, auto... arguments) {
    const Record record = observe(Pass::counters, [=] { launch(kernel, 1, 32, arguments...); });
    if (!refused(record).empty()) GTEST_SKIP() << refused(record);
    EXPECT_EQ(record.counters.at(counted), count);
  };
  const char* loads = "shared_load_requests";
  const char* wavefronts = "shared_load_wavefronts";
  auto* floats = reinterpret_cast<float*>(out.data());
  expect(loads, kLoadsOfFloatsTogether.requests, add_in_shared<float>, floats, true);
  expect(loads, kLoadsOfDoublesTogether.requests, add_in_shared<double>, out.data(), true);
  expect(wavefronts, kLoadsOfDoublesTogether.wavefronts, add_in_shared<double>, out.data(), true);
  auto* numbers = reinterpret_cast<Labelled*>(in.data());
  auto* results = reinterpret_cast<Number*>(out.data());
  expect(loads, kLoadsOfNumbers.requests, square_numbers<Number>, numbers, results);
  expect(wavefronts, kLoadsOfNumbers.wavefronts, square_numbers<Number>, numbers, results);
  expect(loads, kLoadsOfLabelledNumbers.requests, square_numbers<Labelled>, numbers, results);
  const char* of_table = "global_load_requests";
  expect(of_table, kLoadsOfSineAndCosine, sines<Sine::and_cosine>, in.data(), out.data());
  expect(of_table, kLoadsOfSinesOtherwise, sines<Sine::with_cosine>, in.data(), out.data());
}

TEST_F(GpuBackend, ReadsCountersByCuptisNames) {
  const auto passes = backend_->select_counters(
      {"smsp__sass_inst_executed_op_global_ld.sum", "sm__cycles_active.max"});
  EXPECT_GE(passes.value_or(0), 1);
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  const Record record =
      observe(Pass::counters, [&] { launch(add_one, kBlocks, kBlockThreads, values.data()); });
  if (!refused(record).empty()) GTEST_SKIP() << refused(record);
  EXPECT_EQ(record.counters.at("smsp__sass_inst_executed_op_global_ld.sum"), kWarps);
  EXPECT_GT(record.counters.at("sm__cycles_active.max"), 0);
  EXPECT_EQ(record.counter_passes, passes);
}

TEST_F(GpuBackend, LaunchesOnceForAProfiler) {
  const DeviceBuffer<float> values(std::vector<float>(kBlocks * kBlockThreads, 1.0F));
  int launches = 0;
  Record record;
  record.id = "test/backend";
  backend_->profile(
      [&] {
        ++launches;
        launch(add_one, kBlocks, kBlockThreads, values.data());
      },
      record);
  EXPECT_EQ(launches, 1);
  EXPECT_EQ(values.to_host().front(), 2.0F);
  EXPECT_FALSE(record.time_ns.has_value());
  EXPECT_TRUE(record.not_measured.contains("time"));
}

TEST_F(GpuBackend, RefusesACounterThatTheChipLacks) {
  EXPECT_THROW(backend_->select_counters({"dram__bytes_raed.sum"}), UnknownName);
}

// Last, since a trap ends the process's context.
TEST_F(GpuBackend, AFailedKernelIsADeviceErrorWithItsName) {
  try {
    static_cast<void>(observe(Pass::time, [] { launch(fail_with_a_trap, 1, 32); }));
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cudaDeviceSynchronize"), text.npos) << text;
    EXPECT_NE(text.find("cudaErrorLaunchFailure"), text.npos) << text;
  }
}

}  // namespace
}  // namespace warpgauge
