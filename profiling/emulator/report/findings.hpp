// SPDX-License-Identifier: Apache-2.0
// The mistakes of launches, each place told once, with how often it was made.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiling/emulator/emulator.hpp"
#include "profiling/emulator/execution/grid_runner.hpp"
#include "profiling/emulator/report/severity.hpp"

namespace warpgauge::emulator {

class Findings {
 public:
  // What a launch of `kernel` found. Returns how many of all(), from the end, are new.
  std::size_t add(const void* kernel, const std::vector<PlacedError>& errors,
                  const Severities& severities);

  // In the order in which they were found first.
  [[nodiscard]] const std::vector<Finding>& all() const { return all_; }

  // The texts of one severity.
  [[nodiscard]] std::vector<std::string> texts(bool errors) const;

 private:
  std::map<std::pair<const void*, std::string>, std::size_t> known_;
  std::vector<Finding> all_;
};

}  // namespace warpgauge::emulator
