// SPDX-License-Identifier: Apache-2.0
// A filter and a policy's pattern, in the first line, held against the ids in the others.
#include <fnmatch.h>

#include <algorithm>
#include <sstream>

#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/id_glob.hpp"
#include "tests/fuzz/target.hpp"

namespace {

using namespace warpgauge;

// The C library's own takes hours with many stars; of a few it says the same. Only where all that
// is special is * and ? is that so of any bytes.
void compare_with_fnmatch(const std::string& pattern, const std::string& id) {
  constexpr std::size_t kShort = 64;
  const bool is_plain = pattern.find_first_of(std::string("[\\\0", 3)) == pattern.npos;
  const bool few_stars = std::count(pattern.begin(), pattern.end(), '*') <= 3;
  if (!is_plain || !few_stars || pattern.size() > kShort || id.size() > kShort) return;
  if (id.find('\0') != id.npos) return;
  if (ci::matches(pattern, id) != (::fnmatch(pattern.c_str(), id.c_str(), 0) == 0)) {
    found("'" + pattern + "' and '" + id + "' match otherwise than by the C library");
  }
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  constexpr int kMostIds = 100;
  std::istringstream lines(text);
  std::string pattern;
  std::getline(lines, pattern);
  std::vector<std::string> ids{""};
  for (std::string id; ids.size() < kMostIds && std::getline(lines, id);) ids.push_back(id);
  for (const std::string& id : ids) {
    (void)ci::matches(pattern, id);
    compare_with_fnmatch(pattern, id);
    if (!ci::matches(id, id)) found("a pattern does not match its own text");
  }
  const ci::IdFilter filter(pattern, std::chrono::seconds(5));
  for (const std::string& id : ids) {
    const bool once = filter.matches(id);
    if (once != filter.matches(id)) found("an id matches only once");
  }
}
