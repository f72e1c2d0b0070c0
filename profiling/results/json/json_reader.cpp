// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/json/json_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiling/results/json/whole_text.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::results {

namespace {

// Receives the parser's events and builds the tree. The library's own builder looks through all of
// an object for each new member, and with a callback through all of a list for each new element.
// NOLINTNEXTLINE(bugprone-exception-escape): an assertion of Json() is taken for a throw.
class TreeBuilder {
 public:
  bool null() { return insert(nullptr); }
  bool boolean(bool value) { return insert(value); }
  bool number_integer(Json::number_integer_t value) { return insert(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return insert(value); }
  bool number_float(double value, const std::string&) { return insert(value); }
  bool string(std::string& value) {
    check_length(value);
    return insert(std::move(value));
  }
  bool binary(Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& value) {
    check_length(value);
    count_value();
    if (!open_.back().keys.insert(value).second) {
      throw FormatError(fmt::format("'{}' stands twice in one object", value));
    }
    if (open_.back().keys.size() > kMostMembers) throw FormatError(too_many_members());
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) {
    if (const auto* range = dynamic_cast<const Json::out_of_range*>(&error)) throw *range;
    throw static_cast<const Json::parse_error&>(error);
  }

  Json take() { return std::move(root_); }

 private:
  struct Open {
    Json* container;
    std::set<std::string> keys;  // of an object
  };

  static void check_length(const std::string& text) {
    if (text.size() <= kLongestText) return;
    throw FormatError(
        fmt::format("has a text of {} bytes, and at most {} are read", text.size(), kLongestText));
  }

  void count_value() {
    if (++values_ <= kMostValues) return;
    throw FormatError(fmt::format("has more than {} values, the most that are read", kMostValues));
  }

  Json& put(Json&& value) {
    count_value();
    if (open_.empty()) return root_ = std::move(value);
    Json& container = *open_.back().container;
    if (container.is_array()) {
      auto& elements = container.get_ref<Json::array_t&>();
      elements.push_back(std::move(value));
      return elements.back();
    }
    auto& members = container.get_ref<Json::object_t&>();
    members.emplace_back(std::move(key_), std::move(value));
    return members.back().second;
  }

  bool insert(Json&& value) {
    put(std::move(value));
    return true;
  }

  bool open(Json&& container) {
    if (open_.size() >= kMaxJsonDepth) {
      throw FormatError(fmt::format("is nested more than {} deep", kMaxJsonDepth));
    }
    open_.push_back({&put(std::move(container)), {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::string key_;
  std::vector<Open> open_;  // the innermost last
  std::size_t values_ = 0;
};

}  // namespace

Json parse_json(const std::string& text) {
  TreeBuilder builder;
  Json::sax_parse(text, &builder);
  if (const auto problem = problem_with_end(text); !problem.empty()) throw FormatError(problem);
  return builder.take();
}

void erase_member(Json& object, const std::string& key) {
  auto& members = object.get_ref<Json::object_t&>();
  Json::object_t rest;
  rest.reserve(members.size());
  for (auto& [name, value] : members) {
    if (name != key) rest.emplace_back(name, std::move(value));
  }
  members.swap(rest);
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
