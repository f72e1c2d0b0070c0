// SPDX-License-Identifier: Apache-2.0
// The emulator as the harness sees it.
#include "profiling/harness/backend.hpp"

#include <string>

#include "tests/profiling/emulator/faulty_kernels.cuh"
#include "tests/profiling/emulator/kernels.cuh"
#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge {
namespace {

using results::Pass;
using results::Record;

TEST(EmulatorBackend, CountsAndTellsWhatItCannotMeasure) {
  const auto backend = make_backend();
  EXPECT_EQ(backend->kind(), results::DeviceKind::emulated);
  EXPECT_EQ(backend->passes(), std::vector<Pass>{Pass::counters});
  EXPECT_EQ(backend->device().key, "emulated");
  EXPECT_FALSE(backend->toolchain().host_compiler.empty());
  EXPECT_FALSE(backend->toolchain().version.empty());

  const DeviceBuffer<unsigned> in(std::vector<unsigned>(256, 5));
  const DeviceBuffer<unsigned> out(std::vector<unsigned>(64, 0));
  Record record;
  backend->observe(
      Pass::counters,
      {.launch = [&] { launch(histogram, dim3(3), dim3(256), in.data(), out.data()); }}, record);
  EXPECT_EQ(record.not_measured.at("time"), "the emulator has no clock");
  EXPECT_EQ(record.counters.size(), 19U);
  EXPECT_EQ(record.counters.at("barriers"), 6);
  EXPECT_EQ(record.counters.at("shared_atomic_requests"), 24);
  EXPECT_EQ(record.counters.at("shared_atomic_wavefronts"), 768);
  EXPECT_EQ(record.counters.at("shared_atomic_ideal_wavefronts"), 24);
  EXPECT_EQ(record.counters.at("global_load_sectors"), 96);
  EXPECT_EQ(record.counters.at("global_load_ideal_sectors"), 96);
  EXPECT_EQ(record.counters.at("global_store_requests"), 0);
  EXPECT_FALSE(record.lines.empty());
}

TEST(EmulatorBackend, ThrowsAllErrorsOfTheKernelsAndGoesOn) {
  const auto backend = make_backend();
  const DeviceBuffer<float> out(256);
  Record record;
  try {
    backend->observe(Pass::counters,
                     {.launch =
                          [&] {
                            launch(divergent_barrier, dim3(1), dim3(64), out.data());
                            launch(uninitialized, dim3(1), dim3(64), out.data());
                          }},
                     record);
    FAIL() << "no DeviceError";
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("divergent barrier"), std::string::npos) << text;
    EXPECT_NE(text.find("\nuninitialized shared memory"), std::string::npos) << text;
  }
  EXPECT_NO_THROW(backend->observe(
      Pass::counters,
      {.launch = [&] { launch(exit_before_barrier, dim3(1), dim3(32), out.data()); }}, record));
}

TEST(EmulatorBackend, RecordsRemarksOfKernelsThatAreRight) {
  const auto backend = make_backend();
  const DeviceBuffer<float> out(64);
  Record record;
  backend->observe(Pass::counters,
                   {.launch = [&] { launch(exit_before_barrier, dim3(1), dim3(64), out.data()); }},
                   record);
  ASSERT_EQ(record.remarks.size(), 1U);
  EXPECT_NE(record.remarks[0].find("exit before a barrier"), std::string::npos);
}

}  // namespace
}  // namespace warpgauge
