// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/ceilings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
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
  results.session->device.l2_bytes = 1000;
  results.benchmarks = std::move(benchmarks);
  return results;
}

Results three_sizes() {
  return of_bandwidth({timed("bandwidth/read/100", 1000, 1), timed("bandwidth/read/200", 2000, 1),
                       timed("bandwidth/read/400", 8000, 8)});
}

MemoryCeilings ceilings_in(const Results& results) {
  return memory_ceilings_of(results, ceilings_of(results));
}

TEST(Ceilings, AreThoseOfTheLargestSize) {
  const Ceilings ceilings = measured_ceilings(three_sizes());
  EXPECT_EQ(ceilings.size, "400");
  EXPECT_EQ(ceilings.bytes_per_second, (std::map<std::string, double>{{"read", 1e12}}));
  EXPECT_EQ(ceilings.not_measured, "");
}

TEST(MemoryCeilings, AreOfEachSizeThatDoesNotFitIntoTheL2) {
  const MemoryCeilings ceilings = ceilings_in(three_sizes());
  EXPECT_EQ(ceilings.of_variant.at("read").size(), 2U);
  EXPECT_EQ(ceilings.rate("read", 1), 2e12);
  EXPECT_EQ(ceilings.rate("read", 3999), 2e12) << "the ratio of the bytes decides";
  EXPECT_EQ(ceilings.rate("read", 4001), 1e12);
  EXPECT_EQ(ceilings.rate("write", 4001), std::nullopt);
}

TEST(MemoryCeilings, WithoutTheSizeOfTheL2AreTheLargestAlone) {
  Results results = three_sizes();
  results.session->device.l2_bytes = 0;
  EXPECT_EQ(ceilings_in(results).rate("read", 1), 1e12);
  results.session.reset();
  EXPECT_EQ(ceilings_in(results).rate("read", 1), 1e12);
}

TEST(MemoryCeilings, OfNothingHaveNoRateAndSayWhy) {
  const MemoryCeilings ceilings = ceilings_in(of_bandwidth({}));
  EXPECT_EQ(ceilings.rate("read", 1), std::nullopt);
  EXPECT_NE(ceilings.not_measured.find("no benchmark of the family bandwidth"), std::string::npos)
      << ceilings.not_measured;
}

TEST(MemoryCeilings, WhoseLargestSizeIsNotAmongTheBenchmarksAreThatAlone) {
  Results results = three_sizes();
  results.session->ceilings = {.size = "800", .bytes_per_second = {{"read", 3e12}}};
  EXPECT_EQ(ceilings_in(results).rate("read", 2000), 3e12) << "how many bytes it had is not known";
}

TEST(MemoryCeilings, OfNoBytesOrNoTimeAreNone) {
  const Results results =
      of_bandwidth({timed("bandwidth/read/400", 8000, 8), timed("bandwidth/read/300", 0, 1),
                    timed("bandwidth/read/200", 2000, 0)});
  EXPECT_EQ(ceilings_in(results).of_variant.at("read").size(), 1U);
  EXPECT_EQ(ceilings_in(results).rate("read", 1), 1e12);
}

}  // namespace
}  // namespace warpgauge::results
