// SPDX-License-Identifier: Apache-2.0
// Processes that no spread describes, in words: an outlier, two modes, a drift. Decides nothing.
#pragma once

#include <optional>
#include <string>

#include "ci/statistics/process_pattern.hpp"
#include "ci/verdict/estimate.hpp"

namespace warpgauge::ci {

struct OddProcesses {
  Pattern pattern = Pattern::outlier;
  bool before = false;  // on that side
  std::string what;     // "process 3 of 5 is 30 % above the others"
  std::string remedy;
};

// The one that weighs most on either side's mean, if it is beyond the floor; of a side of several
// sessions, by what it makes of them all. against_baseline: the side before is stored.
[[nodiscard]] std::optional<OddProcesses> odd_processes(const MetricEstimate& metric,
                                                        bool against_baseline);

// An outlier on the side before that moves its mean by half the floor and more, so that a change
// may hide behind it, whatever the verdict.
[[nodiscard]] std::optional<OddProcesses> hiding_outlier(const MetricEstimate& metric,
                                                         bool against_baseline);

}  // namespace warpgauge::ci
