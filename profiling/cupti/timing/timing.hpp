// SPDX-License-Identifier: Apache-2.0
// The result of either timer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/results/host_calls.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

struct Timing {
  std::vector<double> samples_ns{};  // in launch order; empty: the benchmark launched no kernel
  // From first start to last end of each sample, for several kernels and if the timer measures it.
  std::vector<double> spans_ns{};
  std::string method;
  std::vector<std::string> kernel_symbols{};  // mangled, each once; empty: the timer sees no names
  // A sample's launches, mangled; empty: the timer does not see them, or samples differ.
  std::vector<results::KernelLaunch> launches{};
  std::optional<results::HostCalls>
      host_calls{};  // of one launch; absent: the timer does not see them
  results::Sampling sampling{};
  int discarded = 0;               // samples that keep_counting removed
  bool slowed_throughout = false;  // the device was slowed down for all of them
  std::vector<std::string> remarks{};
};

// Removes the samples that do not count, unless no sample counts. counts: see Sampled::counts.
void keep_counting(Timing& timing, const std::vector<bool>& counts);

}  // namespace warpgauge::cupti
