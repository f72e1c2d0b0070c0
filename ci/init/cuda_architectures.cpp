// SPDX-License-Identifier: Apache-2.0
#include "ci/init/cuda_architectures.hpp"

#include <nlohmann/json.hpp>
#include <regex>
#include <span>

namespace warpgauge::ci {
namespace {

constexpr const char* kVariable = "CMAKE_CUDA_ARCHITECTURES";

// What a shell takes within single quotes, too.
bool is_plain(const std::string& architectures) {
  static const std::regex kPlain(
      "([0-9]{2,3}[a-z]?(-real|-virtual)?)(;[0-9]{2,3}[a-z]?(-real|-virtual)?)*|native|all|"
      "all-major");
  return architectures.size() < 200 && std::regex_match(architectures, kPlain);
}

}  // namespace

std::optional<std::string> architectures_of_set(const std::vector<std::string>& words) {
  if (words.front() != kVariable) return std::nullopt;
  std::string all;
  for (std::string word : std::span(words).subspan(1)) {
    if (word == "CACHE" || word == "PARENT_SCOPE") break;
    std::erase(word, '"');
    all += (all.empty() ? "" : ";") + word;
  }
  return is_plain(all) ? all : "";
}

std::string architectures_of_presets(std::string_view json) {
  const auto whole = nlohmann::json::parse(json, nullptr, false, true);
  if (!whole.is_object()) return "";
  const auto presets = whole.find("configurePresets");
  if (presets == whole.end() || !presets->is_array()) return "";
  std::string all;
  for (const auto& preset : *presets) {
    if (!preset.is_object()) continue;
    const auto variables = preset.find("cacheVariables");
    if (variables == preset.end() || !variables->is_object()) continue;
    auto value = variables->value(kVariable, nlohmann::json());
    if (value.is_object()) value = value.value("value", nlohmann::json());
    if (!value.is_string() || !is_plain(value.get<std::string>())) continue;
    const auto named = value.get<std::string>();
    if (!all.empty() && named != all) return "";
    all = named;
  }
  return all;
}

}  // namespace warpgauge::ci
