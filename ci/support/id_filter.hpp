// SPDX-License-Identifier: Apache-2.0
// Which benchmarks are meant, by a regular expression on their ids.
#pragma once

#include <regex.h>

#include <chrono>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::ci {

class IdFilter {
 public:
  static constexpr std::size_t kLongestPattern = 10'000;

  // A POSIX extended regular expression, as for Google Benchmark's own filter; empty: all
  // benchmarks. Throws Error (usage) for what is none, or would take all memory or time.
  explicit IdFilter(std::string pattern,
                    std::chrono::milliseconds patience = std::chrono::seconds(20));

  // Whether the pattern occurs anywhere in the id. Not by several threads at once. Throws Error
  // (usage) for an id that is far too long, and once all ids have taken more processor time than
  // the patience; millions take a second.
  [[nodiscard]] bool matches(const std::string& id) const;

 private:
  struct Free {
    void operator()(regex_t* pattern) const;
  };

  void compile() const;

  std::string text_;
  // What it learns about the pattern from the ids it has seen takes memory, and is forgotten.
  mutable std::unique_ptr<regex_t, Free> pattern_;
  mutable std::size_t tables_ = 0;            // that it may have learnt
  mutable std::chrono::nanoseconds spent_{};  // on all ids
  std::chrono::milliseconds patience_;
  bool anchored_ = false;  // is tried at an id's begin only
  std::size_t most_tables_ = std::numeric_limits<std::size_t>::max() / 2;  // before it forgets
};

// Extended regular expressions: for this text, and for these ids and no others.
[[nodiscard]] std::string escaped(std::string_view text);
[[nodiscard]] std::string pattern_for(const std::vector<std::string>& ids);

}  // namespace warpgauge::ci
