// SPDX-License-Identifier: Apache-2.0
// Copies and memsets of a program: what its gate says of them.
#include <gtest/gtest.h>

#include <string>

#include "tests/measure/program_run.hpp"

namespace warpgauge {
namespace {

class ProgramCopies : public ProgramRun {
 protected:
  // A kernel of known machine code whose times differ by some percent, and copies in its range.
  static std::string step(const std::string& copies) {
    return "module " + std::string(SOURCE_ROOT) +
           "/tests/profiling/machine_code/recorded/triton_softk.cubin 1 repeat 40 push step shape "
           "4096 128 run softk 1 10000,10400,9600,10300,9700,10000,10400,9600,10300,9700,10000 " +
           copies + "pop end ";
  }

  static std::string copy(const std::string& name, int count, int time_ns) {
    return "shape 1048576 0 run " + name + " " + std::to_string(count) + " " + noisy(time_ns) + " ";
  }

  void approve(const std::string& work) {
    const Finished run = start("run", work);
    ASSERT_EQ(run.status, 0) << run.output;
    ASSERT_EQ(warpgauge("approve results.json --reason first").status, 0);
  }
};

TEST_F(ProgramCopies, KeepNoRangeFromBeingOfTheSameCode) {
  const std::string work =
      step(copy("memcpy-device-to-device", 1, 5'000) + copy("memset-device", 1, 3'000));
  approve(work);
  const Finished gate = start("gate", work);
  EXPECT_EQ(gate.status, 0) << gate.output;
}

TEST_F(ProgramCopies, OnTheDeviceAreJudgedAsKernelsAre) {
  approve(step(copy("memcpy-device-to-device", 1, 50'000)));
  const Finished slower = start("gate", step(copy("memcpy-device-to-device", 1, 60'000)));
  EXPECT_EQ(slower.status, 1) << slower.output;
  EXPECT_NE(slower.output.find("step/memcpy-device-to-device/1048576·bytes"), std::string::npos)
      << slower.output;
  const Finished more = start("gate", step(copy("memcpy-device-to-device", 2, 50'000)));
  EXPECT_EQ(more.status, 1) << more.output;
}

TEST_F(ProgramCopies, OfTheHostAreCountedAndTheirTimesOnlyShown) {
  approve(step(copy("memcpy-host-to-device", 1, 50'000)));
  const Finished slower = start("gate", step(copy("memcpy-host-to-device", 1, 90'000)));
  EXPECT_EQ(slower.status, 0) << slower.output;
  const Finished more = start("gate", step(copy("memcpy-host-to-device", 2, 50'000)));
  EXPECT_EQ(more.status, 1) << more.output;
  EXPECT_NE(more.output.find("step/memcpy-host-to-device/1048576·bytes"), std::string::npos)
      << more.output;
}

// What is new in a range that is timed is listed, and the range decides.
TEST_F(ProgramCopies, ThatAreNewAreSaid) {
  approve(step(""));
  const Finished gate = start("gate", step(copy("memcpy-device-to-host", 1, 50'000)));
  EXPECT_NE(gate.output.find("step/memcpy-device-to-host/1048576·bytes"), std::string::npos)
      << gate.output;
  const Finished on_device = start("gate", step(copy("memset-device", 1, 2'000)));
  EXPECT_EQ(on_device.status, 1) << on_device.output;
}

}  // namespace
}  // namespace warpgauge
