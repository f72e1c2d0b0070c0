// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/program_record.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "ci/measure/program/launch_figure.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

using results::Record;

Record record_of(const std::string& id) {
  Record record;
  record.id = id;
  record.pass = results::Pass::time;
  return record;
}

void time_kernel(const std::vector<double>& samples_ns, Record& record) {
  constexpr std::size_t kMostSamplesKept = 400;  // of a process, in results
  record.time_ns = launch_figure(samples_ns);
  record.time_method = "cupti_activity, as the program runs";
  const std::size_t step = (samples_ns.size() + kMostSamplesKept - 1) / kMostSamplesKept;
  for (std::size_t i = 0; i < samples_ns.size(); i += step) {
    record.samples_ns.push_back(samples_ns[i]);
  }
}

void time_range(const std::vector<double>& samples_ns, Record& record) {
  if (launch_figure(samples_ns) > 0) return time_kernel(samples_ns, record);
  record.not_measured[results::kTimeMetric] =
      "all that it launches waits for others or for the host";
}

results::Observation observed(std::size_t start, Record record, std::uint64_t launches) {
  const double time_ns = record.time_ns.value_or(0);
  results::Json entry{{"name", record.id},   {"run_name", record.id},  {"run_type", "iteration"},
                      {"threads", 1},        {"iterations", launches}, {"real_time", time_ns},
                      {"cpu_time", time_ns}, {"time_unit", "ns"}};
  return {static_cast<int>(start), std::move(record), std::move(entry)};
}

}  // namespace warpgauge::ci
