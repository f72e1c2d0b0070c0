// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/same_program.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ci/verdict/text/unclear.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

void decide_by_same_program(bool more_may_follow, MetricVerdict& metric) {
  const bool open = metric.verdict == Verdict::inconclusive && metric.basis == Basis::statistics;
  if (!open || !results::is_of_timestamps(metric.metric) || !metric.evidence) return;
  const double ratio = *metric.after / *metric.before;
  const double most = worst_that_is_let_pass(metric);
  const double reach = std::exp(metric.evidence->estimate.of_processes.half_width);
  const bool processes_tell = ratio * reach <= most;
  if (!processes_tell && more_may_follow) {
    metric.more_processes_help = true;
    return;
  }
  if (ratio > most) return;
  metric.reason =
      fmt::format("{}: {}, and the machine code is the same, launched alike", interval_text(metric),
                  processes_tell ? "as far as its processes differ it is within the floor"
                                 : "the processes differ too much to tell more");
  metric.verdict = Verdict::same;
  metric.more_processes_help = false;
}

}  // namespace warpgauge::ci
