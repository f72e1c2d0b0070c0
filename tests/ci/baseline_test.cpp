// SPDX-License-Identifier: Apache-2.0
#include "ci/baseline.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/errors.hpp"
#include "tests/ci/helpers.hpp"

namespace warpgauge::ci {
namespace {

using results::Access;
using results::Results;

constexpr const char* kNow = "2026-11-22T00:00:00Z";

class Baseline : public InFolder {
 protected:
  Approval approve(const std::vector<Results>& sessions,
                   const std::vector<std::string>& remove = {}) {
    return ci::approve(sessions, remove, folder_, built_in_policy(), kNow);
  }

  [[nodiscard]] std::string error_of(const std::vector<Results>& sessions,
                                     const std::vector<std::string>& remove = {}) {
    const auto before = all_files();
    std::string message = "accepted";
    try {
      (void)approve(sessions, remove);
    } catch (const Error& error) {
      message = error.what();
      EXPECT_EQ(all_files(), before);
    }
    return message;
  }
};

Measured padded(std::vector<double> times = {}, double wavefronts = 8) {
  return {.id = "transpose/padded/8x8",
          .times_ns = std::move(times),
          .counters = {{"shared_load_wavefronts", wavefronts},
                       {"shared_load_requests", 8},
                       {"shared_load_ideal_wavefronts", 8}},
          .lines = {source_line(31, Access::shared_load, 8, 8, "out = tile[x];")}};
}

TEST_F(Baseline, IsReadableAndHasOneMetricALine) {
  (void)approve({results_of(h200(), {padded({6560.25, 6561})}, "2026-11-21T01:00:00Z"),
                 results_of(h200(), {padded({6570, 6571})}, "2026-11-21T02:00:00Z")});
  EXPECT_EQ(results::read_file(folder_ / "nvidia-h200" / "transpose.json"), R"({
  "schema": 1,
  "benchmarks": {
    "transpose/padded/8x8": {
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
      "lines": [
        {"file":"kernels/transpose.cuh","line":31,"column":0,"function":"kernel","text":"out = tile[x];","access":"shared_load","width_bytes":4,"requests":8,"wavefronts":8,"ideal_wavefronts":0}
      ]
    }
  }
}
)");
  const auto device =
      results::Json::parse(results::read_file(folder_ / "nvidia-h200" / "device.json"));
  EXPECT_EQ(device["device"]["name"], "NVIDIA H200");
  EXPECT_EQ(device["approved"], kNow);
  EXPECT_EQ(device["source"]["revision"], "abc");
  EXPECT_EQ(device["toolchain"]["host_compiler"], "g++ 12");
}

TEST_F(Baseline, WhatWasApprovedIsReadBack) {
  (void)approve({results_of(h200(), {padded({6560.25, 6561}), {.id = "a/b/1", .times_ns = {5, 6}}}),
                 results_of(h200(), {padded({6570, 6571})})});
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

TEST_F(Baseline, DoesNotShowWhetherThereWasMachineCode) {
  Measured looked_up = padded();
  looked_up.lines[0].compiled = results::Compiled::confirmed;
  looked_up.lines[0].instructions = "1 × LDS.32";
  (void)approve({results_of(emulated(), {looked_up})});
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.at(0).lines, padded().lines);
  EXPECT_TRUE(approve({results_of(emulated(), {padded()})}).written.empty());
}

TEST_F(Baseline, OtherBenchmarksKeepTheirs) {
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

TEST_F(Baseline, ApprovingTheSameChangesNoFile) {
  (void)approve({results_of(emulated(), {padded()}, "2026-11-21T01:00:00Z")});
  const auto before = all_files();
  const Approval approval = approve({results_of(emulated(), {padded()}, "2026-11-21T09:00:00Z")});
  EXPECT_TRUE(approval.written.empty());
  EXPECT_EQ(all_files(), before);
}

TEST_F(Baseline, RemovesWhatItIsToldTo) {
  (void)approve(
      {results_of(emulated(), {padded(), {.id = "scan/x/1", .counters = {{"barriers", 1}}}})});
  const Approval approval = approve({results_of(emulated(), {padded()})}, {"scan/x/1"});
  EXPECT_EQ(approval.removed, (std::vector<std::string>{"scan/x/1"}));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "emulated" / "scan.json"));
  EXPECT_EQ(error_of({results_of(emulated(), {padded()})}, {"scan/x/1"}).substr(0, 18),
            "--remove scan/x/1:");
  EXPECT_NE(error_of({results_of(emulated(), {padded()})}, {padded().id}), "accepted");
}

TEST_F(Baseline, ExactCountersThatDifferBetweenSessionsAreRefused) {
  EXPECT_EQ(
      error_of({results_of(emulated(), {padded()}), results_of(emulated(), {padded({}, 9)})}),
      "results.json: transpose/padded/8x8: shared_load_wavefronts should be exact, but 9 here "
      "and 8 in an earlier session; class it as shown in the policy, or measure again");
}

TEST_F(Baseline, AStatisticalFigureOfZeroIsRefusedBecauseItCouldNotBeReadBack) {
  const Policy policy =
      parse_policy("[[metric]]\nnames = [\"barriers\"]\nclass = \"statistical\"\n", "policy");
  const Measured idle{.id = "a/b/1", .counters = {{"barriers", 0}}};
  EXPECT_THROW((void)ci::approve({results_of(emulated(), {idle})}, {}, folder_, policy, kNow),
               Error);
  EXPECT_TRUE(all_files().empty());
}

TEST_F(Baseline, FailedBenchmarksAreRefused) {
  Measured failed = padded();
  failed.outcome = {results::Status::wrong_result, "3 of 9 are wrong"};
  const std::string error = error_of({results_of(emulated(), {failed})});
  EXPECT_NE(error.find("transpose/padded/8x8 failed (wrong_result: 3 of 9"), std::string::npos)
      << error;
}

TEST_F(Baseline, ASessionGivenTwiceIsRefused) {
  const Results session = results_of(h200(), {padded({6560, 6561})});
  EXPECT_EQ(error_of({session, session}),
            "results.json: transpose/padded/8x8: its session of 2026-11-21T04:00:00Z is given "
            "twice; name each session once");
}

TEST_F(Baseline, SessionsOfTwoDevicesAreRefused) {
  EXPECT_NE(error_of({results_of(h200(), {padded({1, 2})}), results_of(emulated(), {padded()})})
                .find("approve one device at a time"),
            std::string::npos);
}

TEST_F(Baseline, AFamilyThatIsNoFileNameIsRefused) {
  for (const char* id : {"../x/1", "/x/1", "device/x/1", ".hidden/x/1", "a b/x/1", ""}) {
    Measured measured = padded();
    measured.id = id;
    EXPECT_NE(error_of({results_of(emulated(), {measured})}).find("cannot name a file"),
              std::string::npos)
        << id;
  }
}

TEST_F(Baseline, WhatThePolicyOnlyShowsIsNotKept) {
  (void)approve({results_of(emulated(), {padded()})});
  EXPECT_EQ(
      results::read_file(folder_ / "emulated" / "transpose.json").find("_ideal_wavefronts\": "),
      std::string::npos);
}

// Of a machine with nvcc.
Measured compiled(char hash_digit = 'a', double wavefronts = 8) {
  Measured benchmark = padded({}, wavefronts);
  benchmark.counters["registers"] = 32;
  benchmark.counters["code_bytes"] = 2048;
  benchmark.machine_code = {kernel_code("transpose_tiled<1>", hash_digit)};
  return benchmark;
}

TEST_F(Baseline, KeepsMachineCodeAndWhatItTakes) {
  (void)approve({results_of(emulated(), {compiled()})});
  const auto baseline = read_baseline(folder_, "emulated");
  ASSERT_TRUE(baseline.has_value());
  EXPECT_TRUE(baseline->is_baseline);
  EXPECT_EQ(baseline->benchmarks.at(0).machine_code, compiled().machine_code);
  EXPECT_TRUE(baseline->benchmarks[0].metrics.contains("registers"));
  EXPECT_FALSE(baseline->benchmarks[0].metrics.contains("code_bytes"));  // shown
}

TEST_F(Baseline, OfAMachineWithNvccIsLeftAloneByOneWithoutThatConfirmsIt) {
  (void)approve({results_of(emulated(), {compiled()})});
  const auto before = all_files();
  EXPECT_TRUE(approve({results_of(emulated(), {padded()})}).written.empty());
  EXPECT_EQ(all_files(), before);
  // What is of other kernels now is not kept.
  EXPECT_EQ(approve({results_of(emulated(), {padded({}, 16)})}).changed.size(), 1U);
  const auto baseline = read_baseline(folder_, "emulated");
  EXPECT_TRUE(baseline->benchmarks.at(0).machine_code.empty());
  EXPECT_FALSE(baseline->benchmarks[0].metrics.contains("registers"));
}

TEST_F(Baseline, OtherMachineCodeIsAChangeAndNoFurtherSession) {
  (void)approve({results_of(emulated(), {compiled('a')})});
  EXPECT_EQ(approve({results_of(emulated(), {compiled('b')})}).changed.size(), 1U);
  EXPECT_EQ(error_of({results_of(emulated(), {compiled('a')}, "2026-11-21T01:00:00Z"),
                      results_of(emulated(), {compiled('b')}, "2026-11-21T02:00:00Z")}),
            "results.json: transpose/padded/8x8: transpose_tiled<1> is other machine code than in "
            "an earlier session; approve sessions of one build");
}

TEST_F(Baseline, SessionsWithAndWithoutMachineCodeGoTogether) {
  (void)approve({results_of(emulated(), {padded()}, "2026-11-21T01:00:00Z"),
                 results_of(emulated(), {compiled()}, "2026-11-21T02:00:00Z")});
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.at(0).machine_code.size(), 1U);
}

TEST_F(Baseline, DamagedMachineCodeIsRefused) {
  (void)approve({results_of(emulated(), {compiled()})});
  const auto path = folder_ / "emulated" / "transpose.json";
  std::string text = results::read_file(path);
  const std::string field = "\"registers\":32";
  text.replace(text.find(field), field.size(), "\"registers\":-1");
  results::write_file_atomically(path, text);
  try {
    (void)read_baseline(folder_, "emulated");
    FAIL() << "accepted";
  } catch (const results::FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("machine_code: registers"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace warpgauge::ci
