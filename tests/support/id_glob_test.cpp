// SPDX-License-Identifier: Apache-2.0
// Patterns of ids match as the shell's do, however they are looked for.
#include "ci/support/id_glob.hpp"

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace warpgauge::ci {
namespace {

TEST(IdGlob, MatchesAsTheShellDoes) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto text_of = [&](const std::string& characters) {
    std::string text(random() % 9, ' ');
    for (char& each : text) each = characters[random() % characters.size()];
    return text;
  };
  for (int i = 0; i < 50'000; ++i) {
    const std::string pattern = text_of("ab*?/");
    const std::string id = text_of("ab/c");
    EXPECT_EQ(matches(pattern, id), ::fnmatch(pattern.c_str(), id.c_str(), 0) == 0)
        << "'" << pattern << "' and '" << id << "'";
  }
}

TEST(IdGlob, KnowsSetsAndEscapes) {
  EXPECT_TRUE(matches("*[b-d]?x", "aaacyx"));
  EXPECT_FALSE(matches("*[!b-d]?x", "cyx"));
  EXPECT_TRUE(matches("a\\*b*", "a*bc"));
  EXPECT_FALSE(matches("a\\*b*", "axbc"));
  EXPECT_TRUE(matches("a*?", "a*?"));
  EXPECT_TRUE(matches("x[1", "x[1")) << "as it is, too";
}

// Steps as its length and the id's, multiplied: the C library takes hours.
TEST(IdGlob, OfManyStarsEnds) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "b", std::string(1'000, 'a')));
  EXPECT_TRUE(matches(pattern + "*b", std::string(1'000, 'a') + "b"));
}

}  // namespace
}  // namespace warpgauge::ci
