// SPDX-License-Identifier: Apache-2.0
// `warpgauge run` and `gate` of a program that is not a suite, from its start to the verdict.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>

#include "ci/support/loaded_driver.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/program_id.hpp"
#include "tests/helpers/one_line.hpp"
#include "tests/measure/program_run.hpp"

namespace warpgauge {
namespace {

using results::Results;

TEST_F(ProgramRun, MakesBenchmarksOfWhatItLaunched) {
  const Finished run = start("run --processes 3", step("norm", noisy(10'000)));
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(starts(), 4U) << "the first does not count";
  const Results results = results::read_results(folder_ / "results.json");
  ASSERT_TRUE(results.session->program);
  EXPECT_TRUE(results.session->program->command.ends_with("fake_program starts"))
      << "seen from here: " << results.session->program->command;
  EXPECT_EQ(results.session->program->processes, 1);
  EXPECT_EQ(results.session->program->devices, 1);
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
  const char* const no_cuda = ci::loaded_driver()
                                  ? "did not use CUDA"
                                  : "could not use CUDA: no NVIDIA driver is seen here";
  for (const auto& [work, why] :
       {Case{"", no_cuda}, Case{"say cannot", "the last that it printed:\n  cannot\n"},
        Case{"push a pop", "launched no kernel"},
        Case{"run k 10 100 lose 10", "10 of 20 launches left no record"},
        Case{"run k 10 100 problem intruder", "intruder"},
        Case{"fail 7", "ended with exit status 7: it fails as it was told"},
        Case{"say first say second fail 7", "the last that it printed:\n  first\n  second\n"}}) {
    const Finished run = start("run", work);
    EXPECT_EQ(run.status, 4) << work << run.output;
    EXPECT_NE(run.output.find(why), std::string::npos) << run.output;
  }
}

TEST_F(ProgramRun, GivesPytestItsPluginWhereItFindsIt) {
  const auto ran = [&](const char* options) {
    const std::string script =
        "import os; print(\"first\"); "
        "print(\"plugins\", os.environ.get(\"PYTEST_PLUGINS\")); exit(7)";
    return warpgauge(fmt::format("run --injection inject.so -- python3 {} -c {}", options,
                                 quoted(script)))
        .output;
  };
  EXPECT_NE(ran("").find("plugins warpgauge.pytest_plugin"), std::string::npos) << ran("");
  EXPECT_NE(ran("-W ignore -X dev").find("plugins warpgauge"), std::string::npos);
  EXPECT_NE(ran("-I").find("plugins None"), std::string::npos) << ran("-I");
  EXPECT_NE(ran("-W ignore -sE").find("plugins None"), std::string::npos);
  EXPECT_NE(ran("-WignoreW -I").find("plugins None"), std::string::npos);
}

TEST_F(ProgramRun, RefusesWhatCannotBeMeasured) {
  for (const auto& [arguments, why] :
       {std::pair{"run -- nsys profile x", "nsys would record the program's kernels"},
        std::pair{"run --hot -- true", "--hot is for a suite"},
        std::pair{"run --suite x -- true", "--suite is for a suite"},
        std::pair{"run --filter x -- true", "--filter is for a suite"},
        std::pair{"run --processes 2 -- true", "at least 3"},
        std::pair{"run", "nothing to measure"},
        std::pair{"gate --against HEAD -- true", "--against is for a suite"},
        std::pair{"run --skip-until x --suite y", "--skip-until is for a program"}}) {
    const Finished run = warpgauge(arguments);
    EXPECT_EQ(run.status, 64) << arguments << run.output;
    EXPECT_NE(run.output.find(why), std::string::npos) << run.output;
  }
}

TEST_F(ProgramRun, SaysThatTheRangeToBeginAtMayNeverHaveBeenOpened) {
  const Finished run = start("run --skip-until forwrad", "push a pop");
  EXPECT_EQ(run.status, 4) << run.output;
  EXPECT_NE(run.output.find("opened no range 'forwrad', or launched nothing after it"),
            std::string::npos)
      << run.output;
}

// A doctor that says what the test wants, and who computes on the GPU: the next of the lines each
// time that it is asked, the last for all that follow.
void write_doctor(const std::filesystem::path& folder, const std::string& others) {
  results::write_file_atomically(folder / "others", others);
  results::write_file_atomically(folder / "warpgauge_doctor", R"sh(#!/bin/sh
cd "$(dirname "$0")"
asked=$(cat asked 2>/dev/null); asked=$((${asked:-0} + 1)); echo $asked > asked
line=$(sed -n "${asked}p" others); [ -n "$line" ] || line=$(tail -n 1 others)
echo '{"driver_cuda": "13.0", "devices": [{"uuid": "GPU-1", "name": "x"}],
       "settings": {"power_limit_w": 600}, "other_processes": ['$line']}'
)sh");
  std::filesystem::permissions(folder / "warpgauge_doctor", std::filesystem::perms::owner_all);
}

TEST_F(ProgramRun, RecordsHowTheGpuIsSetUpAndWhoElseComputesOnIt) {
  // Before anything, of the first start, before the starts, after them.
  write_doctor(folder_, "\n\n\"a (process 1)\", \"b (process 2)\"\n\"b (process 2)\"\n");
  const Finished run = start("run --processes 3", step("norm", noisy(10'000)));
  ASSERT_EQ(run.status, 0) << run.output;
  const Results results = results::read_results(folder_ / "results.json");
  EXPECT_EQ(results.session->settings->power_limit_w, 600);
  EXPECT_EQ(results.session->toolchain.cuda, "13.0");
  EXPECT_EQ(results.find("step/norm/4096·128")->other_processes,
            std::set<std::string>{"b (process 2)"});
}

TEST_F(ProgramRun, KeepsTheStartsBeforeOneThatFails) {
  write_doctor(folder_, "\n");
  const std::string apart = step("norm", "10000,10400,9600,10300,9700,10000,10400,9600");
  ASSERT_EQ(start("run", apart).status, 0);
  ASSERT_EQ(warpgauge("approve results.json --reason first").status, 0);
  // The second of the second look, before which five are asked for.
  const Finished gate = start("gate", apart + " fail 0,0,0,0,0,0,0,7");
  EXPECT_EQ(gate.status, 4) << gate.output;
  EXPECT_NE(gate.output.find("ended with exit status 7: it fails as it was told"),
            std::string::npos)
      << gate.output;
  EXPECT_EQ(results::read_results(folder_ / "results/results.json").session->processes, 6);
}

TEST_F(ProgramRun, IsNotBegunWhereThereIsNoGpu) {
  for (const std::string why : {"no NVIDIA driver for CUDA 13.0 (driver: none): install it",
                                "the NVIDIA driver sees no GPU: see nvidia-smi"}) {
    const std::string driver = why.starts_with("no") ? "none" : "580.1";
    results::write_file_atomically(folder_ / "warpgauge_doctor",
                                   "#!/bin/sh\necho '{\"driver\": \"" + driver +
                                       "\", \"device_problem\": \"" + why +
                                       ", or run the emulated suite\"}'\n");
    std::filesystem::permissions(folder_ / "warpgauge_doctor", std::filesystem::perms::owner_all);
    const Finished run = start("run --processes 3", step("norm", noisy(10'000)));
    EXPECT_EQ(run.status, 4) << run.output;
    EXPECT_NE(run.output.find("a GPU is needed to measure "), std::string::npos) << run.output;
    EXPECT_NE(run.output.find(
                  "by 'warpgauge static', or by --machine-code of a script of 'warpgauge init'"),
              std::string::npos)
        << run.output;
    EXPECT_NE(run.output.find("and there is none: " + why + "; a CUDA binary's machine code"),
              std::string::npos)
        << run.output;
    EXPECT_EQ(starts(), 0U);
  }
  const Finished missing = warpgauge("run --injection none.so -- no_such_program");
  EXPECT_EQ(missing.status, 4);
  EXPECT_NE(missing.output.find("there is no program no_such_program"), std::string::npos)
      << missing.output;
}

TEST_F(ProgramRun, RemarksWhatCouldNotBeToldApart) {
  const Finished run = start("run --processes 3", step("norm", noisy(10'000)) + " fold 2");
  ASSERT_EQ(run.status, 0) << run.output;
  const Results results = results::read_results(folder_ / "results.json");
  ASSERT_EQ(results.find("program")->remarks.size(), 1U);
}

TEST_F(ProgramRun, ReadsNoMoreThanTwoOfTheLargestRecords) {
  expect_one_line(start("run --quiet --processes 3", "leave 300 leave 300 leave 300"), 4,
                  "cannot read what 4 processes recorded: it is larger than 640 MiB, the most that "
                  "is read of the records of launches of all processes");
}

TEST_F(ProgramRun, IsCalibrated) {
  const Finished run =
      start("calibrate --processes 6 --trials 20 --policy-out policy.toml --json r.json",
            step("norm", noisy(10'000)));
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(starts(), 7U);
  EXPECT_NE(run.output.find("step/norm/4096·128"), std::string::npos) << run.output;
  EXPECT_NE(run.output.find("| baseline |"), std::string::npos) << run.output;
  EXPECT_EQ(run.output.find("in turns"), std::string::npos) << run.output;
  const std::string policy = results::read_file(folder_ / "policy.toml");
  EXPECT_NE(policy.find("clock = \"program\"\ndevices = [\"nvidia-h200\"]\ncommand = "),
            std::string::npos);
  const Finished recorded =
      warpgauge("calibrate --trials 20 calibration/recorded.json calibration/recorded.json");
  EXPECT_EQ(recorded.status, 0) << recorded.output;
  for (const auto& [arguments, why] :
       {std::pair{"--hot -- true", "--hot requires --suite"},
        std::pair{"--skip-until x r.json", "--skip-until is for a program"},
        std::pair{"--processes 9 calibration/recorded.json", "--processes is for a measurement"},
        std::pair{"--trials 20", "a program after --"}}) {
    const Finished refused = warpgauge(std::string("calibrate ") + arguments);
    EXPECT_EQ(refused.status, 64) << arguments << refused.output;
    EXPECT_NE(refused.output.find(why), std::string::npos) << refused.output;
  }
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

TEST_F(ProgramGate, HasNoVerdictOnAnotherCommandUnlessItIsApproved) {
  const std::string work = step("norm", noisy(10'000));
  const Finished other = start("gate", "", work);
  EXPECT_EQ(other.status, 3) << other.output;
  EXPECT_NE(other.output.find("are different programs; measure the same command"),
            std::string::npos)
      << other.output;
  const Finished skipping = start("gate --skip-until step", work);
  EXPECT_EQ(skipping.status, 3) << skipping.output;
  EXPECT_NE(skipping.output.find("from its range 'step' on"), std::string::npos);
  ASSERT_EQ(start("run", "", work).status, 0);
  EXPECT_EQ(warpgauge("approve results.json --reason x").status, 3);
  const Finished approved = warpgauge("approve results.json --reason x --new-environment");
  EXPECT_EQ(approved.status, 0) << approved.output;
  const Finished gated = start("gate", "", work);
  EXPECT_EQ(gated.status, 0) << gated.output;
}

TEST_F(ProgramGate, WritesFloorsForADeviceWithoutAny) {
  std::filesystem::remove_all(folder_ / "baselines");
  const Finished steady = gate(step("norm", noisy(10'000)));
  EXPECT_NE(steady.output.find("approve results/results.json --baselines baselines --reason"),
            std::string::npos)
      << steady.output;
  EXPECT_EQ(steady.output.find("floors.toml"), std::string::npos)
      << "what the policy says of all programs is enough: " << steady.output;
  const Finished gated = gate(step("norm", "10000,10400,9600,10300,9700,10000"));
  EXPECT_NE(gated.output.find("those that this run needs are in results/floors.toml; warpgauge "
                              "calibrate results/results.json --policy-out policy.toml makes"),
            std::string::npos)
      << gated.output;
  const std::string floors = results::read_file(folder_ / "results/floors.toml");
  EXPECT_NE(floors.find("command = "), std::string::npos) << floors;
  const Finished made =
      warpgauge("calibrate results/results.json --trials 20 --policy-out policy.toml");
  EXPECT_EQ(made.status, 0) << made.output;
}

TEST_F(ProgramGate, SaysHowItsFloorsComeIntoThePolicy) {
  std::filesystem::remove_all(folder_ / "baselines");
  const std::string in_folder = "cd " + quoted(folder_.string()) + " && ";
  const std::string command = "cat results/floors.toml >>mine.toml";
  ASSERT_EQ(warpgauge("policy show program >mine.toml").status, 0);
  const std::string scattered = step("norm", "10000,10400,9600,10300,9700,10000");
  const Finished first = start("gate --policy mine.toml", scattered);
  EXPECT_NE(first.output.find("in results/floors.toml; add them to the policy: " + command),
            std::string::npos)
      << first.output;
  EXPECT_NE(first.output.find("Make the baseline: " + command + " && "), std::string::npos)
      << first.output;
  ASSERT_EQ(shell(in_folder + command).status, 0);
  const Finished second = start("gate --policy mine.toml", scattered);
  EXPECT_EQ(second.output.find("floors.toml"), std::string::npos) << second.output;
  ASSERT_EQ(warpgauge("approve results/results.json --policy mine.toml --reason x").status, 0);
  const Finished again = start("gate --policy mine.toml", scattered);
  EXPECT_EQ(again.status, 0) << again.output;
}

TEST_F(ProgramGate, ComparesOtherNumbersOfLaunchesByAllOfThem) {
  const auto twice = [](int each, const std::string& shape) {
    return "repeat 40 push step run other 1 " + noisy(20'000) + " shape " + shape + " run norm 2 " +
           noisy(each) + " shape 4096 128 pop end ";
  };
  approve(twice(10'000, "4096 128"));
  const Finished halved = gate(step("norm", noisy(20'000), "8192 128"));
  EXPECT_EQ(halved.status, 0) << halved.output;
  EXPECT_NE(halved.output.find("step/norm/8192·128 (2 before, 1 now)"), std::string::npos)
      << halved.output;
  EXPECT_EQ(gate(step("norm", noisy(20'000))).status, 0) << "of the same shape, too";
  const Finished slower = gate(step("norm", noisy(21'000), "8192 128"));
  EXPECT_EQ(slower.status, 1) << slower.output;
}

TEST_F(ProgramGate, DoesNotCompareAKernelWithAnUnrelatedOne) {
  const std::string with_more = " run more 1 " + noisy(30'000) + " pop end ";
  const std::string begin = "repeat 40 push step run other 1 " + noisy(20'000);
  approve(begin + " run gone 1 " + noisy(10'000) + with_more);
  const Finished gated = gate(begin + " run come 1 " + noisy(10'200) + with_more);
  EXPECT_EQ(gated.status, 0) << gated.output;
  EXPECT_NE(gated.output.find("launched only now: step decides"), std::string::npos)
      << gated.output;
  EXPECT_EQ(gate(begin + " run come 1 " + noisy(15'000) + with_more).status, 1);
}

TEST_F(ProgramGate, JudgesWhatLiesOutsideOfALibrarysRanges) {
  const auto with = [](int kernels) {
    return "repeat 40 push cub run sort 1 " + noisy(20'000) + " pop run own " +
           std::to_string(kernels) + " " + noisy(1'000) + " end ";
  };
  approve(with(9));
  const Finished gated = gate(with(9) + "repeat 9 run new 4 " + noisy(5'000) + " end");
  EXPECT_EQ(gated.status, 1) << gated.output;
}

TEST_F(ProgramGate, ShowsCommunicationThatWaitsUnlessThePolicyGatesIt) {
  const auto with = [](int nccl) {
    return "repeat 40 push step run norm 1 " + noisy(200'000) + " run ncclDevKernel_x 1 " +
           noisy(nccl) + " pop end ";
  };
  approve(with(100'000));
  const Finished gated = gate(with(150'000));
  EXPECT_EQ(gated.status, 0) << "nor is it a part of its range's time: " << gated.output;
  const std::string policy = results::read_file(std::string(SOURCE_ROOT) + "/ci/policy.toml");
  const std::size_t overrides = policy.find("\n[[override]]");
  write("gating.toml", policy.substr(0, overrides) +
                           "\n[[override]]\nbenchmarks = \"*/nccl*\"\nmetrics = "
                           "[\"time\"]\ngate = true\nreason = \"it is one GPU\"\n");
  const Finished by_policy = start("gate --policy gating.toml", with(150'000));
  EXPECT_EQ(by_policy.status, 1) << by_policy.output;
  const std::string alone = " repeat 40 push reduce run ncclDevKernel_x 1 " + noisy(9'000) +
                            " pop push step run norm 1 " + noisy(200'000) + " pop end ";
  approve(alone);
  EXPECT_EQ(gate(alone).status, 0) << "a range of nothing else";
}

TEST_F(ProgramGate, PassesWhatIsUnchanged) {
  const Finished gated = gate(step("norm", noisy(10'001)));
  EXPECT_EQ(gated.status, 0) << gated.output;
}

TEST_F(ProgramGate, IsStartedNoMoreThanUnchangedCodeNeeds) {
  EXPECT_EQ(gate(step("norm", noisy(10'001))).status, 0);
  EXPECT_EQ(starts(), 4U) << "three, after one that does not count";
  EXPECT_EQ(start("gate --processes 5", step("norm", noisy(10'001))).status, 0);
  EXPECT_EQ(starts(), 6U) << "as many as it is told";
  EXPECT_EQ(gate(step("norm", noisy(9'000))).status, 0);
  EXPECT_EQ(starts(), 6U) << "what got faster is no early pass";
}

TEST_F(ProgramGate, EndsAProgramThatHangsWhenItIsToldTo) {
  const Finished hung = start("run --out r.json --timeout 0.5", "sleep 100000 end");
  EXPECT_EQ(hung.status, 4) << hung.output;
  EXPECT_NE(hung.output.find("no progress for 0.5 s, and must end by itself (--timeout"),
            std::string::npos)
      << hung.output;
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

// 0.2 % of the GPU time, outside of all ranges, which cover the rest: nothing around it is timed.
TEST_F(ProgramGate, PassesWhereASmallKernelOutsideOfRangesCameOrWent) {
  const std::string steps = step("norm", noisy(10'000));
  const auto begins = [](const std::string& kernel) { return "run " + kernel + " 12 200 "; };
  approve(begins("fill") + steps);
  const Finished gone = gate(steps);
  EXPECT_EQ(gone.status, 0) << gone.output;
  const Finished came = gate(begins("fill") + begins("draw") + steps);
  EXPECT_EQ(came.status, 0) << came.output;
  const Finished large = gate(begins("fill") + "run draw 12 2000 " + steps);
  EXPECT_EQ(large.status, 3) << large.output;
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
