// SPDX-License-Identifier: Apache-2.0
// How fast the emulator is, all checks on: lane accesses a second, what a switch of fibers, a
// barrier and a launch cost, memory beyond the data. No test: see docs/explain/emulator.md.
//
// A lane access is one load or store by one thread. Each figure that counts them is refused unless
// the emulator saw just as many.
#include <benchmark/benchmark.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "kernels/matmul.cuh"
#include "kernels/transpose.cuh"
#include "profiling/emulator/emulator.hpp"
#include "profiling/emulator/execution/lanes/fiber.hpp"
#include "profiling/harness/device_buffer.hpp"
#include "profiling/harness/launch.hpp"
#include "tests/profiling/emulator/speed/speed_kernels.cuh"

namespace warpgauge::emulator {
namespace {

constexpr std::size_t kSide = 1024;
constexpr const char* kMemoryProbe = "--memory-probe";

// Of the host, for one launch.
void core_counts(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("cores")->Arg(1);
  if (const unsigned cores = std::thread::hardware_concurrency(); cores > 1) benchmark->Arg(cores);
  benchmark->UseRealTime()->Unit(benchmark::kMillisecond);
}

std::uint64_t warp_requests(const Observation& observation) {
  std::uint64_t requests = 0;
  for (const auto& line : observation.lines) requests += line.requests;
  return requests;
}

// Measures `launch`, which makes so many lane accesses in so many requests.
template <class Launch>
void measure(benchmark::State& state, std::uint64_t lane_accesses, std::uint64_t requests,
             const Launch& launch) {
  const auto cores = static_cast<unsigned>(state.range(0));
  std::uint64_t launches = 0;
  const Observation observation = observe(
      [&] {
        for (auto _ : state) {
          launch();
          ++launches;
        }
      },
      {.threads = cores});
  if (!observation.errors.empty()) {
    state.SkipWithError(observation.errors.front().c_str());
    return;
  }
  if (warp_requests(observation) != launches * requests) {
    state.SkipWithError("the emulator saw another number of accesses than were made");
    return;
  }
  const auto made = static_cast<double>(launches * lane_accesses);
  state.counters["accesses"] = benchmark::Counter(made, benchmark::Counter::kIsRate);
  state.counters["per_core"] = benchmark::Counter(made / cores, benchmark::Counter::kIsRate);
}

void shared_loads(benchmark::State& state) {
  constexpr unsigned kBlocks = 64;
  constexpr int kTurns = 126;
  const DeviceBuffer<float> out(std::size_t{kBlocks} * kSpeedBlock);
  const std::uint64_t lane_accesses = out.size() * (kTurns + 2);
  measure(state, lane_accesses, lane_accesses / 32,
          [&] { launch(speed_shared, kBlocks, kSpeedBlock, out.data(), kTurns); });
}
BENCHMARK(shared_loads)->Apply(core_counts);

void global_coalesced(benchmark::State& state) {
  constexpr unsigned kBlocks = 64;
  constexpr int kTurns = 64;
  const DeviceBuffer<float> in(
      std::vector<float>(std::size_t{kBlocks} * kSpeedBlock * kTurns, 1.0F));
  const DeviceBuffer<float> out(in.size());
  const std::uint64_t lane_accesses = 2 * in.size();
  measure(state, lane_accesses, lane_accesses / 32,
          [&] { launch(speed_global, kBlocks, kSpeedBlock, in.data(), out.data(), kTurns); });
}
BENCHMARK(global_coalesced)->Apply(core_counts);

template <int Padding>
void transpose(const DeviceBuffer<float>& in, const DeviceBuffer<float>& out, std::size_t side) {
  const std::size_t tiles = transpose_tiles_across(side) * transpose_tiles_across(side);
  launch(transpose_tiled<Padding>, static_cast<unsigned>(tiles),
         dim3(kTransposeTile, kTransposeRows), in.data(), out.data(), side, side);
}

// Half global, half shared, a barrier between.
template <int Padding>
void transpose_mix(benchmark::State& state) {
  const DeviceBuffer<float> in(std::vector<float>(kSide * kSide, 1.0F));
  const DeviceBuffer<float> out(in.size());
  const std::uint64_t lane_accesses = 4 * in.size();
  measure(state, lane_accesses, lane_accesses / 32, [&] { transpose<Padding>(in, out, kSide); });
}
BENCHMARK(transpose_mix<0>)->Apply(core_counts);
BENCHMARK(transpose_mix<1>)->Apply(core_counts);

// Mostly shared memory, two barriers a tile, half of the loads broadcast.
void matmul_mix(benchmark::State& state) {
  constexpr std::size_t kTile = 32;
  constexpr std::size_t kMatrix = 192;
  const DeviceBuffer<float> a(std::vector<float>(kMatrix * kMatrix, 1.0F));
  const DeviceBuffer<float> c(a.size());
  constexpr std::size_t kTiles = kMatrix / kTile;
  const std::uint64_t lane_accesses = c.size() * (kTiles * (4 + 2 * kTile) + 1);
  measure(state, lane_accesses, lane_accesses / 32, [&] {
    launch(matmul_tiled<kTile>, kTiles * kTiles, dim3(kTile, kTile), a.data(), a.data(), c.data(),
           kMatrix, kMatrix, kMatrix);
  });
}
BENCHMARK(matmul_mix)->Apply(core_counts);

void divergent_loop(benchmark::State& state) {
  constexpr unsigned kBlocks = 64;
  constexpr int kTurns = 4;
  constexpr std::uint64_t kWarps = kBlocks * kSpeedBlock / 32;
  const DeviceBuffer<float> out(std::size_t{kBlocks} * kSpeedBlock);
  // Lane t loads at each i < t of the other parity; each i below 31 is one request.
  std::uint64_t loads_of_warp = 0;
  for (unsigned lane = 0; lane < 32; ++lane) loads_of_warp += (lane + 1) / 2;
  measure(state, kWarps * (kTurns * loads_of_warp + 64), kWarps * (kTurns * 31 + 2),
          [&] { launch(speed_divergent, kBlocks, kSpeedBlock, out.data(), kTurns); });
}
BENCHMARK(divergent_loop)->Apply(core_counts);

Fiber* switching = nullptr;

__attribute__((no_sanitize("thread"), no_sanitize_coverage)) void keep_suspending() {
  for (;;) switching->suspend();
}

// To a fiber and back: two switches.
void fiber_switches(benchmark::State& state) {
  const FiberStacks stacks(1);
  Fiber fiber;
  fiber.start(stacks.bottom(0), stacks.top(0), &keep_suspending);
  switching = &fiber;
  for (auto _ : state) fiber.resume();
  state.counters["switches"] = benchmark::Counter(2, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(fiber_switches);

// The time of one thread at one barrier: a switch away and back, and what the block does about it.
void barriers(benchmark::State& state) {
  constexpr int kTurns = 1000;
  const auto threads = static_cast<unsigned>(state.range(0));
  const Observation observation = observe([&] {
    for (auto _ : state) launch(speed_barriers, 1, threads, kTurns);
  });
  if (observation.barriers != static_cast<std::uint64_t>(state.iterations()) * kTurns) {
    state.SkipWithError("the emulator saw another number of barriers than were reached");
    return;
  }
  state.counters["a_thread"] = benchmark::Counter(
      static_cast<double>(threads) * kTurns,
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(barriers)->ArgName("threads")->Arg(32)->Arg(256)->Arg(1024)->UseRealTime()->Unit(
    benchmark::kMillisecond);

void launch_of_nothing(benchmark::State& state) {
  const auto blocks = static_cast<unsigned>(state.range(0));
  const auto threads = static_cast<unsigned>(state.range(1));
  (void)observe([&] {
    for (auto _ : state) launch(speed_nothing, blocks, threads);
  });
}
BENCHMARK(launch_of_nothing)
    ->ArgNames({"blocks", "threads"})
    ->Args({1, 1})
    ->Args({1, 256})
    ->Args({1, 1024})
    ->Args({64, 256})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

constexpr std::size_t kMemorySide = 2048;
constexpr double kMiB = 1 << 20;

// In MiB; the process's own since it was started.
double memory_figure(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(name + ":", 0) == 0) return std::stod(line.substr(name.size() + 1)) / 1024;
  }
  return 0;
}

// In a process of its own: transposes, and prints what the process took at most.
int print_peak_memory() {
  const double at_start = memory_figure("VmRSS");
  const DeviceBuffer<float> in(std::vector<float>(kMemorySide * kMemorySide, 1.0F));
  const DeviceBuffer<float> out(in.size());
  const Observation observation = observe([&] { transpose<1>(in, out, kMemorySide); });
  std::printf("%f %f\n", at_start, memory_figure("VmHWM"));
  return observation.errors.empty() ? 0 : 1;
}

// Of a program that transposes 2048 × 2048 floats, with all cores.
void memory(benchmark::State& state) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  double at_start = 0;
  double peak = 0;
  for (auto _ : state) {
    FILE* probe = popen(("'" + self + "' " + kMemoryProbe).c_str(), "r");
    const bool read = probe != nullptr && std::fscanf(probe, "%lf %lf", &at_start, &peak) == 2;
    if (probe == nullptr || pclose(probe) != 0 || !read) {
      state.SkipWithError("the process that transposes has failed");
      return;
    }
  }
  const double data = 2 * kMemorySide * kMemorySide * sizeof(float) / kMiB;
  state.counters["data_MiB"] = data;
  state.counters["at_start_MiB"] = at_start;
  state.counters["beyond_MiB"] = peak - data;
}
BENCHMARK(memory)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace warpgauge::emulator

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], warpgauge::emulator::kMemoryProbe) == 0) {
    return warpgauge::emulator::print_peak_memory();
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 64;
  benchmark::RunSpecifiedBenchmarks();
}
