// SPDX-License-Identifier: Apache-2.0
// Decisions of `warpgauge gate`, which measures again what it doubts. See golden_verdicts.hpp.
#include <algorithm>
#include <utility>

#include "tests/helpers/small_repository.hpp"
#include "tests/verdict/golden/golden_verdicts.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using golden::Golden;
using golden::Keep;
using golden::steady_ns;
using results::Access;
using results::Json;

std::vector<double> joined(std::vector<double> figures, const std::vector<double>& more) {
  figures.insert(figures.end(), more.begin(), more.end());
  return figures;
}

// Ten processes of which five leave open what all of them settle: as steady_ns() has it in the
// mean.
const std::vector<double> kWild{98'242,  101'642, 99'092,  100'792, 98'752,
                                101'132, 99'602,  100'622, 99'262,  100'282};

// A suite that does as its plan says: three benchmarks of 100 µs, and a baseline of them.
class GoldenGate : public Golden<InFolder> {
 protected:
  void SetUp() override {
    Golden::SetUp();
    results::Device device = h200();
    device.uuid = "GPU-" + folder_.filename().string();  // whose lock no other test takes
    plan_ = {{"passes", {"time", "counters"}},
             {"device", to_json(device)},
             {"log", (folder_ / "log").string()},
             {"benchmarks", Json::object()}};
    for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) {
      plan_["benchmarks"][id] = {
          {"time_ns", steady_ns(100'000)},
          {"counters", {{"shared_load_requests", 8}, {"shared_load_wavefronts", 8}}}};
    }
    usual_ = plan_;
  }

  void TearDown() override {
    std::string lock = "warpgauge-GPU-" + folder_.filename().string() + ".lock";
    std::replace(lock.begin(), lock.end(), ' ', '_');
    fs::remove(fs::temp_directory_path() / lock);
    Golden::TearDown();
  }

  Finished start(const std::string& arguments) {
    fs::remove(folder_ / "log");
    write("plan.json", plan_.dump());
    return shell("cd " + quoted(folder_.string()) + " && FAKE_SUITE_PLAN=plan.json " +
                 quoted(WARPGAUGE) + " gate --quiet --policy policy.toml --suite " +
                 quoted(FAKE_SUITE) + " " + arguments);
  }

  // Afterwards the plan is the usual one again.
  void gate(const std::string& name, const std::string& arguments = "") {
    keep_verdict(name, start(arguments), "results/verdict.json", Keep::figures_and_processes);
    plan_ = usual_;
  }

  void approve() {
    const Finished finished =
        warpgauge("approve results/results.json --reason first --policy policy.toml");
    ASSERT_EQ(finished.status, 0) << finished.output;
  }

  Json& benchmark(const std::string& id) { return plan_["benchmarks"][id]; }
  Json& times(const std::string& id) { return benchmark(id)["time_ns"]; }

  Json plan_;
  Json usual_;
};

TEST_F(GoldenGate, MeasuresAgainWhatItDoubts) {
  gate("no baseline");
  EXPECT_TRUE(fs::exists(folder_ / "results/floors.toml")) << "of a device with neither";
  approve();
  gate("the same");
  EXPECT_FALSE(fs::exists(folder_ / "results/floors.toml")) << "of the gate before";
  times("a/two/1") = steady_ns(120'000);
  gate("slower twice");
  times("a/two/1") = joined(steady_ns(120'000), steady_ns(100'000));
  gate("slower once");
  times("a/two/1") = joined(steady_ns(103'000), steady_ns(100'600));
  gate("slower once and in the mean");
  times("a/one/1") = steady_ns(120'000);
  times("a/two/1") = joined(steady_ns(120'000), steady_ns(100'000));
  gate("one slower twice, one once");
  times("a/two/1") = steady_ns(80'000);
  gate("faster");
  times("a/two/1") = kWild;
  gate("unclear until there are more processes");
  times("a/two/1") = {90'010, 110'030, 100'020, 93'040, 107'050, 95'060, 105'070, 97'080, 103'090};
  gate("unclear all the time");
  times("a/two/1") = {90'010, 110'030, 100'020};
  gate("unclear, with as many processes as were asked for", "--processes 3");
  times("a/two/1") = kWild;
  times("a/one/1") = steady_ns(120'000);
  gate("one unclear, one slower");
  times("a/two/1") = steady_ns(120'000);
  benchmark("a/one/1")["counters"]["shared_load_wavefronts"] = 256;
  gate("a counter and a time");
  benchmark("a/one/1")["fate"] = "crash";
  gate("one crashes");
  benchmark("a/one/1")["fate"] = "wrong_result";
  gate("one is wrong");
  plan_["benchmarks"].erase("a/one/1");
  gate("one is missing");
  benchmark("c/four/1") = benchmark("a/one/1");
  gate("one is new");
  benchmark("c/four/1") = benchmark("a/one/1");
  gate("one is new, which is allowed", "--allow new");
  times("a/two/1") = steady_ns(120'000);
  gate("hot", "--hot");
  gate("filtered", "--filter ^a/");
  benchmark("a/two/1")["counters"]["shared_load_wavefronts"] = 256;
  plan_["passes"] = {"counters"};
  gate("without a clock");
}

TEST_F(GoldenGate, NamesTheLinesThatGrew) {
  const auto line = [](std::uint64_t wavefronts) {
    return Json::array({to_json(source_line(3, Access::shared_load, 8, wavefronts, "z = x;"))});
  };
  usual_["passes"] = {"counters", "lines"};
  usual_["benchmarks"]["a/one/1"]["lines"] = line(8);
  plan_ = usual_;
  ASSERT_EQ(start("").status, 3);
  approve();
  benchmark("a/one/1")["counters"]["shared_load_wavefronts"] = 256;
  benchmark("a/one/1")["lines"] = line(256);
  gate("of a pass of its own");
}

// Both sides in turns on one device.
class GoldenAgainst : public Golden<SmallRepository> {
 protected:
  void gate(const std::string& name, const std::string& arguments = "main") {
    // From which the suites know how often they ran.
    ASSERT_EQ(shell("cd " + quoted(folder_.string()) + " && rm -f bin/log build/against/*/bin/log")
                  .status,
              0);
    build();
    const Finished finished = warpgauge(
        "gate --quiet --policy policy.toml --seed 3 --suite bin/suite --build 'sh build.sh' "
        "--against " +
        arguments);
    keep_verdict(name, finished, "results/verdict.json", Keep::figures_and_processes);
  }
};

TEST_F(GoldenAgainst, AnotherRevision) {
  gate("the same");
  set_times("a/two/1", steady(1.006));
  gate("slower by more than the floor of this, less than that of baselines");
  // As a machine that is slower throughout would have it.
  for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) {
    set_times(id, steady(1.05));
  }
  gate("all slower");
  set_times("a/two/1", joined(steady(1.2), steady(1)));
  for (const char* id : {"a/one/1", "b/three/1"}) set_times(id, steady(1));
  gate("slower once");
  // What slowed down meanwhile slowed both: neither side's earlier processes count.
  set_times("a/two/1", joined(steady(1), steady(1.03)));
  commit("slows");
  set_times("a/two/1", steady(1.03));
  gate("slower until the other side is as slow", "HEAD --filter a/two");
  set_times("a/two/1", joined(steady(1.03), steady(1.004)));
  gate("slower once and in the mean", first_ + " --filter a/two");
  plan_["benchmarks"].erase("a/two/1");
  set_times("c/four/1", steady(1));
  gate("one missing and one new", first_);
  gate("nothing in common", first_ + " --filter c/four");
}

}  // namespace
}  // namespace warpgauge
