// SPDX-License-Identifier: Apache-2.0
// Which benchmarks a measurement's own --filter let it measure, and how many of the other side's it
// left out.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

class FilterScope {
 public:
  // Refers to `results`. A baseline was filtered by none. Throws Error (not measured) for a filter
  // that is no regular expression.
  explicit FilterScope(const results::Results& results);

  // Of a benchmark that only the other side has: whether it could be here as well. Counts it where
  // it could not. Throws Error (not measured) where the filter would take all memory or time.
  [[nodiscard]] bool includes(const std::string& id);

  [[nodiscard]] bool left_any_out() const { return left_out_ > 0; }

  // Says how many of `other` are not compared; empty: all are.
  [[nodiscard]] std::string note(const results::Results& other) const;

 private:
  // The filter is no word of the command line.
  [[noreturn]] void refuse(const Error& error) const;

  const results::Results& results_;
  std::optional<IdFilter> filter_;
  std::size_t left_out_ = 0;
};

// Why neither side passes as the whole suite: which of them was measured with a filter of its own
// that left out what the other has. Empty: nothing was left out. Throws as FilterScope does.
[[nodiscard]] std::vector<std::string> parts_of_the_suite(const results::Results& before,
                                                          const results::Results& after);

}  // namespace warpgauge::ci
