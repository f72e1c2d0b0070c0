// SPDX-License-Identifier: Apache-2.0
// Every access is reported with its line in the source.
#include <algorithm>
#include <fstream>
#include <string>
#include <tuple>

#include "kernels/transpose.cuh"
#include "tests/profiling/emulator/kernels.cuh"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

std::string text_of(const SourceLine& line) {
  std::ifstream file(std::string(TEST_SOURCE_ROOT) + "/" + line.file);
  std::string text;
  for (int i = 0; i < line.line; ++i) std::getline(file, text);
  return text;
}

const SourceLine& only(const Observation& observation, Access access) {
  const auto is_wanted = [&](const SourceLine& line) { return line.access == access; };
  EXPECT_EQ(std::count_if(observation.lines.begin(), observation.lines.end(), is_wanted), 1);
  return *std::find_if(observation.lines.begin(), observation.lines.end(), is_wanted);
}

TEST(SourceLines, NameFileLineAndFunctionOfEachAccess) {
  const DeviceBuffer<float> in(std::vector<float>(1024));
  const DeviceBuffer<float> out(1024);
  const Observation observation = run(transpose_tiled<1>, dim3(1), dim3(32, 8), in.data(),
                                      out.data(), std::size_t{32}, std::size_t{32});
  for (const Access access :
       {Access::shared_load, Access::shared_store, Access::global_load, Access::global_store}) {
    const SourceLine& line = only(observation, access);
    EXPECT_EQ(line.file, "kernels/transpose.cuh");
    EXPECT_EQ(line.function, "transpose_tiled<1>");
    EXPECT_EQ(line.width_bytes, 4);
    EXPECT_GT(line.column, 0);
    const bool first_half = access == Access::shared_store || access == Access::global_load;
    EXPECT_NE(text_of(line).find(first_half ? "= in[" : "= tile["), std::string::npos)
        << text_of(line);
  }
  EXPECT_TRUE(std::is_sorted(observation.lines.begin(), observation.lines.end(),
                             [](const auto& a, const auto& b) {
                               return std::tie(a.file, a.line, a.column, a.access) <
                                      std::tie(b.file, b.line, b.column, b.access);
                             }));
}

TEST(Kernels, AreToldOnceEachByTheNameThatNvccGivesThem) {
  const DeviceBuffer<float> in(std::vector<float>(1024));
  const DeviceBuffer<float> out(1024);
  const Observation observation = observe([&] {
    for (int i = 0; i < 2; ++i) {
      launch(transpose_tiled<1>, dim3(1), dim3(32, 8), in.data(), out.data(), std::size_t{32},
             std::size_t{32});
      launch(transpose_naive, dim3(1), dim3(32, 8), in.data(), out.data(), std::size_t{32},
             std::size_t{32});
    }
  });
  EXPECT_EQ(observation.kernels,
            (std::vector<std::string>{
                "void transpose_tiled<1>(float const*, float*, unsigned long, unsigned long)",
                "transpose_naive(float const*, float*, unsigned long, unsigned long)"}));
}

TEST(Kernels, AreToldWithHowTheyAreLaunched) {
  const DeviceBuffer<float> in(std::vector<float>(1024));
  const DeviceBuffer<float> out(1024);
  const Observation observation = observe([&] {
    for (const unsigned blocks : {1U, 2U, 1U}) {
      launch(transpose_naive, dim3(blocks), dim3(32, 8), in.data(), out.data(), std::size_t{0},
             std::size_t{0});
    }
  });
  const std::string name = "transpose_naive(float const*, float*, unsigned long, unsigned long)";
  EXPECT_EQ(observation.launches, (std::vector<results::KernelLaunch>{
                                      {.kernel = name, .block = {32, 8, 1}, .count = 2},
                                      {.kernel = name, .grid = {2, 1, 1}, .block = {32, 8, 1}}}));
}

TEST(Kernels, OfAGridThatTheHostMadeAsLargeAsTheDeviceHoldsAreTold) {
  const DeviceBuffer<float> in(std::vector<float>(1024));
  const DeviceBuffer<float> out(1024);
  const auto fills = [&](std::size_t needed, bool asks) {
    return observe([&] {
             const unsigned blocks = asks ? grid_stride_blocks(transpose_naive, 256, needed) : 16;
             launch(transpose_naive, dim3(blocks), dim3(32, 8), in.data(), out.data(),
                    std::size_t{0}, std::size_t{0});
           })
        .grid_fills_device;
  };
  EXPECT_TRUE(fills(1000, true));
  EXPECT_FALSE(fills(15, true));
  EXPECT_FALSE(fills(16, false));
}

TEST(SourceLines, LeadOutOfTheEmulatorsOwnHeaders) {
  const DeviceBuffer<float4> in(std::vector<float4>(128));
  const DeviceBuffer<float4> out(128);
  const Observation vectors = run(copy_vectors<1>, dim3(1), dim3(128), in.data(), out.data());
  for (const SourceLine& line : vectors.lines) {
    EXPECT_EQ(line.file, "tests/profiling/emulator/kernels.cuh");
    EXPECT_EQ(line.function, "copy_vectors<1>");
  }
  const SourceLine& store = only(vectors, Access::shared_store);
  EXPECT_NE(text_of(store).find("vectors[threadIdx.x * Stride] = in"), std::string::npos);

  const DeviceBuffer<unsigned> words(std::vector<unsigned>(256));
  const Observation atomics = run(histogram, dim3(1), dim3(256), words.data(), words.data());
  const SourceLine& atomic = only(atomics, Access::shared_atomic);
  EXPECT_EQ(atomic.file, "tests/profiling/emulator/kernels.cuh");
  EXPECT_EQ(atomic.function, "histogram");
  EXPECT_NE(text_of(atomic).find("atomicAdd(&bins"), std::string::npos);
}

}  // namespace
}  // namespace warpgauge::emulator
