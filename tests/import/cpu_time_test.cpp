// SPDX-License-Identifier: Apache-2.0
// `warpgauge import --time cpu`: which of Google Benchmark's two times counts, and what is said
// where CPU time says too little.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/helpers/one_line.hpp"
#include "tests/helpers/schema.hpp"
#include "tests/import/import_samples.hpp"

namespace warpgauge {
namespace {

using results::BenchmarkResult;
using results::Json;
using results::Results;

class CpuTime : public InFolder {
 protected:
  Results imported(const std::string& content, const std::string& arguments) {
    write("g.json", content);
    const Finished finished = warpgauge("import g.json --device X " + arguments);
    EXPECT_EQ(finished.status, 0) << finished.output;
    return results::read_results(folder_ / "results.json");
  }
};

// A file with one benchmark of each kind, with this CPU time and wall clock.
Json of_a_cpu(double cpu_time, double load) {
  Json rows = Json::array();
  for (const char* name :
       {"BM_f/8", "BM_f/8/real_time", "BM_f/manual_time", "BM_f/threads:4", "BM_f/threads:1"}) {
    rows.push_back({{"name", name},
                    {"run_name", name},
                    {"run_type", "iteration"},
                    {"repetitions", 1},
                    {"repetition_index", 0},
                    {"threads", 1},
                    {"iterations", 10},
                    {"real_time", 80.0},
                    {"cpu_time", cpu_time},
                    {"time_unit", "us"}});
  }
  return {{"context",
           {{"date", "2026-11-21T04:19:54+00:00"},
            {"library_version", "v1.9.1"},
            {"num_cpus", 4},
            {"load_avg", {load, 1.0, 1.0}}}},
          {"benchmarks", rows}};
}

TEST_F(CpuTime, CpuTimeCountsWhereABenchmarkDoesNotAskForAnother) {
  const std::string text = of_a_cpu(50, 8).dump();
  const Results results = imported(text, "--time cpu");
  EXPECT_EQ(why_invalid(results::read_file(folder_ / "results.json"),
                        "profiling/results/results.schema.json"),
            "");
  for (const char* id : {"BM_f/8", "BM_f/threads:1"}) {
    EXPECT_EQ(figure(find(results, id), "time"), 50'000) << id;
    EXPECT_EQ(figure(find(results, id), "wall_time_ns"), 80'000) << id;
    EXPECT_EQ(find(results, id).samples_ns, (std::vector<std::vector<double>>{{50'000}})) << id;
  }
  for (const char* id : {"BM_f/8/real_time", "BM_f/manual_time", "BM_f/threads:4"}) {
    EXPECT_EQ(figure(find(results, id), "time"), 80'000) << id;
    EXPECT_EQ(figure(find(results, id), "cpu_time_ns"), 50'000) << id;
  }
  EXPECT_EQ(figure(find(imported(text, ""), "BM_f/8"), "time"), 80'000);
}

TEST_F(CpuTime, TheDeviceIsAProcessorAndTheCommitIsThatOfTheCheckoutIfAsked) {
  const std::string text = of_a_cpu(50, 8).dump();
  Results results = imported(text, "--time cpu");
  EXPECT_EQ(results.session->device.kind, results::DeviceKind::cpu);
  EXPECT_EQ(results.session->source.revision, "");
  EXPECT_EQ(imported(text, "").session->device.kind, results::DeviceKind::gpu);
  const std::string git = "git -c user.name=A -c user.email=a@b -c init.defaultBranch=m ";
  write("baselines/here/suite.json", "approved");
  write("baselines/reference.cpp", "of the project");
  const Finished made =
      shell("cd '" + folder_.string() + "' && " + git + "init -q && " + git +
            "add g.json baselines && " + git + "commit -qm x && git rev-parse HEAD");
  ASSERT_EQ(made.status, 0) << made.output;
  const auto source = [&](double cpu_time) {
    return imported(of_a_cpu(cpu_time, 8).dump(), "--time cpu --of-checkout").session->source;
  };
  EXPECT_EQ(source(50).revision + "\n", made.output);
  write("baselines/here/suite.json", "approved anew");
  EXPECT_FALSE(source(50).modified);
  write("baselines/reference.cpp", "edited");
  EXPECT_TRUE(source(50).modified);
  write("baselines/reference.cpp", "of the project");
  EXPECT_TRUE(source(51).modified) << "g.json is another";
}

// Imports of a processor said gpu once.
TEST_F(CpuTime, ABaselineOfAProcessorThatSaysGpuStillCounts) {
  const auto import_at = [&](const std::string& name, int day) {
    for (const char* process : {"1", "2", "3"}) {
      std::string text = of_a_cpu(50 + std::stod(process) / 100, 8).dump();
      const std::string date = fmt::format("2026-11-{}T04:19:5{}", day, process);
      write(name + process, replaced(text, "2026-11-21T04:19:54", date));
    }
    const std::string files = name + "1 " + name + "2 " + name + "3";
    ASSERT_EQ(warpgauge("import --device X --time cpu --out " + name + ".json " + files).status, 0);
  };
  import_at("before", 21);
  import_at("after", 22);
  const std::string before = results::read_file(folder_ / "before.json");
  write("before.json", replaced(before, "\"kind\": \"cpu\"", "\"kind\": \"gpu\""));
  ASSERT_EQ(warpgauge("approve before.json --reason r").status, 0);
  const Finished finished = warpgauge("compare baselines after.json");
  EXPECT_EQ(finished.output.find("on the other"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.status, 0) << finished.output;
}

TEST_F(CpuTime, CpuTimeThatIsNoTimeOrNotThereIsRefused) {
  write("zero.json", of_a_cpu(0, 1).dump());
  expect_one_line(warpgauge("import zero.json --device X --time cpu"), 4, "zero.json: BM_f/8");
  write("a.csv", import_sample("babelstream.csv"));
  expect_one_line(warpgauge("import a.csv --time cpu"), 64, "leave out --time cpu");
}

TEST_F(CpuTime, CpuTimeIsNotComparedWithWallClock) {
  std::map<std::string, std::string> files;
  for (const char* side : {"cpu", "wall"}) {
    for (int i = 0; i < 5; ++i) {
      const std::string name = side + std::to_string(i) + ".json";
      write(name, of_a_cpu(50 + 0.01 * i, 1).dump());
      files[side] += name + " ";
    }
    ASSERT_EQ(warpgauge("import --device X --out " + std::string(side) + "-all.json --time " +
                        side + " " + files[side])
                  .status,
              0);
  }
  const Finished finished = warpgauge("compare wall-all.json cpu-all.json");
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_NE(
      finished.output.find("another clock 'wall clock' → 'CPU time of the fastest repetition'"),
      std::string::npos)
      << finished.output;
}

// Who compares a growing set of processes spends a share of the chances of an error each time.
TEST_F(CpuTime, EachOfSeveralLooksHasItsShareOfTheChances) {
  for (const char* side : {"before", "after"}) {
    std::string files;
    for (int i = 0; i < 5; ++i) {
      const double slower = side == std::string("after") ? 1.03 : 1;
      const std::string name = side + std::to_string(i) + ".json";
      write(name, of_a_cpu(slower * (50 + 0.3 * ((i * 2) % 5)), 1).dump());
      files += name + " ";
    }
    ASSERT_EQ(
        warpgauge("import --device X --time cpu --out " + std::string(side) + ".json " + files)
            .status,
        0);
  }
  const auto explained = [&](const std::string& looks) {
    return warpgauge("compare before.json after.json --explain BM_f/8" + looks).output;
  };
  EXPECT_NE(explained("").find("90 %"), std::string::npos) << explained("");
  EXPECT_NE(explained(" --looks 4").find("97.5 %"), std::string::npos) << explained(" --looks 4");
}

TEST_F(CpuTime, IsThatOfTheFastestRepetition) {
  Json file = of_a_cpu(50, 8);
  for (int repetition : {1, 2}) {
    for (int row = 0; row < 2; ++row) {
      Json again = file["benchmarks"][row];
      again["repetition_index"] = repetition;
      again["cpu_time"] = 50 + 20 * (repetition == 1 ? -1 : 1);
      again["real_time"] = 80 + 20 * (repetition == 1 ? -1 : 1);
      file["benchmarks"].push_back(again);
    }
  }
  const Results results = imported(file.dump(), "--time cpu");
  EXPECT_EQ(figure(find(results, "BM_f/8"), "time"), 30'000);
  EXPECT_EQ(figure(find(results, "BM_f/8"), "wall_time_ns"), 80'000);
  EXPECT_EQ(figure(find(results, "BM_f/8/real_time"), "time"), 60'000);
  EXPECT_EQ(find(results, "BM_f/8").samples_ns.front().size(), 3U);
}

class CpuProcesses : public CpuTime {
 protected:
  // As many files as times, imported as NAME.json.
  void import_all(const std::string& name, const std::vector<double>& times,
                  const std::string& arguments = "") {
    std::string files;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const std::string date = fmt::format("2026-11-21T04:{:02}:5{}", i, name.size() % 10);
      const std::string file = fmt::format("{}{}", name, i);
      write(file, replaced(of_a_cpu(times[i], 8).dump(), "2026-11-21T04:19:54", date));
      files += file + " ";
    }
    const Finished finished = warpgauge("import --device X --time cpu --out " + name + ".json " +
                                        arguments + " " + files);
    ASSERT_EQ(finished.status, 0) << finished.output;
  }

  // Of the CPU time of BM_f/8.
  double reach(const std::string& before, const std::string& after) {
    const Finished finished =
        warpgauge("compare " + before + ".json " + after + ".json --json v.json");
    EXPECT_NE(finished.status, 64) << finished.output;
    const Json verdict = Json::parse(results::read_file(folder_ / "v.json"));
    for (const Json& each : verdict["benchmarks"]) {
      if (each["id"] != "BM_f/8") continue;
      for (const Json& metric : each["metrics"]) {
        if (metric["metric"] == "time") return metric["high"].get<double>();
      }
    }
    ADD_FAILURE() << finished.output;
    return 0;
  }
};

TEST_F(CpuProcesses, ThatAreSlowerThanTheFastestQuarterDoNotCount) {
  const std::vector<double> quiet{50, 50.2, 50.1, 50.3, 50.1, 50.2,
                                  50, 50.3, 50.1, 50.2, 50.1, 50.2};
  std::vector<double> shared = quiet;
  for (const std::size_t slow : {2, 3, 7, 9}) shared[slow] *= 1.4;
  import_all("before", quiet);
  import_all("after", shared);
  // Of fewer, five of which say less than twelve, all count.
  import_all("few", {quiet.begin(), quiet.begin() + 5});
  EXPECT_EQ(warpgauge("compare few.json after.json").status, 3);
  const Finished same = warpgauge("compare before.json after.json");
  EXPECT_EQ(same.status, 0) << same.output;
  EXPECT_EQ(same.output.find("the others"), std::string::npos) << same.output;
  // A limit holds the same time.
  write("policy.toml", std::string(R"([[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.05
[[limit]]
benchmarks = "BM_f/8"
metric = "time"
most = 51000
reason = "r"
)"));
  const Finished held = warpgauge("compare before.json after.json --policy policy.toml");
  EXPECT_EQ(held.status, 0) << held.output;
  for (double& each : shared) each *= 1.1;
  import_all("slower", shared);
  EXPECT_EQ(warpgauge("compare before.json slower.json").status, 1);
  EXPECT_EQ(warpgauge("compare slower.json slower.json --policy policy.toml").status, 1);
}

TEST_F(CpuProcesses, AreNotComparedWithMeansOfRepetitionsOfAnOlderImport) {
  const std::vector<double> times{50, 50.2, 50.1, 50.3, 50.1};
  import_all("before", times);
  import_all("after", times);
  write("before.json",
        replaced(results::read_file(folder_ / "before.json"), ",\n      \"fastest\": true", ""));
  const Finished finished = warpgauge("compare before.json after.json");
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_NE(finished.output.find("'CPU time' → 'CPU time of the fastest repetition'"),
            std::string::npos)
      << finished.output;
}

TEST_F(CpuProcesses, NameTheCommitThatAllBenchmarksWereApprovedAt) {
  const auto commit = [&](const std::string& name) {
    return shell("cd '" + folder_.string() + "' && git init -q . && echo " + name + " > x && " +
                 "git add x && git -c user.name=A -c user.email=a@b commit -qm x && "
                 "git rev-parse HEAD")
        .output.substr(0, 40);
  };
  const auto told = [&] {
    static_cast<void>(warpgauge("compare baselines after.json --json v.json"));
    const Json verdict = Json::parse(results::read_file(folder_ / "v.json"));
    return verdict.value("approved_revision", "");
  };
  const std::vector<double> times{50, 50.2, 50.1, 50.3, 50.1};
  const std::string first = commit("first");
  import_all("before", times, "--of-checkout");
  import_all("after", times, "--of-checkout");
  ASSERT_EQ(warpgauge("approve before.json --reason r").status, 0);
  EXPECT_EQ(told(), first);
  EXPECT_EQ(why_invalid(results::read_file(folder_ / "v.json"), "ci/verdict/verdict.schema.json"),
            "");
  // Another commit, of which one benchmark alone is approved.
  static_cast<void>(commit("second"));
  import_all("secondly", times, "--of-checkout");
  Json part = Json::parse(results::read_file(folder_ / "secondly.json"));
  Json rows = Json::array();
  for (const Json& row : part["benchmarks"]) {
    if (row["name"] == "BM_f/8") rows.push_back(row);
  }
  part["benchmarks"] = rows;
  write("part.json", part.dump());
  ASSERT_EQ(warpgauge("approve part.json --reason r").status, 0);
  EXPECT_EQ(told(), "");
}

// Both sides of turns are built with the compiler of today, so they say nothing of it.
TEST_F(CpuProcesses, SlowerOnBothSidesOfTurnsAreNamed) {
  const std::string cache = "/CMakeCache.txt";
  for (const char* build : {"old", "new"}) write(build + std::string("/bench"), "");
  const std::string compiler = "/CMakeFiles/3.25.1/CMakeCXXCompiler.cmake";
  const std::string settings =
      "CMAKE_CACHE_MAJOR_VERSION:INTERNAL=3\n"
      "CMAKE_CACHE_MINOR_VERSION:INTERNAL=25\n"
      "CMAKE_CACHE_PATCH_VERSION:INTERNAL=1\n"
      "CMAKE_CACHEFILE_DIR:INTERNAL=/b\n"
      "CMAKE_BUILD_TYPE:STRING=Release\n"
      "CMAKE_CXX_FLAGS_RELEASE:STRING= -O3 \n";
  write("old" + cache, settings);
  write("new" + cache, settings + "CMAKE_CXX_FLAGS:STRING=-I/b/x -fsanitize=address\n");
  write("old" + compiler,
        "set(CMAKE_CXX_COMPILER_ID \"GNU\")\n"
        "set(CMAKE_CXX_COMPILER_VERSION \"12.2.0\")\n");
  write("new" + compiler,
        "set(CMAKE_CXX_COMPILER_ID \"Clang\")\n"
        "set(CMAKE_CXX_COMPILER_VERSION \"14.0.6\")\n");
  const std::vector<double> times{50, 50.2, 50.1, 50.3, 50.1};
  const std::vector<double> slower{65, 65.2, 65.1, 65.3, 65.1};
  const std::string fresh = "--executable new/bench --turns ";
  import_all("approved", times, "--executable old/bench");
  import_all("before", slower, fresh + "'A of 1'");
  import_all("after", slower, fresh + "'B of 1'");
  ASSERT_EQ(warpgauge("approve approved.json --reason r").status, 0);
  const std::string turns = "compare before.json after.json ";
  const Finished told = warpgauge(turns + "--baselines baselines --summary s.md --json v.json");
  EXPECT_EQ(told.status, 0) << told.output;
  const std::string note =
      "slower than when it was approved: BM_f/8 +29.9 % (in turns 0 %), BM_f/threads:1 +29.9 % (in "
      "turns 0 %). No commit since the other side did that, but an earlier one, or what both sides "
      "share: machine, compiler, environment, files that are in no commit. What differs since: "
      "host compiler 'GNU 12.2.0' → 'Clang 14.0.6', flags of CMake 'C++ -O3' → 'C++ "
      "-I<build>/x -fsanitize=address -O3'";
  EXPECT_EQ(Json::parse(results::read_file(folder_ / "v.json"))["notes"].back(), note);
  EXPECT_NE(told.output.find("slower than when it was approved"), std::string::npos) << told.output;
  EXPECT_NE(results::read_file(folder_ / "s.md").find("slower than when it"), std::string::npos);
  EXPECT_EQ(why_invalid(results::read_file(folder_ / "after.json"),
                        "profiling/results/results.schema.json"),
            "");
  // A toolkit moves clocks without an edit, which is what turns do not see.
  for (const char* side : {"before.json", "after.json"}) {
    const std::string old = results::read_file(folder_ / side);
    write(side, replaced(old, "\"cuda\": \"\"", "\"cuda\": \"13.0\""));
  }
  const std::string stored = "baselines/x/device.json";
  write(stored,
        replaced(results::read_file(folder_ / stored), "\"cuda\":\"\"", "\"cuda\":\"12.9\""));
  EXPECT_NE(warpgauge(turns + "--baselines baselines").output.find("CUDA '12.9' → '13.0'"),
            std::string::npos);
  // Of two builds a toolkit is part of what is compared.
  write("before.json", replaced(results::read_file(folder_ / "before.json"), "13.0", "12.9"));
  EXPECT_EQ(warpgauge(turns).status, 0);
  // What the turns find is not said twice, and what is as approved not at all.
  import_all("quick", times, "--turns 'A of 1'");
  const auto notes = [&](const std::string& sides) {
    static_cast<void>(warpgauge("compare " + sides + " --baselines baselines --json v.json"));
    return Json::parse(results::read_file(folder_ / "v.json"))["notes"].dump();
  };
  EXPECT_EQ(notes("quick.json after.json").find("when it was approved"), std::string::npos);
  import_all("good", times, "--turns 'B of 1'");
  EXPECT_EQ(notes("quick.json good.json").find("when it was approved"), std::string::npos);
}

TEST_F(CpuProcesses, OfTwoSidesInTurnsAloneTellHowFarTheyDiffer) {
  const std::vector<double> times{50, 51, 50.5, 51.2, 50.4, 50.9, 50.1, 51.1};
  import_all("before", times, "--turns 'A of 1'");
  import_all("after", times, "--turns 'B of 1'");
  import_all("other", times, "--turns 'B of 2'");
  EXPECT_LT(reach("before", "after"), reach("before", "other") - 0.002);
  const auto told = [&](const std::string& sides) { return warpgauge("compare " + sides).output; };
  EXPECT_EQ(told("before.json after.json").find("turns"), std::string::npos);
  EXPECT_NE(told("after.json before.json").find("after.json is side B of its turns and "),
            std::string::npos);
  EXPECT_NE(told("before.json other.json")
                .find("did not run in turns with each other, but as 'A "
                      "of 1' and 'B of 2': they are judged as sessions"),
            std::string::npos);
  EXPECT_EQ(why_invalid(results::read_file(folder_ / "after.json"),
                        "profiling/results/results.schema.json"),
            "");
  EXPECT_NE(
      warpgauge("calibrate before.json other.json --trials 10").output.find("| benchmarks of |"),
      std::string::npos);
  expect_one_line(warpgauge("import before0 --time cpu"), 64, "as in --device 'AMD EPYC 9654'");
  for (const char* wrong : {"C of 1", "A", "A ", ""}) {
    expect_one_line(
        warpgauge(fmt::format("import before0 --device X --time cpu --turns '{}'", wrong)), 64,
        "is no side: give A or B and what both sides share");
  }
}

// On a busy machine any program waits.
TEST_F(CpuTime, ABenchmarkThatWaitsIsNamedWhereProcessorsAreFree) {
  const std::string said = "BM_f/8, BM_f/threads:1: they wait, or other threads work";
  write("free.json", of_a_cpu(8, 1.5).dump());
  write("busy.json", of_a_cpu(8, 8).dump());
  write("works.json", of_a_cpu(70, 1.5).dump());
  const auto told = [&](const std::string& arguments) {
    return warpgauge("import --device X --time cpu " + arguments).output;
  };
  EXPECT_NE(told("free.json busy.json").find(said), std::string::npos)
      << told("free.json busy.json");
  EXPECT_EQ(told("busy.json").find("wait"), std::string::npos);
  EXPECT_EQ(told("free.json works.json").find("they wait"), std::string::npos);
  EXPECT_EQ(warpgauge("import --device X --time wall free.json").output.find("they wait"),
            std::string::npos);
}

}  // namespace
}  // namespace warpgauge
