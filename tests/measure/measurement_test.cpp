// SPDX-License-Identifier: Apache-2.0
// `warpgauge run` with a suite that measures what its plan says.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/measure/fake_run.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::Json;
using results::Results;

TEST_F(Run, CeilingsAreThoseOfTheSameRun) {
  ASSERT_EQ(start("run", "--processes 2").status, 0);
  EXPECT_NE(read().session->ceilings->not_measured, "");
  for (const auto& [id, time] : {std::pair("bandwidth/copy/9", 48), {"bandwidth/copy/99", 24}}) {
    plan_["benchmarks"][id] = {{"time_ns", time}, {"counters", Json::object()}};
  }
  ASSERT_EQ(start("run", "--processes 2").status, 0);
  const results::Ceilings expected{.size = "99", .bytes_per_second = {{"copy", 96 / 24e-9}}};
  EXPECT_EQ(read().session->ceilings, expected);
  plan_["passes"] = {"counters"};
  ASSERT_EQ(start("run").status, 0);
  EXPECT_FALSE(read().session->ceilings.has_value());
}

TEST_F(Run, ProcessesBecomeRepetitionsAndCountersJoinTheFirst) {
  const Finished finished = start("run", "--processes 3");
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(processes(),
            (std::vector<std::string>{
                "time a/one/1 a/two/1 b/three/1", "time a/one/1 a/two/1 b/three/1",
                "time a/one/1 a/two/1 b/three/1", "counters a/one/1 a/two/1 b/three/1"}));
  const Json json = Json::parse(results::read_file(folder_ / "results.json"));
  EXPECT_EQ(json["context"]["host_name"], "fake");
  ASSERT_EQ(json["benchmarks"].size(), 9u);
  const Json& first = json["benchmarks"][0];
  EXPECT_EQ(first["name"], "a/one/1/iterations:1/manual_time");
  EXPECT_EQ(first["warpgauge"]["id"], "a/one/1");
  EXPECT_EQ(first["repetitions"], 3);
  EXPECT_EQ(first["repetition_index"], 0);
  EXPECT_EQ(first["shared_load_wavefronts"], 8);
  EXPECT_EQ(first["real_time"], 1.0005);
  const Json& missing = first["warpgauge"]["not_measured"];
  EXPECT_EQ(missing.size(), 1U) << first;
  EXPECT_NE(missing.value("machine_code", "").find("holds no machine code"), std::string::npos);
  EXPECT_EQ(json["benchmarks"][2]["repetition_index"], 2);
  EXPECT_FALSE(json["benchmarks"][1].contains("shared_load_wavefronts"));

  const Results results = read();
  EXPECT_EQ(find(results, "b/three/1").metrics.at("time").sessions,
            (std::vector<std::vector<double>>{{1000.5, 1000.5, 1000.5}}));
  EXPECT_EQ(results.session->processes, 3);
  EXPECT_EQ(results.session->toolchain.cuda, "13.0");
}

TEST_F(Run, WhatIsOnlyCountedSaysWhyItHasNoTime) {
  plan_["passes"] = {"counters"};
  ASSERT_EQ(start("run", "--sizes emulated").status, 0);
  EXPECT_EQ(find(read(), "a/one/1").not_measured.at("time"), "at these sizes it is only counted");
}

TEST_F(Run, CountersAskedForReachTheCountersPassOnly) {
  plan_["counter_passes"] = 4;
  const Finished finished = start("run", "--processes 1 --counters a__b.sum,c__d.pct");
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(processes(),
            (std::vector<std::string>{"time a/one/1 a/two/1 b/three/1",
                                      "counters [a__b.sum,c__d.pct] a/one/1 a/two/1 b/three/1"}));
  EXPECT_NE(finished.output.find("process 2 of 2 (counters, each kernel in 4 passes)"),
            std::string::npos)
      << finished.output;
  const Json json = Json::parse(results::read_file(folder_ / "results.json"));
  EXPECT_EQ(json["benchmarks"][0]["warpgauge"]["counter_passes"], 4);
}

// What a log says of each process, but for how long it took and others will.
std::vector<std::string> lines_of_progress(const std::string& output) {
  static const std::regex kTook("took [0-9.]+ m?s");
  static const std::regex kLeft(", about .* left$");
  std::vector<std::string> lines;
  std::istringstream stream(output);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("process ")) {
      lines.push_back(std::regex_replace(std::regex_replace(line, kTook, "took …"), kLeft, ""));
    }
  }
  return lines;
}

TEST_F(Run, ALogSaysWhenEachProcessBeginsAndOnceHowItWent) {
  plan_["benchmarks"]["a/two/1"]["fate"] = "crash";
  const Finished finished = start("run", "--processes 2");
  EXPECT_EQ(lines_of_progress(finished.output),
            (std::vector<std::string>{
                "process 1 of 3 (time): 3 benchmarks", "process 1 of 3 (time): took …, 1 failed",
                "process 2 of 3 (time): 3 benchmarks", "process 2 of 3 (time): took …",
                "process 3 of 3 (counters): 3 benchmarks", "process 3 of 3 (counters): took …"}))
      << finished.output;
}

TEST_F(Run, HotReachesThePassThatTimesAndTheResults) {
  plan_["benchmarks"]["bandwidth/copy/9"] = {{"time_ns", 48}, {"counters", Json::object()}};
  ASSERT_EQ(start("run", "--processes 1 --hot --filter 'a/|bandwidth'").status, 0);
  EXPECT_EQ(processes(), (std::vector<std::string>{"time [hot] a/one/1 a/two/1 bandwidth/copy/9",
                                                   "counters a/one/1 a/two/1 bandwidth/copy/9"}));
  const Results hot = read();
  EXPECT_TRUE(hot.session->hot);
  EXPECT_EQ(hot.session->ceilings->not_measured.substr(0, 10), "timed hot:");

  ASSERT_EQ(start("run", "--processes 1").status, 0);
  EXPECT_FALSE(read().session->hot);
  EXPECT_EQ(results::read_file(folder_ / "results.json").find("\"hot\""), std::string::npos);
  EXPECT_EQ(read().session->ceilings->not_measured, "");
}

TEST_F(Run, WhatCannotBeTimedHotIsWrongUsageBeforeAnythingRuns) {
  plan_["old"] = true;
  for (const char* command : {"run", "gate"}) {
    const Finished old = start(command, "--hot");
    EXPECT_EQ(old.status, 64);
    EXPECT_EQ(old.output, "warpgauge: unknown argument --warpgauge_hot\n");
  }
  plan_["passes"] = {"counters"};
  const Finished counted = start("run", "--hot");
  EXPECT_EQ(counted.status, 64);
  EXPECT_NE(counted.output.find("times nothing, hot or cold; leave it out"), std::string::npos)
      << counted.output;
  EXPECT_TRUE(processes().empty());
}

TEST_F(Run, TheStateOfTheDeviceAndItsSettingsReachTheResults) {
  plan_["device"]["settings"] = {{"power_limit_w", 650.5}, {"ecc", true}};
  plan_["benchmarks"]["a/one/1"]["device_state"] = {
      {"before", {{"temperature_c", 40}}}, {"after", Json::object()}, {"discarded_samples", 3}};
  ASSERT_EQ(start("run", "--processes 2").status, 0);
  const Json json = Json::parse(results::read_file(folder_ / "results.json"));
  for (const int process : {0, 1}) {
    const Json& state = json["benchmarks"][process]["warpgauge"]["device_state"];
    EXPECT_EQ(state["before"]["temperature_c"], 40);
    EXPECT_EQ(state["discarded_samples"], 3);
  }
  const Results results = read();
  ASSERT_TRUE(results.session->settings.has_value());
  EXPECT_EQ(results.session->settings->power_limit_w, 650.5);
  EXPECT_EQ(results.session->settings->ecc, true);
  EXPECT_EQ(results.session->settings->mig, std::nullopt);
}

TEST_F(Run, WithoutSettingsThereAreNone) {
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  EXPECT_FALSE(read().session->settings.has_value());
}

TEST_F(Run, AnUnknownCounterIsWrongUsageBeforeAnythingRuns) {
  for (const char* command : {"run", "gate"}) {
    const Finished finished = start(command, "--counters unknown__bytes.sum");
    EXPECT_EQ(finished.status, 64);
    EXPECT_EQ(finished.output, "warpgauge: the chip has no metric unknown__bytes.sum\n");
    EXPECT_TRUE(processes().empty());
  }
}

TEST_F(Run, MachineCodeThatCannotBeReadIsAnErrorBeforeAnythingRuns) {
  write("no.cubin", "nothing");
  const Finished finished = start("run", "--machine-code no.cubin");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("no.cubin: holds no machine code for GPUs; give a cubin"),
            std::string::npos)
      << finished.output;
  EXPECT_TRUE(processes().empty());
}

TEST_F(Run, WithoutAClockThereIsOneEntryABenchmark) {
  plan_["passes"] = {"counters"};
  plan_["device"] = to_json(emulated());
  ASSERT_EQ(start("run", "--processes 3").status, 0);
  EXPECT_EQ(processes().size(), 1u);
  const Results results = read();
  EXPECT_FALSE(find(results, "a/one/1").metrics.contains("time"));
  EXPECT_EQ(find(results, "a/one/1").metrics.at("shared_load_requests").sessions.at(0).size(), 1u);
}

TEST_F(Run, FilterSelects) {
  ASSERT_EQ(start("run", "--filter '^a/' --processes 1").status, 0);
  EXPECT_EQ(processes().front(), "time a/one/1 a/two/1");
  EXPECT_EQ(start("run", "--filter nothing").status, 64);
}

TEST_F(Run, WhatTheFilterLeftOutStaysInTheBaselineAndIsNotMissed) {
  ASSERT_EQ(start("run", "--processes 2").status, 0);
  EXPECT_EQ(read().session->filter, "");
  ASSERT_EQ(warpgauge("approve results.json --reason first").status, 0);
  ASSERT_EQ(start("run", "--filter '^a/' --processes 2").status, 0);
  EXPECT_EQ(read().session->filter, "^a/");
  const Finished compared = warpgauge("compare baselines results.json");
  EXPECT_EQ(compared.status, 3) << compared.output;
  EXPECT_EQ(warpgauge("compare baselines results.json --filter '^a/'").status, 0);
  EXPECT_EQ(compared.output.find("missing"), std::string::npos) << compared.output;
  EXPECT_EQ(compared.output.find("--remove"), std::string::npos) << compared.output;
  EXPECT_NE(compared.output.find("results.json was measured with --filter '^a/': 1 benchmark of "
                                 "baselines/"),
            std::string::npos)
      << compared.output;
  ASSERT_EQ(warpgauge("approve results.json --reason 'a part'").status, 0);
  EXPECT_EQ(warpgauge("baseline show b/three/1").status, 0);
  for (const auto& [path, content] : all_files()) {
    if (path.find("/baselines/") == path.npos) continue;
    EXPECT_EQ(content.find("\"filter\""), content.npos) << path << ": it is of the run alone";
  }
}

TEST_F(Run, ASuiteThatIsNotThereOrIsNone) {
  EXPECT_EQ(warpgauge("run --suite none").status, 4);
  EXPECT_EQ(warpgauge("run --suite /etc/passwd").status, 4);
  EXPECT_EQ(warpgauge("run --suite /bin/true").status, 4);
}

TEST_F(Run, NeedsNoLocaleAndNoHome) {
  write("plan.json", plan_.dump());
  const Finished finished =
      shell("cd '" + folder_.string() + "' && env -u HOME LC_ALL=xx_YY.UTF-8 " +
            "FAKE_SUITE_PLAN=plan.json " + quoted(WARPGAUGE) + " run --quiet --suite " +
            quoted(FAKE_SUITE));
  EXPECT_EQ(finished.status, 0) << finished.output;
}

TEST_F(Run, AnUnwritableOutIsSaid) {
  write("file", "");
  const Finished finished = start("run", "--quiet --processes 1 --out file/results.json");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("file"), std::string::npos) << finished.output;
}

TEST_F(Run, SourceTextIsReadBelowTheSourceRoot) {
  write("root/kernels/transpose.cuh", "first\n  out = tile[x];  \n");
  Json line = to_json(source_line(2, results::Access::shared_load, 8, 8, ""));
  plan_["benchmarks"]["a/one/1"]["lines"] = {line};
  ASSERT_EQ(start("run", "--processes 1 --source-root root").status, 0);
  EXPECT_EQ(find(read(), "a/one/1").lines.at(0).text, "out = tile[x];");
}

TEST_F(Run, RevisionIsThatOfTheSuiteAndAnotherOneHereIsSaid) {
  constexpr const char* kOther =
      "the suite was built from aaaaaaaaaaaa with changes, but the checkout";
  plan_["source"] = {{"revision", std::string(40, 'a')}, {"modified", true}};
  const Finished elsewhere = start("run", "--processes 1");
  EXPECT_EQ(elsewhere.output.find(kOther), std::string::npos) << elsewhere.output;
  EXPECT_EQ(read().session->source, (results::Source{std::string(40, 'a'), true}));

  shell("cd '" + folder_.string() +
        "' && git init -q && git add log && git -c user.name=n -c user.email=e commit -qm m && "
        "git rev-parse HEAD | tr -d '\n' > revision");
  const Finished stale = start("run", "--processes 1");
  EXPECT_NE(stale.output.find(kOther), std::string::npos) << stale.output;
  EXPECT_EQ(read().session->source.revision, std::string(40, 'a'));
  EXPECT_NE(start("gate", "--processes 2").output.find(kOther), std::string::npos);
  EXPECT_NE(results::read_file(folder_ / "results" / "summary.md").find(kOther), std::string::npos);

  plan_["source"]["revision"] = results::read_file(folder_ / "revision");
  const Finished fresh = start("run", "--processes 1");
  EXPECT_EQ(fresh.output.find("the suite was built from"), std::string::npos) << fresh.output;
}

TEST_F(Run, RevisionIsGitsOrEmpty) {
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  EXPECT_EQ(read().session->source.revision, "");
  shell("cd '" + folder_.string() +
        "' && git init -q && git add log && git -c user.name=n -c user.email=e commit -qm m && "
        "git rev-parse HEAD > revision");
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  results::Source source = read().session->source;
  EXPECT_EQ(source.revision + "\n", results::read_file(folder_ / "revision"));
  EXPECT_FALSE(source.modified);
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  EXPECT_TRUE(read().session->source.modified) << "the first run has written to the log";
}

TEST_F(Run, SourceThatGitCannotCompareMayBeModified) {
  shell("cd '" + folder_.string() +
        "' && git init -q && git -c user.name=n -c user.email=e commit -qm m --allow-empty && "
        "echo no index > .git/index");
  ASSERT_EQ(start("run", "--processes 1").status, 0);
  EXPECT_EQ(read().session->source.revision.size(), 40U);
  EXPECT_TRUE(read().session->source.modified);
}

TEST_F(Run, TwoRunsDoNotShareADevice) {
  const std::string uuid = plan_["device"]["uuid"];
  const int held = ::open(lock_file().c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_GE(held, 0);
  ASSERT_EQ(::flock(held, LOCK_SH), 0);  // which only an exclusive lock has to wait for
  const Finished finished = start("run", "--lock-wait 0.2");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("waiting for another run on " + uuid), std::string::npos);
  EXPECT_NE(finished.output.find("another run holds the device"), std::string::npos)
      << finished.output;
  EXPECT_TRUE(processes().empty());
  ::close(held);
  EXPECT_EQ(start("run", "--processes 1").status, 0);
}

}  // namespace
}  // namespace warpgauge
