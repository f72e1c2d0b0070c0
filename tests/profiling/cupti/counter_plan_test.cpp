// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/counters/counter_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "profiling/cupti/counters/counters.hpp"
#include "profiling/harness/backend.hpp"

namespace warpgauge::cupti {
namespace {

TEST(CounterPlan, HasTheUsualCountersAndThoseAskedForUnderTheirOwnNames) {
  const ProfilerHost host("GH100");
  const CounterPlan plan =
      plan_counters(host, "GH100", {"smsp__inst_issued.sum", "smsp__inst_issued.sum"});
  EXPECT_TRUE(plan.unknown.empty());
  ASSERT_EQ(plan.counters.size(), kCounters.size() + 1);
  EXPECT_EQ(plan.counters.back().name, "smsp__inst_issued.sum");
  EXPECT_EQ(plan.metrics.at(plan.counters.back().metrics.at(0)), "smsp__inst_issued.sum");
}

TEST(CounterPlan, CollectsAMetricOnceAndNamesItTwice) {
  const ProfilerHost host("GH100");
  const CounterPlan plan = plan_counters(host, "GH100", {"dram__bytes_read.sum"});
  const CounterPlan usual = plan_counters(host, "GH100", {});
  EXPECT_EQ(plan.metrics, usual.metrics);
  const CounterReadings readings = combine(plan, {std::vector<double>(plan.metrics.size(), 64.0)});
  EXPECT_EQ(readings.values.at("dram_read_bytes"), 64);
  EXPECT_EQ(readings.values.at("dram__bytes_read.sum"), 64);
}

TEST(CounterPlan, AddsUpTheKindsOfAccessThatAChipHas) {
  const ProfilerHost host("GH100");
  const CounterPlan plan = plan_counters(host, "GH100", {});
  std::vector<double> values(plan.metrics.size(), 0.0);
  const auto set = [&](const std::string& metric, double value) {
    const auto found = std::find(plan.metrics.begin(), plan.metrics.end(), metric);
    ASSERT_NE(found, plan.metrics.end()) << metric;
    values[static_cast<std::size_t>(found - plan.metrics.begin())] = value;
  };
  set("smsp__sass_inst_executed_op_shared_ld.sum", 1);
  set("smsp__sass_inst_executed_op_ldsm.sum", 2);
  set("smsp__sass_inst_executed_op_shared_st.sum", 4);
  set("smsp__sass_inst_executed_op_shared_stsm.sum", 8);
  const CounterReadings readings = combine(plan, {values, values});
  EXPECT_EQ(readings.values.at("shared_load_requests"), 6);
  EXPECT_EQ(readings.values.at("shared_store_requests"), 24);
  const ProfilerHost turing("TU102");
  const CounterPlan older = plan_counters(turing, "TU102", {});
  EXPECT_TRUE(older.unknown.empty()) << "it has no stmatrix, and stores nonetheless";
}

TEST(CounterPlan, FindsAMisspeltNameBeforeCuptiSeesIt) {
  const ProfilerHost host("GH100");
  try {
    static_cast<void>(plan_counters(host, "GH100", {"dram__bytes.sum", "dram__byte.sum"}));
    FAIL() << "nothing was thrown";
  } catch (const UnknownName& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("no metric 'dram__byte.sum'; did you mean dram__bytes.sum,"), text.npos)
        << text;
  }
}

class Combine : public testing::Test {
 protected:
  CounterPlan plan_{
      .metrics = {"a__b.sum", "a__c.pct", "a__d.max", "a__e.sum.per_second"},
      .counters = {{"bytes", {0}}, {"hit_rate", {1}}, {"a__d.max", {2}}, {"rate", {3}}},
      .unknown = {{"lost", "GX1 has no metric"}}};
};

TEST_F(Combine, TakesOneKernelAsItIs) {
  const CounterReadings readings = combine(plan_, {{10, 55.5, 3, 7}});
  EXPECT_EQ(readings.values, (std::map<std::string, double>{
                                 {"bytes", 10}, {"hit_rate", 55.5}, {"a__d.max", 3}, {"rate", 7}}));
  EXPECT_EQ(readings.not_measured,
            (std::map<std::string, std::string>{{"lost", "GX1 has no metric"}}));
}

TEST_F(Combine, AddsUpSumsAndNothingElse) {
  const CounterReadings readings = combine(plan_, {{10, 50, 3, 7}, {5, 60, 4, 8}});
  EXPECT_EQ(readings.values, (std::map<std::string, double>{{"bytes", 15}}));
  for (const char* name : {"hit_rate", "a__d.max", "rate"}) {
    EXPECT_NE(readings.not_measured.at(name).find("2 kernels"), std::string::npos) << name;
  }
}

TEST_F(Combine, WhatIsNoNumberIsNotMeasured) {
  const CounterReadings readings =
      combine(plan_, {{std::numeric_limits<double>::quiet_NaN(), 50, 3, 7}});
  EXPECT_FALSE(readings.values.contains("bytes"));
  EXPECT_EQ(readings.not_measured.at("bytes"), "CUPTI gave no number");
  EXPECT_EQ(readings.values.at("hit_rate"), 50);
}

TEST_F(Combine, WithoutAKernelNothingIsMeasured) {
  const CounterReadings readings = combine(plan_, {});
  EXPECT_TRUE(readings.values.empty());
  EXPECT_TRUE(readings.not_measured.contains("counters"));
}

}  // namespace
}  // namespace warpgauge::cupti
