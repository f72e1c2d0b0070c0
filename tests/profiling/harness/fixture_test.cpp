// SPDX-License-Identifier: Apache-2.0
// One benchmark under Google Benchmark, on a backend that measures given values.
#include "profiling/harness/fixture.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiling/harness/suite/journal.hpp"
#include "profiling/harness/suite/registry.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge {
namespace {

class FakeBackend : public Backend {
 public:
  // placements: how often the data is put elsewhere.
  explicit FakeBackend(int placements = 0) : placements_(placements) {}
  static inline bool is_inspecting = false;
  static inline int states_read = 0;
  results::DeviceKind kind() const override { return results::DeviceKind::emulated; }
  static inline std::vector<results::Pass> known_passes{results::Pass::time};
  std::vector<results::Pass> passes() const override { return known_passes; }
  results::Toolchain toolchain() const override { return {}; }
  results::Device device() override { return {}; }
  bool inspects(results::Pass) override { return is_inspecting; }
  std::map<std::string, std::string> state() override {
    ++states_read;
    return {};
  }
  void observe(results::Pass, const Workload& workload, results::Record& record) override {
    if (workload.surprise && workload.settle) record.remarks.push_back("inspected");
    if (workload.hot) record.time_method = "hot";
    workload.launch();
    for (int i = 0; i < placements_; ++i) {
      workload.relocate();
      workload.launch();
    }
    record.time_ns = 2500;
    record.counters = {{"barriers", 8}};
  }
  void profile(const std::function<void()>& launch, results::Record& record) override {
    launch();
    record.not_measured["time"] = "profiled";
  }

 private:
  int placements_;
};

enum class Behaviour { right, wrong, throws, right_elsewhere };

class Fake : public KernelFixture {
 public:
  static inline int made = 0;
  static inline Coverage checked = Coverage::sampled;  // the last time

  explicit Fake(Behaviour behaviour) : behaviour_(behaviour), number_(made++) {}
  void prepare(const Sizes& size) override { values_.assign(size[0], 0); }
  Work work() const override { return {.bytes_read = 64}; }
  void poison_result() override {}
  std::map<std::string, double> figures() override { return {{"cycles", 3}}; }
  Check check(Coverage coverage) const override {
    checked = coverage;
    return compare<int>(values_, [](std::size_t i) { return i; }, {});
  }

 protected:
  void run_variant() override {
    if (behaviour_ == Behaviour::throws) throw DeviceError("launch failed: no such luck");
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = static_cast<int>(i);
    const bool elsewhere = number_ > 1;  // the first is what Google Benchmark holds
    if (behaviour_ == Behaviour::wrong) values_[2] = 9;
    if (behaviour_ == Behaviour::right_elsewhere && !elsewhere) values_[2] = 9;
  }

 private:
  Behaviour behaviour_;
  int number_;  // of those made since the test began
  std::vector<int> values_;
};

class CollectRuns : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& reported) override {
    runs.insert(runs.end(), reported.begin(), reported.end());
  }
  std::vector<Run> runs;
};

// Runs one benchmark and gives what Google Benchmark reported and what the journal recorded.
struct Ran {
  benchmark::BenchmarkReporter::Run run;
  results::Record record;
};

// Google Benchmark 1.8 renamed what 1.7 calls error_occurred.
template <class Run>
bool failed(const Run& run) {
  if constexpr (requires { run.error_occurred; }) {
    return run.error_occurred;
  } else {
    return static_cast<bool>(run.skipped);
  }
}

// The same in a death test's child as in its parent.
std::filesystem::path journal_path() {
  return std::filesystem::temp_directory_path() /
         fmt::format("warpgauge-fixture-{}-{}.jsonl", ::getpgrp(),
                     testing::UnitTest::GetInstance()->current_test_info()->name());
}

Ran run(const std::string& id, Behaviour behaviour, bool profile = false, int placements = 0,
        bool hot = false, results::Pass pass = results::Pass::time) {
  const auto path = journal_path();
  std::filesystem::remove(path);
  FakeBackend backend(placements);
  CollectRuns reporter;
  {
    Journal journal(path);
    const Session session{backend, pass, journal, profile, hot};
    register_benchmark({id, "", "", {5}, [behaviour] { return std::make_unique<Fake>(behaviour); }},
                       session);
    benchmark::RunSpecifiedBenchmarks(&reporter, id);
    benchmark::ClearRegisteredBenchmarks();
  }
  const std::string journal = results::read_file(path);
  std::filesystem::remove(path);
  const std::string started = results::Json{{"started", id}}.dump() + "\n";
  EXPECT_EQ(journal.substr(0, started.size()), started);
  const auto finished = results::Json::parse(journal.substr(started.size()));
  return {reporter.runs.at(0), results::record_from(finished.at("finished"))};
}

TEST(KernelFixture, ARightResultIsMeasuredAndRecorded) {
  const Ran ran = run("fake/right/5", Behaviour::right);
  EXPECT_FALSE(failed(ran.run));
  EXPECT_EQ(ran.run.benchmark_name(), "fake/right/5/iterations:1/manual_time");
  EXPECT_DOUBLE_EQ(ran.run.real_accumulated_time, 2.5e-6);
  EXPECT_DOUBLE_EQ(ran.run.counters.at("barriers").value, 8);
  EXPECT_EQ(ran.record.outcome.status, results::Status::ok);
  EXPECT_EQ(ran.record.id, "fake/right/5");
  EXPECT_EQ(ran.record.time_ns, 2500);
  EXPECT_EQ(ran.record.counters.at("cycles"), 3);
  EXPECT_DOUBLE_EQ(ran.record.work.bytes_read, 64);
}

// The first fixture's data is spoilt by the time of the check: another one holds what was launched.
TEST(KernelFixture, DataThatWasPlacedAnewIsLaunchedAndChecked) {
  Fake::made = 0;
  EXPECT_EQ(run("fake/placed/5", Behaviour::right_elsewhere, false, 3).record.outcome.status,
            results::Status::ok);
  EXPECT_EQ(Fake::made, 5);
  Fake::made = 0;
  EXPECT_EQ(run("fake/stays/5", Behaviour::right_elsewhere).record.outcome.status,
            results::Status::wrong_result);
}

TEST(KernelFixture, IsInspectedWhereTheBackendSaysSo) {
  EXPECT_TRUE(run("fake/believed/5", Behaviour::right).record.remarks.empty());
  EXPECT_EQ(FakeBackend::states_read, 0);
  FakeBackend::is_inspecting = true;
  const Ran ran = run("fake/inspected/5", Behaviour::right);
  FakeBackend::is_inspecting = false;
  EXPECT_EQ(ran.record.remarks, std::vector<std::string>{"inspected"});
  EXPECT_EQ(FakeBackend::states_read, 2);  // before and after
}

TEST(KernelFixture, IsTimedHotWhereTheSessionSaysSo) {
  EXPECT_EQ(run("fake/cold/5", Behaviour::right).record.time_method, "");
  EXPECT_EQ(run("fake/hot/5", Behaviour::right, false, 0, true).record.time_method, "hot");
}

TEST(KernelFixture, ForAProfilerNothingIsMeasuredAndTheResultChecked) {
  const Ran ran = run("fake/profiled/5", Behaviour::right, true);
  EXPECT_EQ(ran.record.outcome.status, results::Status::ok);
  EXPECT_FALSE(ran.record.time_ns.has_value());
  EXPECT_TRUE(ran.record.counters.empty());
  EXPECT_EQ(ran.record.not_measured.at("time"), "profiled");
  const Ran wrong = run("fake/profiled_wrong/5", Behaviour::wrong, true);
  EXPECT_EQ(wrong.record.outcome.status, results::Status::wrong_result);
}

TEST(KernelFixture, AWrongResultLeavesNoNumber) {
  const Ran ran = run("fake/wrong/5", Behaviour::wrong);
  EXPECT_TRUE(failed(ran.run));
  EXPECT_EQ(ran.record.outcome.status, results::Status::wrong_result);
  EXPECT_NE(ran.record.outcome.message.find("largest error 7 at index 2"), std::string::npos)
      << ran.record.outcome.message;
  EXPECT_FALSE(ran.record.time_ns.has_value());
  EXPECT_TRUE(ran.record.counters.empty());
}

TEST(KernelFixture, TheWholeResultIsCheckedWhereLinesAreCounted) {
  using results::Pass;
  const auto coverage_in = [](Pass pass) {
    (void)run("fake/right/5", Behaviour::right, false, 0, false, pass);
    return Fake::checked;
  };
  FakeBackend::known_passes = {Pass::time, Pass::counters, Pass::lines};
  EXPECT_EQ(coverage_in(Pass::time), Coverage::sampled);
  EXPECT_EQ(coverage_in(Pass::counters), Coverage::sampled);
  EXPECT_EQ(coverage_in(Pass::lines), Coverage::full);
  FakeBackend::known_passes = {Pass::counters};
  EXPECT_EQ(coverage_in(Pass::counters), Coverage::full);
  FakeBackend::known_passes = {Pass::time};
}

TEST(KernelFixtureDeathTest, AnErrorIsRecordedAndEndsARecordedProcess) {
  EXPECT_EXIT((void)run("fake/throws/5", Behaviour::throws),
              testing::ExitedWithCode(kExitAfterError), "");
  std::filesystem::remove(journal_path());
}

}  // namespace
}  // namespace warpgauge
