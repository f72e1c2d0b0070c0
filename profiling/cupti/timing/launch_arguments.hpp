// SPDX-License-Identifier: Apache-2.0
// With what arguments a benchmark launches its kernels, as the driver sees it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

class LaunchArguments {
 public:
  // Calls `run` once, which launches the kernels and waits for them, and looks at what it launches.
  // What cannot be looked at stays unknown.
  explicit LaunchArguments(const std::function<void()>& run);

  // Sets `arguments` of these launches, whose kernels are mangled symbols. It is one digest for all
  // launches of a kernel, in their order, since equal launches are not told apart here.
  void add_to(std::vector<results::KernelLaunch>& launches) const;

 private:
  std::map<std::string, std::string> digests_;  // by symbol
};

}  // namespace warpgauge::cupti
