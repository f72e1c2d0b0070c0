// SPDX-License-Identifier: Apache-2.0
// JSON from elsewhere, read as the types that are expected of it. What is not as expected is named
// by its path, as in "benchmarks[2].metrics[0].p: must be a number, is string".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace warpgauge::results {

using Json = nlohmann::ordered_json;

// Far beyond what is written by anyone, far below what a stack or a heap would notice.
inline constexpr int kMaxJsonDepth = 64;

// Text that should be JSON of a known form, and is not. The message names the place and the remedy.
class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A text from elsewhere as JSON. Throws Json::exception for what is not JSON, and FormatError for
// what is nested deeper than any of our files, since a tree is copied and written by recursion, and
// for a key that stands twice in an object: one of the two would be read and the other seen.
[[nodiscard]] Json parse_json(const std::string& text);

// Takes a member out of an object, if it is there. nlohmann's erase() of an ordered object copies
// keys onto destroyed ones, and leaves them destroyed where there is no memory.
void erase_member(Json& object, const std::string& key);

// What the enumerators of an enumeration are called in files.
template <class Enum, std::size_t Count>
using EnumNames = std::array<std::pair<Enum, const char*>, Count>;

template <class Enum, std::size_t Count>
[[nodiscard]] std::string name_of(const EnumNames<Enum, Count>& names, Enum value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  throw FormatError("no name for enumerator " + std::to_string(static_cast<int>(value)));
}

// A value, which must outlive this, and where it stands. All but json(), path() and has() throw
// FormatError where the value is not what is asked for.
class JsonReader {
 public:
  // An empty path is the whole document. A value stands for itself where a reader is expected.
  JsonReader(const Json& json, std::string path = {}) : json_(&json), path_(std::move(path)) {}

  [[nodiscard]] const Json& json() const { return *json_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  // "path: what".
  [[noreturn]] void fail(const std::string& what) const;

  // The value as text, for messages: at most its first 40 bytes.
  [[nodiscard]] std::string beginning() const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] double number() const;        // finite
  [[nodiscard]] std::uint64_t count() const;  // whole, at least 0
  [[nodiscard]] int small_count() const;      // at most 1,000,000,000
  [[nodiscard]] bool flag() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] std::vector<double> numbers() const;

  template <class Enum, std::size_t Count>
  [[nodiscard]] Enum one_of(const EnumNames<Enum, Count>& names) const {
    const std::string name = text();
    std::vector<std::string> known;
    for (const auto& [value, known_name] : names) {
      if (name == known_name) return value;
      known.emplace_back(known_name);
    }
    fail_unknown_name(name, known);
  }

  void require_object() const;
  // Of an object. One whose value is null is there.
  [[nodiscard]] bool has(const char* key) const;
  [[nodiscard]] JsonReader at(const char* key) const;
  [[nodiscard]] std::optional<JsonReader> optional(const char* key) const;
  [[nodiscard]] std::vector<std::pair<std::string, JsonReader>> members() const;
  // What `read` makes of the member; absent: there is none.
  template <class Read>
  [[nodiscard]] auto optional(const char* key, Read read) const
      -> std::optional<std::decay_t<std::invoke_result_t<Read, const JsonReader&>>> {
    const auto member = optional(key);
    if (!member) return std::nullopt;
    return std::invoke(read, *member);
  }

  [[nodiscard]] std::vector<JsonReader> elements() const;
  // What `read` makes of each element.
  template <class Read>
  [[nodiscard]] auto list_of(Read read) const
      -> std::vector<std::decay_t<std::invoke_result_t<Read, const JsonReader&>>> {
    std::vector<std::decay_t<std::invoke_result_t<Read, const JsonReader&>>> all;
    for (const JsonReader& element : elements()) all.push_back(std::invoke(read, element));
    return all;
  }

 private:
  [[noreturn]] void fail_unknown_name(const std::string& name,
                                      const std::vector<std::string>& known) const;
  [[nodiscard]] JsonReader inside(const std::string& key, const Json& value) const;
  void require_list() const;

  const Json* json_;
  std::string path_;
};

}  // namespace warpgauge::results
