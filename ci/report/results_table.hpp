// SPDX-License-Identifier: Apache-2.0
// Measured figures as Markdown tables, for a page that people read. Compares with no baseline and
// decides nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profiling/results/json/record_json.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

struct TableOptions {
  // Variants that the others of their family and size are divided by; the first that was timed is.
  std::vector<std::string> references{"cub", "cublas"};
  // How the tables were printed, told below them; empty: untold.
  std::string command;
};

// A heading a family, a table a size of it, a row a variant, all in the order of the results; below
// them, what the figures rest on and what could not be measured. An id is family/variant/size.
//
// A benchmark of several kernels has its span (first start to last end) as the duration that rate
// and ratio come from, because the gaps between its kernels are time that its user waits.
//
// What "% of ceiling" means, and for which benchmarks there is none: see verdict/roofline.hpp.
[[nodiscard]] std::string markdown_tables(const results::Results& results,
                                          const TableOptions& options);

// The same figures for programs, a row a benchmark; what has none is absent.
[[nodiscard]] results::Json table_json(const results::Results& results,
                                       const TableOptions& options);

// What a benchmark's duration is divided by: the first of these variants that was timed at its
// family and size; none: nullptr.
[[nodiscard]] const results::BenchmarkResult* reference_of(
    const results::BenchmarkResult& benchmark, const results::Results& results,
    const std::vector<std::string>& references);

}  // namespace warpgauge::ci
