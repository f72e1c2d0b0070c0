// SPDX-License-Identifier: Apache-2.0
// A folder of baselines: the input is its device.json and, behind a NUL, the file of a family.
#include "ci/baselines/baseline.hpp"

#include <fstream>

#include "ci/baselines/baseline_report.hpp"
#include "ci/support/temporary_folder.hpp"
#include "tests/fuzz/target.hpp"

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  static const ci::TemporaryFolder folder;  // one for all inputs: making it takes the most time
  static const bool made = std::filesystem::create_directory(folder.path() / "device");
  if (!made) return;
  const std::size_t end = text.find('\0');
  write(folder.path() / "device/device.json", text.substr(0, end));
  write(folder.path() / "device/family.json", end == text.npos ? "" : text.substr(end + 1));

  const auto baseline = ci::load_baseline(folder.path(), "device");
  if (!baseline) found("a baseline that is there is taken for none");
  (void)ci::to_results(*baseline);
  (void)ci::list_text({*baseline});
  for (const auto& [name, family] : baseline->families) {
    for (const auto& [id, approved] : family) (void)ci::benchmark_text(*baseline, id, approved);
  }
}
