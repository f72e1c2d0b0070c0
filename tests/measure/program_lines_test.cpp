// SPDX-License-Identifier: Apache-2.0
// `warpgauge run --lines` and `gate --lines` of a program: one more start a kernel counts what its
// source lines move. The kernel is Triton's, as recorded.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/measure/program_run.hpp"

namespace warpgauge {
namespace {

using results::BenchmarkResult;
using results::Results;
using results::SourceLine;

constexpr const char* kSoftmax = "step/softk/4096·128";

class ProgramLines : public ProgramRun {
 protected:
  void SetUp() override {
    ProgramRun::SetUp();
    // As Triton knew it: /tmp/w/tr.py.
    std::string text;
    for (int i = 1; i <= 12; ++i) text += "line " + std::to_string(i) + "\n";
    std::filesystem::create_directory(folder_ / "w");
    write("w/tr.py", text);
  }

  static std::string softmax(const std::string& counts = "instructions 2") {
    return counts + " " + module(1) + step("softk", noisy(10'000));
  }

  static std::string module(int number) {
    return "module " + std::string(SOURCE_ROOT) +
           "/tests/profiling/machine_code/recorded/triton_softk.cubin " + std::to_string(number) +
           " ";
  }

  BenchmarkResult read(const char* id = kSoftmax) {
    results_ = results::read_results(folder_ / "results.json");
    return *results_.find(id);
  }

  Results results_;
};

TEST_F(ProgramLines, AreOfTheKernelThatIsNamedInOneMoreStart) {
  const Finished run = start("run --lines softk --processes 3", softmax());
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(starts(), 5U);
  EXPECT_NE(run.output.find("source lines cost one more start of the program a kernel: 1 start"),
            std::string::npos)
      << run.output;
  const BenchmarkResult softmax = read();
  ASSERT_FALSE(softmax.lines.empty());
  std::uint64_t sectors = 0;
  std::uint64_t ideal = 0;
  for (const SourceLine& each : softmax.lines) {
    EXPECT_EQ(each.file, "w/tr.py");
    EXPECT_EQ(each.text, "line " + std::to_string(each.line));
    EXPECT_EQ(each.function, "softk");
    sectors += each.sectors;
    ideal += each.ideal_sectors;
  }
  EXPECT_GT(ideal, 0U);
  EXPECT_EQ(ideal % 4, 0U);
  EXPECT_LT(ideal, 4U * 32U) << "of one launch";
  EXPECT_EQ(sectors, 2 * ideal);
  EXPECT_FALSE(softmax.not_measured.contains("source_lines"));
  EXPECT_TRUE(read("step/other/4096·128").lines.empty());
  const Finished shown = warpgauge("lines results.json");
  EXPECT_NE(shown.output.find("w/tr.py"), std::string::npos) << shown.output;
}

TEST_F(ProgramLines, TakeAnIdAndRefuseWhatIsNotLaunched) {
  const Finished by_id = start(std::string("run --processes 3 --lines ") + kSoftmax, softmax());
  ASSERT_EQ(by_id.status, 0) << by_id.output;
  EXPECT_FALSE(read().lines.empty());
  const Finished wrong = start("run --processes 3 --lines sofkt", softmax());
  EXPECT_EQ(wrong.status, 64) << wrong.output;
  EXPECT_NE(wrong.output.find("did you mean softk"), std::string::npos) << wrong.output;
  EXPECT_EQ(starts(), 1U) << "before anything is measured";
  const Finished suite = warpgauge("run --suite x --lines softk");
  EXPECT_EQ(suite.status, 64) << suite.output;
}

TEST_F(ProgramLines, SayWhyThereAreNone) {
  const auto why = [&](const std::string& work) {
    const Finished run = start("run --lines softk --processes 3", work);
    EXPECT_EQ(run.status, 0) << run.output;
    const BenchmarkResult softmax = read();
    EXPECT_TRUE(softmax.lines.empty()) << work;
    const auto reason = softmax.not_measured.find("source_lines");
    return reason == softmax.not_measured.end() ? "" : reason->second;
  };
  EXPECT_NE(why(softmax("instructions 2 count_fail 7")).find("exit status 7"), std::string::npos);
  EXPECT_NE(why(softmax("instructions 2 " + module(2))).find("several modules"), std::string::npos);
  EXPECT_NE(why(step("softk", noisy(10'000))).find("no module that was loaded has this kernel"),
            std::string::npos);
  std::filesystem::remove_all(folder_ / "w");
  EXPECT_NE(why(softmax()).find("names no file below"), std::string::npos);
}

TEST_F(ProgramLines, AreTheCauseThatAGateNames) {
  const auto work = [&](int times) {
    const std::string count = std::to_string(times);
    return softmax("count global_load_sectors " + count + " count global_load_requests 1 " +
                   "instructions " + count);
  };
  ASSERT_EQ(start("run --counters --lines softk", work(1)).status, 0);
  ASSERT_EQ(warpgauge("approve results.json --reason first").status, 0);
  const Finished gated = start("gate --counters --lines softk", work(8));
  EXPECT_EQ(gated.status, 1) << gated.output;
  EXPECT_NE(gated.output.find("w/tr.py:"), std::string::npos) << gated.output;
}

}  // namespace
}  // namespace warpgauge
