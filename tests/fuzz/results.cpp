// SPDX-License-Identifier: Apache-2.0
// results.json and plain Google Benchmark JSON, and the comparison of what they hold with itself.
#include "profiling/results/results.hpp"

#include "ci/report/line_table_report.hpp"
#include "ci/report/results_table.hpp"
#include "ci/verdict/compare.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace warpgauge;

// An accepted file that compare() refuses, for a gated figure that is no number, is no finding.
void compare_with_itself(const results::Results& read) {
  const ci::GateVerdict verdict =
      ci::compare(read, read, ci::built_in_policy(), {.threshold = 0.05});
  for (const ci::BenchmarkVerdict& benchmark : verdict.benchmarks) {
    for (const ci::MetricVerdict& metric : benchmark.metrics) {
      if (metric.verdict == ci::Verdict::regressed || metric.verdict == ci::Verdict::improved) {
        found("'" + metric.metric + "' differs from itself: " + to_string(metric.verdict));
      }
    }
  }
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  const results::Results read = results::parse_results(text, "results.json");
  if (read.benchmarks.empty()) found("results without a benchmark are accepted");
  (void)ci::markdown_tables(read, {});
  (void)ci::line_tables(read);
  compare_with_itself(read);
}
