// SPDX-License-Identifier: Apache-2.0
// `warpgauge run` and `gate` of a program that is not a suite, from its start to the verdict.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "ci/measure/program/program_measurement.hpp"
#include "profiling/results/program_id.hpp"
#include "profiling/results/results.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using results::Results;

// Times of twelve starts that differ by a few nanoseconds, around this one.
std::string noisy(int time_ns) {
  std::string list = std::to_string(time_ns);
  for (const int each : {3, -4, 1, 0, -2, 5, -3, 2, -1, 4, 0, 1, -2}) {
    list += "," + std::to_string(time_ns + each);
  }
  return list;
}

class ProgramRun : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("inject.so", "");
  }

  Finished start(const std::string& command, const std::string& work) {
    std::filesystem::remove(folder_ / "starts");
    return warpgauge(command + " --injection inject.so -- " + quoted(FAKE_PROGRAM) + " '" +
                     (folder_ / "starts").string() + "' " + work);
  }

  [[nodiscard]] std::size_t starts() const {
    std::ifstream file(folder_ / "starts");
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }

  static std::string step(const std::string& kernel, const std::string& time_ns,
                          const std::string& shape = "4096 128") {
    return "repeat 40 push step run other 1 " + noisy(20'000) + " shape " + shape + " run " +
           kernel + " 1 " + time_ns + " shape 4096 128 pop end ";
  }
};

TEST_F(ProgramRun, MakesBenchmarksOfWhatItLaunched) {
  const Finished run = start("run --processes 3", step("norm", noisy(10'000)));
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(starts(), 4U) << "the first does not count";
  const Results results = results::read_results(folder_ / "results.json");
  ASSERT_TRUE(results.session->program);
  EXPECT_NE(results.session->program->command.find("fake_program"), std::string::npos);
  EXPECT_EQ(results.session->device.key, "nvidia-h200");
  EXPECT_EQ(results.session->processes, 3);
  const auto* const norm = results.find("step/norm/4096·128");
  ASSERT_NE(norm, nullptr);
  EXPECT_EQ(norm->find("time")->figures(), (std::vector<double>{10'003, 9'996, 10'001}));
  EXPECT_EQ(norm->find(results::kKernelLaunches)->only_figure(), 40);
  EXPECT_NE(results.find("step"), nullptr);
  EXPECT_NE(results.find("program"), nullptr);
}

TEST_F(ProgramRun, SaysWhyNothingWasMeasured) {
  struct Case {
    const char* work;
    const char* why;
  };
  for (const auto& [work, why] :
       {Case{"", "did not use CUDA"}, Case{"push a pop", "launched no kernel"},
        Case{"run k 10 100 lose 10", "10 of 20 launches left no record"},
        Case{"run k 10 100 problem 'another profiler came'", "another profiler came"},
        Case{"fail 7", "ended with exit status 7: it fails as it was told"}}) {
    const Finished run = start("run", work);
    EXPECT_EQ(run.status, 4) << work << run.output;
    EXPECT_NE(run.output.find(why), std::string::npos) << run.output;
  }
}

TEST_F(ProgramRun, RefusesWhatCannotBeMeasured) {
  for (const auto& [arguments, why] :
       {std::pair{"run -- nsys profile x", "nsys would record the program's kernels"},
        std::pair{"run --hot -- true", "--hot is for a suite"},
        std::pair{"run --suite x -- true", "--suite is for a suite"},
        std::pair{"run --processes 2 -- true", "at least 3"},
        std::pair{"run", "nothing to measure"},
        std::pair{"gate --against HEAD -- true", "--against is for a suite"},
        std::pair{"run --skip-until x --suite y", "--skip-until is of a program"}}) {
    const Finished run = warpgauge(arguments);
    EXPECT_EQ(run.status, 64) << arguments << run.output;
    EXPECT_NE(run.output.find(why), std::string::npos) << run.output;
  }
  EXPECT_EQ(ci::other_profiler({"x"},
                               [](const char* name) {
                                 return std::string(name) == "NSYS_PROFILING_SESSION_ID" ? "1"
                                                                                         : nullptr;
                               }),
            "nsys");
}

class ProgramGate : public ProgramRun {
 protected:
  void SetUp() override {
    ProgramRun::SetUp();
    approve(step("norm", noisy(10'000)));
  }

  void approve(const std::string& work) {
    const Finished run = start("run", work);
    ASSERT_EQ(run.status, 0) << run.output;
    const Finished approved = warpgauge("approve results.json --reason first");
    ASSERT_EQ(approved.status, 0) << approved.output;
  }

  Finished gate(const std::string& work) { return start("gate", work); }
};

TEST_F(ProgramGate, PassesWhatIsUnchanged) {
  const Finished gated = gate(step("norm", noisy(10'001)));
  EXPECT_EQ(gated.status, 0) << gated.output;
}

TEST_F(ProgramGate, FindsASlowerKernelByName) {
  const Finished gated = gate(step("norm", noisy(10'400)));
  EXPECT_EQ(gated.status, 1) << gated.output;
  EXPECT_NE(gated.output.find("step/norm/4096·128"), std::string::npos) << gated.output;
}

TEST_F(ProgramGate, ComparesAKernelThatIsLaunchedInAnotherShape) {
  const Finished slower = gate(step("norm", noisy(10'400), "2048 256"));
  EXPECT_EQ(slower.status, 1) << slower.output;
  EXPECT_NE(slower.output.find("step/norm/2048·256 (was step/norm/4096·128)"), std::string::npos)
      << slower.output;
  const Finished as_fast = gate(step("norm", noisy(10'000), "2048 256"));
  EXPECT_EQ(as_fast.status, 0) << as_fast.output;
}

TEST_F(ProgramGate, LetsTheRangeDecideWhatCameAndWent) {
  // Two kernels in the place of one: neither has an own one to be compared with.
  const auto fused = [](int each) {
    return "repeat 40 push step run other 1 " + noisy(20'000) + " run first 1 " + noisy(each) +
           " run second 1 " + noisy(each) + " pop end ";
  };
  const Finished as_fast = gate(fused(5'000));
  EXPECT_EQ(as_fast.status, 0) << as_fast.output;
  EXPECT_NE(as_fast.output.find("launched only now: step decides"), std::string::npos)
      << as_fast.output;
  const Finished slower = gate(fused(6'000));
  EXPECT_EQ(slower.status, 1) << slower.output;
}

TEST_F(ProgramGate, DoesNotGateWhatTakesLittleTime) {
  const auto with_tiny = [](int time_ns) {
    return "repeat 40 push step run norm 1 " + noisy(200'000) + " run tiny 1 " + noisy(time_ns) +
           " pop end ";
  };
  approve(with_tiny(400));
  const Finished gated = gate(with_tiny(800));
  EXPECT_EQ(gated.status, 0) << gated.output;
  const Finished larger = gate(with_tiny(2'800));
  EXPECT_EQ(larger.status, 1) << larger.output;
}

TEST_F(ProgramGate, SaysThatARangeIsGone) {
  const Finished gated = gate("repeat 40 push step run other 1 " + noisy(20'000) + " pop end");
  EXPECT_EQ(gated.status, 0) << gated.output << "faster, and the range shows it";
  EXPECT_NE(gated.output.find("launched no longer: step decides"), std::string::npos)
      << gated.output;
  const Finished other = gate("repeat 40 push stage run other 1 " + noisy(20'000) + " pop end");
  EXPECT_EQ(other.status, 4) << other.output << "nothing decides in its place";
}

}  // namespace
}  // namespace warpgauge
