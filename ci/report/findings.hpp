// SPDX-License-Identifier: Apache-2.0
// The verdict as findings at places in the source, for the formats that annotate code.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

enum class Level { error, warning };

struct FindingPlace {
  std::string file;  // relative to the source root
  int line = 0;      // counted from 1
  int column = 0;    // counted from 1; 0: unknown
};

struct Finding {
  // The metric to blame, or the verdict: "failed", "missing", "not_measured", "new"; "comparison",
  // of no benchmark, where the comparison as a whole is short of something.
  std::string rule;
  Level level = Level::error;
  std::string benchmark;
  std::string message;                // one line
  std::optional<FindingPlace> place;  // absent: unknown, or not below the source root
  // Hexadecimal. Unique within a verdict, and stable over time because line numbers do not enter
  // it.
  std::string fingerprint;
};

struct Findings {
  // Errors first, each level in the verdict's order. The first kMostListed of each level that have
  // a place, and of those that have none: a report has no more.
  std::vector<Finding> list;
  // Of all, by level and whether they have a place.
  std::map<std::pair<Level, bool>, std::size_t> counts;

  [[nodiscard]] std::size_t count() const;
  [[nodiscard]] std::size_t count(Level level) const;
  [[nodiscard]] std::size_t count_placed(bool placed) const;
};

// One finding for each line that causes a regression, and one for each other metric and benchmark
// that does not pass. Allowed, inconclusive and new ones are warnings, the rest are errors.
//
// A metric without lines, such as time, is placed where another metric of its benchmark grew the
// most or, failing that, where the benchmark has the most traffic; the message says so. A failed
// benchmark is placed where its message points.
[[nodiscard]] Findings findings(const GateVerdict& verdict);

// Where the new side has the most traffic. Absent where its lines are not known.
[[nodiscard]] std::optional<FindingPlace> busiest_line(const BenchmarkVerdict& benchmark);

// Explains a rule in one sentence.
[[nodiscard]] std::string describe_rule(std::string_view rule);

}  // namespace warpgauge::ci
