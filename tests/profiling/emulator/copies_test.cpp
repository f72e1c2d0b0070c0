// SPDX-License-Identifier: Apache-2.0
// Copies of any size are seen byte for byte, whether the compiler makes them or a function.
#include <string>
#include <vector>

#include "tests/profiling/emulator/copy_kernels.cuh"
#include "tests/profiling/emulator/find_line.hpp"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {
namespace {

constexpr unsigned kThreads = 40;  // more than a warp

std::string line_of(CopyBy by) {
  constexpr const char* kComments[] = {"part: =", "part: constant", "part: variable", "part: move",
                                       "part: set"};
  return find_line("tests/profiling/emulator/copy_kernels.cuh",
                   kComments[static_cast<std::size_t>(by)]);
}

// Of each thread another value.
template <int Bytes>
DeviceBuffer<unsigned char> parts() {
  std::vector<unsigned char> values(kThreads * Bytes);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<unsigned char>(i / Bytes + 1);
  }
  return DeviceBuffer<unsigned char>(values);
}

template <CopyBy By, int Bytes>
void expect_written_bytes_seen() {
  const auto in = parts<Bytes>();
  const DeviceBuffer<unsigned char> out(std::vector<unsigned char>(64 * Bytes, 0));
  for (const auto& [kernel, race] :
       {std::pair(&write_parts<By, Bytes>, "global memory race"),
        std::pair(&write_shared_parts<By, Bytes>, "shared memory race")}) {
    SCOPED_TRACE(std::string(race) + ", " + std::to_string(Bytes) + " bytes, " +
                 std::to_string(static_cast<int>(By)));
    const auto observed = [&, kernel = kernel](unsigned step) {
      return run(kernel, dim3(1), dim3(kThreads), in.data(), out.data(), step, std::size_t{Bytes});
    };
    const Observation apart = observed(Bytes);
    EXPECT_EQ(join(apart.errors), "");
    EXPECT_EQ(join(apart.remarks), "");
    expect_error(observed(Bytes - 1), {race, line_of(By)});
  }
}

template <CopyBy By, int Bytes>
void expect_read_bytes_seen() {
  SCOPED_TRACE(std::to_string(Bytes) + " bytes, " + std::to_string(static_cast<int>(By)));
  const DeviceBuffer<unsigned char> out(kThreads * Bytes);
  const auto observed = [&](unsigned skip) {
    return run(read_shared_parts<By, Bytes>, dim3(1), dim3(kThreads), out.data(), skip,
               std::size_t{Bytes});
  };
  EXPECT_EQ(join(observed(0).errors), "");
  expect_error(observed(1), {"shared memory race", line_of(By)});
}

template <CopyBy By, int... Bytes>
void expect_bytes_seen() {
  (expect_written_bytes_seen<By, Bytes>(), ...);
  if constexpr (By != CopyBy::memset) (expect_read_bytes_seen<By, Bytes>(), ...);
}

TEST(Copies, OfStructsAreSeenByTheByte) {
  expect_bytes_seen<CopyBy::assignment, 2, 3, 5, 6, 7, 9, 11, 12, 13, 20, 33>();
}

TEST(Copies, ByMemcpyOfAConstantSizeAreSeenByTheByte) {
  expect_bytes_seen<CopyBy::memcpy_of_constant, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 20, 33>();
}

TEST(Copies, ByMemcpyOfAnySizeAreSeenByTheByte) {
  expect_bytes_seen<CopyBy::memcpy_of_variable, 2, 3, 4, 5, 6, 7, 12, 16, 33>();
}

TEST(Copies, ByMemmoveAreSeenByTheByte) { expect_bytes_seen<CopyBy::memmove, 3, 7, 12>(); }

TEST(Copies, ByMemsetAreSeenByTheByte) { expect_bytes_seen<CopyBy::memset, 3, 7, 12>(); }

}  // namespace
}  // namespace warpgauge::emulator
