// SPDX-License-Identifier: Apache-2.0
// The verdict as findings at places in the source, for those formats that annotate code.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

enum class Level { error, warning };

struct FindingPlace {
  std::string file;  // relative to the source root
  int line = 0;      // counted from 1
  int column = 0;    // counted from 1; 0: not known
};

struct Finding {
  // Metric that is to blame; else the verdict: "failed", "missing", "not_measured", "new".
  std::string rule;
  Level level = Level::error;
  std::string benchmark;
  std::string message;                // one line
  std::optional<FindingPlace> place;  // absent: none is known
  // Hexadecimal. Each finding of a verdict has another one, and the same tomorrow: line numbers
  // play no part in it.
  std::string fingerprint;
};

// One for each line that a regression comes from; one for each other metric and benchmark that does
// not pass, in the order of the verdict. What is allowed, or no worse than inconclusive or new, is
// a warning.
//
// A metric without lines of its own, such as time, is put where another metric of its benchmark
// grew the most; failing that, where the benchmark has the most traffic, and the message says so. A
// benchmark that failed is put at the place that its message names.
[[nodiscard]] std::vector<Finding> findings(const GateVerdict& verdict);

// What a rule stands for, in a sentence.
[[nodiscard]] std::string describe_rule(std::string_view rule);

}  // namespace warpgauge::ci
