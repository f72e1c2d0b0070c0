// SPDX-License-Identifier: Apache-2.0
#include "ci/support/id_filter.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <new>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kLongestPattern = 10'000;

}  // namespace

void IdFilter::Free::operator()(regex_t* pattern) const {
  ::regfree(pattern);
  delete pattern;
}

IdFilter::IdFilter(const std::string& pattern) {
  // regcomp() goes as deep as parentheses are nested, until its stack ends.
  if (pattern.size() > kLongestPattern) {
    throw Error(kExitUsage,
                fmt::format("--filter: a regular expression of {} bytes, of which {} are possible; "
                            "see warpgauge --help",
                            pattern.size(), kLongestPattern));
  }
  auto compiled = std::make_unique<regex_t>();
  if (const int error = ::regcomp(compiled.get(), pattern.c_str(), REG_EXTENDED | REG_NOSUB)) {
    if (error == REG_ESPACE) throw std::bad_alloc();
    std::array<char, 200> reason{};
    ::regerror(error, compiled.get(), reason.data(), reason.size());
    throw Error(kExitUsage,
                fmt::format("--filter '{}' is no regular expression ({}); see warpgauge --help",
                            pattern, reason.data()));
  }
  pattern_.reset(compiled.release());
}

bool IdFilter::matches(const std::string& id) const {
  return ::regexec(pattern_.get(), id.c_str(), 0, nullptr, 0) == 0;
}

}  // namespace warpgauge::ci
