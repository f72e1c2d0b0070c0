// SPDX-License-Identifier: Apache-2.0
// What is approved, what is refused, and what becomes of the files.
#include "ci/baselines/approve/approve.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_report.hpp"
#include "ci/support/errors.hpp"
#include "profiling/results/limits.hpp"
#include "tests/baselines/baseline_folder.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::Results;

TEST(ApprovalText, ASentenceBeforeANameEndsWithAColon) {
  Approval approval;
  approval.written = {"baselines/h200/a.json"};
  approval.added = {"a/b/1"};
  approval.of_modified_sources = {"results/results.json"};
  EXPECT_EQ(approval_text(approval),
            "new       a/b/1\n"
            "measured with changes that no commit has: results/results.json\n"
            "  --against and bisect cannot build that again: commit, build and measure\n"
            "wrote     baselines/h200/a.json\n");
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
  "families": [
    "transpose"
  ],
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

TEST_F(BaselineFolder, WithoutBenchmarksThereIsNoBaseline) {
  (void)approve({results_of(emulated(), {padded()})});
  Baseline baseline = load_baseline(folder_, "emulated").value();
  baseline.families.at("transpose").clear();
  EXPECT_EQ(save_baseline(baseline).size(), 2u);
  EXPECT_FALSE(fs::exists(folder_ / "emulated"));
  EXPECT_FALSE(read_baseline(folder_, "emulated"));
}

TEST_F(BaselineFolder, AFamilyThatWouldNotBeReadAgainIsNotWritten) {
  std::vector<Measured> many(results::kMostMembers, padded());
  for (std::size_t i = 0; i < many.size(); ++i) many[i].id = fmt::format("transpose/{}", i);
  EXPECT_EQ(error_of({results_of(emulated(), many)}), "accepted");
  EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.size(), results::kMostMembers);
  EXPECT_NE(error_of({results_of(emulated(), {padded()})}).find("a family of 4097 benchmarks"),
            std::string::npos);
}

TEST_F(BaselineFolder, ThatIsTooLargeAsAWholeIsNotRead) {
  (void)approve({results_of(emulated(), {padded()})});
  for (int i = 0; i < 9; ++i) {
    const fs::path file = folder_ / "emulated" / fmt::format("family{}.json", i);
    std::ofstream(file) << "{";
    fs::resize_file(file, 15 * results::kMebibyte);
  }
  try {
    (void)read_baseline(folder_, "emulated");
    FAIL() << "read";
  } catch (const results::FileError& error) {
    EXPECT_NE(std::string(error.what())
                  .find("emulated: it is larger than 128 MiB, the most that is read of a device's "
                        "baseline"),
              std::string::npos)
        << error.what();
  }
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

TEST_F(BaselineFolder, TheReportSaysWhatMovedFromWhatToWhat) {
  (void)approve(sessions(0, 5));
  Results now = session(5);
  now.benchmarks[0].metrics.at("shared_load_wavefronts").sessions = {{9}};
  const std::string text = approval_text(approve({now}));
  EXPECT_EQ(text.substr(0, text.find("wrote")),
            "  benchmark             metric                  before  after   change\n"
            "  transpose/padded/8x8  shared_load_wavefronts       8      9  +12.5 %\n"
            "the same: 2 metrics, its sessions added to the earlier ones\n");
}

TEST_F(BaselineFolder, ResultsThatNobodyCanBuildAgainAreNamed) {
  const std::string clean = approval_text(approve(sessions(0, 5)));
  EXPECT_EQ(clean.find("commit"), std::string::npos) << clean;
  Results modified = session(5);
  modified.session->source.modified = true;
  const Approval approval = approve({modified});
  EXPECT_EQ(approval.of_modified_sources, (std::vector{modified.name}));
  const std::string text = approval_text(approval);
  EXPECT_NE(text.find("no commit has: " + modified.name + "\n"), std::string::npos) << text;
}

TEST_F(BaselineFolder, IsListedAndShownWithWhoApprovedItWhenAndWhy) {
  (void)approve(sessions(0, 2));
  const auto baseline = load_baseline(folder_, "nvidia-h200");
  Baseline named = *baseline;
  named.folder = "baselines/nvidia-h200";
  EXPECT_EQ(list_text({named}),
            "  folder                 family     benchmarks  sessions  newest\n"
            "  baselines/nvidia-h200  scan                1         2  2026-11-21T01:00:00Z\n"
            "  baselines/nvidia-h200  transpose           1         2  2026-11-21T01:00:00Z\n");
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

TEST_F(BaselineFolder, KilledWhileItWritesAnyFileApproveLeavesTheOldOnesAndIsRunAgain) {
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

  for (const auto& [killed_at, text] : new_files) {
    fs::remove_all(folder_ / "emulated");
    (void)approve(first);
    EXPECT_EXIT(approve_up_to(text.size() - 1, second, folder_), testing::KilledBySignal(SIGXFSZ),
                "");
    SCOPED_TRACE("killed at " + killed_at);
    for (const auto& [name, old_text] : old_files) {
      EXPECT_EQ(results::read_file(folder_ / name), old_text) << name;
    }
    EXPECT_EQ(read_baseline(folder_, "emulated")->benchmarks.size(), 61u);
    (void)approve(second);
    EXPECT_EQ(all_files(), new_files);
  }
}

TEST_F(BaselineFolder, KeepsOtherFilesModesAndLinksAndClearsWhatAKilledApproveLeft) {
  (void)approve(sessions(0, 2));
  write("nvidia-h200/.notes", "notes");
  const auto place = folder_ / "nvidia-h200";
  fs::permissions(place / "scan.json", fs::perms::owner_all);
  fs::rename(place, folder_ / "elsewhere");
  fs::create_symlink("elsewhere", place);
  write("elsewhere/scan.json.unfinished-abcdef", "half");
  EXPECT_EQ(devices_with_baseline(folder_), (std::vector<std::string>{"elsewhere", "nvidia-h200"}));
  (void)approve({session(4)});
  EXPECT_EQ(results::read_file(place / ".notes"), "notes");
  EXPECT_TRUE(fs::is_symlink(place));
  EXPECT_EQ(fs::status(place / "scan.json").permissions(), fs::perms::owner_all);
  EXPECT_FALSE(fs::exists(place / "scan.json.unfinished-abcdef"));
  EXPECT_EQ(times("scan/x/1").size(), 3u);
}

// What would be refused when it is read is not written.
TEST_F(BaselineFolder, IsNotBegunBesideWhatIsNotRead) {
  write("nvidia-h200/README.md", "notes");
  EXPECT_THROW((void)approve(sessions(0, 2)), Error);
  EXPECT_FALSE(fs::exists(folder_ / "nvidia-h200/device.json"));
}

TEST_F(BaselineFolder, AFamilyNamedLikeAnUnfinishedFileIsKept) {
  const auto named = [&](std::string text) {
    for (std::size_t at = 0; (at = text.find("scan/", at)) != text.npos; at += 4) {
      text.replace(at, 4, "sort.json.unfinished-Ab1234");
    }
    return text;
  };
  write("first.json", named(results_text(h200(), {{.id = "scan/x/1", .times_ns = {1000, 1001}},
                                                  {.id = "sort/x/1", .times_ns = {1000, 1001}}})));
  ASSERT_EQ(warpgauge("approve first.json --baselines b --reason one").status, 0);
  write("second.json", named(results_text(h200(),
                                          {{.id = "scan/x/1", .times_ns = {1010, 1011}},
                                           {.id = "sort/x/1", .times_ns = {1010, 1011}}},
                                          "2026-11-22T04:00:00Z")));
  ASSERT_EQ(warpgauge("approve second.json --baselines b --reason two").status, 0);
  EXPECT_EQ(read_baseline(folder_ / "b", "nvidia-h200")->benchmarks.size(), 2u);
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

// A process that approves one benchmark; its exit status is 0 when it did.
pid_t approving(const ApprovalRequest& request, const fs::path& folder) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    (void)ci::approve(request, folder, built_in_policy());
    ::_exit(0);
  } catch (const std::exception& error) {
    static_cast<void>(::write(STDERR_FILENO, error.what(), std::strlen(error.what())));
    ::_exit(1);
  }
}

TEST_F(BaselineFolder, ApprovalsAtOnceIntoAFolderThatIsNotThereLoseNothing) {
  constexpr int kRounds = 8;
  constexpr int kWriters = 8;
  std::vector<ApprovalRequest> requests;
  for (int i = 0; i < kWriters; ++i) {
    const Measured each{.id = fmt::format("{}/x/1", static_cast<char>('a' + i)),
                        .counters = {{"barriers", 1}}};
    requests.push_back(request({results_of(emulated(), {each}, hour(i))}));
  }
  for (int round = 0; round < kRounds; ++round) {
    const fs::path folder = folder_ / "absent" / std::to_string(round) / "baselines";
    std::vector<pid_t> writers;
    for (const ApprovalRequest& each : requests) writers.push_back(approving(each, folder));
    for (const pid_t writer : writers) {
      int status = 0;
      ASSERT_EQ(::waitpid(writer, &status, 0), writer);
      EXPECT_EQ(status, 0);
      // Whoever reads meanwhile finds a whole baseline, or none yet.
      EXPECT_NO_THROW((void)read_baseline(folder, "emulated"));
    }
    ASSERT_EQ(read_baseline(folder, "emulated")->benchmarks.size(), requests.size())
        << "in round " << round;
  }
}

TEST_F(BaselineFolder, AnApprovalThatIsRefusedLeavesNoFolder) {
  Measured failed = padded();
  failed.counters.clear();
  const fs::path folder = folder_ / "absent" / "baselines";
  EXPECT_THROW((void)ci::approve(request({results_of(emulated(), {failed}, hour(0))}, {"no/such"}),
                                 folder, built_in_policy()),
               Error);
  EXPECT_FALSE(fs::exists(folder_ / "absent"));
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

}  // namespace
}  // namespace warpgauge::ci
