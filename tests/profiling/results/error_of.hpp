// SPDX-License-Identifier: Apache-2.0
// What is said of a results file that is refused.
#pragma once

#include <string>

#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::results {

// Why a results file with this content is refused; "accepted" if it is not.
inline std::string error_of(const std::string& text) {
  try {
    (void)parse_results(text, "file.json");
  } catch (const FormatError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace warpgauge::results
