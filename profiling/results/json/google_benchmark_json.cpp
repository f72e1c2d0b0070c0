// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/json/google_benchmark_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/results/json/whole_text.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::results {
namespace {

// Contents of the strings that stand for bare NaN and infinities. DEL is legal in JSON's strings,
// but nobody's name or label begins with it.
constexpr std::string_view kNan = "\x7f";
constexpr std::string_view kInfinity = "\x7f+";
constexpr std::string_view kMinusInfinity = "\x7f-";

struct BareWord {
  std::string_view word;
  std::string_view mark;
};
// The longer word first: it begins with what the shorter one does.
constexpr BareWord kBareWords[] = {
    {"-Infinity", kMinusInfinity}, {"Infinity", kInfinity}, {"-NaN", kNan}, {"NaN", kNan}};

// Replaces bare NaN and infinities by marked strings of the same length, so that places in messages
// stay right.
void replace_bare_words(std::string& text) {
  if (text.find("NaN") == text.npos && text.find("Infinity") == text.npos) return;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (in_string) {
      if (character == '\\') {
        ++i;
      } else if (character == '"') {
        in_string = false;
      }
    } else if (character == '"') {
      in_string = true;
    } else if (character == 'N' || character == 'I' || character == '-') {
      for (const auto& [word, mark] : kBareWords) {
        if (text.compare(i, word.size(), word) != 0) continue;
        std::string replacement = fmt::format("\"{}\"", mark);
        replacement.resize(word.size(), ' ');
        text.replace(i, word.size(), replacement);
        i += word.size() - 1;
        break;
      }
    }
  }
}

// Receives the parser's events; builds a tree only of the context and of the entry at hand.
class Handler {
 public:
  Handler(std::string_view text, const std::string& name, const GoogleBenchmarkSink& sink)
      : text_(text), name_(name), sink_(sink) {}

  bool null() { return scalar(nullptr); }
  bool boolean(bool value) { return scalar(value); }
  bool number_integer(Json::number_integer_t value) { return number(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return number(value); }
  bool number_float(double value, const std::string&) { return number(value); }
  bool string(std::string& value) {
    check_length(value);
    count_value();
    return scalar(std::move(value));
  }
  bool binary(Json::binary_t&) { return false; }
  bool key(std::string& value) {
    check_length(value);
    if (depth_ == 1) {
      if (!root_keys_.insert(value).second) fail_on_second(value);
      if (root_keys_.size() > kMostMembers) fail_on_members();
    }
    (depth_ == 1 ? root_key_ : key_) = std::move(value);
    return true;
  }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool parse_error(std::size_t position, const std::string&, const Json::exception&) {
    if (text_.find_first_not_of(" \t\r\n") == text_.npos) {
      fail("is empty; was the run that should write it cut short?");
    }
    const std::string_view before = text_.substr(0, std::min(position, text_.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    if (depth_ > 0 && position > text_.size()) {
      fail(fmt::format("ends too early, in line {}; was the run that wrote it cut short?", line));
    }
    fail(
        fmt::format("is not JSON: unexpected text at line {}, column {}; give the file that "
                    "--benchmark_out or 'warpgauge run' wrote",
                    line, position - (before.rfind('\n') + 1)));
  }

  void finish() const {
    if (!saw_benchmarks_) fail("has no list 'benchmarks'; " + std::string(kExpected));
  }

 private:
  static constexpr const char* kExpected = "Google Benchmark's JSON is expected";

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(fmt::format("{}: {}", name_, what));
  }

  void check_length(const std::string& text) const {
    if (text.size() <= kLongestText) return;
    fail(fmt::format("has a text of {} bytes, and at most {} are read; is it the right file?",
                     text.size(), kLongestText));
  }

  // One of the two would be read, and the other one seen.
  [[noreturn]] void fail_on_second(std::string_view key) const {
    fail(fmt::format("has '{}' twice in one object; leave one of the two", key));
  }

  [[noreturn]] void fail_on_members() const {
    fail(fmt::format("{}; is it the right file?", too_many_members()));
  }

  void refuse_second_key(const Json& object) {
    keys_.clear();
    for (const auto& [key, value] : object.get_ref<const Json::object_t&>()) keys_.push_back(key);
    std::sort(keys_.begin(), keys_.end());
    const auto second = std::adjacent_find(keys_.begin(), keys_.end());
    if (second != keys_.end()) fail_on_second(*second);
  }

  bool number(Json&& value) {
    if (++numbers_ > kMostNumbers) {
      fail(
          fmt::format("has more than {} numbers, the most that are read; measure in parts, with "
                      "--filter",
                      kMostNumbers));
    }
    return scalar(std::move(value));
  }

  void count_value() {
    if (++values_ <= kMostValues) return;
    fail(
        fmt::format("has more than {} values, the most that are read; measure in parts, with "
                    "--filter",
                    kMostValues));
  }

  [[nodiscard]] bool in_context() const { return root_key_ == "context"; }
  [[nodiscard]] bool in_benchmarks() const { return root_key_ == "benchmarks"; }

  // Puts a value into the innermost open container of the tree.
  Json& insert(Json&& value) {
    Json& container = *open_.back();
    if (container.is_array()) {
      container.push_back(std::move(value));
      return container.back();
    }
    auto& members = container.get_ref<Json::object_t&>();
    if (members.size() >= kMostMembers) fail_on_members();
    members.emplace_back(std::move(key_), std::move(value));
    return members.back().second;
  }

  void begin_tree(Json&& root, const char* what) {
    if (!root.is_object()) fail(fmt::format("{} is a list; {}", what, kExpected));
    tree_ = std::move(root);
    open_.push_back(&tree_);
  }

  bool open(Json&& container) {
    if (++depth_ > kMaxJsonDepth) {
      fail(fmt::format("is nested more than {} deep; {}", kMaxJsonDepth, kExpected));
    }
    count_value();
    if (!open_.empty()) {
      open_.push_back(&insert(std::move(container)));
    } else if (depth_ == 1) {
      if (!container.is_object()) fail(fmt::format("is a list; {}", kExpected));
    } else if (depth_ == 2 && in_context()) {
      begin_tree(std::move(container), "'context'");
    } else if (depth_ == 2 && in_benchmarks()) {
      if (!container.is_array()) fail(fmt::format("'benchmarks' is no list; {}", kExpected));
      saw_benchmarks_ = true;
    } else if (depth_ == 3 && in_benchmarks()) {
      if (++entries_ > kMostEntries) {
        fail(
            fmt::format("has more than {} entries, the most that are read; measure in parts, with "
                        "--filter",
                        kMostEntries));
      }
      begin_tree(std::move(container), "an entry of 'benchmarks'");
    }
    return true;
  }

  bool close() {
    --depth_;
    if (open_.empty()) return true;
    if (open_.back()->is_object()) refuse_second_key(*open_.back());
    open_.pop_back();
    if (open_.empty()) (in_context() ? sink_.context : sink_.entry)(std::move(tree_));
    return true;
  }

  bool scalar(Json&& value) {
    if (!open_.empty()) {
      insert(std::move(value));
    } else if (depth_ == 0) {
      fail(fmt::format("is {}; {}", kind_of(value), kExpected));
    } else if (depth_ == 1 && (in_context() || in_benchmarks())) {
      fail(fmt::format("'{}' is {}; {}", root_key_, kind_of(value), kExpected));
    } else if (depth_ == 2 && in_benchmarks()) {
      fail(fmt::format("an entry of 'benchmarks' is {}; {}", kind_of(value), kExpected));
    }
    return true;
  }

  std::string_view text_;
  const std::string& name_;
  const GoogleBenchmarkSink& sink_;
  int depth_ = 0;
  std::string root_key_;
  std::string key_;
  std::set<std::string> root_keys_;
  std::vector<std::string_view> keys_;  // of the object at hand
  Json tree_;
  std::vector<Json*> open_;  // containers of tree_ that are not closed yet, outermost first
  bool saw_benchmarks_ = false;
  std::size_t entries_ = 0;
  std::size_t values_ = 0;
  std::size_t numbers_ = 0;
};

}  // namespace

void read_google_benchmark_json(std::string text, const std::string& name,
                                const GoogleBenchmarkSink& sink) {
  replace_bare_words(text);
  Handler handler(text, name, sink);
  Json::sax_parse(text, &handler);
  handler.finish();
  if (const auto problem = problem_with_end(text); !problem.empty()) {
    throw FormatError(fmt::format("{}: {}", name, problem));
  }
}

bool is_nan(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>() == kNan;
}

bool is_infinite(const Json& value) {
  if (!value.is_string()) return false;
  const auto& text = value.get_ref<const std::string&>();
  return text == kInfinity || text == kMinusInfinity;
}

std::string kind_of(const Json& value) {
  if (is_nan(value)) return "NaN";
  if (is_infinite(value)) return "infinite";
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "true or false";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::object:
      return "an object";
    default:
      return "a number";
  }
}

}  // namespace warpgauge::results
