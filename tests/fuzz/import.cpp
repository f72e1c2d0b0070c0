// SPDX-License-Identifier: Apache-2.0
// What other programs measured, in any of their formats: what is accepted becomes a results file
// that is read.
#include "ci/import/import.hpp"

#include <fstream>

#include "ci/support/files/temporary_folder.hpp"
#include "profiling/results/results.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace warpgauge;

// A folder with what the seed of NVBench's names beside it.
struct Place {
  Place() {
    std::filesystem::create_directories(folder.path() / "nvbench.json-bin");
    std::ofstream file(folder.path() / "nvbench.json-bin/0.bin", std::ios::binary);
    constexpr float kSeconds = 20.4e-6F;
    for (int i = 0; i < 10; ++i) {
      file.write(reinterpret_cast<const char*>(&kSeconds), sizeof kSeconds);
    }
  }
  ci::TemporaryFolder folder;
};

void read_again(const std::string& text) {
  try {
    (void)results::parse_results(text, "imported");
  } catch (const results::FormatError& error) {
    found(std::string("refuses what it made itself: ") + error.what());
  }
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  static const Place place;  // one for all inputs: making it takes the most time
  ci::ImportOptions options;
  options.files = {place.folder.path() / "file"};
  options.device = "NVIDIA H200";
  std::ofstream(options.files.front(), std::ios::binary | std::ios::trunc) << text;
  read_again(ci::import_files(options).text);
}
