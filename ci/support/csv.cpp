// SPDX-License-Identifier: Apache-2.0
#include "ci/support/csv.hpp"

#include <fmt/format.h>

#include <utility>

#include "profiling/results/json/record_json.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, std::size_t line)
      : text_(text), name_(name), line_(line) {}

  std::vector<CsvRow> rows() {
    std::vector<CsvRow> rows;
    while (place_ < text_.size()) {
      CsvRow row = next_row();
      if (row.fields.size() > 1 || !row.fields.front().empty()) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  [[noreturn]] void fail(std::size_t line, const char* what) const {
    throw results::FormatError(
        fmt::format("{}: line {}: {}; was it cut short, or is it of two programs that wrote at the "
                    "same time?",
                    name_, line, what));
  }

  void check(std::size_t length) {
    if (length > results::kLongestText || ++fields_ > results::kMostValues) {
      throw results::FormatError(
          fmt::format("{}: line {}: there are more than {} fields, or one is longer than {} bytes, "
                      "the most that are read; is it the right file?",
                      name_, line_, results::kMostValues, results::kLongestText));
    }
  }

  // Reads the end of a line, of either kind; false: there is none here.
  bool take_line_end() {
    if (text_.substr(place_, 2) == "\r\n") {
      place_ += 2;
    } else if (text_[place_] == '\n') {
      ++place_;
    } else {
      return false;
    }
    ++line_;
    return true;
  }

  CsvRow next_row() {
    CsvRow row{line_, {}};
    while (true) {
      row.fields.push_back(place_ < text_.size() && text_[place_] == '"' ? quoted() : plain());
      check(row.fields.back().size());
      if (place_ == text_.size() || take_line_end()) return row;
      ++place_;  // the comma
      if (place_ < text_.size()) continue;
      row.fields.emplace_back();
      return row;
    }
  }

  std::string plain() {
    std::string field;
    while (place_ < text_.size() && text_[place_] != ',' && text_[place_] != '\n') {
      field += text_[place_++];
    }
    const bool before_line_end = place_ < text_.size() && text_[place_] == '\n';
    if (before_line_end && field.ends_with('\r')) {
      field.pop_back();
      --place_;
    }
    return field;
  }

  std::string quoted() {
    const std::size_t first_line = line_;
    std::string field;
    for (++place_; place_ < text_.size(); ++place_) {
      if (text_[place_] == '\n') ++line_;
      if (text_[place_] != '"') {
        field += text_[place_];
        continue;
      }
      ++place_;
      if (place_ < text_.size() && text_[place_] == '"') {
        field += '"';
        continue;
      }
      const bool ends = place_ == text_.size() || text_[place_] == ',' || text_[place_] == '\n' ||
                        text_.substr(place_, 2) == "\r\n";
      if (!ends) fail(line_, "there is text behind a quoted field");
      return field;
    }
    fail(first_line, "a quoted field does not end");
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t line_;
  std::size_t place_ = 0;
  std::size_t fields_ = 0;
};

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text, const std::string& name,
                              std::size_t first_line) {
  return Parser(text, name, first_line).rows();
}

std::optional<CsvTable> find_csv(std::string_view text, std::string_view header,
                                 const std::string& name) {
  std::size_t lines_before = 0;
  for (std::size_t begin = 0; begin < text.size(); ++lines_before) {
    const std::string_view rest = text.substr(begin);
    if (rest.starts_with(header)) return CsvTable{begin, parse_csv(rest, name, 1 + lines_before)};
    const std::size_t end = text.find('\n', begin);
    if (end == text.npos) break;
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace warpgauge::ci
