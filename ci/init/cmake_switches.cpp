// SPDX-License-Identifier: Apache-2.0
#include "ci/init/cmake_switches.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace warpgauge::ci {
namespace {

struct Step {
  std::string folder;
  std::vector<std::string> conditions;
};

// The folder that takes this one in, with the conditions of that.
std::optional<Step> above(const CMakeProject& project, const std::string& folder) {
  for (const auto& [path, facts] : project) {
    for (const Subfolder& each : facts.subfolders) {
      const auto taken = (std::filesystem::path(path) / each.path).lexically_normal();
      // A path that ends with a slash names the same folder.
      const auto plain = taken.has_filename() ? taken : taken.parent_path();
      if (plain.generic_string() == folder && path != folder) return Step{path, each.conditions};
    }
  }
  return std::nullopt;
}

// From the folder upwards. Ends also where folders take in one another.
std::vector<Step> steps_up(const CMakeProject& project, const std::string& folder) {
  std::vector<Step> steps;
  std::set<std::string> seen{folder};
  for (auto step = above(project, folder); step && seen.insert(step->folder).second;
       step = above(project, step->folder)) {
    steps.push_back(*step);
  }
  return steps;
}

// Words that a shell takes as they are.
bool is_plain(std::string_view word) {
  return !word.empty() && word.front() != '-' &&
         std::all_of(word.begin(), word.end(), [](char each) {
           return std::isalnum(static_cast<unsigned char>(each)) != 0 ||
                  std::string_view("_-./+").find(each) != std::string_view::npos;
         });
}

}  // namespace

std::string source_folder(const CMakeProject& project, const std::string& folder) {
  const std::vector<Step> steps = steps_up(project, folder);
  const std::string top = steps.empty() ? folder : steps.back().folder;
  const auto facts = project.find(top);
  const bool own = facts != project.end() && facts->second.project;
  return own && is_plain(top) ? top : ".";
}

std::vector<std::string> switches_of(const CMakeProject& project, const std::string& folder) {
  std::set<std::string> options;
  for (const auto& [path, facts] : project) {
    options.insert(facts.options.begin(), facts.options.end());
  }
  std::vector<Step> steps = steps_up(project, folder);
  std::reverse(steps.begin(), steps.end());
  if (const auto own = project.find(folder); own != project.end()) {
    steps.push_back({folder, own->second.conditions});
  }
  std::vector<std::string> switches;
  for (const Step& step : steps) {
    bool enough = false;  // one of the alternatives so far is an option
    bool alternative = false;
    for (const std::string& word : step.conditions) {
      if (word == "OR") {
        alternative = true;
        continue;
      }
      enough = enough && alternative;
      alternative = false;
      if (enough || !options.contains(word) || !is_plain(word)) continue;
      enough = true;
      const bool again = std::find(switches.begin(), switches.end(), word) != switches.end();
      if (!again) switches.push_back(word);
    }
  }
  return switches;
}

}  // namespace warpgauge::ci
