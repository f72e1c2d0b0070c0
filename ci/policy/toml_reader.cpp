// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/toml_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "ci/support/errors.hpp"
#include "profiling/results/nearest.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

Place place_of(const toml::source_region& where) {
  return {static_cast<int>(where.begin.line), static_cast<int>(where.begin.column)};
}

std::string at(const std::string& name, Place place) {
  return fmt::format("{}:{}:{}", name, place.line, place.column);
}

void TomlReader::fail(const toml::source_region& where, const std::string& what) const {
  throw Error(kExitNotMeasured, fmt::format("{}: {}", at(name_, place_of(where)), what));
}

void TomlReader::refuse_unknown(const toml::table& table,
                                std::initializer_list<std::string_view> known) const {
  for (const auto& [key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    const std::string what = fmt::format(
        "unknown key '{}'{}; known here: {}", key.str(),
        results::did_you_mean(key.str(), {known.begin(), known.end()}), fmt::join(known, ", "));
    if (mistakes_ == nullptr) fail(key.source(), what);
    mistakes_->push_back(fmt::format("{}: {}", at(name_, place_of(key.source())), what));
  }
}

std::vector<const toml::table*> TomlReader::tables(const toml::table& root, const char* key) const {
  std::vector<const toml::table*> found;
  const toml::node* node = root.get(key);
  if (node == nullptr) return found;
  if (!node->is_array_of_tables()) {
    fail(node->source(), fmt::format("'{}' must be written as [[{}]]", key, key));
  }
  const toml::array& list = *node->as_array();
  if (list.size() > kMostRules) {
    fail(list.get(kMostRules)->source(),
         fmt::format("more than {} [[{}]], and each benchmark is checked against all of them; "
                     "write patterns that match more",
                     kMostRules, key));
  }
  for (const toml::node& element : list) found.push_back(element.as_table());
  return found;
}

std::optional<double> TomlReader::number(const toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  const auto value = node->is_number() ? node->value<double>() : std::nullopt;
  if (!value || !(*value >= 0) || *value > 1e18) {
    fail(node->source(), fmt::format("{} must be a number of at least 0", key));
  }
  return value;
}

std::optional<bool> TomlReader::flag(const toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_boolean()) fail(node->source(), fmt::format("{} must be true or false", key));
  return node->value<bool>();
}

std::optional<std::string> TomlReader::text(const toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  auto value = node->value_exact<std::string>();
  if (!value || value->find_first_not_of(" \t\r\n") == value->npos) {
    fail(node->source(), fmt::format("{} must be a string that is not empty", key));
  }
  return value;
}

std::optional<std::string> TomlReader::pattern(const toml::table& table, const char* key) const {
  constexpr std::size_t kLongest = 4'096;
  auto value = text(table, key);
  if (value && value->size() > kLongest) {
    fail(table.get(key)->source(),
         fmt::format("{} is a pattern of {} bytes; at most {} are allowed", key, value->size(),
                     kLongest));
  }
  return value;
}

int TomlReader::count(const toml::table& table, const char* key, int usual, int most) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return usual;
  const auto count = node->value_exact<int64_t>();
  if (!count || *count < 1 || *count > most) {
    fail(node->source(), fmt::format("{} must be a whole number from 1 to {}", key, most));
  }
  return static_cast<int>(*count);
}

std::string TomlReader::date(const toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return {};
  const auto day = node->value_exact<toml::date>();
  if (!day) fail(node->source(), fmt::format("{} must be a date, as in 2026-12-31", key));
  return fmt::format("{:04}-{:02}-{:02}", day->year, day->month, day->day);
}

std::optional<double> TomlReader::share(const toml::table& table, const char* key) const {
  const auto value = number(table, key);
  if (value && *value >= 1) {
    fail(table.get(key)->source(),
         fmt::format("{} is {:g}, and must be less than 1: 2 % is written as 0.02", key, *value));
  }
  return value;
}

double TomlReader::chance(const toml::table& table, const char* key, double usual) const {
  const double value = number(table, key).value_or(usual);
  if (value <= 0 || value >= 0.5) {
    fail(table.get(key)->source(), fmt::format("{} must lie between 0 and 0.5", key));
  }
  return value;
}

std::vector<std::string> TomlReader::texts(const toml::table& table, const char* key) const {
  std::vector<std::string> found;
  const toml::node* node = table.get(key);
  if (node == nullptr) return found;
  const toml::array* list = node->as_array();
  if (list == nullptr || list->empty()) {
    fail(node->source(), fmt::format("{} must be a list of strings", key));
  }
  for (const toml::node& element : *list) {
    const auto value = element.value_exact<std::string>();
    if (!value) fail(element.source(), fmt::format("{} must be a list of strings", key));
    found.push_back(*value);
  }
  return found;
}

std::vector<std::string> TomlReader::devices(const toml::table& table) const {
  std::vector<std::string> keys = texts(table, "devices");
  for (const std::string& key : keys) {
    const std::string right = results::device_key(key);
    if (right == key) continue;
    fail(table.get("devices")->source(),
         fmt::format("devices: '{}' is no device's key, as a baseline's folder is named; write "
                     "'{}'",
                     key, right));
  }
  return keys;
}

}  // namespace warpgauge::ci
