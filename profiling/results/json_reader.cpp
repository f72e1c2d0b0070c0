// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/json_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "profiling/results/limits.hpp"

namespace warpgauge::results {

Json parse_json(const std::string& text) {
  std::vector<std::set<std::string>> keys;  // of the objects around
  return Json::parse(text, [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kMaxJsonDepth) {
      throw FormatError(fmt::format("is nested more than {} deep", kMaxJsonDepth));
    }
    const bool is_text = event == Json::parse_event_t::key || event == Json::parse_event_t::value;
    if (is_text && parsed.is_string()) {
      const std::size_t length = parsed.get_ref<const std::string&>().size();
      if (length > kLongestText) {
        throw FormatError(
            fmt::format("has a text of {} bytes, and at most {} are read", length, kLongestText));
      }
    }
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) {
        throw FormatError(fmt::format("'{}' stands twice in one object", key));
      }
    }
    return true;
  });
}

void JsonReader::fail(const std::string& what) const {
  throw FormatError(path_.empty() ? what : fmt::format("{}: {}", path_, what));
}

void JsonReader::fail_unknown_name(const std::string& name,
                                   const std::vector<std::string>& known) const {
  fail(fmt::format("'{}' is not one of {}", name, fmt::join(known, ", ")));
}

std::string JsonReader::beginning() const {
  constexpr std::size_t kLongest = 40;
  return json_->dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, kLongest);
}

std::string JsonReader::text() const {
  if (!json_->is_string()) fail(fmt::format("must be a string, is {}", json_->type_name()));
  return json_->get<std::string>();
}

double JsonReader::number() const {
  if (!json_->is_number()) fail(fmt::format("must be a number, is {}", json_->type_name()));
  const auto number = json_->get<double>();
  if (!std::isfinite(number)) fail("is not finite");
  return number;
}

std::uint64_t JsonReader::count() const {
  const bool counts = json_->is_number_unsigned() ||
                      (json_->is_number_integer() && json_->get<std::int64_t>() >= 0);
  if (!counts) fail(fmt::format("must be a whole number of at least 0, is {}", beginning()));
  return json_->get<std::uint64_t>();
}

int JsonReader::small_count() const {
  constexpr std::uint64_t kGreatest = 1'000'000'000;
  const std::uint64_t value = count();
  if (value > kGreatest) fail(fmt::format("{} is too large", value));
  return static_cast<int>(value);
}

bool JsonReader::flag() const {
  if (!json_->is_boolean()) fail(fmt::format("must be true or false, is {}", json_->type_name()));
  return json_->get<bool>();
}

std::vector<std::string> JsonReader::texts() const { return list_of(&JsonReader::text); }

// Lists of times are long: no path is made for each.
std::vector<double> JsonReader::numbers() const {
  require_list();
  std::vector<double> all;
  all.reserve(json_->size());
  for (const Json& each : *json_) {
    const bool usable = each.is_number() && std::isfinite(each.get<double>());
    all.push_back(usable ? each.get<double>() : elements()[all.size()].number());
  }
  return all;
}

void JsonReader::require_object() const {
  if (!json_->is_object()) fail(fmt::format("must be an object, is {}", json_->type_name()));
}

bool JsonReader::has(const char* key) const { return json_->is_object() && json_->contains(key); }

JsonReader JsonReader::at(const char* key) const {
  require_object();
  auto member = optional(key);
  if (!member) fail(fmt::format("'{}' is missing", key));
  return *std::move(member);
}

std::optional<JsonReader> JsonReader::optional(const char* key) const {
  require_object();
  const auto found = json_->find(key);
  if (found == json_->end()) return std::nullopt;
  return inside(key, *found);
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::members() const {
  require_object();
  std::vector<std::pair<std::string, JsonReader>> all;
  for (const auto& [key, value] : json_->items()) all.emplace_back(key, inside(key, value));
  return all;
}

void JsonReader::require_list() const {
  if (!json_->is_array()) fail(fmt::format("must be a list, is {}", json_->type_name()));
}

std::vector<JsonReader> JsonReader::elements() const {
  require_list();
  std::vector<JsonReader> all;
  all.reserve(json_->size());
  for (const Json& each : *json_) {
    all.emplace_back(each, fmt::format("{}[{}]", path_, all.size()));
  }
  return all;
}

JsonReader JsonReader::inside(const std::string& key, const Json& value) const {
  return {value, path_.empty() ? key : path_ + "." + key};
}

}  // namespace warpgauge::results
