// SPDX-License-Identifier: Apache-2.0
// Which benchmarks are meant, by a regular expression on their ids.
#pragma once

#include <regex.h>

#include <memory>
#include <string>

namespace warpgauge::ci {

class IdFilter {
 public:
  // A POSIX extended regular expression, as for Google Benchmark's own filter; empty: all
  // benchmarks. Throws Error (usage) for what is none.
  explicit IdFilter(const std::string& pattern);

  // Whether the pattern occurs anywhere in the id.
  [[nodiscard]] bool matches(const std::string& id) const;

 private:
  struct Free {
    void operator()(regex_t* pattern) const;
  };
  std::unique_ptr<regex_t, Free> pattern_;
};

}  // namespace warpgauge::ci
