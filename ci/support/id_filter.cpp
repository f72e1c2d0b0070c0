// SPDX-License-Identifier: Apache-2.0
#include "ci/support/id_filter.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

// Repetitions written out, as regcomp() does it.
constexpr std::size_t kMostAtoms = 10'000;

// From each place of an id the pattern is tried up to its end.
constexpr std::size_t kLongestId = 16'384;

// The C library remembers which parts of the pattern may come next, in tables that it makes as ids
// ask for them, and forgets when it is compiled again. There are as many as there are ways to be
// within the ambiguous parts: two to the power of their number, or one for each end of each place.
constexpr std::size_t kFewAmbiguous = 12;
constexpr std::size_t kBytesATable = 4'096;
constexpr std::size_t kBytesAnAtom = 12;
constexpr std::size_t kMostToRemember = std::size_t{256} << 20;

[[noreturn]] void refuse(const std::string& what) {
  throw Error(kExitUsage, fmt::format("--filter: {}; see warpgauge --help", what));
}

// Counts the atoms of a regular expression with its repetitions written out: x{3,5} is five of x,
// x+ two. Ambiguous ones are those that take several characters, and all within what is repeated
// but for ".*" itself. Of what is no regular expression it says something.
class AtomCount {
 public:
  explicit AtomCount(std::string_view pattern)
      : pattern_(pattern), anchored_(pattern.starts_with('^')) {
    while (at_ < pattern_.size()) step();
    while (groups_.size() > 1) close();
  }

  [[nodiscard]] std::size_t atoms() const { return groups_.back().atoms; }
  [[nodiscard]] std::size_t ambiguous() const { return groups_.back().ambiguous; }
  // Whether it can match nowhere but at the begin, by a ^ before all else in each alternative.
  [[nodiscard]] bool anchored() const { return anchored_; }

 private:
  struct Counts {
    std::size_t atoms = 0;
    std::size_t ambiguous = 0;
  };

  void step() {
    const char character = pattern_[at_++];
    if (character == '(') {
      groups_.emplace_back();
      last_ = {};
    } else if (character == ')' && groups_.size() > 1) {
      close();
    } else if (character == '{') {
      repeat(greatest_in_braces());
    } else if (character == '+' || character == '*' || character == '?') {
      repeat(character == '+' ? 2 : 1);
    } else if (character == '|') {
      groups_.back().ambiguous += groups_.size() > 1 ? 1 : 0;
      if (groups_.size() == 1) anchored_ = anchored_ && pattern_.substr(at_).starts_with('^');
    } else {
      last_is_any_ = character == '.';
      if (character == '[') skip_set();
      if (character == '\\') skip_escaped();
      add({1, std::size_t{character == '.' || character == '[' ? 1U : 0U}});
    }
  }

  static std::size_t capped(std::size_t count) { return std::min(count, kMostAtoms + 1); }

  void add(Counts counts) {
    last_ = {capped(counts.atoms), capped(counts.ambiguous)};
    Counts& group = groups_.back();
    group = {capped(group.atoms + last_.atoms), capped(group.ambiguous + last_.ambiguous)};
  }

  void close() {
    Counts inner = groups_.back();
    ++inner.atoms;
    groups_.pop_back();
    last_is_any_ = false;
    add(inner);
  }

  // What stands before: ".*" takes anything, whatever came so far, and is no choice.
  void repeat(std::size_t times) {
    Counts& group = groups_.back();
    const Counts before = last_;
    group.atoms -= std::min(group.atoms, before.atoms);
    group.ambiguous -= std::min(group.ambiguous, before.ambiguous);
    const std::size_t choices = last_is_any_ ? 0 : std::max(before.atoms, before.ambiguous);
    times = std::min(times, kMostAtoms + 1);
    add({before.atoms * times, choices * times});
    last_is_any_ = false;
  }

  // "{2,5}" → 5; "{2,}" → 3; of anything else 1.
  std::size_t greatest_in_braces() {
    std::array<std::size_t, 2> numbers{};
    std::size_t place = 0;
    bool open = false;
    for (; at_ < pattern_.size() && pattern_[at_] != '}'; ++at_) {
      const char character = pattern_[at_];
      if (character == ',' && place == 0) {
        place = 1;
        open = true;
      } else if (character >= '0' && character <= '9') {
        numbers[place] = capped(numbers[place] * 10 + static_cast<std::size_t>(character - '0'));
        if (place == 1) open = false;
      } else {
        return 1;
      }
    }
    if (at_ < pattern_.size()) ++at_;
    return open ? numbers[0] + 1 : std::max({numbers[0], numbers[1], std::size_t{1}});
  }

  // Behind "[", up to and with "]".
  void skip_set() {
    if (at_ < pattern_.size() && pattern_[at_] == '^') ++at_;
    if (at_ < pattern_.size() && pattern_[at_] == ']') ++at_;
    while (at_ < pattern_.size() && pattern_[at_] != ']') {
      const bool named = pattern_[at_] == '[' && at_ + 1 < pattern_.size() &&
                         std::string_view(".:=").find(pattern_[at_ + 1]) != std::string_view::npos;
      const std::string end = named ? std::string{pattern_[at_ + 1], ']'} : "";
      const std::size_t close = named ? pattern_.find(end, at_ + 2) : std::string_view::npos;
      at_ = close == std::string_view::npos ? at_ + 1 : close + end.size();
    }
    if (at_ < pattern_.size()) ++at_;
  }

  void skip_escaped() {
    if (at_ == pattern_.size()) return;
    // The C library tries all ways to fill the groups before.
    if (pattern_[at_] >= '1' && pattern_[at_] <= '9') {
      refuse(fmt::format("'\\{}' refers back to a group, which no filter may", pattern_[at_]));
    }
    ++at_;
  }

  std::string_view pattern_;
  bool anchored_;
  std::size_t at_ = 0;
  Counts last_;                           // of what a repetition would repeat
  bool last_is_any_ = false;              // which is "."
  std::vector<Counts> groups_{Counts{}};  // the open ones, the innermost last
};

// Of processor time, which other programs do not shorten.
std::chrono::nanoseconds spent() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

void IdFilter::Free::operator()(regex_t* pattern) const {
  ::regfree(pattern);
  delete pattern;
}

IdFilter::IdFilter(std::string pattern, std::chrono::milliseconds patience)
    : text_(std::move(pattern)), patience_(patience) {
  // regcomp() goes as deep as parentheses are nested, until its stack ends, and writes repetitions
  // out, until there is no memory.
  if (text_.size() > kLongestPattern) {
    refuse(fmt::format("a regular expression of {} bytes, of which {} are possible", text_.size(),
                       kLongestPattern));
  }
  const AtomCount count(text_);
  anchored_ = count.anchored();
  if (count.ambiguous() > kFewAmbiguous) {
    most_tables_ = kMostToRemember / (kBytesATable + kBytesAnAtom * count.atoms());
  }
  if (count.atoms() > kMostAtoms) {
    refuse(
        fmt::format("a regular expression that comes to more than {} characters with its "
                    "repetitions written out, the most that are possible",
                    kMostAtoms));
  }
  compile();
}

void IdFilter::compile() const {
  auto compiled = std::make_unique<regex_t>();
  if (const int error = ::regcomp(compiled.get(), text_.c_str(), REG_EXTENDED | REG_NOSUB)) {
    if (error == REG_ESPACE) throw std::bad_alloc();
    std::array<char, 200> reason{};
    ::regerror(error, compiled.get(), reason.data(), reason.size());
    throw Error(kExitUsage,
                fmt::format("--filter '{}' is no regular expression ({}); see warpgauge --help",
                            text_, reason.data()));
  }
  pattern_.reset(compiled.release());
  tables_ = 0;
}

bool IdFilter::matches(const std::string& id) const {
  if (text_.empty()) return true;
  // One for each end of each place where it may begin.
  const std::size_t tables = anchored_ ? id.size() + 1 : id.size() * (id.size() + 1) / 2;
  if (id.size() > kLongestId || tables > most_tables_) {
    refuse(fmt::format("a benchmark's id has {} bytes, too many to be held against this filter",
                       id.size()));
  }
  if (spent_ > patience_) {
    refuse(
        fmt::format("it takes more than {} s to hold the benchmarks' ids against this filter, "
                    "the most that it may; write a simpler one",
                    std::chrono::duration<double>(patience_).count()));
  }
  const std::chrono::nanoseconds begin = spent();
  if (tables_ + tables > most_tables_) compile();
  tables_ += tables;
  const bool found = ::regexec(pattern_.get(), id.c_str(), 0, nullptr, 0) == 0;
  spent_ += spent() - begin;
  return found;
}

std::string escaped(std::string_view text) {
  std::string escaped;
  for (const char character : text) {
    if (std::string_view(R"(\.[]{}()*+?^$|)").find(character) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += character;
  }
  return escaped;
}

std::string pattern_for(const std::vector<std::string>& ids) {
  std::vector<std::string> patterns;
  patterns.reserve(ids.size());
  for (const std::string& id : ids) patterns.push_back(escaped(id));
  return fmt::format("^({})$", fmt::join(patterns, "|"));
}

}  // namespace warpgauge::ci
