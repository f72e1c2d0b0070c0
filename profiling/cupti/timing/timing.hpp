// SPDX-License-Identifier: Apache-2.0
// What a timer measured: the same from each of them.
#pragma once

#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

struct Timing {
  std::vector<double> samples_ns{};  // in launch order; empty: the benchmark launched no kernel
  // First start to last end of each sample, when it has several kernels and the timer can tell.
  std::vector<double> spans_ns{};
  std::string method;
  std::vector<std::string> kernel_symbols{};  // mangled, each once; empty: the timer cannot tell
  // Of a sample, mangled; empty: the timer cannot tell, or samples differ.
  std::vector<results::KernelLaunch> launches{};
  results::Sampling sampling{};
  int discarded = 0;               // samples that are not in there, see keep_counting
  bool slowed_throughout = false;  // the device was slowed down for all of them
};

// Takes out the samples that do not count, unless that were all.
// counts: of each sample, see take_samples.
void keep_counting(Timing& timing, const std::vector<bool>& counts);

}  // namespace warpgauge::cupti
