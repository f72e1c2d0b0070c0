// SPDX-License-Identifier: Apache-2.0
// A folder of baselines: the input is its device.json and, behind a NUL, the file of a family.
#include "ci/baselines/baseline.hpp"

#include <fstream>

#include "ci/baselines/baseline_report.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "tests/fuzz/target.hpp"

namespace {

void write(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

// That of its first entry, so that not every input ends at a file of another name.
std::string family_in(const std::string& text) {
  const std::size_t benchmarks = text.find("\"benchmarks\"");
  const std::size_t begin = text.find('"', text.find('{', benchmarks));
  const std::size_t end = text.find('/', begin);
  if (benchmarks == text.npos || begin == text.npos || end == text.npos) return "family";
  const std::string name = text.substr(begin + 1, end - begin - 1);
  const bool names_a_file =
      !name.empty() && name.size() < 100 && name != "device" &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == name.npos;
  return names_a_file ? name : "family";
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  static const ci::TemporaryFolder folder;  // one for all inputs: making it takes the most time
  std::filesystem::remove_all(folder.path() / "device");
  if (!std::filesystem::create_directory(folder.path() / "device")) return;
  const std::size_t end = text.find('\0');
  write(folder.path() / "device/device.json", text.substr(0, end));
  const std::string second = end == text.npos ? "" : text.substr(end + 1);
  write(folder.path() / "device" / (family_in(second) + ".json"), second);

  const auto baseline = ci::load_baseline(folder.path(), "device");
  if (!baseline) found("a baseline that is there is taken for none");
  (void)ci::to_results(*baseline);
  (void)ci::list_text({*baseline});
  for (const auto& [name, family] : baseline->families) {
    for (const auto& [id, approved] : family) (void)ci::benchmark_text(*baseline, id, approved);
  }
}
