// SPDX-License-Identifier: Apache-2.0
// `warpgauge import --time cpu`: which of Google Benchmark's two times counts, and what is said
// where CPU time says too little.
#include <fmt/format.h>
#include <gtest/gtest.h>

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
  const Finished made = shell("cd '" + folder_.string() + "' && " + git + "init -q && " + git +
                              "add g.json && " + git + "commit -qm x && git rev-parse HEAD");
  ASSERT_EQ(made.status, 0) << made.output;
  const auto source = [&](double cpu_time) {
    return imported(of_a_cpu(cpu_time, 8).dump(), "--time cpu --of-checkout").session->source;
  };
  EXPECT_EQ(source(50).revision + "\n", made.output);
  EXPECT_FALSE(source(50).modified);
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
  EXPECT_NE(finished.output.find("another clock 'wall clock' → 'CPU time'"), std::string::npos)
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
