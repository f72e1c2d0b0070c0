// SPDX-License-Identifier: Apache-2.0
// The samples that NVBench keeps beside its JSON: what is accepted becomes a results file that is
// read.
#include <fmt/format.h>

#include <fstream>

#include "ci/import/import.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "profiling/results/results.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace warpgauge;

constexpr const char* kRun =
    R"({{"meta": {{"version": {{"json": {{"major": 1}}, "nvbench": {{}}}}}},
"devices": [{{"id": 0, "name": "NVIDIA H200", "number_of_sms": 132}}],
"benchmarks": [{{"name": "fill", "index": 0, "devices": [0], "axes": [],
"states": [{{"name": "Device=0", "device": 0, "type_config_index": 0, "axis_values": null,
"is_skipped": false, "summaries": [
{{"tag": "nv/cold/time/gpu/mean", "name": "GPU Time",
"data": [{{"name": "value", "type": "float64", "value": "0.00002"}}]}},
{{"tag": "nv/json/bin:nv/cold/sample_times", "name": "Samples", "data": [
{{"name": "filename", "type": "string", "value": "run.json-bin/0.bin"}},
{{"name": "size", "type": "int64", "value": "{}"}}]}}]}}]}}]}})";

void write(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  static const ci::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "run.json-bin");
  write(folder.path() / "run.json-bin/0.bin", text);
  write(folder.path() / "run.json", fmt::format(kRun, text.size() / 4));
  ci::ImportOptions options;
  options.files = {folder.path() / "run.json"};
  const ci::Imports imports = ci::import_files(options);
  try {
    const results::Results read = results::parse_results(imports.text, "imported");
    const auto& processes = read.benchmarks.at(0).samples_ns;
    const std::size_t samples = processes.empty() ? 0 : processes[0].size();
    if (text.size() % 4 != 0 || samples != text.size() / 4) found("samples are lost");
  } catch (const results::FormatError& error) {
    found(std::string("refuses what it made itself: ") + error.what());
  }
}
