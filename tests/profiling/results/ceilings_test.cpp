// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/ceilings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpgauge::results {
namespace {

BenchmarkResult timed(const std::string& id, double bytes_read, double time_ns) {
  BenchmarkResult benchmark;
  benchmark.id = id;
  benchmark.outcome.status = Status::ok;
  benchmark.work.bytes_read = bytes_read;
  if (time_ns > 0) benchmark.metrics[kTimeMetric] = Metric{{{time_ns}}, {}, {}};
  return benchmark;
}

Results of_bandwidth(std::vector<BenchmarkResult> benchmarks) {
  Results results;
  results.session.emplace();
  results.benchmarks = std::move(benchmarks);
  return results;
}

Results three_sizes() {
  return of_bandwidth({timed("bandwidth/read/100", 1000, 1), timed("bandwidth/read/200", 2000, 1),
                       timed("bandwidth/read/400", 8000, 8)});
}

TEST(Ceilings, AreThoseOfTheLargestSize) {
  const Ceilings ceilings = measured_ceilings(three_sizes());
  EXPECT_EQ(ceilings.size, "400");
  EXPECT_EQ(ceilings.bytes_per_second, (std::map<std::string, double>{{"read", 1e12}}));
  EXPECT_EQ(ceilings.not_measured, "");
}

TEST(Ceilings, OfNothingHaveNoRateAndSayWhy) {
  const Ceilings ceilings = measured_ceilings(of_bandwidth({}));
  EXPECT_TRUE(ceilings.bytes_per_second.empty());
  EXPECT_NE(ceilings.not_measured.find("no benchmark of the family bandwidth"), std::string::npos)
      << ceilings.not_measured;
}

TEST(Ceilings, ThatTheRunRecordedComeBeforeThoseOfItsBenchmarks) {
  Results results = three_sizes();
  results.session->ceilings = {.size = "800", .bytes_per_second = {{"read", 3e12}}};
  EXPECT_EQ(ceilings_of(results), *results.session->ceilings);
  EXPECT_EQ(measured_ceilings(results).size, "400");
}

TEST(Ceilings, OfNoBytesOrNoTimeAreNone) {
  const Ceilings ceilings = measured_ceilings(
      of_bandwidth({timed("bandwidth/read/400", 0, 8), timed("bandwidth/write/400", 8000, 0)}));
  EXPECT_TRUE(ceilings.bytes_per_second.empty());
  EXPECT_NE(ceilings.not_measured.find("not timed at its largest size, 400"), std::string::npos)
      << ceilings.not_measured;
}

}  // namespace
}  // namespace warpgauge::results
