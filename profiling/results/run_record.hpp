// SPDX-License-Identifier: Apache-2.0
// All that results.json keeps of a run, and the text of the file. Its layout: results.schema.json.
// Who judges reads Results instead: see results_from().
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiling/results/json/record_json.hpp"
#include "profiling/results/record.hpp"
#include "profiling/results/session.hpp"

namespace warpgauge::results {

// One entry of `benchmarks`.
// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann's moves only assert.
struct Entry {
  Record record;                // its counters are in `fields`
  int process = 0;              // counted from 0 in each pass
  std::optional<int> die = {};  // place in Session::dies; absent: there is one device
  // What any reader of Google Benchmark's JSON understands: its own fields, those that we do not
  // know among them, and the counters.
  Json fields;
};

// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann's moves only assert.
struct RunRecord {
  Session session;
  Json context;  // Google Benchmark's; null: no process wrote one
  std::vector<Entry> entries;
};

// Makes an entry of its JSON, which has an object `warpgauge`. Throws FormatError.
[[nodiscard]] Entry entry_from(Json&& json);

// Throws FileError, and FormatError for a file that Warpgauge did not write.
[[nodiscard]] RunRecord read_run(const std::filesystem::path& path);

[[nodiscard]] std::string to_json_text(const RunRecord& run);

// Replaces the file as a whole. Throws FileError.
void write_run(const std::filesystem::path& path, const RunRecord& run);

}  // namespace warpgauge::results
