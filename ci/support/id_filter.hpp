// SPDX-License-Identifier: Apache-2.0
// Which benchmarks are meant, by a regular expression on their ids.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace warpgauge::ci {

class IdFilter {
 public:
  static constexpr std::size_t kLongestPattern = 10'000;

  // A POSIX extended regular expression, as for Google Benchmark's own filter, but without
  // references to groups; empty: all benchmarks. Throws Error (usage) for what is none, or is too
  // large. option: which one takes it, for messages.
  explicit IdFilter(std::string pattern,
                    std::chrono::milliseconds patience = std::chrono::seconds(20),
                    std::string option = "--filter");

  // Whether the pattern occurs anywhere in the id. Not by several threads at once. Throws Error
  // (usage) for an id that is far too long, and once all ids have taken more processor time than
  // the patience; millions take a second.
  [[nodiscard]] bool matches(const std::string& id) const;

 private:
  [[noreturn]] void refuse(const std::string& what) const;

  std::string text_;
  std::string option_;
  std::shared_ptr<const re2::RE2> pattern_;
  mutable std::chrono::nanoseconds spent_{};  // on all ids
  std::chrono::milliseconds patience_;
};

// " (did you mean 'transpose'?)", for a filter that matches none of these ids: of them, their
// families and variants the nearest, where one is near. Or that it is written as id_glob.hpp has
// it.
[[nodiscard]] std::string meant_by_filter(std::string_view filter,
                                          const std::vector<std::string>& ids);

// Extended regular expressions: for this text, and for these ids and no others.
[[nodiscard]] std::string escaped(std::string_view text);
[[nodiscard]] std::string pattern_for(const std::vector<std::string>& ids);

}  // namespace warpgauge::ci
