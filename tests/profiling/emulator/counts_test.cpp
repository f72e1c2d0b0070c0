// SPDX-License-Identifier: Apache-2.0
// Counts of kernels, held against hardware where it was asked and against hand-made counts.
#include <cstddef>
#include <vector>

#include "kernels/reduction.cuh"
#include "kernels/struct_access.cuh"
#include "kernels/transpose.cuh"
#include "tests/profiling/counted_accesses.cuh"
#include "tests/profiling/emulator/kernels.cuh"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

std::vector<float> counting_to_1021(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 1021);
  return values;
}

template <int Padding>
Observation transpose(std::size_t n) {
  const std::vector<float> input = counting_to_1021(n * n);
  const DeviceBuffer<float> in(input);
  const DeviceBuffer<float> out(n * n);
  const auto tiles = static_cast<unsigned>((n / 32) * (n / 32));
  Observation observation =
      run(transpose_tiled<Padding>, dim3(tiles), dim3(32, 8), in.data(), out.data(), n, n);
  const std::vector<float> result = out.to_host();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n * n; ++i) wrong += result[i] != input[i % n * n + i / n];
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(join(observation.errors), "");
  return observation;
}

// Measured on an NVIDIA H200 (driver 580.159.04, CUDA 13.0), smsp__sass_inst_executed_op_shared_*
// and smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_*, 4096 × 4096 floats: 524,288
// requests, and 16,777,216 wavefronts of the unpadded loads. Tiles are all alike, so a 64th of them
// is enough.
TEST(Transpose, CountsWhatAnH200Counts) {
  constexpr std::uint64_t kRequests = 524'288 / 64;
  constexpr Sums kWithoutConflict{kRequests, kRequests, kRequests};
  const Observation unpadded = transpose<0>(4096 / 8);
  EXPECT_EQ(sum(unpadded, Access::shared_load), (Sums{kRequests, 16'777'216 / 64, kRequests}));
  EXPECT_EQ(sum(unpadded, Access::shared_store), kWithoutConflict);
  const Observation padded = transpose<1>(4096 / 8);
  EXPECT_EQ(sum(padded, Access::shared_load), kWithoutConflict);
  EXPECT_EQ(sum(padded, Access::shared_store), kWithoutConflict);
}

template <class Kernel>
Observation reduce(Kernel kernel) {
  const DeviceBuffer<float> in(counting_to_1021(1024));
  const DeviceBuffer<float> partial(4);
  const Observation observation =
      run(kernel, dim3(4), dim3(kReductionBlock), in.data(), partial.data(), std::size_t{1024});
  EXPECT_EQ(partial.to_host()[0], 255.0F * 256.0F / 2);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(observation.barriers, 4 * 9U);
  return observation;
}

// Measured on an NVIDIA H200, as above: 25 loads and 20 stores a block, 1 wavefront each.
TEST(Reduction, SequentialCountsWhatAnH200Counts) {
  const Observation observation = reduce(reduce_sequential<float>);
  EXPECT_EQ(sum(observation, Access::shared_load), (Sums{4 * 25, 4 * 25, 4 * 25}));
  EXPECT_EQ(sum(observation, Access::shared_store), (Sums{4 * 20, 4 * 20, 4 * 20}));
}

// As written; on hardware the compiler makes one load of the two of the first step.
//
// Step s: 128/s threads in max(1, 4/s) warps, 2s words apart: min(2s, 32, …) lanes a bank.
TEST(Reduction, IndexedCountsAsWritten) {
  const Observation observation = reduce(reduce_interleaved_indexed<float>);
  EXPECT_EQ(sum(observation, Access::shared_load), (Sums{4 * 25, 4 * (94 + 1), 4 * 25}));
  EXPECT_EQ(sum(observation, Access::shared_store), (Sums{4 * 20, 4 * (47 + 8), 4 * 20}));
}

// Step s: every 2s-th thread: in all 8 warps up to s = 16, then in 4, 2 and 1.
TEST(Reduction, DivergentCountsByHand) {
  const Observation observation = reduce(reduce_interleaved_divergent<float>);
  const std::uint64_t adds = 5 * 8 + 4 + 2 + 1;
  EXPECT_EQ(sum(observation, Access::shared_load).requests, 4 * (2 * adds + 1));
  EXPECT_EQ(sum(observation, Access::shared_store).requests, 4 * (adds + 8));
}

template <class Struct>
Sums struct_loads() {
  const DeviceBuffer<float> in(counting_to_1021(128));
  const DeviceBuffer<float> out(128);
  const Observation observation =
      run(struct_access<Struct>, dim3(1), dim3(128), in.data(), out.data(), std::size_t{128}, 3);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[100], 100.0F + kStructRounds);
  return sum(observation, Access::shared_load);
}

TEST(StructAccess, PaddingTakesAwayAllConflicts) {
  // The value stored last is still in a register when it is written out.
  const std::uint64_t requests = 4 * kStructRounds;
  EXPECT_EQ(struct_loads<UnpaddedStruct>(), (Sums{requests, 32 * requests, requests}));
  EXPECT_EQ(struct_loads<PaddedStruct>(), (Sums{requests, requests, requests}));
}

template <int Stride>
Observation vectors() {
  const DeviceBuffer<float4> in(std::vector<float4>(128, make_float4(1, 2, 3, 4)));
  const DeviceBuffer<float4> out(128);
  const Observation observation =
      run(copy_vectors<Stride>, dim3(1), dim3(128), in.data(), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[77].x, 2);
  EXPECT_EQ(out.to_host()[77].w, 4);
  return observation;
}

TEST(Vectors, AreOneAccessOf16BytesInFourPhases) {
  const Observation observation = vectors<1>();
  for (const SourceLine& line : observation.lines) EXPECT_EQ(line.width_bytes, 16);
  EXPECT_EQ(sum(observation, Access::shared_load), (Sums{4, 16, 16}));
  EXPECT_EQ(sum(observation, Access::shared_store), (Sums{4, 16, 16}));
  EXPECT_EQ(sum(observation, Access::global_load), (Sums{4, 64, 64}));
}

// Lanes of a phase 32 bytes apart: 8 lanes in 4 places, 2 wavefronts a phase.
TEST(Vectors, TwoApartConflictTwice) {
  EXPECT_EQ(sum(vectors<2>(), Access::shared_load), (Sums{4, 32, 16}));
}

// Requests of `width` bytes that a copy makes, as loads and as stores.
template <class Vector>
void expect_copied_by(int width, std::uint64_t requests) {
  const DeviceBuffer<Vector> in(32);
  const DeviceBuffer<Vector> out(std::vector<Vector>(32));
  const Observation observation = run(copy_any<Vector>, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(sum(observation, Access::global_load).requests, requests);
  EXPECT_EQ(sum(observation, Access::global_store).requests, requests);
  for (const SourceLine& line : observation.lines) EXPECT_EQ(line.width_bytes, width);
  const std::vector<Vector> result = out.to_host();
  const auto* bytes = reinterpret_cast<const unsigned char*>(result.data());
  for (std::size_t i = 0; i < 32 * sizeof(Vector); ++i) EXPECT_EQ(bytes[i], 0xff);
}

TEST(Vectors, OfThreeAreThreeAccessesAndOf32BytesTwo) {
  expect_copied_by<uchar1>(1, 1);
  expect_copied_by<uchar3>(1, 3);
  expect_copied_by<short3>(2, 3);
  expect_copied_by<ushort4>(8, 1);
  expect_copied_by<int1>(4, 1);
  expect_copied_by<int3>(4, 3);
  expect_copied_by<ulong2>(16, 1);
  expect_copied_by<longlong3>(8, 3);
  expect_copied_by<double3>(8, 3);
  expect_copied_by<double4>(16, 2);
  expect_copied_by<ulonglong4>(16, 2);
}

TEST(CacheHints, LeaveLoadsAndStoresWhatTheyAre) {
  const DeviceBuffer<float4> in(std::vector<float4>(32, make_float4(1, 2, 3, 4)));
  const DeviceBuffer<float> out(64);
  const Observation observation = run(hinted, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[62], 6);
  EXPECT_EQ(sum(observation, Access::global_load), (Sums{3, 16 + 16 + 16, 16 + 4 + 4}));
  EXPECT_EQ(sum(observation, Access::global_store), (Sums{3, 3 * 8, 3 * 4}));
}

TEST(Doubles, AreServedInTwoPhases) {
  const DeviceBuffer<double> in(std::vector<double>(32, 2.5));
  const DeviceBuffer<double> out(32);
  const Observation observation = run(copy_doubles, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(sum(observation, Access::shared_load), (Sums{1, 2, 2}));
  EXPECT_EQ(sum(observation, Access::global_store), (Sums{1, 8, 8}));
  EXPECT_EQ(out.to_host()[3], 2.5);
}

TEST(Shuffles, AddUpWithoutSharedMemory) {
  const DeviceBuffer<float> in(counting_to_1021(256));
  const DeviceBuffer<float> out(1);
  const Observation observation = run(sum_by_shuffles, dim3(1), dim3(256), in.data(), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[0], 255.0F * 256.0F / 2);
  EXPECT_EQ(sum(observation, Access::shared_load), (Sums{1, 1, 1}));
  EXPECT_EQ(sum(observation, Access::shared_store), (Sums{8, 8, 8}));
}

TEST(Atomics, OnOneWordAreServedOneByOne) {
  const DeviceBuffer<unsigned> in(std::vector<unsigned>(256, 5));
  const DeviceBuffer<unsigned> out(std::vector<unsigned>(64, 0));
  const Observation observation = run(histogram, dim3(1), dim3(256), in.data(), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[5], 256U);
  EXPECT_EQ(sum(observation, Access::shared_atomic), (Sums{8, 256, 8}));
  EXPECT_EQ(sum(observation, Access::global_atomic), (Sums{2, 8, 8}));
}

TEST(Divergence, RaggedLoopMakesTheRequestsOfSimt) {
  std::vector<int> turns(32);
  for (int i = 0; i < 32; ++i) turns[static_cast<std::size_t>(i)] = i;
  const DeviceBuffer<int> in(turns);
  const DeviceBuffer<float> out(32);
  const Observation observation = run(ragged_loop, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(sum(observation, Access::shared_load).requests, 31U);
}

TEST(Divergence, LanesMeetAgainAfterACall) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(divergent_call, dim3(1), dim3(32), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(sum(observation, Access::shared_load).requests, 5U);
}

TEST(DynamicSharedMemory, ServesArraysOfAnyNameAndType) {
  const DeviceBuffer<float> in(counting_to_1021(128));
  const DeviceBuffer<float> out(128);
  const Observation floats =
      observe([&] { launch_with_shared(reverse, dim3(1), dim3(128), 512, in.data(), out.data()); });
  EXPECT_EQ(join(floats.errors), "");
  EXPECT_EQ(out.to_host()[0], 127);
  EXPECT_EQ(sum(floats, Access::shared_load), (Sums{4, 4, 4}));

  const DeviceBuffer<char> bytes_in(std::vector<char>{'a', 'b', 'c', 'd', 'e', 'f'});
  const DeviceBuffer<char> bytes_out(6);
  const Observation bytes = observe([&] {
    launch_with_shared(reverse_bytes, dim3(1), dim3(6), 6, bytes_in.data(), bytes_out.data());
  });
  EXPECT_EQ(join(bytes.errors), "");
  EXPECT_EQ(bytes_out.to_host()[0], 'f');
}

template <class T>
void expect_adds_in_shared(bool together, CountedLoads counted, std::uint64_t atomics) {
  const DeviceBuffer<T> out(32);
  const Observation observation = run(add_in_shared<T>, dim3(1), dim3(32), out.data(), together);
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[0], T(together ? 32 : 1));
  const Sums loads = sum(observation, Access::shared_load);
  EXPECT_EQ(loads.requests, counted.requests) << sizeof(T) << together;
  EXPECT_EQ(loads.moved, counted.wavefronts) << sizeof(T) << together;
  EXPECT_EQ(sum(observation, Access::shared_atomic).requests, atomics) << sizeof(T) << together;
}

TEST(SharedAtomics, AreLoopsOfLoadsWhereTheHardwareHasNone) {
  expect_adds_in_shared<int>(false, kLoadsOfInts, 1);
  expect_adds_in_shared<int>(true, kLoadsOfInts, 1);
  expect_adds_in_shared<float>(false, kLoadsOfFloats, 1);
  expect_adds_in_shared<float>(true, kLoadsOfFloatsTogether, 32);
  expect_adds_in_shared<double>(false, kLoadsOfDoubles, 1);
  expect_adds_in_shared<double>(true, kLoadsOfDoublesTogether, 32);
  expect_adds_in_shared<unsigned long long>(false, kLoadsOfDoubles, 1);
}

template <class Slot>
void expect_numbers(CountedLoads counted) {
  const DeviceBuffer<Labelled> in(std::vector<Labelled>(32, {7, {2, 3}}));
  const DeviceBuffer<Number> out(32);
  const Observation observation =
      run(square_numbers<Slot>, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[31].imaginary, 12);
  for (const Access access : {Access::shared_load, Access::shared_store}) {
    EXPECT_EQ(sum(observation, access).requests, counted.requests);
    EXPECT_EQ(sum(observation, access).moved, counted.wavefronts);
  }
  EXPECT_EQ(sum(observation, Access::global_load).requests, 2U);
  EXPECT_EQ(sum(observation, Access::global_store).requests, 2U);
}

TEST(Structs, OfTwoDoublesAreTwoAccesses) {
  expect_numbers<Number>(kLoadsOfNumbers);
  expect_numbers<Labelled>(kLoadsOfLabelledNumbers);
}

// Neither what is known to be aligned to 16, nor a copy of 16 bytes that is asked for, is two.
TEST(Structs, BesideThemVectorsAreOneAccess) {
  const DeviceBuffer<float> in(std::vector<float>(128, 1));
  const DeviceBuffer<float> out(128);
  const Observation observation = run(copy_vectors_of_spans, dim3(1), dim3(32),
                                      FloatSpan{in.data(), 128}, FloatSpan{out.data(), 128});
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(sum(observation, Access::global_load).requests, 1U);
  EXPECT_EQ(sum(observation, Access::global_store).requests, 1U);
}

template <Sine What>
std::uint64_t loads_of_sines() {
  const DeviceBuffer<double> in(std::vector<double>(32, 0.25));
  const DeviceBuffer<double> out(32);
  const Observation observation = run(sines<What>, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(join(observation.errors), "");
  return sum(observation, Access::global_load).requests;
}

TEST(TableFunctions, LoadTheirCoefficients) {
  EXPECT_EQ(loads_of_sines<Sine::and_cosine>(), kLoadsOfSineAndCosine);
  EXPECT_EQ(loads_of_sines<Sine::of_pi>(), kLoadsOfSineOfPi);
  EXPECT_EQ(loads_of_sines<Sine::with_cosine>(), kLoadsOfSinesOtherwise);
  EXPECT_EQ(loads_of_sines<Sine::of_float>(), kLoadsOfSinesOtherwise);
  EXPECT_EQ(loads_of_sines<Sine::of_constant>(), kLoadsOfSinesOtherwise);
}

// The compiler checks what it converts, and loads it for that. A load of the program's own that
// comes next is another one.
TEST(Conversions, LoadWhatTheyConvertOnce) {
  const DeviceBuffer<float> in(std::vector<float>(32, 2));
  const DeviceBuffer<int> out(32);
  const Observation once = run(to_integers<false>, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(sum(once, Access::global_load), (Sums{2, 8, 8}));
  const Observation twice = run(to_integers<true>, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(sum(twice, Access::global_load), (Sums{3, 12, 12}));
}

TEST(Shifts, LoadTheirCountOnce) {
  const DeviceBuffer<int> in(std::vector<int>(32, 2));
  const DeviceBuffer<int> out(32);
  const Observation observation = run(shift_ones, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(out.to_host()[0], 4);
  EXPECT_EQ(sum(observation, Access::global_load).requests, 1U);
}

TEST(Conversions, AreNotWhatElseLoadsTwice) {
  const DeviceBuffer<int> in(std::vector<int>(32, 2));
  const DeviceBuffer<int> out(32);
  const Observation observation = run(load_twice, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(sum(observation, Access::global_load).requests, 2U);
}

TEST(Arguments, ByValueAreLoadedWhereTheFunctionIsInlined) {
  const DeviceBuffer<Triple> in(std::vector<Triple>(64, {1, 2, 3}));
  const DeviceBuffer<float> out(32);
  const Observation observation = run(add_lengths, dim3(1), dim3(32), in.data(), out.data(), 1);
  EXPECT_EQ(out.to_host()[0], 28);
  EXPECT_EQ(sum(observation, Access::global_load).requests, 6U);
}

TEST(Traces, LongerThanABufferAreCountedToTheEnd) {
  const DeviceBuffer<float> out(32);
  const Observation observation = run(long_loop, dim3(1), dim3(32), out.data(), 50'000);
  EXPECT_EQ(sum(observation, Access::shared_load), (Sums{50'000, 50'000, 50'000}));
}

TEST(Traces, WarpsWaitForEachOtherThroughMemory) {
  const DeviceBuffer<int> flag(std::vector<int>{0});
  const DeviceBuffer<int> out(1);
  const Observation observation = run(hand_over, dim3(1), dim3(64), flag.data(), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(out.to_host()[0], 7);
}

TEST(Traces, OfAWarpThatIsHeldUpAreKept) {
  const DeviceBuffer<int> flag(std::vector<int>{0});
  const DeviceBuffer<float> out(64);
  const Observation observation = run(held_up_warp, dim3(1), dim3(64), flag.data(), out.data());
  EXPECT_EQ(join(observation.errors), "");
  EXPECT_EQ(sum(observation, Access::global_store), (Sums{3, 4 + 4 + 1, 4 + 4 + 1}));
}

TEST(Memory, ParametersAndConstantsAreNoGlobalTraffic) {
  Coefficients coefficients{};
  coefficients.values[9] = 4;
  const DeviceBuffer<float> out(32);
  const Observation parameters = run(by_value, dim3(1), dim3(32), coefficients, out.data());
  EXPECT_EQ(join(parameters.errors), "");
  EXPECT_EQ(out.to_host()[1], 4);
  EXPECT_EQ(sum(parameters, Access::global_load).requests, 0U);

  const Observation variables = run(constant_and_device_variables, dim3(1), dim3(32));
  EXPECT_EQ(join(variables.errors), "");
  EXPECT_EQ(device_words[1], 4);
  EXPECT_EQ(sum(variables, Access::global_load).requests, 0U);
  EXPECT_EQ(sum(variables, Access::global_store).requests, 1U);

  const Observation of_templates = run(use_constants_of, dim3(1), dim3(32));
  EXPECT_EQ(join(of_templates.errors), "");
  EXPECT_EQ(sum(of_templates, Access::global_load).requests, 0U);
}

TEST(Memory, IndicesAndDimensionsAreNoGlobalTraffic) {
  const DeviceBuffer<unsigned> out(64);
  const Observation observation = run(own_indices, dim3(2), dim3(32), out.data());
  EXPECT_EQ(sum(observation, Access::global_load).requests, 0U);
  EXPECT_EQ(sum(observation, Access::global_store), (Sums{2, 8, 8}));
  EXPECT_EQ(out.to_host()[63], 34U);
}

TEST(ReadOnlyLoads, AreCounted) {
  const DeviceBuffer<float> in(counting_to_1021(64));
  const DeviceBuffer<float> out(32);
  const Observation observation = run(read_only, dim3(1), dim3(32), in.data(), out.data());
  EXPECT_EQ(sum(observation, Access::global_load), (Sums{1, 8, 4}));
  EXPECT_EQ(out.to_host()[3], 6);
}

}  // namespace
}  // namespace warpgauge::emulator
