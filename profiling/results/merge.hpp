// SPDX-License-Identifier: Apache-2.0
// Makes one run of what several processes observed.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "profiling/results/json/record_json.hpp"
#include "profiling/results/record.hpp"
#include "profiling/results/run_record.hpp"

namespace warpgauge::results {

// What one process observed of one benchmark.
struct Observation {
  int process = 0;  // counted from 0 in each pass
  Record record;
  std::optional<Json> entry;  // as Google Benchmark reported it; absent when the process died
};

// One entry a process that timed, as repetitions; counters and lines, observed in processes of
// their own, join the first. Without a time pass there is one entry.
// Benchmarks may differ in how many processes timed them.
// `observations` are of one benchmark each; those of a benchmark stand together, in the order of
// their processes. `context` is Google Benchmark's, of any of the processes.
[[nodiscard]] RunRecord merge(Session session, Json context,
                              const std::vector<Observation>& observations);

}  // namespace warpgauge::results
