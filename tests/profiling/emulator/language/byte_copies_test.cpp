// SPDX-License-Identifier: Apache-2.0
// memcpy, memmove and memset of a kernel are counted as nvcc would write them, and checked.
#include <cstring>
#include <vector>

#include "tests/profiling/emulator/counting.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

struct Triple {
  float x, y, z;
};

struct alignas(16) Quad {
  float x, y, z, w;
};

__global__ void copy_triples(const Triple* in, Triple* out) {
  Triple own;
  memcpy(&own, &in[threadIdx.x], sizeof own);
  std::memcpy(&out[threadIdx.x], &own, sizeof own);
}

__global__ void copy_quads(const Quad* in, Quad* out) {
  memcpy(&out[threadIdx.x], &in[threadIdx.x], sizeof(Quad));
}

// Which is what memcpy is for.
__global__ void copy_five_bytes(const char* in, char* out, int offset) {
  memcpy(out + 8 * threadIdx.x + offset, in + 8 * threadIdx.x, 5);
}

__global__ void clear_and_shift(int* out) {
  __shared__ int values[64];
  memset(&values[threadIdx.x * 2], 0x11, 8);
  __syncthreads();
  if (threadIdx.x == 0) {
    values[0] = 7;
    memmove(&values[1], &values[0], 3 * sizeof(int));
    for (int i = 0; i < 4; ++i) out[i] = values[i];
  }
}

__global__ void overstep(int* out) {
  __shared__ int values[32 * 3];
  int own[4] = {1, 2, 3, 4};
  memcpy(&values[threadIdx.x * 3], own, sizeof own);
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];
}

// Two threads' records, of which each takes its neighbour's first byte with its own five.
__global__ void copy_by_built_in(const char* in, char* out, int stride) {
  __builtin_memcpy(out + stride * threadIdx.x, in + 8 * threadIdx.x, 5);
}

__global__ void shift_and_clear_by_built_in(int* out) {
  if (threadIdx.x == 0) {
    __builtin_memmove(&out[1], &out[0], 3 * sizeof(int));
    __builtin_memset(&out[4], 0, 2 * sizeof(int));
  }
}

// A constant is the compiler's business, and what may be one still may.
__host__ __device__ constexpr unsigned bits_of(float value) {
  unsigned bits = 0;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

__global__ void beyond_the_end(const int* in, int* out) {
  int own[3];
  memcpy(own, in + 2, sizeof own);
  out[threadIdx.x] = own[threadIdx.x % 3];
}

// As nvcc 13.0 has it: ld.global.u8 and st.global.u8, whatever the types of the pointers.
TEST(ByteCopies, ThroughPointersGoByTheByte) {
  const DeviceBuffer<float> in(counting(32 * 4));
  const DeviceBuffer<float> out(32 * 4);
  const Observation triples =
      run(copy_triples, dim3(1), dim3(32), reinterpret_cast<const Triple*>(in.data()),
          reinterpret_cast<Triple*>(out.data()));
  EXPECT_EQ(join(triples.errors), "");
  EXPECT_EQ(out.to_host()[95], 96);
  EXPECT_EQ(sum(triples, Access::global_load).requests, 12U);
  EXPECT_EQ(sum(triples, Access::global_store).requests, 12U);
  for (const SourceLine& line : triples.lines) EXPECT_EQ(line.width_bytes, 1);

  const Observation quads =
      run(copy_quads, dim3(1), dim3(32), reinterpret_cast<const Quad*>(in.data()),
          reinterpret_cast<Quad*>(out.data()));
  EXPECT_EQ(join(quads.errors), "");
  EXPECT_EQ(out.to_host(), counting(32 * 4));
  EXPECT_EQ(sum(quads, Access::global_load).requests, 16U);
  EXPECT_EQ(sum(quads, Access::global_store).requests, 16U);
}

TEST(ByteCopies, NeedNoAlignment) {
  const DeviceBuffer<char> in(std::vector<char>(32 * 8, 'a'));
  const DeviceBuffer<char> out(32 * 8 + 1);
  for (const int offset : {0, 1}) {
    const Observation observation =
        run(copy_five_bytes, dim3(1), dim3(32), in.data(), out.data(), offset);
    EXPECT_EQ(join(observation.errors), "");
    EXPECT_EQ(sum(observation, Access::global_load).requests, 5U);
    EXPECT_EQ(sum(observation, Access::global_store).requests, 5U);
  }
}

TEST(ByteCopies, OverlapAndAreSet) {
  const DeviceBuffer<int> out(4);
  const Observation observation = run(clear_and_shift, dim3(1), dim3(32), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host(), (std::vector<int>{7, 7, 0x11111111, 0x11111111}));
  // Two words of each thread, then 7, then three words.
  EXPECT_EQ(sum(observation, Access::shared_store).requests, 2U + 1 + 3);
}

TEST(ByteCopies, HaveTheirNamesWhereTheyAreNotCalled) {
  void* (*copy)(void*, const void*, std::size_t) = memcpy;
  const auto set = &std::memset;
  int word = 1;
  set(&word, 0, sizeof word);
  const int other = 2;
  copy(&word, &other, sizeof word);
  EXPECT_EQ(word, 2);
}

TEST(ByteCopies, AreSeenByTheNamesOfTheCompilersOwn) {
  const DeviceBuffer<char> in(
      std::vector<char>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  const DeviceBuffer<char> bytes(16);
  const Observation apart = run(copy_by_built_in, dim3(1), dim3(2), in.data(), bytes.data(), 8);
  EXPECT_EQ(join(apart.errors), "");
  EXPECT_EQ(bytes.to_host()[12], 12);
  EXPECT_EQ(sum(apart, Access::global_load).requests, 5U);
  EXPECT_EQ(sum(apart, Access::global_store).requests, 5U);
  const Observation overlap = run(copy_by_built_in, dim3(1), dim3(2), in.data(), bytes.data(), 4);
  EXPECT_NE(join(overlap.errors).find("global memory race"), std::string::npos)
      << join(overlap.errors);

  const DeviceBuffer<int> out(std::vector<int>{1, 2, 3, 4, 5, 6});
  const Observation moved = run(shift_and_clear_by_built_in, dim3(1), dim3(32), out.data());
  EXPECT_EQ(join(moved.errors), "");
  EXPECT_EQ(out.to_host(), (std::vector<int>{1, 1, 2, 3, 0, 0}));
  EXPECT_EQ(sum(moved, Access::global_load).requests, 12U);
  EXPECT_EQ(sum(moved, Access::global_store).requests, 20U);

  EXPECT_EQ(bits_of(1.0F), 0x3f800000U);
}

TEST(ByteCopies, AreSeenToRaceAndToLeaveTheirArray) {
  const DeviceBuffer<int> in(std::vector<int>{1, 2, 3, 4});
  const DeviceBuffer<int> out(32);
  const std::string races = join(run(overstep, dim3(1), dim3(32), out.data()).errors);
  EXPECT_NE(races.find("race"), std::string::npos) << races;
  const std::string beyond =
      join(run(beyond_the_end, dim3(1), dim3(32), in.data(), out.data()).errors);
  EXPECT_NE(beyond.find("byte_copies_test.cpp:"), std::string::npos) << beyond;
}

}  // namespace
}  // namespace warpgauge::emulator
