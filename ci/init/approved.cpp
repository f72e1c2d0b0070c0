// SPDX-License-Identifier: Apache-2.0
#include "ci/init/approved.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "ci/init/gate_script.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {

namespace fs = std::filesystem;

std::string folder_of_script(const fs::path& root) {
  constexpr const char* kName = "baselines=";
  std::string text;
  try {
    text = results::read_file(root / kScript, results::kAnswerLimit);
  } catch (const results::FileError&) {
    return "";
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kName)) continue;
    std::string folder = line.substr(std::string(kName).size());
    std::erase_if(folder, [](char each) { return each == '"' || each == '\''; });
    return folder;
  }
  return "";
}

ApprovedBaselines approved_baselines(const Repository& repository) {
  ApprovedBaselines approved{folder_of_script(repository.root), {}};
  if (approved.folder.empty()) approved.folder = folder_of_baselines(repository);
  std::error_code error;
  fs::directory_iterator each(repository.root / approved.folder, error);
  for (; !error && each != fs::directory_iterator(); each.increment(error)) {
    std::error_code unseen;
    if (!fs::is_regular_file(each->path() / "device.json", unseen)) continue;
    approved.devices.push_back(each->path().filename().string());
  }
  std::sort(approved.devices.begin(), approved.devices.end());
  return approved;
}

}  // namespace warpgauge::ci
