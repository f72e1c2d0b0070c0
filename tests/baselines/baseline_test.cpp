// SPDX-License-Identifier: Apache-2.0
// What is approved, what is refused, and what becomes of the files.
#include "ci/baselines/approve.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <string>
#include <vector>

#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_report.hpp"
#include "ci/support/errors.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::Access;
using results::Results;

constexpr const char* kNow = "2026-11-22T00:00:00Z";

ApprovalRequest request(std::vector<Results> sessions, std::vector<std::string> remove = {}) {
  ApprovalRequest request;
  request.sessions = std::move(sessions);
  request.remove = std::move(remove);
  request.by = "Ada <ada@example.org>";
  request.reason = "faster";
  request.now = kNow;
  return request;
}

class BaselineFolder : public InFolder {
 protected:
  Approval approve(const ApprovalRequest& request) {
    return ci::approve(request, folder_, built_in_policy());
  }
  Approval approve(const std::vector<Results>& sessions,
                   const std::vector<std::string>& remove = {}) {
    return approve(request(sessions, remove));
  }

  // The message, when the emulator's transposes are read with this in place of that.
  [[nodiscard]] std::string error_of_damaged(const std::string& good, const std::string& bad) {
    const auto path = folder_ / "emulated" / "transpose.json";
    std::string text = results::read_file(path);
    const std::size_t place = text.find(good);
    EXPECT_NE(place, text.npos) << text;
    if (place == text.npos) return "";
    text.replace(place, good.size(), bad);
    results::write_file_atomically(path, text);
    try {
      (void)read_baseline(folder_, "emulated");
    } catch (const results::FormatError& error) {
      return error.what();
    }
    return "accepted";
  }

  // The message, when nothing was changed.
  [[nodiscard]] std::string error_of(const std::vector<Results>& sessions,
                                     const std::vector<std::string>& remove = {}) {
    return error_of(request(sessions, remove));
  }
  [[nodiscard]] std::string error_of(const ApprovalRequest& request) {
    const auto before = all_files();
    std::string message = "accepted";
    try {
      (void)approve(request);
    } catch (const Error& error) {
      status_ = error.exit_status();
      message = error.what();
      EXPECT_EQ(all_files(), before);
    }
    return message;
  }

  [[nodiscard]] std::vector<std::vector<double>> times(const std::string& id) const {
    const auto baseline = read_baseline(folder_, "nvidia-h200");
    for (const auto& benchmark : baseline->benchmarks) {
      if (benchmark.id == id) return benchmark.metrics.at("time").sessions;
    }
    return {};
  }

  int status_ = 0;  // of the last error
};

Measured padded(std::vector<double> times = {}, double wavefronts = 8) {
  return {.id = "transpose/padded/8x8",
          .times_ns = std::move(times),
          .counters = {{"shared_load_wavefronts", wavefronts},
                       {"shared_load_requests", 8},
                       {"shared_load_ideal_wavefronts", 8}},
          .lines = {source_line(31, Access::shared_load, 8, 8, "out = tile[x];")}};
}

TEST_F(BaselineFolder, IsReadableAndHasOneMetricALine) {
  (void)approve({results_of(h200(), {padded({6560.25, 6561})}, "2026-11-21T01:00:00Z"),
                 results_of(h200(), {padded({6570, 6571})}, "2026-11-21T02:00:00Z")});
  EXPECT_EQ(results::read_file(folder_ / "nvidia-h200" / "transpose.json"), R"({
  "schema": 2,
  "benchmarks": {
    "transpose/padded/8x8": {
      "counted": "2026-11-21T01:00:00Z GPU-test",
      "statistical": {
        "time": [
          {"session": "2026-11-21T01:00:00Z GPU-test", "processes": [6560.25, 6561]},
          {"session": "2026-11-21T02:00:00Z GPU-test", "processes": [6570, 6571]}
        ]
      },
      "exact": {
        "shared_load_requests": 8,
        "shared_load_wavefronts": 8
      },
      "ranges": {
        "shared_load_ideal_wavefronts": {"least": 8, "greatest": 8, "sessions": 2, "class": "unknown"}
      },
      "lines": [
        {"file":"kernels/transpose.cuh","line":31,"column":0,"function":"kernel","text":"out = tile[x];","access":"shared_load","width_bytes":4,"requests":8,"wavefronts":8,"ideal_wavefronts":0}
      ]
    }
  }
}
)");
  EXPECT_EQ(results::read_file(folder_ / "nvidia-h200" / "device.json"), R"({
  "schema": 2,
  "device": {
    "kind": "gpu",
    "name": "NVIDIA H200",
    "key": "nvidia-h200",
    "compute_capability": "",
    "multiprocessors": 0,
    "l2_bytes": 0,
    "memory_bytes": 0
  },
  "sessions": {
    "2026-11-21T01:00:00Z GPU-test": {"approved":"2026-11-22T00:00:00Z","by":"Ada <ada@example.org>","reason":"faster","created":"2026-11-21T01:00:00Z","device":{"uuid":"GPU-test","driver":"580.1"},"toolchain":{"host_compiler":"g++ 12","cuda":"","build_type":"Release","version":"0.1.0"},"source":{"revision":"abc","modified":false},"processes":2},
    "2026-11-21T02:00:00Z GPU-test": {"approved":"2026-11-22T00:00:00Z","by":"Ada <ada@example.org>","reason":"faster","created":"2026-11-21T02:00:00Z","device":{"uuid":"GPU-test","driver":"580.1"},"toolchain":{"host_compiler":"g++ 12","cuda":"","build_type":"Release","version":"0.1.0"},"source":{"revision":"abc","modified":false},"processes":2}
  }
}
)");
}

TEST_F(BaselineFolder, WhatWasApprovedIsReadBack) {
  (void)approve({results_of(h200(), {padded({6560.25, 6561}), {.id = "a/b/1", .times_ns = {5, 6}}}),
                 results_of(h200(), {padded({6570, 6571})}, "2026-11-21T09:00:00Z")});
  const auto baseline = read_baseline(folder_, "nvidia-h200");
  ASSERT_TRUE(baseline);
  ASSERT_EQ(baseline->benchmarks.size(), 2u);
  EXPECT_EQ(baseline->benchmarks[0].id, "a/b/1");
  const auto& transpose = baseline->benchmarks[1];
  EXPECT_EQ(transpose.metrics.at("time").sessions,
            (std::vector<std::vector<double>>{{6560.25, 6561}, {6570, 6571}}));
  EXPECT_EQ(transpose.metrics.at("shared_load_wavefronts").sessions,
            (std::vector<std::vector<double>>{{8}}));
  EXPECT_EQ(transpose.lines, padded().lines);
  EXPECT_EQ(baseline->session->device, h200());
  EXPECT_FALSE(read_baseline(folder_, "emulated"));
  EXPECT_EQ(devices_with_baseline(folder_), (std::vector<std::string>{"nvidia-h200"}));
}

TEST_F(BaselineFolder, DoesNotShowWhetherThereWasMachineCode) {
  Measured looked_up = padded();
  looked_up.lines[0].compiled = results::Compiled::confirmed;
  looked_up.lines[0].by_instruction = {{"", 16, "LDS.32", 8, 8, 8, 0, 0}};
  looked_up.lines[0].instructions = "1 × LDS.32";
  (void)approve({results_of(emulated(), {looked_up})});
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.at(0).lines, padded().lines);
  EXPECT_TRUE(approve({results_of(emulated(), {padded()})}).written.empty());
}

TEST_F(BaselineFolder, OtherBenchmarksKeepTheirs) {
  (void)approve({results_of(emulated(), {padded(),
                                         {.id = "transpose/naive/1", .counters = {{"barriers", 1}}},
                                         {.id = "scan/x/1", .counters = {{"barriers", 1}}}})});
  const auto before = all_files();
  const Approval approval = approve({results_of(emulated(), {padded({}, 9)})});
  EXPECT_EQ(approval.changed, (std::vector<std::string>{"transpose/padded/8x8"}));
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.size(), 3u);
  const std::string scan = (folder_ / "emulated" / "scan.json").string();
  EXPECT_EQ(all_files().at(scan), before.at(scan));
}

TEST_F(BaselineFolder, ApprovingTheSameChangesNoFile) {
  (void)approve({results_of(emulated(), {padded()}, "2026-11-21T01:00:00Z")});
  const auto before = all_files();
  const Approval approval = approve({results_of(emulated(), {padded()}, "2026-11-21T09:00:00Z")});
  EXPECT_TRUE(approval.written.empty());
  EXPECT_EQ(all_files(), before);
}

TEST_F(BaselineFolder, RemovesWhatItIsToldTo) {
  (void)approve(
      {results_of(emulated(), {padded(), {.id = "scan/x/1", .counters = {{"barriers", 1}}}})});
  const Approval approval = approve({results_of(emulated(), {padded()})}, {"scan/x/1"});
  EXPECT_EQ(approval.removed, (std::vector<std::string>{"scan/x/1"}));
  EXPECT_FALSE(fs::exists(folder_ / "emulated" / "scan.json"));
  EXPECT_EQ(error_of({results_of(emulated(), {padded()})}, {"scan/x/1"}).substr(0, 18),
            "--remove scan/x/1:");
  EXPECT_NE(error_of({results_of(emulated(), {padded()})}, {padded().id}), "accepted");
}

TEST_F(BaselineFolder, ExactCountersThatDifferBetweenSessionsAreRefused) {
  EXPECT_EQ(
      error_of({results_of(emulated(), {padded()}), results_of(emulated(), {padded({}, 9)})}),
      "results.json: transpose/padded/8x8: shared_load_wavefronts should be exact, but 9 here "
      "and 8 in an earlier session; class it as shown in the policy, or measure again");
}

TEST_F(BaselineFolder, AStatisticalFigureOfZeroIsRefusedBecauseItCouldNotBeReadBack) {
  const Policy policy =
      parse_policy("[[metric]]\nnames = [\"barriers\"]\nclass = \"statistical\"\n", "policy");
  const Measured idle{.id = "a/b/1", .counters = {{"barriers", 0}}};
  EXPECT_THROW((void)ci::approve(request({results_of(emulated(), {idle})}), folder_, policy),
               Error);
  EXPECT_TRUE(all_files().empty());
}

TEST_F(BaselineFolder, FailedBenchmarksAreRefused) {
  Measured failed = padded();
  failed.outcome = {results::Status::wrong_result, "3 of 9 are wrong"};
  const std::string error = error_of({results_of(emulated(), {failed})});
  EXPECT_NE(error.find("transpose/padded/8x8 failed (wrong_result: 3 of 9"), std::string::npos)
      << error;
}

TEST_F(BaselineFolder, ASessionGivenTwiceIsRefused) {
  const Results session = results_of(h200(), {padded({6560, 6561})});
  EXPECT_EQ(error_of({session, session}),
            "results.json: transpose/padded/8x8: its session of 2026-11-21T04:00:00Z is given "
            "twice; name each session once");
}

TEST_F(BaselineFolder, SessionsOfTwoDevicesAreRefused) {
  EXPECT_NE(error_of({results_of(h200(), {padded({1, 2})}), results_of(emulated(), {padded()})})
                .find("approve one device at a time"),
            std::string::npos);
}

TEST_F(BaselineFolder, AFamilyThatIsNoFileNameIsRefused) {
  for (const char* id : {"../x/1", "/x/1", "device/x/1", ".hidden/x/1", "a b/x/1", ""}) {
    Measured measured = padded();
    measured.id = id;
    EXPECT_NE(error_of({results_of(emulated(), {measured})}).find("cannot name a file"),
              std::string::npos)
        << id;
  }
}

TEST_F(BaselineFolder, WhatThePolicyOnlyShowsIsNotKept) {
  (void)approve({results_of(emulated(), {padded()})});
  EXPECT_EQ(
      results::read_file(folder_ / "emulated" / "transpose.json").find("_ideal_wavefronts\": "),
      std::string::npos);
}

// Times as of a kernel of 10 µs, a little apart by session and process.
std::vector<double> steady(double factor, int session) {
  const double time = factor * 10'000 * (1 + 0.001 * (session % 3));
  return {time, time + 5, time + 11, time + 3, time + 8};
}

std::string hour(int session) {
  return "2026-11-21T" + std::string(session < 10 ? "0" : "") + std::to_string(session) + ":00:00Z";
}

Results session(int number, double factor = 1, const std::string& driver = "580.1") {
  results::Device device = h200();
  device.uuid = "GPU-" + std::to_string(number % 4);
  device.driver = driver;
  return results_of(
      device,
      {padded(steady(factor, number)), {.id = "scan/x/1", .times_ns = steady(1, number + 1)}},
      hour(number));
}

std::vector<Results> sessions(int from, int to) {
  std::vector<Results> all;
  for (int i = from; i < to; ++i) all.push_back(session(i));
  return all;
}

TEST_F(BaselineFolder, AnotherSessionOfTheSameTimeIsAddedAndChangesALineAMetric) {
  (void)approve(sessions(0, 5));
  fs::copy(folder_ / "nvidia-h200", folder_ / "before");
  const Approval approval = approve({session(5)});
  EXPECT_EQ(approval.extended, 2u);
  EXPECT_EQ(approval.replaced, 0u);
  EXPECT_TRUE(approval.moved.empty());
  EXPECT_EQ(times(padded().id).size(), 6u);
  const Finished diff =
      shell("cd '" + folder_.string() + "' && diff before nvidia-h200 | grep -c '^[<>]'");
  // A line for each of the two benchmarks and one in device.json, with the line above it, which
  // gets a comma.
  EXPECT_EQ(diff.output, "9\n") << shell("diff '" + folder_.string() + "/before' '" +
                                         folder_.string() + "/nvidia-h200'")
                                       .output;
}

TEST_F(BaselineFolder, SessionsOfAnotherTimeTakeThePlaceOfTheOldOnes) {
  (void)approve(sessions(0, 5));
  for (const double factor : {1.3, 0.7}) {
    const Approval approval = approve({session(5, factor), session(6, factor)});
    EXPECT_EQ(times(padded().id),
              (std::vector<std::vector<double>>{steady(factor, 5), steady(factor, 6)}));
    EXPECT_EQ(times("scan/x/1").size(), 7u) << "its time is the same";
    EXPECT_EQ(approval.replaced, 1u);
    ASSERT_EQ(approval.moved.size(), 1u);
    EXPECT_EQ(approval.moved[0].id, padded().id);
    EXPECT_EQ(approval.moved[0].metric, "time");
    EXPECT_NEAR(*approval.moved[0].after / 10'000, factor, 0.01);
  }
}

TEST_F(BaselineFolder, TheNewestTwelveSessionsAreKept) {
  (void)approve(sessions(3, 13));
  EXPECT_EQ(times(padded().id).size(), 10u);
  (void)approve(sessions(13, 18));
  ASSERT_EQ(times(padded().id).size(), kMostSessions);
  EXPECT_EQ(times(padded().id).front(), steady(1, 6));
  EXPECT_EQ(times(padded().id).back(), steady(1, 17));
  // An older one is taken in where it belongs, and is the first to go.
  EXPECT_TRUE(approve({session(1)}).changed.empty());
}

TEST_F(BaselineFolder, ASessionThatIsThereAlreadyIsNotAddedAgain) {
  (void)approve(sessions(0, 5));
  const auto before = all_files();
  ApprovalRequest again = request({session(2), session(4)});
  again.by = "Bob";
  again.reason = "again";
  EXPECT_TRUE(approve(again).written.empty());
  EXPECT_EQ(all_files(), before);
}

TEST_F(BaselineFolder, WhatIsInconclusiveIsRefusedByNameAndWhatTheFilterTakesIsNot) {
  (void)approve(sessions(0, 5));
  Results doubtful = session(5);
  doubtful.benchmarks[1].metrics.at("time").sessions = {{9'000, 10'900, 10'000, 11'500, 9'400}};
  ASSERT_EQ(doubtful.benchmarks[1].id, "scan/x/1");
  const std::string error = error_of({doubtful});
  EXPECT_EQ(status_, kExitNoVerdict);
  EXPECT_NE(error.find("inconclusive against"), std::string::npos) << error;
  EXPECT_NE(error.find("scan/x/1: time: "), std::string::npos) << error;
  EXPECT_NE(error.find("may be worse than"), std::string::npos) << error;
  EXPECT_EQ(error.find(padded().id), std::string::npos) << error;

  ApprovalRequest only = request({doubtful});
  only.filter = "padded";
  EXPECT_EQ(approve(only).changed, (std::vector<std::string>{padded().id}));
  EXPECT_EQ(times("scan/x/1").size(), 5u);
  only.filter = "nothing";
  EXPECT_EQ(error_of(only), "--filter 'nothing' matches no benchmark of results.json");
  EXPECT_EQ(status_, kExitUsage);
}

TEST_F(BaselineFolder, WhatTheFilterLeavesOutMayHaveFailed) {
  Measured failed{.id = "scan/x/1", .outcome = {results::Status::wrong_result, "3 of 9 are wrong"}};
  ApprovalRequest only = request({results_of(emulated(), {padded(), failed})});
  EXPECT_NE(error_of(only), "accepted");
  only.filter = "^transpose/";
  EXPECT_EQ(approve(only).added, (std::vector<std::string>{padded().id}));
}

TEST_F(BaselineFolder, AMetricThatTheBaselineHasMustBeMeasuredUnlessItIsOptional) {
  (void)approve({results_of(emulated(), {padded()})});
  Measured without = padded();
  without.counters.erase("shared_load_requests");
  const std::string error = error_of({results_of(emulated(), {without})});
  EXPECT_EQ(status_, kExitNotMeasured);
  EXPECT_NE(error.find("transpose/padded/8x8: shared_load_requests: absent"), std::string::npos)
      << error;

  Policy policy = built_in_policy();
  policy.overrides.push_back({.benchmarks = "*",
                              .metrics = {"shared_load_requests"},
                              .gate = {},
                              .optional = true,
                              .relative_floor = {},
                              .absolute_floor = {},
                              .reason = "no such counter here"});
  without.counters["shared_load_wavefronts"] = 9;
  (void)ci::approve(request({results_of(emulated(), {without})}), folder_, policy);
  const auto benchmark = read_baseline(folder_, "emulated")->benchmarks.at(0);
  EXPECT_EQ(benchmark.metrics.at("shared_load_requests").sessions.at(0).at(0), 8);
  EXPECT_EQ(benchmark.metrics.at("shared_load_wavefronts").sessions.at(0).at(0), 9);
}

TEST_F(BaselineFolder, OneFigureInTheBaselineDoesNotBarBetterOnes) {
  (void)approve({results_of(h200(), {padded({6'560})}, hour(1))});
  (void)approve({results_of(h200(), {padded({7'560, 7'561})}, hour(2))});
  EXPECT_EQ(times(padded().id), (std::vector<std::vector<double>>{{7'560, 7'561}}));
}

class RangesOfCounters : public BaselineFolder {
 protected:
  // A session of an hour whose kernel read so many bytes.
  static Results read(int number, double bytes, double wavefronts = 8, char code = 'a',
                      const results::Device& device = h200()) {
    const double time = 100'000 + number;
    Measured measured = padded({time, time + 1, time + 2}, wavefronts);
    measured.counters["dram_read_bytes"] = bytes;
    measured.machine_code = {kernel_code("kernel", code)};
    return results_of(device, {measured}, hour(number));
  }

  [[nodiscard]] results::CounterRange range() const {
    return load_baseline(folder_, "nvidia-h200")
        ->families.at("transpose")
        .at(padded().id)
        .ranges.at("dram_read_bytes");
  }

  static results::CounterRange range(int sessions, double least, double greatest) {
    return {sessions, least, greatest};
  }
};

TEST_F(RangesOfCounters, GrowWithTheSessionsAndCountEachOnce) {
  (void)approve({read(1, 1000), read(2, 1004)});
  EXPECT_EQ(range(), range(2, 1000, 1004));
  (void)approve({read(3, 998), read(2, 1004)});
  EXPECT_EQ(range(), range(3, 998, 1004));
  EXPECT_TRUE(approve({read(2, 1004)}).written.empty());
  (void)approve({read(4, 1000), read(5, 1000)});
  EXPECT_EQ(range(), range(5, 998, 1004));
  const std::string text = results::read_file(folder_ / "nvidia-h200" / "transpose.json");
  EXPECT_NE(text.find(R"("dram_read_bytes": {"least": 998, "greatest": 1004, "sessions": 5, )"
                      R"("class": "bounded"})"),
            text.npos)
      << text;
  const Finished shown = warpgauge("baseline show transpose/padded/8x8 --baselines .");
  EXPECT_NE(shown.output.find("  shown, by repetition\n    dram_read_bytes: 998 to 1,004 in 5 "
                              "sessions or more, bounded\n"),
            std::string::npos)
      << shown.output;
  EXPECT_EQ(read_baseline(folder_, "nvidia-h200")->benchmarks.front().ranges.at("dram_read_bytes"),
            range(5, 998, 1004));
}

TEST_F(RangesOfCounters, BeginAnewWithOtherKernelsAndInAnotherEnvironment) {
  (void)approve({read(1, 1000), read(2, 1004)});
  (void)approve({read(3, 500, 8, 'b')});
  EXPECT_EQ(range(), range(1, 500, 500)) << "other machine code";
  (void)approve({read(4, 700, 9, 'b')});
  EXPECT_EQ(range(), range(1, 700, 700)) << "other counts";
  results::Device newer = h200();
  newer.driver = "590.2";
  ApprovalRequest start_over = request({read(5, 800, 9, 'b', newer)});
  start_over.new_environment = true;
  (void)approve(start_over);
  EXPECT_EQ(range(), range(1, 800, 800)) << "another driver";
}

TEST_F(RangesOfCounters, AreNotKeptOfAnEmulator) {
  (void)approve({read(1, 1000, 8, 'a', emulated())});
  EXPECT_EQ(results::read_file(folder_ / "emulated" / "transpose.json").find("ranges"),
            std::string::npos);
}

TEST_F(RangesOfCounters, ABaselineWithoutThemIsReadAndGetsThem) {
  (void)approve({read(1, 1000), read(2, 1004)});
  const auto file = folder_ / "nvidia-h200" / "transpose.json";
  std::string text = results::read_file(file);
  const auto begin = text.find("      \"ranges\"");
  text.erase(begin, text.find("      \"lines\"") - begin);
  results::write_file_atomically(file, text);
  EXPECT_TRUE(read_baseline(folder_, "nvidia-h200")->benchmarks.front().ranges.empty());
  (void)approve({read(2, 1004)});
  EXPECT_EQ(range(), range(1, 1004, 1004));
}

TEST_F(RangesOfCounters, ThatContradictThemselvesAreRefused) {
  (void)approve({read(1, 1000), read(2, 1004)});
  const auto file = folder_ / "nvidia-h200" / "transpose.json";
  const std::string good = results::read_file(file);
  const std::string least = R"("least": 1000, "greatest": 1004, "sessions": 2, "class": "unknown")";
  for (const auto& [wrong, what] :
       {std::pair(R"("least": 900, "greatest": 1004, "sessions": 2, "class": "unknown")",
                  "class: must be noisy"),
        {R"("least": 1005, "greatest": 1004, "sessions": 2, "class": "unknown")", "more than"},
        {R"("least": 1000, "greatest": 1004, "sessions": 6, "class": "bounded")", "must be 1 to 5"},
        {R"("least": -1, "greatest": 1004, "sessions": 2, "class": "noisy")", "least: must be"}}) {
    std::string text = good;
    ASSERT_NE(text.find(least), text.npos) << text;
    text.replace(text.find(least), least.size(), wrong);
    results::write_file_atomically(file, text);
    try {
      (void)load_baseline(folder_, "nvidia-h200");
      FAIL() << wrong;
    } catch (const results::FormatError& error) {
      EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
    }
  }
}

TEST_F(RangesOfCounters, AnExactCounterThatTheSameMachineCodeDoesNotRepeatIsNamed) {
  (void)approve({read(1, 1000)});
  const Approval approval = approve({read(2, 1000, 9)});
  EXPECT_EQ(approval.not_repeated,
            (std::vector<std::string>{padded().id + ": shared_load_wavefronts"}));
  EXPECT_NE(approval_text(approval).find("set gate = false for them in the policy"),
            std::string::npos)
      << approval_text(approval);
  EXPECT_TRUE(approve({read(3, 1000, 8, 'b')}).not_repeated.empty()) << "the kernel is another";

  const auto launched = [&](int number, double wavefronts, std::uint32_t blocks) {
    Results results = read(number, 1000, wavefronts, 'b');
    results.benchmarks[0].launches = {{.kernel = "k()", .grid = {blocks, 1, 1}}};
    return results;
  };
  (void)approve({launched(4, 8, 1)});
  EXPECT_TRUE(approve({launched(5, 9, 2)}).not_repeated.empty()) << "it is launched differently";
  EXPECT_EQ(range(), range(1, 1000, 1000)) << "and starts over";
}

TEST_F(BaselineFolder, HotTimesAreRefusedWhereThereAreColdOnesUnlessTheyTakeThePlaceOfAll) {
  (void)approve(sessions(0, 5));
  const auto hot = [](int number) {
    Results results = session(number, 0.5);
    results.session->hot = true;
    return results;
  };
  ApprovalRequest hotter = request({hot(5), hot(6)});
  const std::string refused = error_of(hotter);
  EXPECT_EQ(status_, kExitNoVerdict);
  EXPECT_NE(refused.find("has cold times and these are hot"), refused.npos) << refused;
  EXPECT_NE(refused.find("--new-environment"), refused.npos) << refused;
  EXPECT_NE(error_of({hot(5), session(6)}).find("timed cold, but results.json hot"),
            std::string::npos);

  // Not of a part, and not of what is new either: both would stand in one baseline.
  hotter.new_environment = true;
  hotter.filter = "padded";
  const std::string partly = error_of(hotter);
  EXPECT_EQ(status_, kExitUsage);
  EXPECT_NE(partly.find("would keep the cold ones of scan/x/1;"), partly.npos) << partly;
  Results added = results_of(h200(), {{.id = "new/x/1", .times_ns = {5, 6}}});
  added.session->hot = true;
  EXPECT_NE(error_of({added}).find("has cold times"), std::string::npos);

  hotter.filter = "";
  (void)approve(hotter);
  EXPECT_EQ(times(padded().id).size(), 2u);
  EXPECT_EQ(times("scan/x/1").size(), 2u);
  EXPECT_TRUE(read_baseline(folder_, "nvidia-h200")->session->hot);
  (void)approve({hot(7)});
  EXPECT_EQ(times(padded().id).size(), 3u);
  EXPECT_NE(error_of({session(8)}).find("has hot times and these are cold"), std::string::npos);
}

TEST_F(BaselineFolder, HotAndColdTimesThatAMergeLeftBesideEachOtherAreNotRead) {
  (void)approve(sessions(0, 5));
  const auto device = folder_ / "nvidia-h200" / "device.json";
  std::string text = results::read_file(device);
  text.insert(text.rfind("\"processes\""), "\"hot\":true,");
  results::write_file_atomically(device, text);
  try {
    (void)read_baseline(folder_, "nvidia-h200");
    FAIL() << "it was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    EXPECT_NE(std::string(error.what()).find("has hot and cold times"), std::string::npos);
  }
  // Which makes one of it again.
  ApprovalRequest start_over = request({session(5), session(6)});
  start_over.new_environment = true;
  (void)approve(start_over);
  EXPECT_EQ(times(padded().id).size(), 6u);
}

TEST_F(BaselineFolder, ANewEnvironmentBeginsTheSessionsOfTheApprovedBenchmarksAnew) {
  (void)approve(sessions(0, 5));
  ApprovalRequest newer = request({session(5, 1, "590.2"), session(6, 1, "590.2")});
  newer.new_environment = true;
  newer.filter = "padded";
  const Approval approval = approve(newer);
  EXPECT_EQ(times(padded().id).size(), 2u);
  EXPECT_EQ(times("scan/x/1").size(), 5u);
  EXPECT_EQ(approval.replaced, 1u);
  ASSERT_EQ(approval.moved.size(), 1u);

  // From now on it is the environment that there was.
  newer.sessions = {session(7, 1, "590.2")};
  EXPECT_NE(error_of(newer).find("--new-environment: "), std::string::npos);
  EXPECT_EQ(status_, kExitUsage);
  newer.new_environment = false;
  (void)approve(newer);
  EXPECT_EQ(times(padded().id).size(), 3u);
}

TEST_F(BaselineFolder, ANewEnvironmentTakesWhatWasInconclusiveInTheOldOne) {
  (void)approve(sessions(0, 5));
  Results doubtful = session(5, 1, "590.2");
  for (auto& benchmark : doubtful.benchmarks) {
    benchmark.metrics.at("time").sessions = {{9'000, 10'900, 10'000, 11'500, 9'400}};
  }
  ApprovalRequest newer = request({doubtful});
  EXPECT_NE(error_of(newer), "accepted");
  newer.new_environment = true;
  EXPECT_EQ(approve(newer).replaced, 2u);
}

TEST_F(BaselineFolder, ASubsetLeavesTheEnvironmentOfTheOthersAlone) {
  (void)approve(sessions(0, 5));
  ApprovalRequest other = request({session(5, 1.4, "590.2")});
  other.filter = "padded";
  other.by = "Bob";
  other.reason = "the new driver";
  other.new_environment = true;
  (void)approve(other);
  const auto baseline = load_baseline(folder_, "nvidia-h200");
  ASSERT_TRUE(baseline);
  const auto& scan = baseline->families.at("scan").at("scan/x/1");
  const ApprovedSession& first = baseline->sessions.at(scan.statistical.at("time")[0].session);
  EXPECT_EQ(first.session.device.driver, "580.1");
  EXPECT_EQ(first.session.device.uuid, "GPU-0");
  EXPECT_EQ(first.session.device.name, "NVIDIA H200");
  EXPECT_EQ(first.by, "Ada <ada@example.org>");
  const auto& transpose = baseline->families.at("transpose").at(padded().id);
  const ApprovedSession& last =
      baseline->sessions.at(transpose.statistical.at("time").at(0).session);
  EXPECT_EQ(last.session, other.sessions[0].session);
  EXPECT_EQ(last.by, "Bob");
  EXPECT_EQ(last.reason, "the new driver");
}

TEST_F(BaselineFolder, OneSessionApprovedForTwoReasonsHasBoth) {
  ApprovalRequest part = request({session(1)});
  part.filter = "padded";
  (void)approve(part);
  part.filter = "scan";
  part.reason = "another";
  (void)approve(part);
  const auto baseline = load_baseline(folder_, "nvidia-h200");
  const auto reason_of = [&](const std::string& family, const std::string& id) {
    return baseline->sessions.at(baseline->families.at(family).at(id).counted).reason;
  };
  EXPECT_EQ(reason_of("transpose", padded().id), "faster");
  EXPECT_EQ(reason_of("scan", "scan/x/1"), "another");
}

TEST_F(BaselineFolder, SessionsThatNoBenchmarkRefersToAreForgotten) {
  (void)approve(sessions(0, 5));
  Results replacing = session(5, 1.5);
  replacing.benchmarks[1].metrics.at("time").sessions = {steady(1.5, 5)};
  (void)approve({replacing});
  const auto baseline = load_baseline(folder_, "nvidia-h200");
  // What was counted before was counted alike, and stays as it was approved.
  EXPECT_EQ(baseline->sessions.size(), 2u);
}

TEST_F(BaselineFolder, WithoutBenchmarksThereIsNoBaseline) {
  (void)approve({results_of(emulated(), {padded()})});
  Baseline baseline = load_baseline(folder_, "emulated").value();
  baseline.families.at("transpose").clear();
  EXPECT_EQ(save_baseline(baseline).size(), 2u);
  EXPECT_FALSE(fs::exists(folder_ / "emulated"));
  EXPECT_FALSE(read_baseline(folder_, "emulated"));
}

TEST_F(BaselineFolder, ABenchmarkOfWhichNothingIsGatedCanBeApprovedAgain) {
  const Measured shown{.id = "scan/x/1", .counters = {}};
  (void)approve({results_of(emulated(), {shown})});
  EXPECT_TRUE(approve({results_of(emulated(), {shown}, hour(9))}).written.empty());
}

TEST_F(BaselineFolder, ThatCannotBeReadIsNotTakenForNone) {
  const auto fails = [&](const fs::path& folder) {
    try {
      (void)read_baseline(folder, "nvidia-h200");
    } catch (const Error& error) {
      return error.exit_status() == kExitNotMeasured;
    } catch (const results::FileError&) {
      return true;
    } catch (const results::FormatError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(fails(folder_)) << "there is none";
  EXPECT_FALSE(fails(folder_ / "none"));

  write("file", "");
  EXPECT_TRUE(fails(folder_ / "file"));
  fs::create_symlink("loop", folder_ / "loop");
  EXPECT_TRUE(fails(folder_ / "loop"));
  EXPECT_THROW((void)devices_with_baseline(folder_ / "loop"), Error);
  fs::create_symlink("nvidia-h200", folder_ / "nvidia-h200");
  EXPECT_TRUE(fails(folder_));
  fs::remove(folder_ / "nvidia-h200");
  write("nvidia-h200", "");
  EXPECT_TRUE(fails(folder_));
  fs::remove(folder_ / "nvidia-h200");

  (void)approve(sessions(0, 2));
  EXPECT_FALSE(fails(folder_));
  fs::rename(folder_ / "nvidia-h200" / "device.json", folder_ / "away.json");
  EXPECT_TRUE(fails(folder_)) << "families without the device";
  fs::create_directory(folder_ / "nvidia-h200" / "device.json");
  EXPECT_TRUE(fails(folder_));
}

TEST_F(BaselineFolder, ASessionThatIsNotDescribedIsAnError) {
  (void)approve(sessions(0, 2));
  const std::string text = results::read_file(folder_ / "nvidia-h200" / "device.json");
  const std::string second = hour(1) + " GPU-1\": {";
  ASSERT_NE(text.find(second), std::string::npos);
  std::string other = text;
  write("nvidia-h200/device.json", other.replace(text.find(second), 4, "2027"));
  try {
    (void)read_baseline(folder_, "nvidia-h200");
    FAIL() << "accepted";
  } catch (const results::FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("session '" + hour(1) + " GPU-1' is not in"),
              std::string::npos)
        << error.what();
  }
}

TEST_F(BaselineFolder, PruningKeepsTheNewestAndSaysWhatWent) {
  (void)approve(sessions(0, 8));
  const auto dropped = prune_baselines(folder_, {"nvidia-h200"}, 6);
  EXPECT_EQ(times(padded().id).size(), 6u);
  EXPECT_EQ(times(padded().id).front(), steady(1, 2));
  EXPECT_EQ(pruned_text(dropped),
            "dropped  nvidia-h200  2026-11-21T00:00:00Z GPU-0  of 2 benchmarks\n"
            "dropped  nvidia-h200  2026-11-21T01:00:00Z GPU-1  of 2 benchmarks\n");
  const auto before = all_files();
  EXPECT_EQ(pruned_text(prune_baselines(folder_, {"nvidia-h200"}, 6)), "nothing to drop\n");
  EXPECT_EQ(all_files(), before);
}

TEST_F(BaselineFolder, TheReportSaysWhatMovedFromWhatToWhat) {
  (void)approve(sessions(0, 5));
  Results now = session(5);
  now.benchmarks[0].metrics.at("shared_load_wavefronts").sessions = {{9}};
  const std::string text = approval_text(approve({now}));
  EXPECT_EQ(text.substr(0, text.find("wrote")),
            "  benchmark             metric                  before  after   change\n"
            "  transpose/padded/8x8  shared_load_wavefronts       8      9  +12.5 %\n"
            "the same: 2 metrics, its sessions added to those that there were\n");
}

TEST_F(BaselineFolder, IsListedAndShownWithWhoApprovedItWhenAndWhy) {
  (void)approve(sessions(0, 2));
  const auto baseline = load_baseline(folder_, "nvidia-h200");
  EXPECT_EQ(list_text({*baseline}),
            "  device       family     benchmarks  sessions  newest\n"
            "  nvidia-h200  scan                1         2  2026-11-21T01:00:00Z\n"
            "  nvidia-h200  transpose           1         2  2026-11-21T01:00:00Z\n");
  EXPECT_EQ(
      benchmark_text(*baseline, padded().id, baseline->families.at("transpose").at(padded().id)),
      "transpose/padded/8x8 (nvidia-h200)\n"
      "  time, a figure a process\n"
      "    2026-11-21T00:00:00Z GPU-0: 10.00 µs, 10.01 µs, 10.01 µs, 10.00 µs, 10.01 µs\n"
      "    2026-11-21T01:00:00Z GPU-1: 10.01 µs, 10.01 µs, 10.02 µs, 10.01 µs, 10.02 µs\n"
      "  exact\n"
      "    shared_load_requests: 8\n"
      "    shared_load_wavefronts: 8\n"
      "  shown, by repetition\n"
      "    shared_load_ideal_wavefronts: 8 in 2 sessions\n"
      "  lines\n"
      "    kernels/transpose.cuh:31 shared_load 8 requests, 8 wavefronts: out = tile[x];\n"
      "  sessions\n"
      "    2026-11-21T00:00:00Z GPU-0\n"
      "      revision abc, driver 580.1, g++ 12\n"
      "      approved 2026-11-22T00:00:00Z by Ada <ada@example.org>: faster\n"
      "    2026-11-21T01:00:00Z GPU-1\n"
      "      revision abc, driver 580.1, g++ 12\n"
      "      approved 2026-11-22T00:00:00Z by Ada <ada@example.org>: faster\n");
}

// The limit on a file's size kills the process in the middle of the first file that is larger.
void approve_up_to(std::size_t bytes, const ApprovalRequest& request, const fs::path& folder) {
  const rlimit none{0, 0};
  const rlimit size{bytes, bytes};
  ::setrlimit(RLIMIT_CORE, &none);
  ::setrlimit(RLIMIT_FSIZE, &size);
  (void)ci::approve(request, folder, built_in_policy());
}

TEST_F(BaselineFolder, KilledInTheMiddleOfAnyFileApproveLeavesOldAndNewOnesAndIsRunAgain) {
  const auto results = [](double counter, int number) {
    std::vector<Measured> benchmarks;
    for (const char family : {'a', 'b', 'c', 'd', 'e'}) {
      // Each family's file is larger than the one before, so that each limit kills at another.
      for (int i = 0; i < 4 * (family - 'a' + 1); ++i) {
        benchmarks.push_back({.id = fmt::format("{}/x/{}", family, i),
                              .counters = {{"barriers", counter}, {"global_load_sectors", 7}}});
      }
    }
    if (number == 0) benchmarks.push_back({.id = "gone/x/1", .counters = {{"barriers", 1}}});
    return results_of(emulated(), benchmarks, hour(number));
  };
  const ApprovalRequest first = request({results(1, 0)});
  const ApprovalRequest second = request({results(2, 1)}, {"gone/x/1"});
  (void)approve(first);
  const auto old_files = all_files();
  (void)approve(second);
  const auto new_files = all_files();
  ASSERT_EQ(old_files.size(), 7u);
  ASSERT_EQ(new_files.size(), 6u);

  std::size_t mixed = 0;
  for (const auto& [killed_at, text] : new_files) {
    fs::remove_all(folder_ / "emulated");
    (void)approve(first);
    EXPECT_EXIT(approve_up_to(text.size() - 1, second, folder_), testing::KilledBySignal(SIGXFSZ),
                "");
    SCOPED_TRACE("killed at " + killed_at);
    std::size_t is_new = 0;
    for (const auto& [name, old_text] : old_files) {
      if (name.ends_with("device.json")) continue;
      const std::string now = results::read_file(folder_ / name);
      EXPECT_TRUE(now == old_text || now == new_files.at(name)) << name << ": " << now;
      if (now != old_text) ++is_new;
    }
    if (is_new > 0) ++mixed;
    EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.size(), 61u);
    (void)approve(second);
    EXPECT_EQ(all_files(), new_files);
  }
  EXPECT_EQ(mixed, 4u);
}

TEST_F(BaselineFolder, KeepsOtherFilesModesAndLinksAndClearsWhatAKilledApproveLeft) {
  (void)approve(sessions(0, 2));
  write("nvidia-h200/README", "notes");
  const auto place = folder_ / "nvidia-h200";
  fs::permissions(place / "scan.json", fs::perms::owner_all);
  fs::rename(place, folder_ / "elsewhere");
  fs::create_symlink("elsewhere", place);
  write("elsewhere/scan.json.unfinished-abcdef", "half");
  EXPECT_EQ(devices_with_baseline(folder_), (std::vector<std::string>{"elsewhere", "nvidia-h200"}));
  (void)approve({session(2)});
  EXPECT_EQ(results::read_file(place / "README"), "notes");
  EXPECT_TRUE(fs::is_symlink(place));
  EXPECT_EQ(fs::status(place / "scan.json").permissions(), fs::perms::owner_all);
  EXPECT_FALSE(fs::exists(place / "scan.json.unfinished-abcdef"));
  EXPECT_EQ(times("scan/x/1").size(), 3u);
}

TEST_F(BaselineFolder, ApprovalsAtTheSameTimeAllCount) {
  constexpr int kApprovals = 8;
  std::string commands;
  for (int i = 0; i <= kApprovals; ++i) {
    const std::string name = std::to_string(i) + ".json";
    const Measured each{.id = "a/b/" + std::to_string(i), .counters = {{"barriers", 1}}};
    write(name, results_text(emulated(), {each}));
    // The first makes the folder.
    commands += quoted(WARPGAUGE) + " approve " + name + " --reason why " + (i == 0 ? "; " : "& ");
  }
  (void)shell("cd '" + folder_.string() + "' && " + commands + "wait");
  EXPECT_EQ(read_baseline(folder_ / "baselines", "emulated")->benchmarks.size(), kApprovals + 1u);
}

TEST_F(BaselineFolder, ShowTakesAnIdOrAPattern) {
  write("results.json",
        results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 1}}},
                                  {.id = "a/b/10", .counters = {{"barriers", 1}}}}));
  ASSERT_EQ(warpgauge("approve results.json --reason why").status, 0);
  const auto shown = [&](const std::string& pattern) {
    const std::string text = warpgauge("baseline show " + pattern).output;
    return std::pair(text.find("a/b/1 (") != text.npos, text.find("a/b/10 (") != text.npos);
  };
  EXPECT_EQ(shown("a/b/1"), std::pair(true, false));
  EXPECT_EQ(shown("b/1"), std::pair(true, true));
  EXPECT_EQ(shown("0$"), std::pair(false, true));
}

TEST_F(BaselineFolder, ShowTellsHowKernelsAreLaunched) {
  Measured launched = padded();
  launched.launches = {{.kernel = "transpose_tiled<1>", .grid = {4, 4, 1}, .block = {32, 8, 1}}};
  write("results.json", results_text(emulated(), {launched}));
  ASSERT_EQ(warpgauge("approve results.json --reason why").status, 0);
  EXPECT_NE(warpgauge("baseline show padded")
                .output.find("  launches\n    transpose_tiled<1>: grid 4×4, block 32×8\n"),
            std::string::npos);
}

TEST_F(BaselineFolder, WhoApprovesIsWhomGitKnowsOrTheUser) {
  const auto approved_by = [&](const std::string& environment) {
    fs::remove_all(folder_ / "baselines");
    write("results.json", results_text(emulated(), {padded()}));
    const Finished finished =
        shell("cd '" + folder_.string() +
              "' && export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null && " +
              environment + " && " + quoted(WARPGAUGE) + " approve results.json --reason why");
    EXPECT_EQ(finished.status, 0) << finished.output;
    return load_baseline(folder_ / "baselines", "emulated")->sessions.begin()->second.by;
  };
  EXPECT_EQ(approved_by("export USER=grace"), "grace");
  EXPECT_EQ(approved_by("unset USER"), "unknown");
  EXPECT_EQ(approved_by("git init -q . && git config user.name Ada && git config user.email a@b.c"),
            "Ada <a@b.c>");
}

// Of a machine with nvcc.
Measured compiled(char hash_digit = 'a', double wavefronts = 8) {
  Measured benchmark = padded({}, wavefronts);
  benchmark.counters["registers"] = 32;
  benchmark.counters["code_bytes"] = 2048;
  benchmark.machine_code = {kernel_code("transpose_tiled<1>", hash_digit)};
  return benchmark;
}

TEST_F(BaselineFolder, KeepsMachineCodeAndWhatItTakes) {
  (void)approve({results_of(emulated(), {compiled()})});
  const auto baseline = read_baseline(folder_, "emulated");
  ASSERT_TRUE(baseline.has_value());
  EXPECT_TRUE(baseline->is_baseline);
  EXPECT_EQ(baseline->benchmarks.at(0).machine_code, compiled().machine_code);
  EXPECT_TRUE(baseline->benchmarks[0].metrics.contains("registers"));
  EXPECT_FALSE(baseline->benchmarks[0].metrics.contains("code_bytes"));  // shown
}

TEST_F(BaselineFolder, KeepsLaunchesWhichOneSessionAfterTheOtherMustShare) {
  Measured launched = padded();
  launched.launches = {{.kernel = "transpose_tiled<1>",
                        .grid = {4, 4, 1},
                        .block = {32, 8, 1},
                        .dynamic_shared_bytes = 1024,
                        .count = 2}};
  (void)approve({results_of(emulated(), {launched})});
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.at(0).launches, launched.launches);
  // What does not tell, and confirms the rest, leaves them alone.
  EXPECT_TRUE(approve({results_of(emulated(), {padded()})}).written.empty());

  Measured other = launched;
  other.launches[0].block = {16, 16, 1};
  EXPECT_EQ(error_of({results_of(emulated(), {launched}, "2026-11-21T01:00:00Z"),
                      results_of(emulated(), {other}, "2026-11-21T02:00:00Z")}),
            "results.json: transpose/padded/8x8 is launched differently than in an earlier session "
            "(transpose_tiled<1>: block 32×8 → 16×16); approve sessions of one build");
  const Approval approval = approve({results_of(emulated(), {other})});
  EXPECT_EQ(approval.changed.size(), 1U);
  EXPECT_EQ(approval.relaunched,
            (std::vector<std::string>{padded().id + ": transpose_tiled<1>: block 32×8 → 16×16"}));
  EXPECT_NE(approval_text(approval).find("launched differently"), std::string::npos);
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.at(0).launches, other.launches);

  // Those of kernels that count otherwise now are not theirs.
  (void)approve({results_of(emulated(), {padded({}, 16)})});
  EXPECT_TRUE(read_baseline(folder_, "emulated")->benchmarks.at(0).launches.empty());
}

TEST_F(BaselineFolder, DamagedLaunchesAreRefused) {
  Measured launched = padded();
  launched.launches = {{.kernel = "transpose_tiled<1>"}};
  (void)approve({results_of(emulated(), {launched})});
  EXPECT_NE(error_of_damaged("\"grid\":[1,1,1]", "\"grid\":[1,1,0]")
                .find("launches[0].grid: must be three whole numbers"),
            std::string::npos);
}

TEST_F(BaselineFolder, OfAMachineWithNvccIsLeftAloneByOneWithoutThatConfirmsIt) {
  (void)approve({results_of(emulated(), {compiled()})});
  const auto before = all_files();
  EXPECT_TRUE(approve({results_of(emulated(), {padded()})}).written.empty());
  EXPECT_EQ(all_files(), before);
  // What is of other kernels now is not kept, and that is said.
  const Approval other = approve({results_of(emulated(), {padded({}, 16)})});
  EXPECT_EQ(other.changed.size(), 1U);
  ASSERT_EQ(other.moved.size(), 2U);
  EXPECT_EQ(other.moved[1].metric, "registers");
  EXPECT_EQ(other.moved[1].before, 32);
  EXPECT_FALSE(other.moved[1].after.has_value());
  const auto baseline = read_baseline(folder_, "emulated");
  EXPECT_TRUE(baseline->benchmarks.at(0).machine_code.empty());
  EXPECT_FALSE(baseline->benchmarks[0].metrics.contains("registers"));
}

TEST_F(BaselineFolder, OtherMachineCodeIsAChangeAndNoFurtherSession) {
  (void)approve({results_of(emulated(), {compiled('a')})});
  EXPECT_EQ(approve({results_of(emulated(), {compiled('b')})}).changed.size(), 1U);
  EXPECT_EQ(error_of({results_of(emulated(), {compiled('a')}, "2026-11-21T01:00:00Z"),
                      results_of(emulated(), {compiled('b')}, "2026-11-21T02:00:00Z")}),
            "results.json: transpose/padded/8x8: transpose_tiled<1> is other machine code than in "
            "an earlier session; approve sessions of one build");
}

TEST_F(BaselineFolder, SessionsWithAndWithoutMachineCodeGoTogether) {
  (void)approve({results_of(emulated(), {padded()}, "2026-11-21T01:00:00Z"),
                 results_of(emulated(), {compiled()}, "2026-11-21T02:00:00Z")});
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.at(0).machine_code.size(), 1U);
}

Results compiled_session(int number, std::vector<double> times, char hash_digit = 'a',
                         double wavefronts = 8, const std::string& driver = "580.1") {
  results::Device device = h200();
  device.driver = driver;
  Measured benchmark = compiled(hash_digit);
  benchmark.counters["shared_load_wavefronts"] = wavefronts;
  benchmark.times_ns = std::move(times);
  return results_of(device, {benchmark}, hour(number));
}

TEST_F(BaselineFolder, WhatIsInconclusiveWithTheSameMachineCodeIsAMachineMore) {
  std::vector<Results> known;
  const auto launched = [](Results results, std::uint64_t dynamic_shared_bytes) {
    results.benchmarks[0].launches = {
        {.kernel = "k()", .dynamic_shared_bytes = dynamic_shared_bytes}};
    return results;
  };
  for (int i = 0; i < 5; ++i) known.push_back(launched(compiled_session(i, steady(1, i)), 64));
  (void)approve(known);

  const std::vector<double> doubtful{9'000, 10'900, 10'000, 11'500, 9'400};
  for (const Results& changed :
       {compiled_session(6, doubtful, 'b'), compiled_session(6, doubtful, 'a', 9),
        compiled_session(6, doubtful, 'a', 8, "590.1"), compiled_session(6, doubtful),
        launched(compiled_session(6, doubtful), 128)}) {
    EXPECT_NE(error_of({changed}).find("inconclusive against"), std::string::npos);
  }
  const Approval approval = approve({launched(compiled_session(6, doubtful), 64)});
  EXPECT_EQ(approval.extended, 1U);
  EXPECT_EQ(approval.of_the_machine, 1U);
  EXPECT_EQ(times(padded().id).size(), 6U);
  EXPECT_NE(approval_text(approval).find("of these inconclusive: 1 metric"), std::string::npos);
}

TEST_F(BaselineFolder, LaunchesOfOldSessionsAreNotThoseOfNewOnes) {
  const auto launched = [](Results results) {
    results.benchmarks[0].launches = {{.kernel = "k()"}};
    return results;
  };
  const auto counted = [](char hash_digit) {
    return results_of(emulated(), {compiled(hash_digit)});
  };
  const auto known = [&](const char* device) {
    return !read_baseline(folder_, device)->benchmarks[0].launches.empty();
  };
  (void)approve({launched(counted('a'))});
  (void)approve({counted('a')});
  EXPECT_TRUE(known("emulated")) << "it confirms the rest";
  (void)approve({counted('b')});
  EXPECT_FALSE(known("emulated")) << "the kernel is another";
  (void)approve({launched(counted('b'))});
  EXPECT_TRUE(known("emulated"));
  (void)approve({launched(counted('c')), counted('c')});
  EXPECT_FALSE(known("emulated")) << "one of them does not tell";

  (void)approve({launched(compiled_session(0, steady(1, 0)))});
  EXPECT_TRUE(known("nvidia-h200"));
  ApprovalRequest start_over = request({compiled_session(1, steady(1, 1), 'a', 8, "590.1")});
  start_over.new_environment = true;
  (void)approve(start_over);
  EXPECT_FALSE(known("nvidia-h200")) << "all sessions are new";
}

TEST_F(BaselineFolder, DamagedMachineCodeIsRefused) {
  (void)approve({results_of(emulated(), {compiled()})});
  EXPECT_NE(error_of_damaged("\"registers\":32", "\"registers\":-1")
                .find("machine_code[0].registers: must be"),
            std::string::npos);
}

}  // namespace
}  // namespace warpgauge::ci
