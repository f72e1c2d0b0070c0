// SPDX-License-Identifier: Apache-2.0
// Filters and patterns of ids, also those that would take all memory or hours.
#include "ci/support/id_filter.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/support/id_glob.hpp"

namespace warpgauge::ci {
namespace {

std::string pattern_refusal(const std::string& pattern, const std::string& id = "a") {
  try {
    (void)IdFilter(pattern).matches(id);
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitUsage);
    return error.what();
  }
  return "accepted";
}

TEST(IdFilter, FindsItsPatternAnywhere) {
  EXPECT_TRUE(IdFilter("").matches("a/b/1"));
  EXPECT_TRUE(IdFilter("^a/(b|c)/[0-9]+$").matches("a/b/128"));
  EXPECT_FALSE(IdFilter("^a/(b|c)/[0-9]+$").matches("a/d/128"));
  EXPECT_TRUE(IdFilter("x{2,3}$").matches("axxx"));
  EXPECT_TRUE(IdFilter("[]{(+]").matches("a{"));
  EXPECT_TRUE(IdFilter("[[:digit:]{9999}]{2}").matches("1{"));
  EXPECT_TRUE(IdFilter("a\\{9999\\}").matches("a{9999}"));
}

TEST(IdFilter, ReadsBytesAsTheCLibraryDoes) {
  EXPECT_TRUE(IdFilter("^a.$").matches("a\xe0"));
  EXPECT_TRUE(IdFilter("^a.b$").matches("a\nb"));
  EXPECT_FALSE(IdFilter("^b").matches("a\nb"));
  EXPECT_TRUE(IdFilter("\\bab\\b").matches("x ab"));
  EXPECT_TRUE(IdFilter("^\\w+$").matches("ab"));
  EXPECT_TRUE(IdFilter("^a**b+*$").matches("aab"));
  EXPECT_FALSE(IdFilter("A").matches("a"));
}

// Gigabytes from a few bytes, or hours.
TEST(IdFilter, WhatWouldTakeAllMemoryOrTimeIsRefused) {
  for (const char* pattern :
       {"((((a{1,255}){1,255}){1,255}){1,255})", "((a{200}){200}){200}", "a{30000}", "["}) {
    EXPECT_NE(pattern_refusal(pattern).find("no regular expression that can be used"),
              std::string::npos)
        << pattern << ": " << pattern_refusal(pattern);
  }
  EXPECT_NE(pattern_refusal(std::string(10'001, 'a')).find("of 10001 bytes"), std::string::npos);
  EXPECT_NE(
      pattern_refusal("a", std::string(1'000'000, 'a')).find("a benchmark's id has 1000000 bytes"),
      std::string::npos);
  std::string pluses = "a";
  for (int i = 0; i < 40; ++i) pluses = "(" + pluses + ")+";
  for (const std::string& pattern :
       {std::string("(a{10}){10}"), std::string("((a+)+)+"), std::string("(a|b)*a(a|b){40}c"),
        std::string("^\xe0\xe0\xe0+/.?+++++++++++++\xcf"), pluses,
        std::string(".*a.*b.*c.*d.*e.*f.*g.*h.*i.*j.*k.*l.*m.*n")}) {
    EXPECT_EQ(pattern_refusal(pattern, std::string(10'000, 'a')), "accepted") << pattern;
  }
}

TEST(IdFilter, ReferencesToGroupsAreRefused) {
  EXPECT_NE(pattern_refusal("(.*)(.*)\\1\\2").find("\\1"), std::string::npos);
}

// As bisect writes them: each alternative is one way to go on, but tried at an id's begin only.
TEST(IdFilter, ManyAlternativesAtTheBeginAreTaken) {
  for (const auto& [count, length] : {std::pair(13, 120), {60, 120}, {100, 50}, {3, 2'000}}) {
    std::string pattern;
    std::vector<std::string> ids;
    for (int i = 0; i < count; ++i) {
      ids.push_back(fmt::format("{:05}{}", i, std::string(static_cast<std::size_t>(length), 'a')));
      pattern += (i == 0 ? "^(" : "|") + ids.back();
    }
    const IdFilter filter(pattern + ")$");
    for (const std::string& id : ids) {
      EXPECT_TRUE(filter.matches(id)) << count;
      EXPECT_FALSE(filter.matches(id + "a")) << count;
    }
  }
}

TEST(IdFilter, OneThatTakesLongIsRefused) {
  const IdFilter filter("(a|b)*a(a|b){999}c", std::chrono::milliseconds(50));
  std::string complaint;
  for (int i = 0; i < 1'000'000 && complaint.empty(); ++i) {
    try {
      ASSERT_FALSE(filter.matches("abbabaabbababaabbabaabbabaabbababaabbabaabab"));
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), kExitUsage);
      complaint = error.what();
    }
  }
  EXPECT_NE(complaint.find("more than 0.05 s"), std::string::npos) << complaint;
}

TEST(IdPattern, StarsAndQuestionMarksStandForAnyCharacters) {
  for (const auto& [pattern, id] : {std::pair("a/*", "a/b/1"),
                                    {"*", ""},
                                    {"a?c", "abc"},
                                    {"*b*", "abc"},
                                    {"a*b*c", "axbbxc"},
                                    {"**a", "ba"},
                                    {"[ab]*", "b/1"},
                                    {"a\\*", "a*"},
                                    {"a[", "a["},
                                    {"*[0-9]*[0-9]*[0-9]*[0-9]*x", "a1b2c3d4x"},
                                    {"[!a]*[]b]", "xyz]"},
                                    {"*[[:digit:]]/*\\**", "a1/b*c"},
                                    {"[a\\]]*", "]a"},
                                    {"*[a", "b[a"}}) {
    EXPECT_TRUE(matches(pattern, id)) << pattern << " " << id;
  }
  for (const auto& [pattern, id] : {std::pair("a/*", "b/a/1"),
                                    {"", "a"},
                                    {"a?", "a"},
                                    {"*b", "abc"},
                                    {"a*b*c", "acb"},
                                    {"[ab]*", "c/1"},
                                    {"a\\*", "ab"},
                                    {"?", ""},
                                    {"a\\", "a"},
                                    {"*[0-9]*[0-9]*[0-9]*[0-9]*x", "a1b2c3dx"},
                                    {"[!a]*[]b]", "ab"},
                                    {"[[:digit:]]", "a"}}) {
    EXPECT_FALSE(matches(pattern, id)) << pattern << " " << id;
  }
}

// The C library would try every way to share it among the stars.
TEST(IdPattern, OfManyStarsAreTriedOnce) {
  std::string pattern;
  for (int i = 0; i < 60; ++i) pattern += "*a";
  EXPECT_FALSE(matches(pattern + "*b", std::string(20'000, 'a')));
  EXPECT_FALSE(matches("[a]" + pattern + "*b", std::string(20'000, 'a')));
  EXPECT_TRUE(matches(pattern, std::string(20'000, 'a')));
}

}  // namespace
}  // namespace warpgauge::ci
