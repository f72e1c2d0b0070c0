// SPDX-License-Identifier: Apache-2.0
// What the injection library writes of a process, and the benchmarks that are made of it.
#include <set>
#include <utility>

#include "ci/measure/program/program_entries.hpp"
#include "profiling/results/launches/record_reader.hpp"
#include "tests/fuzz/target.hpp"

void warpgauge::read_hostile(const std::string& text) {
  ci::ProgramStart start;
  start.processes.push_back(launches::parse_records(text, "records"));
  std::set<std::pair<std::string, int>> seen;
  ci::FurtherStarts further;
  further.counting = {start, ""};
  for (const results::Observation& each : ci::program_observations({start, start}, {}, further)) {
    if (each.record.id.empty()) found("a benchmark without an id");
    if (each.record.pass != results::Pass::time) continue;
    if (!seen.emplace(each.record.id, each.process).second) found("a benchmark twice in a process");
  }
}
