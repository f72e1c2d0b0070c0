// SPDX-License-Identifier: Apache-2.0
// Decisions of `warpgauge compare` on small results that are made for the purpose: every verdict on
// every class of metric. See golden_verdicts.hpp.
#include <functional>
#include <utility>

#include "tests/verdict/golden/golden_verdicts_small.hpp"

namespace warpgauge {
namespace {

using golden::counted;
using golden::GoldenVerdicts;
using golden::hour;
using golden::steady_ns;
using golden::timed;
using results::Json;
using results::Status;

// A figure a repetition, of what a counter is elsewhere.
void set_repetitions(Json& json, const std::string& id, const std::string& metric,
                     const std::vector<Json>& figures) {
  std::size_t repetition = 0;
  for (Json& entry : json["benchmarks"]) {
    if (entry["warpgauge"]["id"] == id && repetition < figures.size()) {
      entry[metric] = figures[repetition++];
    }
  }
}

TEST_F(GoldenVerdicts, ExactCounters) {
  write("policy.toml", std::string(golden::kPolicy) + golden::kHits);
  const std::vector<Measured> before{
      counted("a/same/1", {{"barriers", 3}, {"unknown", 1}}),
      counted("a/greater/1", {{"barriers", 1'000'000}}),
      counted("a/less/1", {{"barriers", 1'000'000}}),
      counted("a/from_zero/1", {{"barriers", 0}}),
      counted("a/higher_is_better_and_more/1", {{"hits", 10}}),
      counted("a/higher_is_better_and_less/1", {{"hits", 10}}),
      counted("a/one_better_one_worse/1", {{"barriers", 4}, {"shared_load_requests", 4}}),
      counted("a/new_metric/1", {{"barriers", 4}}),
      counted("a/metric_gone/1", {{"barriers", 4}, {"shared_load_requests", 4}}),
      counted("a/gone_for_a_reason/1", {{"barriers", 4}, {"shared_load_requests", 4}}),
      counted("a/optional_gone/1", {{"barriers", 4}, {"registers", 32}}),
      counted("a/optional_new/1", {{"barriers", 4}}),
      counted("a/shown_only/1", {{"unknown", 1}})};
  std::vector<Measured> after{
      counted("a/same/1", {{"barriers", 3}, {"unknown", 100}}),
      counted("a/greater/1", {{"barriers", 1'000'001}}),
      counted("a/less/1", {{"barriers", 999'999}}),
      counted("a/from_zero/1", {{"barriers", 1}}),
      counted("a/higher_is_better_and_more/1", {{"hits", 11}}),
      counted("a/higher_is_better_and_less/1", {{"hits", 9}}),
      counted("a/one_better_one_worse/1", {{"barriers", 3}, {"shared_load_requests", 5}}),
      counted("a/new_metric/1", {{"barriers", 4}, {"shared_load_requests", 4}}),
      counted("a/metric_gone/1", {{"barriers", 4}}),
      counted("a/gone_for_a_reason/1", {{"barriers", 4}}),
      counted("a/optional_gone/1", {{"barriers", 4}}),
      counted("a/optional_new/1", {{"barriers", 4}, {"registers", 32}}),
      counted("a/shown_only/1", {{"unknown", 100}})};
  after[9].not_measured["counters"] = "no permission";
  compare_files("on a GPU", before, after);
  compare_files("emulated", before, after, {}, "", emulated());
  compare_stored("against a baseline", before, after, 1, "", emulated());
}

TEST_F(GoldenVerdicts, ExactCountersThatDoNotRepeat) {
  const std::vector<Measured> once{{.id = "a/b/1", .times_ns = steady_ns(50'000)}};
  const auto figures = [](std::vector<Json> all) {
    return [all](Json& json) { set_repetitions(json, "a/b/1", "barriers", all); };
  };
  const auto judge = [&](const std::string& name, const Edit& before, const Edit& after,
                         const std::string& options = "") {
    write_results("before.json", h200(), once, before);
    write_results("after.json", h200(), once, after);
    compare(name, "before.json", "after.json", options);
  };
  judge("now", figures({4, 4}), figures({4, 5}));
  judge("before", figures({4, 5}), figures({4, 4}));
  judge("alike in all processes", figures({4, 4, 4}), figures({5, 5}));
  judge("no number", figures({4}), figures({nullptr}));
  judge("negative", figures({4}), figures({-1}));
  judge("no number before", figures({"four"}), figures({4}));
  write("shown.toml", std::string(golden::kPolicy) +
                          "[[override]]\nbenchmarks = \"a/*\"\nmetrics = [\"barriers\"]\n"
                          "gate = false\nreason = \"polls\"\n");
  judge("shown", figures({4, 5}), figures({4, 7}), "--policy shown.toml");
  judge("shown and no number", figures({4}), figures({nullptr}), "--policy shown.toml");
}

TEST_F(GoldenVerdicts, BenchmarksAsAWhole) {
  std::vector<Measured> before;
  std::vector<Measured> after;
  for (const char* id :
       {"a/gone/1", "a/crashes/1", "a/hangs/1", "a/errs/1", "a/is_wrong/1", "a/failed_before/1",
        "a/failed_twice/1", "a/measures_nothing/1", "a/never_measured_anything/1", "a/remarks/1"}) {
    before.push_back(counted(id, {{"barriers", 3}}));
    after.push_back(before.back());
  }
  after.erase(after.begin());
  after[0].outcome = {Status::crashed, "died of SIGSEGV"};
  after[1].outcome = {Status::hung, "no progress"};
  after[2].outcome = {Status::error, ""};
  after[3].outcome = {Status::wrong_result, "3 of 9 are wrong"};
  before[5].outcome = {Status::error, "an illegal address"};
  before[6].outcome = after[5].outcome = {Status::crashed, "died of SIGSEGV"};
  after[6].counters.clear();
  after[6].not_measured["counters"] = "no permission";
  before[8].counters.clear();
  after[7].counters.clear();
  after.push_back(counted("a/new/1", {{"barriers", 1}}));
  after.push_back(counted("a/new_and_nothing/1", {}));
  const auto remark = [](Json& json) {
    for (Json& entry : json["benchmarks"]) {
      if (entry["warpgauge"]["id"] == "a/remarks/1") {
        entry["warpgauge"]["remarks"] = {"one", "another"};
      }
    }
  };
  compare_files("from a file", before, after, remark);
  compare_files("emulated", before, after, remark, "", emulated());
  compare_files("allowed to be new", before, after, {}, "--allow new inconclusive");
  compare("no baseline", "baselines", "after.json");
  compare("no baseline, new allowed", "baselines", "after.json", "--allow new");
  write_results("good.json", h200(), {timed("a/b/1", 9'000)});
  compare("no baseline, all well", "baselines", "good.json");
}

TEST_F(GoldenVerdicts, TimesAndFloors) {
  std::vector<Measured> before;
  std::vector<Measured> after;
  const auto add = [&](const std::string& id, double old_ns, double new_ns) {
    before.push_back(timed(id, old_ns));
    after.push_back(timed(id, new_ns));
  };
  add("a/same/1", 100'000, 100'100);
  add("a/slower/1", 100'000, 105'100);
  add("a/faster/1", 100'000, 95'200);
  add("a/slower_within_the_floor/1", 100'000, 100'400);
  add("a/slower_about_the_floor/1", 100'000, 100'720);
  add("a/short_within_a_step/1", 1'000, 1'030);
  add("a/short_slower/1", 1'000, 1'129);
  add("a/short_faster/1", 1'129, 1'000);
  compare_files("two files", before, after);
  compare_stored("one session", before, after, 1);
  compare_stored("five sessions", before, after);
  after[0].times_ns[3] *= 1.3;
  before[1].times_ns[3] *= 1.3;
  compare_files("a process far out", before, after);
  for (Measured& each : after) {
    if (each.id == "a/faster/1") each.times_ns = {90'010, 110'030, 100'020};
  }
  compare_files("noise", before, after);
}

TEST_F(GoldenVerdicts, OtherStatisticalMetrics) {
  write("policy.toml", std::string(golden::kPolicy) + golden::kRate);
  const std::vector<Measured> both{timed("a/b/1", 50'000)};
  const auto judge = [&](const std::string& name, const std::vector<Json>& old_rates,
                         const std::vector<Json>& new_rates) {
    const auto rates = [](const std::vector<Json>& all) {
      return [all](Json& json) { set_repetitions(json, "a/b/1", "rate", all); };
    };
    write_results("before.json", h200(), both, rates(old_rates));
    write_results("after.json", h200(), both, rates(new_rates));
    compare(name, "before.json", "after.json");
  };
  const std::vector<Json> rates{10.01, 10.03, 10.02, 10.06};
  judge("same", rates, {10.02, 10.04, 10.03, 10.05});
  judge("less", rates, {9.21, 9.23, 9.22, 9.26});
  judge("more", rates, {11.01, 11.03, 11.02, 11.06});
  judge("unclear", rates, {9.01, 11.03, 10.02, 10.66});
  judge("zero now", rates, {10.01, 0.0, 10.02});
  judge("zero before", {10.01, 0.0, 10.02}, rates);
  judge("one figure", rates, {9.21});
  judge("gone", rates, {});
  judge("new", {}, rates);
}

TEST_F(GoldenVerdicts, OneFigureASide) {
  const auto once = [](double time_ns) {
    return std::vector<Measured>{{.id = "a/b/1", .times_ns = {time_ns}}};
  };
  const std::vector<Measured> twice{{.id = "a/b/1", .times_ns = {50'010, 50'030}}};
  compare_files("now", twice, once(60'000));
  compare_files("before", once(50'000), twice);
  compare_files("slower by threshold", once(50'000), once(53'000), {}, "--threshold 5");
  compare_files("faster by threshold", once(53'000), once(50'000), {}, "--threshold 5");
  compare_files("within the threshold", once(50'000), once(52'000), {}, "--threshold 5");
  compare_files("threshold beside repetitions", twice, twice, {}, "--threshold 5");
  const auto other_driver = [](Json& json) {
    json["context"]["warpgauge"]["device"]["driver"] = "590.1";
  };
  compare_files("threshold with another driver", once(50'000), once(60'000), other_driver,
                "--threshold 5");
  const auto one_rate = [](double rate) {
    return [rate](Json& json) { set_repetitions(json, "a/b/1", "rate", {rate}); };
  };
  write("policy.toml", std::string(golden::kPolicy) + golden::kRate);
  write_results("before.json", h200(), twice, one_rate(10));
  write_results("after.json", h200(), twice, one_rate(9));
  compare("a rate that is less by threshold", "before.json", "after.json", "--threshold 5");
}

TEST_F(GoldenVerdicts, PlainFiles) {
  const auto times = [](const std::vector<std::string>& all) {
    std::vector<std::string> repetitions;
    for (const std::string& each : all) repetitions.push_back(nanoseconds(each));
    return repetitions;
  };
  compare_plain("repeated and slower", times({"10.01", "10.02"}), times({"12.01", "12.03"}));
  compare_plain("repeated and the same", times({"10.01", "10.02", "10.03"}),
                times({"10.02", "10.01", "10.03"}));
  compare_plain("noise", times({"100", "130", "90"}), times({"100", "130", "91"}), "--threshold 5");
  compare_plain("once", times({"100"}), times({"150"}));
  compare_plain("once, by threshold", times({"100"}), times({"106"}), "--threshold 5");
  compare_plain("once, faster by threshold", times({"106"}), times({"100"}), "--threshold 5");
  compare_plain("once, within the threshold", times({"100"}), times({"104"}), "--threshold 5");
  const std::vector<std::string> skipped{R"("skipped": true, "skip_message": "needs two GPUs")"};
  compare_plain("skipped now", times({"10", "11"}), skipped);
  compare_plain("skipped before", skipped, times({"10", "11"}));
  compare_plain("skipped twice", skipped, skipped);
  compare_plain("failed", times({"10", "11"}),
                {nanoseconds("10"), R"("error_occurred": true, "error_message": "no memory")"});
  compare_plain("zero", times({"10", "11"}), times({"10", "0"}));
  compare_plain("counters", {nanoseconds("10.01") + R"(, "barriers": 3, "items": 5)"},
                {nanoseconds("10.02") + R"(, "barriers": 4, "items": 7)"});
  write("before.json", plain_text(times({"10.01", "10.02"}), "BM_gone"));
  compare("of other names", "before.json", "after.json");
  write_results("ours.json", h200(), {timed("BM_copy/1024", 10)});
  compare("beside ours", "ours.json", "after.json");
  compare("against a folder", "baselines", "after.json");
}

TEST_F(GoldenVerdicts, ImportedFiles) {
  const auto imported = [](bool gpu_clock, int multiprocessors = 0) {
    return [=](Json& json) {
      Json& session = json["context"]["warpgauge"];
      session["imported"] = {{"program", "NVBench"}, {"gpu_clock", gpu_clock}};
      session["device"]["multiprocessors"] = multiprocessors;
    };
  };
  const auto judge = [&](const std::string& name, const Edit& before, const Edit& after,
                         std::vector<double> old_times, std::vector<double> new_times) {
    write_results("before.json", h200(), {{.id = "a/b/1", .times_ns = std::move(old_times)}},
                  before);
    write_results("after.json", h200(), {{.id = "a/b/1", .times_ns = std::move(new_times)}}, after);
    compare(name, "before.json", "after.json");
  };
  judge("by a GPU's clock, within a step", imported(true), imported(true), steady_ns(1'000),
        steady_ns(1'040));
  judge("by a host's clock, where steps do not count", imported(false), imported(false),
        steady_ns(1'000), steady_ns(1'040));
  judge("one clock each", imported(true), imported(false), steady_ns(1'000), steady_ns(1'040));
  judge("one process now", imported(true), imported(true), steady_ns(50'000), {60'000});
  judge("one process before", imported(true), imported(true), {50'000}, steady_ns(60'000));
  judge("beside our own", {}, imported(true, 132), steady_ns(50'000), steady_ns(50'100));
  const auto whole = [](Json& json) {
    json["context"]["warpgauge"]["device"]["multiprocessors"] = 132;
  };
  judge("multiprocessors not known", whole, imported(true), steady_ns(50'000), steady_ns(50'100));
  judge("other multiprocessors", whole, imported(true, 16), steady_ns(50'000), steady_ns(50'100));
  // What another program wrote, in two processes.
  const auto import = [&](const std::string& out, const std::vector<std::string>& times) {
    write("run1.json", plain_text({nanoseconds(times[0]), nanoseconds(times[1])}));
    write("run2.json", plain_text({nanoseconds(times[2]), nanoseconds(times[3])}));
    return warpgauge("import run1.json run2.json --device CPU --out " + out).status;
  };
  ASSERT_EQ(import("first.json", {"100.1", "100.3", "100.2", "100.4"}), 0);
  ASSERT_EQ(import("second.json", {"110.1", "110.3", "110.2", "110.6"}), 0);
  compare("Google Benchmark, slower", "first.json", "second.json");
  compare("Google Benchmark with itself", "first.json", "first.json");
}

TEST_F(GoldenVerdicts, Circumstances) {
  Measured benchmark = timed("a/b/1", 50'000);
  benchmark.counters = {{"barriers", 3}};
  Measured worse = timed("a/b/1", 60'000);
  worse.counters = {{"barriers", 4}};
  const auto judge = [&](const std::string& name, const char* path, const Json& before,
                         const Json& after) {
    const auto set = [path](const Json& value) {
      return [=](Json& json) {
        if (!value.is_null()) json["context"]["warpgauge"][Json::json_pointer(path)] = value;
      };
    };
    write_results("before.json", h200(), {benchmark}, set(before));
    write_results("after.json", h200(), {worse}, set(after));
    compare(name, "before.json", "after.json");
  };
  judge("another driver", "/device/driver", "580.1", "590.1");
  judge("driver not known before", "/device/driver", "", "590.1");
  judge("another CUDA", "/toolchain/cuda", "13.0", "13.1");
  judge("another host compiler", "/toolchain/host_compiler", "g++ 12", "g++ 13");
  judge("another build type", "/toolchain/build_type", "Release", "Debug");
  judge("another version", "/toolchain/version", "0.1.0", "0.2.0");
  judge("another UUID", "/device/uuid", "GPU-one", "GPU-two");
  judge("another power limit", "/settings/power_limit_w", 700, 600);
  judge("power limit not known before", "/settings/power_limit_w", nullptr, 600);
  judge("another clock", "/settings/sm_clock_mhz", 1980, 1500);
  judge("other ECC", "/settings/ecc", true, false);
  judge("hot against cold", "/hot", true, false);
  judge("cold against hot", "/hot", false, true);
  judge("hot against hot", "/hot", true, true);
  judge("another device", "/device/key", "nvidia-h200", "nvidia-h100");
  judge("a part of the device", "/device/multiprocessors", 132, 16);
  compare_files(
      "another driver of an emulator", {benchmark}, {worse},
      [](Json& json) { json["context"]["warpgauge"]["device"]["driver"] = "2"; }, "", emulated());
}

TEST_F(GoldenVerdicts, FilteredSides) {
  const Measured one = counted("a/one/1", {{"barriers", 7}});
  const Measured two = counted("b/two/1", {{"barriers", 7}});
  Measured fails = two;
  fails.outcome = {Status::crashed, "died of SIGSEGV"};
  const auto filtered = [](const char* filter) {
    return [filter](Json& json) { json["context"]["warpgauge"]["filter"] = filter; };
  };
  const auto judge = [&](const std::string& name, const std::vector<Measured>& before,
                         const Edit& edit_before, const std::vector<Measured>& after,
                         const Edit& edit_after, const std::string& options = "") {
    write_results("before.json", h200(), before, edit_before);
    write_results("after.json", h200(), after, edit_after);
    compare(name, "before.json", "after.json", options);
  };
  judge("left out now", {one, two}, {}, {one}, filtered("^a/"));
  judge("not left out and missing", {one, two}, {}, {one}, filtered("[ab]/"));
  judge("left out before", {one}, filtered("^a/"), {one, two}, {});
  judge("left out before, and fails now", {one}, filtered("^a/"), {one, fails}, {});
  judge("nothing in common", {one}, filtered("^a/"), {two}, filtered("^b/"));
  judge("no regular expression", {one}, {}, {one}, filtered("["));
  judge("by the comparison", {one, two}, {}, {one}, {}, "--filter ^a/");
  compare_stored("of a baseline none is left out", {one}, {one, two}, 1);
}

TEST_F(GoldenVerdicts, ThePolicysOverrides) {
  const auto suite = [](double barriers, double factor) {
    std::vector<Measured> all;
    for (const char* id : {"a/one/1", "a/two/1", "b/three/1"}) {
      all.push_back(timed(id, 50'000 * factor));
      all.back().counters = {{"barriers", barriers}};
    }
    return all;
  };
  const auto judge = [&](const std::string& name, const std::string& overrides,
                         const std::string& options = "") {
    write("own.toml", golden::kPolicy + overrides);
    compare(name, "before.json", "after.json", "--policy own.toml " + options);
  };
  write_results("before.json", h200(), suite(3, 1));
  write_results("after.json", h200(), suite(4, 1.03));
  judge("none", "");
  judge("not gated", "[[override]]\nbenchmarks = \"a/*\"\ngate = false\nreason = \"r\"\n");
  judge("gated again",
        "[[override]]\nbenchmarks = \"a/*\"\ngate = false\nreason = \"r\"\n"
        "[[override]]\nbenchmarks = \"a/one/*\"\ngate = true\n");
  judge("time not gated",
        "[[override]]\nbenchmarks = \"a/*\"\nmetrics = [\"time\"]\ngate = false\nreason = \"r\"\n");
  judge("a wider floor",
        "[[override]]\nbenchmarks = \"a/*\"\nmetrics = [\"time\"]\n"
        "relative_floor = 0.05\n");
  judge("a wider absolute floor",
        "[[override]]\nbenchmarks = \"b/*\"\nmetrics = [\"time\"]\n"
        "absolute_floor = 2500.0\n");
  judge("expired long ago",
        "[[override]]\nbenchmarks = \"a/*\"\ngate = false\nreason = \"r\"\n"
        "expires = 2001-01-01\n");
  judge("expires in ages",
        "[[override]]\nbenchmarks = \"a/*\"\ngate = false\nreason = \"r\"\n"
        "expires = 9999-12-31\n");
  std::vector<Measured> fewer = suite(3, 1);
  fewer[0].counters.clear();
  fewer[2].counters.clear();
  fewer[1].times_ns = {40'010, 60'020, 50'030};
  fewer.push_back(counted("b/new/1", {{"barriers", 1}}));
  write_results("after.json", h200(), fewer);
  judge("optional",
        "[[override]]\nbenchmarks = \"a/*\"\nmetrics = [\"barriers\"]\n"
        "optional = true\nreason = \"r\"\n");
  fewer[0].counters = fewer[2].counters = {{"barriers", 3}};
  write_results("after.json", h200(), fewer);
  judge("new and inconclusive", "");
  judge("new allowed", "", "--allow new");
  judge("both allowed", "", "--allow new inconclusive");
  judge("critical", "[[override]]\nbenchmarks = \"b/*\"\ncritical = true\n",
        "--allow new inconclusive");
}

}  // namespace
}  // namespace warpgauge
