// SPDX-License-Identifier: Apache-2.0
// Results that say two things, or more than is read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/results.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/profiling/results/error_of.hpp"

namespace warpgauge::results {
namespace {

// One of the two would be judged, and the other one read by whoever looks.
TEST(Results, AKeyThatStandsTwiceInAnObjectIsRefused) {
  const std::string refused = "file.json: has '{}' twice in one object; leave one of the two";
  const std::string entry = R"({"name": "a", "real_time": 9, "time_unit": "ns")";
  for (const auto& [text, key] :
       {std::pair(R"({"benchmarks": [)" + entry + R"(, "real_time": 4}]})", "real_time"),
        {R"({"benchmarks": [)" + entry + R"(}], "benchmarks": []})", "benchmarks"},
        {R"({"context": {"x": 1, "x": 1}, "benchmarks": [)" + entry + "}]}", "x"},
        {R"({"benchmarks": [)" + entry +
             R"(, "warpgauge": {"outcome": {"a": 1, "b": 2, "a": 1}}}]})",
         "a"}}) {
    EXPECT_EQ(error_of(text), fmt::format(fmt::runtime(refused), key)) << text;
  }
  EXPECT_EQ(error_of(R"({"benchmarks": [)" + entry + R"(, "x": {"name": 1}, "y": {"name": 1}}]})"),
            "accepted")
      << "in two objects";
}

TEST(Results, AnErrorThatIsNotTrueOrFalseIsNoSuccess) {
  const auto with = [](const std::string& field) {
    return R"({"benchmarks": [{"name": "a", "real_time": 4, "time_unit": "ns", )" + field + "}]}";
  };
  for (const char* value : {"1", "\"true\"", "null", "[]"}) {
    for (const char* field : {"error_occurred", "skipped"}) {
      const std::string error = error_of(with(fmt::format("\"{}\": {}", field, value)));
      EXPECT_EQ(error.find(fmt::format("file.json: a: {}: must be true or false, is ", field)), 0U)
          << error;
    }
  }
  EXPECT_EQ(error_of(with(R"("error_occurred": false)")), "accepted");
  // What is no iteration is not looked at.
  EXPECT_EQ(error_of(with(R"("run_type": "aggregat")")),
            "file.json: a: run_type: must be 'iteration' or 'aggregate'");
}

TEST(Results, AnErrorOfWhichOurOwnOutcomeKnowsNothingIsRefused) {
  Json json = Json::parse(results_text(h200(), {{.id = "a/b/1", .times_ns = {100}}}));
  json["benchmarks"][0]["error_occurred"] = true;
  EXPECT_NE(error_of(json.dump()).find("error_occurred is true, but warpgauge.outcome is ok"),
            std::string::npos)
      << error_of(json.dump());
}

// Figures of a process that count twice make a scattered time look steady.
TEST(Results, AProcessThatOccursTwiceIsRefused) {
  Json json = Json::parse(results_text(h200(), {{.id = "a/b/1", .times_ns = {100, 101}}}));
  Json second = json["benchmarks"][1];
  second["repetition_index"] = 7;
  json["benchmarks"].push_back(second);
  EXPECT_NE(error_of(json.dump()).find("process 1 of the pass 'time' occurs twice"),
            std::string::npos)
      << error_of(json.dump());
}

// Each against all before it: minutes.
TEST(Results, OfManyRemarksAreReadSoon) {
  Json json = Json::parse(results_text(h200(), {{.id = "a/b/1", .times_ns = {100}}}));
  Json& remarks = json["benchmarks"][0]["warpgauge"]["remarks"] = Json::array();
  for (int i = 0; i < 100'000; ++i) remarks.push_back("seen: " + std::to_string(i % 99'999));
  const Results results = parse_results(json.dump(), "f");
  EXPECT_EQ(results.benchmarks.front().remarks.size(), 99'999U);
}

TEST(Results, OfMoreShardsOrDevicesThanThereAreAreRefused) {
  Json json = Json::parse(results_text(h200(), {{.id = "a/b/1", .times_ns = {100}}}));
  Json shard{{"index", 1},
             {"count", 1'000'000'000},
             {"sizes", ""},
             {"counters", Json::array()},
             {"benchmarks", Json::array()}};
  Json& session = json["context"]["warpgauge"];
  session["shard"] = shard;
  EXPECT_EQ(error_of(json.dump()),
            "file.json: context.warpgauge.shard: is of 1000000000 shards, and there are at most "
            "10000");
  session.erase("shard");
  for (std::size_t i = 0; i <= kMostMembers; ++i) {
    session["dies"].push_back({{"created", "2026-11-21T12:00:00Z"}, {"uuid", std::to_string(i)}});
  }
  EXPECT_EQ(error_of(json.dump()),
            "file.json: context.warpgauge.dies: has 4097 devices, and at most 4096 are read");
}

TEST(Results, OfMoreEntriesOrMetricsThanAreReadAreRefused) {
  std::string entries;
  for (std::size_t i = 0; i <= kMostEntries; ++i) {
    entries += (i > 0 ? ",\n" : "") +
               fmt::format(R"({{"name": "{}", "real_time": 4, "time_unit": "ns"}})", i);
  }
  EXPECT_EQ(
      error_of(R"({"benchmarks": [)" + entries + "]}"),
      "file.json: has more than 200000 entries, the most that are read; measure in parts, with "
      "--filter");
  std::string counters;
  for (int i = 0; i < 4'000; ++i) counters += fmt::format(R"(, "c{}": 1)", i);
  entries.clear();
  for (int i = 0; i <= 100; ++i) {
    entries +=
        (i > 0 ? ",\n" : "") +
        fmt::format(R"({{"name": "b{}", "real_time": 4, "time_unit": "ns"{}}})", i, counters);
  }
  EXPECT_NE(error_of(R"({"benchmarks": [)" + entries + "]}")
                .find("is one of more than 400000 metrics of benchmarks"),
            std::string::npos);
}

TEST(Results, ATextAsLongAsIsReadIsReadAndNoLonger) {
  const auto named = [](std::size_t length) {
    return R"({"benchmarks": [{"name": ")" + std::string(length, 'a') +
           R"(", "real_time": 4, "time_unit": "ns"}]})";
  };
  EXPECT_EQ(error_of(named(kLongestText)), "accepted");
  EXPECT_EQ(error_of(named(kLongestText + 1)),
            "file.json: has a text of 1048577 bytes, and at most 1048576 are read; is it the right "
            "file?");
  EXPECT_THROW((void)parse_json("{\"a\": \"" + std::string(kLongestText + 1, 'a') + "\"}"),
               FormatError);
}

TEST(Results, AnObjectWithAsManyMembersAsAreReadIsReadAndNoLargerOne) {
  const auto members = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
    return "{" + text + "}";
  };
  const auto in_context = [&](std::size_t count) {
    return R"({"context": {"x": )" + members(count) +
           R"(}, "benchmarks": [{"name": "a", "real_time": 4, "time_unit": "ns"}]})";
  };
  EXPECT_EQ(error_of(in_context(kMostMembers)), "accepted");
  EXPECT_EQ(error_of(in_context(kMostMembers + 1)),
            "file.json: has an object of more than 4096 members, the most that are read; is it the "
            "right file?");
  EXPECT_NO_THROW((void)parse_json(members(kMostMembers)));
  EXPECT_THROW((void)parse_json(members(kMostMembers + 1)), FormatError);
}

TEST(Results, ATextOfMoreValuesThanAreReadIsRefused) {
  // `each` as often as there are values in it, together `count` of them.
  const auto list = [](const std::string& each, std::size_t count) {
    std::string all = "[";
    const auto values = static_cast<std::size_t>(std::count(each.begin(), each.end(), ',')) + 1;
    for (std::size_t i = 0; i < count; i += values) all.append(i > 0 ? "," : "").append(each);
    return all + "]";
  };
  EXPECT_NO_THROW((void)parse_json(list("1", kMostValues - 1)));
  EXPECT_THROW((void)parse_json(list("1", kMostValues)), FormatError);
  const auto in_context = [&](const std::string& values) {
    return R"({"context": {"x": )" + values +
           R"(}, "benchmarks": [{"name": "a", "real_time": 4, "time_unit": "ns"}]})";
  };
  EXPECT_EQ(error_of(in_context(list("1", kMostNumbers - 1))), "accepted") << "numbers are small";
  EXPECT_EQ(error_of(in_context(list("1", kMostNumbers + 1))),
            "file.json: has more than 8000000 numbers, the most that are read; measure in parts, "
            "with --filter");
  EXPECT_EQ(error_of(in_context(list("[],\"\"", kMostValues))),
            "file.json: has more than 4000000 values, the most that are read; measure in parts, "
            "with --filter");
}

TEST(Results, NestingJustDeepEnoughIsRead) {
  const auto nested = [](int depth) {
    const auto count = static_cast<std::size_t>(depth);
    return R"({"benchmarks": [{"name": "a", "real_time": 4, "time_unit": "ns"}], "x": )" +
           std::string(count, '[') + std::string(count, ']') + "}";
  };
  EXPECT_EQ(error_of(nested(63)), "accepted");
  EXPECT_EQ(error_of(nested(64)),
            "file.json: is nested more than 64 deep; Google Benchmark's JSON is expected");
}

}  // namespace
}  // namespace warpgauge::results
