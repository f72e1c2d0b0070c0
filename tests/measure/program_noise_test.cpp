// SPDX-License-Identifier: Apache-2.0
// A program whose kernels differ by more than a floor from process to process.
#include <gtest/gtest.h>

#include <string>

#include "profiling/results/files/files.hpp"
#include "tests/measure/program_run.hpp"

namespace warpgauge {
namespace {

class NoisyProgram : public ProgramRun {
 protected:
  // With machine code that is known, around 10 µs.
  static std::string work(double factor = 1, const std::string& module = kModule) {
    std::string times;
    for (const int each : {10'000, 10'400, 9'600, 10'300, 9'700, 10'000, 10'400, 9'600, 10'300,
                           9'700, 10'000, 10'400}) {
      times += (times.empty() ? "" : ",") + std::to_string(static_cast<int>(factor * each));
    }
    return module + "repeat 40 push step run softk 1 " + times + " pop end ";
  }

  void approve(const std::string& done = work()) {
    const Finished run = start("run", done);
    ASSERT_EQ(run.status, 0) << run.output;
    ASSERT_EQ(warpgauge("approve results.json --reason first").status, 0);
  }

  static inline const std::string kModule =
      "module " + std::string(SOURCE_ROOT) +
      "/tests/profiling/machine_code/recorded/triton_softk.cubin 1 ";
};

TEST_F(NoisyProgram, PassesWhereItLaunchesTheSameCodeAndIsNotSlower) {
  approve();
  const Finished gate = start("gate", work(1.005));
  EXPECT_EQ(gate.status, 0) << gate.output;
  EXPECT_EQ(warpgauge("compare results.json results/results.json").status, 3)
      << "between two files nothing is excused";
}

TEST_F(NoisyProgram, IsSaidToHaveTwoModesByItsFirstGate) {
  const Finished gate =
      start("gate", "repeat 40 push step run softk 1 " +
                        std::string("10000,20000,10001,20003,9999,20001 pop end "));
  EXPECT_EQ(gate.status, 3) << gate.output;
  EXPECT_NE(gate.output.find("note: processes have two modes, between which a slowdown may hide: "),
            std::string::npos)
      << gate.output;
  EXPECT_NE(gate.output.find("step (10.00 µs and 20.00 µs)"), std::string::npos) << gate.output;
}

// Within the floor in the first five starts, beyond it in all ten.
TEST_F(NoisyProgram, IsNotExcusedByItsMeanBeforeAllStartsHaveHadTheirSay) {
  approve();
  std::string times = "10000,10400,9600,10300,9700,10000";
  for (const int each : {10'800, 10'000, 10'900, 10'100, 10'600}) {
    times += "," + std::to_string(each);
  }
  const Finished gate =
      start("gate", kModule + "repeat 40 push step run softk 1 " + times + " pop end ");
  EXPECT_EQ(gate.status, 3) << gate.output;
  EXPECT_EQ(starts(), 11U) << "all of them, after one that does not count";
}

// What is launched in every other start is too small to be judged by itself.
TEST_F(NoisyProgram, HasNoVerdictOnTheWholeWhereItsStartsLaunchDifferentNumbersOfKernels) {
  const auto launches = [](const std::string& odd) {
    return "repeat 40 run main 1 " + noisy(10'000) + " end run odd 1 " + odd + " ";
  };
  approve(launches("100"));
  const Finished one = start("gate", launches("100,100,0,100,100"));
  EXPECT_EQ(one.status, 0) << one.output;
  const Finished many = start("gate", launches("100,0,100,0,100,0,100,0,100,0,100,0"));
  EXPECT_EQ(many.status, 3) << many.output;
  EXPECT_NE(many.output.find("put an NVTX range around what is to be judged"), std::string::npos)
      << many.output;
  EXPECT_EQ(starts(), 11U) << "all of them, after one that does not count";
}

TEST_F(NoisyProgram, HasNoVerdictWhereItMayBeSlower) {
  approve();
  const Finished slower = start("gate", work(1.03));
  EXPECT_EQ(slower.status, 3) << slower.output;
  const Finished much_slower = start("gate", work(1.3));
  EXPECT_EQ(much_slower.status, 1) << much_slower.output;
}

TEST_F(NoisyProgram, PassesWithoutRangesToo) {
  const auto plain = [](double factor) {
    std::string all = work(factor);
    all.replace(all.find("push step "), std::string("push step ").size(), "");
    all.replace(all.find("pop "), std::string("pop ").size(), "");
    return all;
  };
  approve(plain(1));
  const Finished gate = start("gate", plain(1.005));
  EXPECT_EQ(gate.status, 0) << gate.output;
}

// A gather of 5 µs in a transformer's forward pass, 0.6 % of it: +1.75 %, of -5 to +9 %.
TEST_F(NoisyProgram, IsLeftToItsRangeWhereItCanHardlyMoveIt) {
  const auto pass = [](const std::string& gather, const std::string& rest = noisy(825'000)) {
    return kModule + "repeat 40 push forward run attention 1 " + rest + " run softk 1 " + gather +
           " pop end ";
  };
  approve(pass("4900,4920,4910,4905,5190,4890,4910,4900,4915,4905,4900"));
  const std::string apart = "5030,4990,5350,5010,4840,4700,5390,4800,5260,4790,4960,5030";
  const Finished gate = start("gate", pass(apart));
  EXPECT_EQ(gate.status, 0) << gate.output;
  EXPECT_EQ(starts(), 4U) << "three, after one that does not count";
  const std::string verdict = results::read_file(folder_ / "results/verdict.json");
  EXPECT_NE(verdict.find("% of forward, which is not slower"), std::string::npos);
  std::string slower;
  for (int i = 0; i < 12; ++i) slower += (i > 0 ? "," : "") + std::to_string(845'000 + i % 3);
  const Finished of_range = start("gate", pass(apart, slower));
  EXPECT_EQ(of_range.status, 1) << "its range is slower: " << of_range.output;
}

// Nine launches of little are no entry of their own.
TEST_F(NoisyProgram, HasNoVerdictOfRangesWhereOtherKernelsTakeMoreThanTheFloor) {
  const std::string rare = "push step run rare 9 2000 pop ";
  approve(work() + rare);
  const Finished gate = start("gate", work(1.005) + rare);
  EXPECT_EQ(gate.status, 3) << gate.output;
}

TEST_F(NoisyProgram, PassesWithRangesWhereItCommunicates) {
  const std::string with = "push step run ncclDevKernel_x 9 90000,60000,70000 pop ";
  approve(work() + with);
  const Finished gate = start("gate", work(1.005) + with);
  EXPECT_EQ(gate.status, 0) << gate.output;
}

TEST_F(NoisyProgram, HasNoVerdictWhereItsCodeIsNotKnown) {
  approve(work(1, ""));
  const Finished gate = start("gate", work(1.005, ""));
  EXPECT_EQ(gate.status, 3) << gate.output;
}

TEST_F(NoisyProgram, HasNoVerdictWhereItLaunchesSomethingElseToo) {
  approve();
  const Finished gate = start("gate", work(1.005) + "repeat 40 run other 1 1000 end ");
  EXPECT_EQ(gate.status, 3) << gate.output;
}

}  // namespace
}  // namespace warpgauge
