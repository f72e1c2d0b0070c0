// SPDX-License-Identifier: Apache-2.0
// Inline PTX: what the build makes of it, and what it leaves.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

__global__ void registers(unsigned* out) {
  unsigned lane, below;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("mov.u32 %0, %lanemask_lt;" : "=r"(below));
  out[threadIdx.x] = lane * 1000 + static_cast<unsigned>(__popc(below));
}

TEST(InlinePtx, ReadsSpecialRegisters) {
  const DeviceBuffer<unsigned> out(64);
  EXPECT_EQ(run(registers, 1, 64, out.data()).errors, std::vector<std::string>());
  EXPECT_EQ(out.to_host()[37], 5005U);
}

// Known answers, by the rules of the PTX ISA.
__global__ void arithmetic(unsigned a, unsigned b, int c, unsigned* out) {
  asm("mad.lo.u32 %0, %1, %2, 7;" : "=r"(out[0]) : "r"(a), "r"(b));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(out[1]) : "r"(a), "r"(b), "r"(0xffU));
  asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(out[2]) : "r"(a), "r"(b));
  asm("bfe.u32 %0, %1, 4, 8;" : "=r"(out[3]) : "r"(a));
  int field;
  asm("bfe.s32 %0, %1, 0, 4;" : "=r"(field) : "r"(c));
  out[4] = static_cast<unsigned>(field);
  asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(out[5]) : "r"(a), "r"(b));
  asm("shl.b32 %0, %1, %2;\n\t"
      "add.u32 %0, %0, 1;"
      : "=r"(out[6])
      : "r"(a), "r"(40U));
  asm("shr.s32 %0, %1, 40;" : "=r"(field) : "r"(-8));
  out[7] = static_cast<unsigned>(field);
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(out[8]) : "r"(a), "r"(b), "r"(1000U));
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, 1;"
      : "=r"(out[10])
      : "r"(0xff000000U), "r"(0x01000000U));
  asm("vabsdiff4.s32.s32.s32.add %0, %1, %2, 1;"
      : "=r"(out[11])
      : "r"(0xff000000U), "r"(0x01000000U));
  long long earlier, later;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(earlier));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
  out[9] = later > earlier;
}

TEST(InlinePtx, Computes) {
  const DeviceBuffer<unsigned> out(12);
  EXPECT_EQ(run(arithmetic, 1, 1, 0x12345678U, 3U, 0xf9, out.data()).errors,
            std::vector<std::string>());
  EXPECT_EQ(out.to_host(),
            (std::vector<unsigned>{0x12345678U * 3 + 7, 0x12345678U ^ 3U ^ 0xffU, 0x00035678U,
                                   0x67U, 0xfffffff9U, 0x00000803U, 1U, 0xffffffffU,
                                   1000U + 0x12 + 0x34 + 0x56 + 0x75, 1U, 255U, 3U}));
}

__global__ void memory(const uint4* in, uint4* out, unsigned* sum, float* half) {
  __shared__ __align__(16) unsigned words[128];
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(&words[threadIdx.x * 4]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(place), "l"(in + threadIdx.x));
  asm volatile("cp.async.commit_group;\n" ::);
  asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
  asm volatile("bar.sync 0;");
  uint4 v;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "r"(place));
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(out + threadIdx.x), "r"(v.w),
               "r"(v.z), "r"(v.y), "r"(v.x)
               : "memory");
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(sum), "r"(v.x) : "memory");
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(2.25F));
  if (threadIdx.x == 0) *half = root;
}

TEST(InlinePtx, MovesMemoryAndCountsIt) {
  std::vector<uint4> host(32);
  for (unsigned i = 0; i < 32; ++i) host[i] = make_uint4(i, i + 1, i + 2, i + 3);
  const DeviceBuffer<uint4> in(host);
  const DeviceBuffer<uint4> out(32);
  const DeviceBuffer<unsigned> total(std::vector<unsigned>{0});
  const DeviceBuffer<float> root(1);
  const Observation did = run(memory, 1, 32, in.data(), out.data(), total.data(), root.data());
  EXPECT_EQ(did.errors, std::vector<std::string>());
  EXPECT_EQ(out.to_host()[5].x, 8U);
  EXPECT_EQ(total.to_host()[0], 496U);
  EXPECT_EQ(root.to_host()[0], 1.5F);
  EXPECT_EQ(sum(did, Access::shared_load), (Sums{1, 4, 4}));
  EXPECT_EQ(sum(did, Access::shared_store), (Sums{1, 4, 4}));
  EXPECT_EQ(sum(did, Access::global_load), (Sums{1, 16, 16}));
  for (const SourceLine& line : did.lines) {
    EXPECT_NE(line.file.find("ptx_test.cpp"), std::string::npos) << line.file << line.line;
  }
}

__global__ void registers_of_its_own(const uint4* in, unsigned* out) {
  __shared__ __align__(16) uint4 words[32];
  words[threadIdx.x] = make_uint4(7, 7, 7, 7);
  const bool copies = threadIdx.x % 2 == 0;
  asm volatile(
      "{\n"
      " .reg .pred p;\n"
      " setp.ne.b32 p, %0, 0;\n"
      " @p cp.async.cg.shared.global.L2::128B [%1], [%2], 16;\n"
      "}\n" ::"r"(static_cast<int>(copies)),
      "r"(static_cast<unsigned>(__cvta_generic_to_shared(&words[threadIdx.x]))),
      "l"(in + threadIdx.x));
  asm volatile("cp.async.wait_all;");
  unsigned picked;
  asm("{ .reg .u32 t<2>; .reg .pred q;\n"
      "  add.u32 t0, %1, 1;\n"
      "  mul.lo.u32 t1, t0, 3;\n"
      "  setp.lt.u32 q, t1, 30;\n"
      "  selp.u32 %0, t1, t0, q;\n"
      "  @!q add.u32 %0, %0, 1000; }"
      : "=r"(picked)
      : "r"(threadIdx.x));
  unsigned low, high;
  float same;
  unsigned long long both, place;
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(5U), "r"(6U));
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(both));
  asm("mov.b32 %0, %1;" : "=f"(same) : "r"(0x40490fdbU));
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(place) : "l"(&words[threadIdx.x]));
  asm("ld.shared.b32 %0, [%1];" : "=r"(low) : "r"(static_cast<unsigned>(place)));
  out[threadIdx.x] = picked * 10000 + low * 100 + high * 10 + (same > 3.14F && same < 3.15F);
}

TEST(InlinePtx, HasRegistersAndPredicatesOfItsOwn) {
  const DeviceBuffer<uint4> in(std::vector<uint4>(32, make_uint4(3, 3, 3, 3)));
  const DeviceBuffer<unsigned> out(32);
  const Observation did = run(registers_of_its_own, 1, 32, in.data(), out.data());
  EXPECT_EQ(did.errors, std::vector<std::string>());
  EXPECT_EQ(out.to_host()[4], 15U * 10000 + 361);
  EXPECT_EQ(out.to_host()[5], 18U * 10000 + 761);
  EXPECT_EQ(out.to_host()[20], 1021U * 10000 + 361);
  EXPECT_EQ(sum(did, Access::global_load), (Sums{1, 16, 8}));
}

// The first warp hands words to the second, while the third has nothing to do with it.
__global__ void hand_over_by_number(int* out, unsigned arrivals) {
  __shared__ int words[2][32];
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x >= 64) return;
  for (int round = 0; round < 4; ++round) {
    if (threadIdx.x < 32) {
      if (round >= 2) asm volatile("bar.sync %0, 64;" ::"r"(3 + round % 2) : "memory");
      words[round % 2][lane] = round * 100 + static_cast<int>(lane);
      asm volatile("bar.arrive %0, %1;" ::"r"(1 + round % 2), "r"(arrivals) : "memory");
    } else {
      asm volatile("barrier.sync.aligned %0, %1;" ::"r"(1 + round % 2), "r"(arrivals));
      out[round * 32 + static_cast<int>(lane)] = words[round % 2][31 - lane];
      if (round < 2) asm volatile("bar.arrive %0, 64;" ::"r"(3 + round % 2) : "memory");
    }
  }
}

__global__ void read_beyond_the_number(int* out) {
  __shared__ int words[64];
  words[threadIdx.x] = 1;
  asm volatile("bar.sync %0, 32;" ::"r"(1 + threadIdx.x / 32) : "memory");
  out[threadIdx.x] = words[63 - threadIdx.x];
}

TEST(InlinePtx, HasBarriersOfSomeThreads) {
  const DeviceBuffer<int> out(128);
  EXPECT_EQ(run(hand_over_by_number, 1, 96, out.data(), 64U).errors, std::vector<std::string>());
  EXPECT_EQ(out.to_host()[3], 28);
  EXPECT_EQ(out.to_host()[32 * 3 + 3], 328);
  expect_error(run(hand_over_by_number, 1, 96, out.data(), 96U),
               {"barrier that never opens", "thread (0,0,0)", "for 64 arrivals, and 32 have come"});
  expect_error(run(hand_over_by_number, 1, 96, out.data(), 65U), {"not whole warps"});
  expect_error(run(read_beyond_the_number, 1, 64, out.data()), {"shared memory race"});
}

// What a pattern would have done without its carry, saturation or rounding.
__global__ void with_carry(unsigned* out) {
  (void)out;
  asm("add.cc.u32 %0, %1, %2;" : "=r"(*out) : "r"(~0U), "r"(1U));
}

TEST(InlinePtx, TakesNoInstructionForASimplerOne) {
  const DeviceBuffer<unsigned> out(1);
  expect_error(run(with_carry, 1, 1, out.data()), {"inline PTX add.cc.u32"});
}

__global__ void unknown(unsigned* out) {
  (void)out;
  asm("vshr.u32.u32.u32.clamp.add %0, %1, %2, %3;" : "=r"(*out) : "r"(1), "r"(2), "r"(3));  // asks
}

TEST(InlinePtx, NamesWhatItLacksAndLeavesTheHostsAssembly) {
  const DeviceBuffer<unsigned> out(1);
  expect_error(run(unknown, 1, 1, out.data()),
               {"inline PTX vshr.u32.u32.u32.clamp.add %0, %1, %2, %3, which the emulator lacks",
                own_line("asks")});
  int value = 1;
  asm volatile("" : "+r"(value) : : "memory");
  EXPECT_EQ(value, 1);
}

}  // namespace
}  // namespace warpgauge::emulator
