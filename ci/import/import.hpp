// SPDX-License-Identifier: Apache-2.0
// What other programs measured, as results.json. A file is one process, whatever number of samples
// it holds: samples of a process are no replicates (see docs/explain/statistics.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// One file, as the reader of its format understands it.
struct ImportedFile {
  results::Imported origin;
  std::string created;     // UTC, as in Session; empty: it does not say
  results::Device device;  // name empty: it does not say
  std::optional<results::DeviceSettings> settings;
  std::vector<results::Record> records;  // of the time pass, each id once
  bool had_a_free_processor = false;     // when it was measured; false: not known
};

struct ImportOptions {
  std::vector<std::filesystem::path> files;
  std::string format;  // one of import_formats(); empty: by the content
  // Google Benchmark's CPU time in place of wall clock, where a benchmark does not ask for the
  // latter and has one thread.
  bool cpu_time = false;
  // Where a file does not say: the device's name. Where it has several: the name or number of one.
  std::string device;
  results::Source source = {};        // what was measured; no file says it
  results::Toolchain toolchain = {};  // that built it; no file says it either
  std::string turns = {};             // as in Session
};

struct Imports {
  std::string text;  // of results.json
  results::Session session;
  std::size_t benchmarks = 0;
  std::vector<std::string> failed;   // "ID: why"
  std::vector<std::string> waiting;  // ids whose CPU time says too little, see ImportOptions
};

// "nvbench", "ncu", …
[[nodiscard]] std::vector<std::string> import_formats();

// Of a benchmark by its name there: "BM_copy<float>/1024" → "BM_copy_float/1024".
[[nodiscard]] std::string id_of_google_benchmark(const std::string& name);

// What a benchmark is called here if `earlier` families of its program have its name: the second
// "BM_copy<float>/1024" is "BM_copy<float> 2/1024", whose id is "BM_copy_float_2/1024".
[[nodiscard]] std::string name_in_family(const std::string& name, std::size_t earlier);

// Throws FileError and FormatError, for a file that cannot be read or is not of its format, with
// the file, the place and the remedy; Error (usage), when the device is not known or not one.
[[nodiscard]] Imports import_files(const ImportOptions& options);

}  // namespace warpgauge::ci
