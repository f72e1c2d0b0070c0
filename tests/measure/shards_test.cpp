// SPDX-License-Identifier: Apache-2.0
// `warpgauge run --shard` and `warpgauge merge`.
#include "ci/measure/shards.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "ci/support/errors.hpp"
#include "profiling/results/limits.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/helpers/schema.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Json;
using results::Results;

std::string id_of(int i) { return "family/variant" + std::to_string(i) + "/256x192"; }

TEST(ShardOf, IsTheSameOnEveryMachine) {
  // By an implementation of XXH64 of its own, written from the specification.
  EXPECT_EQ(ci::shard_of("transpose/padded/256x192", 8), 3);
  EXPECT_EQ(ci::shard_of("transpose/padded/256x192", 100), 54);
  EXPECT_EQ(ci::shard_of("scan_inclusive/lookback/4096", 100), 67);
  EXPECT_EQ(ci::shard_of("dot_float/vectorized/33792", 100), 19);
  EXPECT_EQ(ci::shard_of("", 1), 1);
}

TEST(ShardOf, EachGetsItsShareAndAnotherCountMovesOnlyWhatItMust) {
  constexpr int kIds = 8000;
  std::map<int, int> sizes;
  int moved = 0;
  for (int i = 0; i < kIds; ++i) {
    const int of_eight = ci::shard_of(id_of(i), 8);
    const int of_nine = ci::shard_of(id_of(i), 9);
    ++sizes[of_eight];
    if (of_eight == of_nine) continue;
    EXPECT_EQ(of_nine, 9) << id_of(i);
    ++moved;
  }
  ASSERT_EQ(sizes.size(), 8u);
  // Five standard deviations of the binomial distribution: 8000 / 8 ± 148, 8000 / 9 ± 141.
  for (const auto& [shard, size] : sizes) EXPECT_NEAR(size, 1000, 148) << shard;
  EXPECT_NEAR(moved, 889, 141);
}

TEST(ShardOf, IsWrittenAsAPartOfAWhole) {
  EXPECT_EQ(ci::shard_from("3/8").index, 3);
  EXPECT_EQ(ci::shard_from("3/8").count, 8);
  for (const char* text : {"", "3", "0/8", "9/8", "-1/8", "3/", "/8", "3/8/9", "3/8 ", "a/b", "1/0",
                           "1/99999999999", "1/10001"}) {
    EXPECT_THROW((void)ci::shard_from(text), ci::Error) << text;
  }
}

class Shards : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    plan_ = {{"backend", "emulated"},
             {"passes", {"counters"}},
             {"device", to_json(emulated())},
             {"log", (folder_ / "log").string()},
             {"benchmarks", Json::object()}};
    for (int i = 0; i < 12; ++i) {
      plan_["benchmarks"][id_of(i)] = {{"time_ns", 1000.5},
                                       {"counters", {{"shared_load_requests", 8 + i}}}};
    }
  }

  void TearDown() override {
    for (const std::string& uuid : uuids_) fs::remove(lock_of(uuid));
    InFolder::TearDown();
  }

  static fs::path lock_of(const std::string& uuid) {
    std::string name = "warpgauge-" + uuid + ".lock";
    std::replace(name.begin(), name.end(), ' ', '_');
    return fs::temp_directory_path() / name;
  }

  // A GPU whose lock no other test takes.
  std::string use_gpu(const std::string& name) {
    results::Device device = h200();
    device.uuid = "GPU-" + name + "-" + folder_.filename().string();
    uuids_.insert(device.uuid);
    plan_["backend"] = "gpu";
    plan_["passes"] = {"time", "counters"};
    plan_["device"] = to_json(device);
    return device.uuid;
  }

  Finished run(const std::string& arguments) {
    write("plan.json", plan_.dump());
    return shell("cd " + quoted(folder_.string()) + " && FAKE_SUITE_PLAN=plan.json " +
                 quoted(WARPGAUGE) + " run --quiet --suite " + quoted(FAKE_SUITE) + " " +
                 arguments);
  }

  static std::string file_of(int index) { return "shard-" + std::to_string(index) + ".json"; }

  void run_shard(int index, int count, const std::string& arguments = "") {
    const Finished finished = run("--shard " + std::to_string(index) + "/" + std::to_string(count) +
                                  " --out " + file_of(index) + " " + arguments);
    ASSERT_EQ(finished.status, 0) << finished.output;
  }

  void run_shards(int count) {
    for (int index = 1; index <= count; ++index) run_shard(index, count);
  }

  // In another order than theirs.
  Finished merge(int count) const {
    std::string files;
    for (int index = count; index >= 1; --index) files += file_of(index) + " ";
    return warpgauge("merge " + files + "--out merged.json");
  }

  [[nodiscard]] Json json(const std::string& name) const {
    return Json::parse(results::read_file(folder_ / name));
  }

  // But for the time of day.
  [[nodiscard]] std::string without_time_of_day(const std::string& name) const {
    Json file = json(name);
    file["context"]["warpgauge"]["created"] = "";
    return file.dump(1);
  }

  static const results::BenchmarkResult& find(const Results& results, const std::string& id) {
    for (const auto& each : results.benchmarks) {
      if (each.id == id) return each;
    }
    throw std::logic_error("no " + id);
  }

  void change(const std::string& name, const std::function<void(Json&)>& edit) const {
    Json file = json(name);
    edit(file);
    write(name, file.dump());
  }

  Json plan_;
  std::set<std::string> uuids_;
};

TEST_F(Shards, MergedTheyAreTheWholeRun) {
  ASSERT_EQ(run("--out whole.json").status, 0);
  for (const int count : {1, 3, 25}) {  // of 25, most are empty
    run_shards(count);
    const Finished merged = merge(count);
    ASSERT_EQ(merged.status, 0) << merged.output;
    EXPECT_EQ(without_time_of_day("merged.json"), without_time_of_day("whole.json")) << count;
    for (int index = 1; index <= count; ++index) {
      EXPECT_EQ(why_invalid(results::read_file(folder_ / file_of(index)),
                            "profiling/results/results.schema.json"),
                "");
      EXPECT_EQ(json(file_of(index))["context"]["warpgauge"]["shard"]["index"], index);
    }
  }
}

TEST_F(Shards, EachMeasuresItsOwnAndNothingElse) {
  run_shards(3);
  std::map<std::string, int> seen;
  for (int index = 1; index <= 3; ++index) {
    for (const auto& benchmark : results::read_results(folder_ / file_of(index)).benchmarks) {
      EXPECT_EQ(ci::shard_of(benchmark.id, 3), index);
      ++seen[benchmark.id];
    }
  }
  EXPECT_EQ(seen.size(), 12u);
  for (const auto& [id, times] : seen) EXPECT_EQ(times, 1) << id;
}

TEST_F(Shards, AFailureStaysAFailure) {
  plan_["benchmarks"][id_of(5)]["fate"] = "wrong_result";
  for (int index = 1; index <= 2; ++index) {
    const int status =
        run("--shard " + std::to_string(index) + "/2 --out " + file_of(index)).status;
    EXPECT_EQ(status, ci::shard_of(id_of(5), 2) == index ? 4 : 0);
  }
  const Finished merged = merge(2);
  EXPECT_EQ(merged.status, 4);
  EXPECT_NE(merged.output.find("12 benchmarks of 2 shards on 1 device, 1 failed"),
            std::string::npos)
      << merged.output;
}

TEST_F(Shards, GapsAndDoublesAreRefused) {
  run_shards(4);
  const auto refuses = [&](const std::string& files, const std::string& text) {
    const Finished finished = warpgauge("merge " + files);
    EXPECT_EQ(finished.status, 64) << finished.output;
    EXPECT_NE(finished.output.find(text), std::string::npos) << finished.output;
    EXPECT_FALSE(fs::exists(folder_ / "results.json"));
  };
  refuses("shard-1.json shard-3.json", "of 4 shards these are missing: 2, 4; measure them with");
  refuses("shard-1.json shard-2.json shard-3.json shard-4.json shard-2.json",
          "shard-2.json and shard-2.json are both shard 2");
  ASSERT_EQ(run("--out whole.json").status, 0);
  refuses("whole.json", "whole.json is no shard of a run");

  const std::string own = "shard-" + std::to_string(ci::shard_of(id_of(0), 4)) + ".json";
  const Json before = json(own);
  change(own, [](Json& file) { file["benchmarks"].erase(0); });
  const Finished lost = warpgauge("merge shard-1.json shard-2.json shard-3.json shard-4.json");
  EXPECT_EQ(lost.status, 4) << lost.output;
  EXPECT_NE(lost.output.find("belongs to this shard, but is not in it"), std::string::npos)
      << lost.output;
  write(own, before.dump());
  const std::string other = own == "shard-1.json" ? "shard-2.json" : "shard-1.json";
  change(other, [&](Json& file) { file["benchmarks"].push_back(before["benchmarks"][0]); });
  const Finished twice = warpgauge("merge shard-1.json shard-2.json shard-3.json shard-4.json");
  EXPECT_EQ(twice.status, 4) << twice.output;
  EXPECT_NE(twice.output.find("belongs to shard "), std::string::npos) << twice.output;
}

TEST_F(Shards, ThatAreTooLargeTogetherAreNotRead) {
  for (int index = 1; index <= 3; ++index) {
    write(file_of(index), "{");
    fs::resize_file(folder_ / file_of(index), 60 * results::kMebibyte);
  }
  const Finished refused = merge(3);
  EXPECT_EQ(refused.status, 4) << refused.output;
  EXPECT_NE(refused.output.find("cannot read all 3 shards: it is larger than 128 MiB"),
            std::string::npos)
      << refused.output;
}

// Each alone may be read, but not what they make.
TEST_F(Shards, ThatHaveTooManyEntriesTogetherAreNotRead) {
  run_shards(2);
  for (int index = 1; index <= 2; ++index) {
    std::string text = results::read_file(folder_ / file_of(index));
    const std::size_t begin = text.find('{', text.find("\"benchmarks\": ["));
    const std::string entry =
        R"({"name": "a", "warpgauge": {"id": "a", "pass": "counters", "process": 0, "samples_ns": [],)"
        R"( "outcome": {"status": "ok", "message": ""}, "lines": [], "not_measured": {}, "work":)"
        R"( {"bytes_read": 0, "bytes_written": 0, "operations": 0}}},)";
    std::string more;
    for (std::size_t i = 0; i < results::kMostEntries / 2; ++i) more += entry + "\n";
    write(file_of(index), text.insert(begin, more));
  }
  const Finished refused = merge(2);
  EXPECT_EQ(refused.status, 4) << refused.output;
  EXPECT_NE(refused.output.find("the 2 shards together have more than 200000 entries, the most "
                                "that are read from one file"),
            std::string::npos)
      << refused.output;
}

TEST_F(Shards, WhatIsNotOfOneRunIsRefused) {
  use_gpu("a");
  const auto refuses = [&](const std::string& what, const std::string& text) {
    const Finished finished = merge(2);
    EXPECT_EQ(finished.status, 64) << what << finished.output;
    EXPECT_NE(finished.output.find(text), std::string::npos) << what << finished.output;
    run_shard(2, 2);
  };
  run_shards(2);
  ASSERT_EQ(merge(2).status, 0);
  const auto edited = [&](const std::string& what, const std::string& field, const Json& value,
                          const std::string& text) {
    change(file_of(2),
           [&](Json& file) { file["context"]["warpgauge"][Json::json_pointer(field)] = value; });
    refuses(what, text);
  };
  edited("revision", "/source/revision", "def", "of revision '");
  edited("changes", "/source/modified",
         !json(file_of(2))["context"]["warpgauge"]["source"]["modified"].get<bool>(),
         "changes that are not committed");
  edited("model", "/device/key", "nvidia-h100", "different devices");
  edited("a part of one", "/device/multiprocessors", 16, "multiprocessors");
  edited("driver", "/device/driver", "1.0", "driver '");
  edited("compiler", "/toolchain/host_compiler", "clang", "host compiler '");
  edited("caches", "/hot", true, "state of the caches 'hot' → 'cold'");
  run_shard(2, 2, "--processes 2");
  refuses("processes", "--processes");
  run_shard(2, 2, "--counters more");
  refuses("counters", "--counters");
  run_shard(2, 2, "--filter variant1");
  refuses("filter", "--filter was another");
  run_shard(2, 3);
  refuses("count", "one is of 3 shards, the other of 2");
  change(file_of(1),
         [](Json& file) { file["context"]["warpgauge"]["settings"]["power_limit_w"] = 700; });
  edited("power", "/settings/power_limit_w", 500, "power limit '");
}

TEST_F(Shards, AreNeitherComparedWithABaselineNorApproved) {
  ASSERT_EQ(run("--out whole.json").status, 0);
  ASSERT_EQ(warpgauge("approve whole.json --reason first").status, 0);
  run_shards(2);
  for (const char* command :
       {"compare baselines shard-1.json", "approve shard-1.json --reason x"}) {
    const Finished finished = warpgauge(command);
    EXPECT_EQ(finished.status, 64) << finished.output;
    EXPECT_NE(finished.output.find("is shard 1 of 2: join all of them with warpgauge merge first"),
              std::string::npos)
        << finished.output;
  }
  ASSERT_EQ(merge(2).status, 0);
  EXPECT_EQ(warpgauge("compare baselines merged.json").status, 0);
}

// Two kinds of die, 2 % apart in one control, -1.6 % in the other, 1 % in what is tested.
class Dies : public Shards {
 protected:
  static constexpr int kKernels = 8;

  static std::vector<double> figures(double time, double slope, int kind, int session) {
    std::vector<double> all;
    for (int process = 0; process < 5; ++process) {
      const double noise = 0.0004 * std::sin(1.0 + 7 * process + 3 * session + 100 * slope);
      all.push_back(time * std::exp(0.02 * kind * slope + noise));
    }
    return all;
  }

  static std::string kernel(int i) { return "a/kernel/" + std::to_string(i); }

  void SetUp() override {
    Shards::SetUp();
    write("policy.toml",
          "controls = [\"bandwidth/*\", \"control/one/1\"]\n[[metric]]\nnames = [\"time\"]\n"
          "class = \"statistical\"\nrelative_floor = 0.005\n[[metric]]\n"
          "names = [\"barriers\"]\nclass = \"exact\"\n");
    write("blind.toml",
          "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.005\n"
          "[[metric]]\nnames = [\"barriers\"]\nclass = \"exact\"\n");
  }

  // The suite as a die of that kind measures it.
  void be(const std::string& name, int kind, int session) {
    use_gpu(name);
    fs::remove(folder_ / "log");
    plan_["benchmarks"] = Json::object();
    const auto add = [&](const std::string& id, double time, double slope) {
      plan_["benchmarks"][id] = {{"time_ns", figures(time, slope, kind, session)},
                                 {"counters", {{"barriers", 3}}}};
    };
    for (int i = 0; i < kKernels; ++i) add(kernel(i), 40'000 + 1000 * i, 0.5 - 0.1 * i);
    add("bandwidth/copy/9", 60'000, 1);
    add("control/one/1", 50'000, -0.8);
  }

  void approve_six_sessions() {
    std::string files;
    for (int session = 0; session < 6; ++session) {
      be("baseline" + std::to_string(session), session % 2, session);
      const std::string file = "session-" + std::to_string(session) + ".json";
      ASSERT_EQ(run("--out " + file).status, 0);
      files += file + " ";
    }
    const Finished approved = warpgauge("approve --policy policy.toml --reason six " + files);
    ASSERT_EQ(approved.status, 0) << approved.output;
  }
};

TEST_F(Dies, EachShardTimesWhatTellsThemApart) {
  std::vector<std::string> uuids;
  for (int index = 1; index <= 3; ++index) {
    be("die" + std::to_string(index), 0, index);
    uuids.push_back(plan_["device"]["uuid"]);
    run_shard(index, 3, "--policy policy.toml");
  }
  const Finished finished = merge(3);
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("10 benchmarks of 3 shards on 3 devices"), std::string::npos)
      << finished.output;
  EXPECT_EQ(why_invalid(results::read_file(folder_ / "merged.json"),
                        "profiling/results/results.schema.json"),
            "");

  const Results merged = results::read_results(folder_ / "merged.json");
  ASSERT_EQ(merged.session->dies.size(), 3u);
  EXPECT_EQ(merged.session->device.uuid, "");
  for (const char* id : {"bandwidth/copy/9", "control/one/1"}) {
    const auto& benchmark = find(merged, id);
    const results::Metric& time = benchmark.metrics.at("time");
    EXPECT_EQ(time.sessions.size(), 3u) << id;
    for (const auto& session : time.sessions) EXPECT_EQ(session.size(), 5u);
    std::set<std::string> labels(time.labels.begin(), time.labels.end());
    for (const std::string& uuid : uuids) {
      EXPECT_EQ(std::count_if(labels.begin(), labels.end(),
                              [&](const auto& label) { return label.ends_with(" " + uuid); }),
                1)
          << uuid;
    }
    EXPECT_EQ(benchmark.metrics.at("barriers").sessions, (std::vector<std::vector<double>>{{3}}))
        << "counted by its own shard alone";
  }
  for (int i = 0; i < kKernels; ++i) {
    const results::Metric& time = find(merged, kernel(i)).metrics.at("time");
    const auto owner = static_cast<std::size_t>(ci::shard_of(kernel(i), 3) - 1);
    ASSERT_EQ(time.labels.size(), 1u);
    EXPECT_TRUE(time.labels[0].ends_with(uuids[owner])) << time.labels[0];
  }
  ASSERT_TRUE(merged.session->ceilings.has_value());
  EXPECT_NEAR(merged.session->ceilings->bytes_per_second.at("copy"), 96 / 60'000e-9, 2e3);
}

TEST_F(Dies, AreComparedAsIfTheyDidNotDiffer) {
  approve_six_sessions();
  for (int index = 1; index <= 2; ++index) {
    be("die" + std::to_string(index), index - 1, 6 + index);
    run_shard(index, 2, "--policy policy.toml");
  }
  ASSERT_EQ(merge(2).status, 0);
  const Finished told = warpgauge(
      "compare baselines merged.json --policy policy.toml --json verdict.json --summary "
      "summary.md");
  EXPECT_EQ(told.status, 0) << told.output;
  EXPECT_EQ(
      why_invalid(results::read_file(folder_ / "verdict.json"), "ci/verdict/verdict.schema.json"),
      "");
  const std::string summary = results::read_file(folder_ / "summary.md");
  const Results merged = results::read_results(folder_ / "merged.json");
  for (const results::Die& die : merged.session->dies) {
    EXPECT_NE(summary.find(die.uuid), std::string::npos) << summary;
  }
  const Finished blind = warpgauge("compare baselines merged.json --policy blind.toml");
  EXPECT_NE(blind.status, 0) << "without the controls this shows nothing" << blind.output;
}

TEST_F(Dies, OfSeveralNoBaselineIsMade) {
  for (int index = 1; index <= 2; ++index) {
    be("die" + std::to_string(index), 0, index);
    run_shard(index, 2);
  }
  ASSERT_EQ(merge(2).status, 0);
  const Finished finished = warpgauge("approve merged.json --reason x");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("its shards are of several devices"), std::string::npos)
      << finished.output;
}

TEST_F(Dies, OnOneTheShardsAreOneSession) {
  be("one", 0, 1);
  run_shards(2);
  ASSERT_EQ(merge(2).status, 0);
  const Results merged = results::read_results(folder_ / "merged.json");
  EXPECT_TRUE(merged.session->dies.empty());
  EXPECT_EQ(merged.session->device.uuid, plan_["device"]["uuid"]);
  for (const auto& benchmark : merged.benchmarks) {
    EXPECT_EQ(benchmark.metrics.at("time").sessions.size(), 1u) << benchmark.id;
  }
  const Finished approved = warpgauge("approve merged.json --policy policy.toml --reason x");
  EXPECT_EQ(approved.status, 0) << approved.output;
}

}  // namespace
}  // namespace warpgauge
