// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/run_record.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge::results {
namespace {

class RunRecords : public InFolder {
 protected:
  [[nodiscard]] std::string error_of(const std::string& text) const {
    try {
      (void)read_run(write("run.json", text));
    } catch (const FormatError& error) {
      return error.what();
    }
    return {};
  }
};

std::string with(std::string text, const std::string& before, const std::string& added) {
  return text.insert(text.find(before), added);
}

// As Google Benchmark, and who writes user counters, may have it.
std::string text_with_unknown_fields() {
  std::string text =
      results_text(h200(), {{.id = "a/b/1", .times_ns = {100, 110}, .counters = {{"barriers", 3}}},
                            {.id = "a/c/1", .outcome = {Status::crashed, "died of SIGSEGV"}}});
  text = with(text, "\"threads\":1",
              R"("label":"ü","items_per_second":2500000000.0,"mode":{"x":[1,"y"]},)");
  return with(text, "\"warpgauge\": {", "\"host_name\": \"h\",\n  \"caches\": [],\n  ");
}

TEST_F(RunRecords, WhatNobodyKnowsIsKept) {
  const std::string text = text_with_unknown_fields();
  ASSERT_NE(text.find("items_per_second"), std::string::npos);
  ASSERT_NE(text.find("host_name"), std::string::npos);
  EXPECT_EQ(to_json_text(read_run(write("run.json", text))), text);
}

TEST_F(RunRecords, GiveTheResultsThatTheirFileGives) {
  const auto path = write("run.json", text_with_unknown_fields());
  const Results read = read_results(path);
  const Results made = results_from(read_run(path), path.string());
  EXPECT_EQ(made.name, read.name);
  EXPECT_EQ(made.session, read.session);
  ASSERT_EQ(made.benchmarks.size(), 2u);
  EXPECT_EQ(made.benchmarks[0].metrics.at("items_per_second").sessions.at(0),
            (std::vector<double>{2.5e9}));
  for (std::size_t i = 0; i < 2; ++i) {
    const BenchmarkResult& a = made.benchmarks[i];
    const BenchmarkResult& b = read.benchmarks[i];
    EXPECT_EQ(a.id, b.id);
    EXPECT_EQ(a.outcome, b.outcome);
    EXPECT_EQ(a.not_measured, b.not_measured);
    ASSERT_EQ(a.metrics.size(), b.metrics.size());
    for (const auto& [name, metric] : a.metrics) {
      EXPECT_EQ(metric.sessions, b.metrics.at(name).sessions) << name;
      EXPECT_EQ(metric.labels, b.metrics.at(name).labels) << name;
      EXPECT_EQ(metric.problem, b.metrics.at(name).problem) << name;
    }
  }
}

TEST_F(RunRecords, OfOtherProgramsAreRefused) {
  const std::string path = (folder_ / "run.json").string();
  EXPECT_EQ(error_of(plain_text({nanoseconds("1")})),
            path + ": was not written by Warpgauge; give what warpgauge run wrote");
  std::string text = text_with_unknown_fields();
  EXPECT_EQ(error_of(with(text, "\n]", ",\n{\"name\": \"x\"}")),
            path + ": an entry of 'benchmarks' is not Warpgauge's");
  text.replace(text.find("\"process\":0"), 11, "\"process\":\"\"");
  EXPECT_EQ(error_of(text), path +
                                ": entry 1 of 'benchmarks': warpgauge.process: must be a whole "
                                "number of at least 0, is \"\"");
}

}  // namespace
}  // namespace warpgauge::results
