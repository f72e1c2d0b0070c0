// SPDX-License-Identifier: Apache-2.0
// `warpgauge run --counters` and `gate --counters` of a program: one more start counts.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/measure/program_run.hpp"

namespace warpgauge {
namespace {

using results::BenchmarkResult;
using results::Results;

constexpr const char* kNorm = "step/norm/4096·128";
constexpr const char* kWavefronts = "shared_load_wavefronts";

class ProgramCounters : public ProgramRun {
 protected:
  // The counters of `norm`, before what it launches.
  static std::string counted(const std::string& counts, int time_ns = 10'000) {
    return counts + " " + step("norm", noisy(time_ns));
  }

  BenchmarkResult norm() {
    results_ = results::read_results(folder_ / "results.json");
    return *results_.find(kNorm);
  }

  Results results_;
};

TEST_F(ProgramCounters, AreOfOneLaunchAndReadInOneMoreStart) {
  const Finished run = start("run --counters --processes 3",
                             counted("count shared_load_wavefronts 99,64 count instructions 7"));
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(starts(), 5U) << "the first does not count, the last counts";
  const BenchmarkResult norm = this->norm();
  EXPECT_EQ(norm.find(kWavefronts)->only_figure(), 64) << "without the first launch";
  EXPECT_EQ(norm.find("instructions")->only_figure(), 7);
  EXPECT_EQ(norm.find("time")->figures().size(), 3U);
  EXPECT_FALSE(norm.not_measured.contains("counters"));
  EXPECT_NE(run.output.find("at most 4 launches of each kernel are replayed"), std::string::npos)
      << run.output;
}

TEST_F(ProgramCounters, AreTheUsualOnesAndThoseThatAreNamed) {
  const Finished run =
      start("run --counters a__b.sum,c__d.pct --processes 3", counted("count i 7"));
  ASSERT_EQ(run.status, 0) << run.output;
  const BenchmarkResult norm = this->norm();
  for (const auto& [name, value] : {std::pair{"a__b.sum", 5}, {"c__d.pct", 5}, {"i", 7}}) {
    EXPECT_EQ(norm.find(name)->only_figure(), value) << name;
  }
}

TEST_F(ProgramCounters, AreReadOnlyWhereTheyAreAskedFor) {
  const Finished run =
      start("run --processes 3", counted("count shared_load_wavefronts 64 count_fail 7"));
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(starts(), 4U);
  const BenchmarkResult norm = this->norm();
  EXPECT_EQ(norm.find(kWavefronts), nullptr);
  EXPECT_NE(norm.not_measured.at("counters").find("--counters"), std::string::npos);
}

TEST_F(ProgramCounters, ThatDifferBetweenLaunchesAreShownAndNotExact) {
  const Finished run =
      start("run --counters --processes 3", counted("count shared_load_wavefronts 5,10,20,30 "
                                                    "count dram_read_bytes 1,2,3,4"));
  ASSERT_EQ(run.status, 0) << run.output;
  const BenchmarkResult norm = this->norm();
  EXPECT_EQ(norm.find(kWavefronts), nullptr);
  ASSERT_NE(norm.find("shared_load_wavefronts_mean"), nullptr);
  EXPECT_EQ(norm.find("shared_load_wavefronts_mean")->only_figure(), 20);
  EXPECT_NE(norm.not_measured.at(kWavefronts).find("from 10 to 30"), std::string::npos)
      << norm.not_measured.at(kWavefronts);
  EXPECT_EQ(norm.find("dram_read_bytes")->only_figure(), 3) << "it is shown in any case";
}

TEST_F(ProgramCounters, SayWhyThereAreNone) {
  struct Case {
    const char* work;
    const char* why;
  };
  for (const auto& [work, why] :
       {Case{"refuse waits", "waits"}, Case{"count_problem forbidden", "forbidden"},
        Case{"count_fail 7", "ended with exit status 7"},
        Case{"", "no longer among those that are counted"}}) {
    const Finished run = start("run --counters --processes 3", counted(work));
    ASSERT_EQ(run.status, 0) << work << run.output;
    const BenchmarkResult norm = this->norm();
    ASSERT_TRUE(norm.not_measured.contains("counters")) << work;
    EXPECT_NE(norm.not_measured.at("counters").find(why), std::string::npos)
        << norm.not_measured.at("counters");
    EXPECT_EQ(norm.find("time")->figures().size(), 3U) << "the rest is measured";
  }
}

TEST_F(ProgramCounters, KeepWhatWasCountedBeforeAProblem) {
  const Finished run =
      start("run --counters --processes 3",
            counted("count shared_load_wavefronts 64") + " count_problem intruder");
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(norm().find(kWavefronts)->only_figure(), 64);
  EXPECT_NE(run.output.find("not all is counted: intruder"), std::string::npos) << run.output;
}

TEST_F(ProgramCounters, AreGated) {
  const auto gate = [&](const std::string& counts, int time_ns) {
    return start("gate --counters", counted(counts, time_ns));
  };
  ASSERT_EQ(start("run --counters", counted("count shared_load_wavefronts 64")).status, 0);
  ASSERT_EQ(warpgauge("approve results.json --reason first").status, 0);
  const Finished same = gate("count shared_load_wavefronts 64", 10'000);
  EXPECT_EQ(same.status, 0) << same.output;
  const Finished conflicts = gate("count shared_load_wavefronts 2048", 10'000);
  EXPECT_EQ(conflicts.status, 1) << conflicts.output;
  EXPECT_NE(conflicts.output.find(kWavefronts), std::string::npos) << conflicts.output;
  const Finished uncounted = gate("refuse waits", 10'000);
  EXPECT_EQ(uncounted.status, 4) << uncounted.output;
  EXPECT_NE(uncounted.output.find("waits"), std::string::npos) << uncounted.output;
  const Finished timed_alone = start("gate", step("norm", noisy(10'000)));
  EXPECT_EQ(timed_alone.status, 4) << timed_alone.output;
  EXPECT_NE(timed_alone.output.find("not asked for (--counters)"), std::string::npos)
      << timed_alone.output;
}

}  // namespace
}  // namespace warpgauge
