// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/named_baselines.hpp"

#include <fmt/format.h>

#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "ci/baselines/baseline.hpp"
#include "ci/cli/comparison_options.hpp"
#include "ci/init/approved.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/folder_names.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFolders = 5;

std::set<std::string> filled_folders(const fs::path& folder) {
  std::set<std::string> filled;
  for (const fs::path& each : folders_of_baselines(folder)) {
    if (!devices_with_baseline(each).empty()) filled.insert(each.string());
  }
  return filled;
}

// Without a slash at its end.
fs::path plain(const fs::path& folder) {
  const fs::path whole = folder.lexically_normal();
  return whole.has_filename() ? whole : whole.parent_path();
}

// Other folders that baselines lie in, or belong into by the script of `warpgauge init`.
std::set<std::string> folders_meant(const fs::path& folder) {
  std::set<std::string> meant = filled_folders(folder);
  const std::string of_script = folder_of_script(".");
  if (!of_script.empty() && plain(of_script) != plain(folder)) meant.insert(of_script);
  return meant;
}

// option: before the name of a folder, where it is named by one.
[[noreturn]] void refuse(const fs::path& folder, const std::set<std::string>& meant,
                         const char* option) {
  throw Error(kExitUsage,
              fmt::format("the baselines here belong into {}, not into {} itself: name the folder "
                          "that is meant, as {}{}",
                          some_of({meant.begin(), meant.end()}, kMostFolders), folder.string(),
                          option, shell_word(*meant.begin())));
}

}  // namespace

void require_named_baselines(const CLI::App& command, const fs::path& folder) {
  if (command.count("--baselines") > 0 || !devices_with_baseline(folder).empty()) return;
  const std::set<std::string> meant = folders_meant(folder);
  if (!meant.empty()) refuse(folder, meant, "--baselines ");
}

void require_baselines_in(const fs::path& folder) {
  if (!is_folder(folder) || !devices_with_baseline(folder).empty()) return;
  std::set<std::string> meant = folders_meant(folder);
  std::erase_if(
      meant, [&](const std::string& each) { return plain(each).parent_path() != plain(folder); });
  if (!meant.empty()) refuse(folder, meant, "");
}

void refuse_misspelt_baselines(const fs::path& baselines) {
  if (fs::exists(baselines)) return;
  const fs::path folder = baselines.has_filename() ? baselines : baselines.parent_path();
  const std::string name = folder.filename().string();
  const fs::path around = folder.has_parent_path() ? folder.parent_path() : ".";
  std::vector<std::string> folders = results::names_in(around);
  std::erase_if(folders, [&](const std::string& each) {
    std::error_code unseen;
    return !fs::is_directory(around / each, unseen);
  });
  const std::string meant = results::did_you_mean(name, folders);
  if (meant.empty()) return;
  throw Error(
      kExitUsage,
      fmt::format(
          "there is no folder {}{}; name the folder of the baselines, or create it for new ones",
          baselines.string(), meant));
}

}  // namespace warpgauge::ci
