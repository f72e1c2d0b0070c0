// SPDX-License-Identifier: Apache-2.0
// Figures and names as people read them, to the letter.
#include "ci/support/text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "ci/support/json_text.hpp"

namespace warpgauge::ci {
namespace {

TEST(Text, ALineHasNoControlCharacters) {
  EXPECT_EQ(one_line("a\tb\x7f"
                     "c\x1b[31m"),
            "a b c [31m");
  EXPECT_EQ(one_line("a\xC2\x9B"
                     "31m\xC2\x80\xC2\x9F."),
            "a 31m  .");
  EXPECT_EQ(one_line("µ\xC2\xA0é → \xC2"), "µ\xC2\xA0é → \uFFFD")
      << "no control characters, and half a one";
}

// Two names that look the same are not the same.
TEST(Text, OfALineNothingIsInvisible) {
  for (const char* hidden :
       {"\u00AD", "\u200B", "\u200D", "\u2060", "\u3164", "\uFE0F", "\uFEFF", "\uFFA0", "\u2800",
        "\uFFF0", "\uFFF8", "\U0001BCA0", "\U0001BCA3", "\U000E0041", "\U000E0101"}) {
    EXPECT_EQ(one_line(std::string("scan") + hidden + "/plain"), "scan\uFFFD/plain");
  }
  for (const char* turned : {"\u202E", "\u2066", "\u200F", "\u061C"}) {
    EXPECT_EQ(one_line(std::string("scan") + turned + "/plain"), "scan /plain");
  }
}

TEST(Text, TimesHaveFourDigitsAndAUnit) {
  EXPECT_EQ(readable_time(0.5), "0.5 ns");
  EXPECT_EQ(readable_time(32), "32.00 ns");
  EXPECT_EQ(readable_time(999.94), "999.9 ns");
  EXPECT_EQ(readable_time(999.96), "1.000 µs");
  EXPECT_EQ(readable_time(6560), "6.560 µs");
  EXPECT_EQ(readable_time(9999.6), "10.00 µs");
  EXPECT_EQ(readable_time(1.5e6), "1.500 ms");
  EXPECT_EQ(readable_time(4.25e9), "4.250 s");
  EXPECT_EQ(readable_time(1e13), "10000 s");
}

TEST(Text, CountsHaveSeparators) {
  EXPECT_EQ(readable_count(0), "0");
  EXPECT_EQ(readable_count(999), "999");
  EXPECT_EQ(readable_count(1000), "1,000");
  EXPECT_EQ(readable_count(16777216), "16,777,216");
  EXPECT_EQ(readable_count(-1000), "-1,000");
  EXPECT_EQ(readable_count(0.125), "0.125");
  EXPECT_EQ(readable_figure("barriers", std::nullopt), "–");
}

TEST(Text, LargeCountsAreShortInASentence) {
  EXPECT_EQ(readable_large(16'777'216), "16.8 M");
  EXPECT_EQ(readable_large(524'288), "524.3 k");
  EXPECT_EQ(readable_large(9'999), "9,999");
  EXPECT_EQ(readable_large(10'000), "10.0 k");
  EXPECT_EQ(readable_large(999'960'000), "1.0 G");
  EXPECT_EQ(readable_large(0), "0");
}

TEST(Text, ListsHaveAWordBeforeTheLast) {
  EXPECT_EQ(enumerated({}), "");
  EXPECT_EQ(enumerated({"a"}, "or"), "a");
  EXPECT_EQ(enumerated({"a", "b"}, "or"), "a or b");
  EXPECT_EQ(enumerated({"a", "b", "c"}), "a, b and c");
}

TEST(Text, OfALogIsNoCommandToItsRunner) {
  EXPECT_EQ(log_text("::error::x"), ": :error::x");
  EXPECT_EQ(log_text("a\n  ::set-output::b ::c"), "a\n  : :set-output::b ::c");
  EXPECT_EQ(log_text("a ##[error] ###[x]"), "a # #[error] ## #[x]");
  EXPECT_EQ(log_text("a::b"), "a::b");
  EXPECT_EQ(log_text("\t::error::x\r::x"), "\t: :error::x\r: :x");
  for (const char* blank :
       {"\u0085", "\u00a0", "\u1680", "\u2000", "\u2007", "\u200a", "\u2028", "\u2029", "\u202f",
        "\u205f", "\u3000", "\u200b", "\ufeff", "\v", "\f", " \u00a0\t\u3000"}) {
    EXPECT_EQ(log_text("a\n" + std::string(blank) + "::error::x"),
              "a\n" + std::string(blank) + ": :error::x");
    EXPECT_EQ(log_text("a" + std::string(blank) + "::x"), "a" + std::string(blank) + "::x");
  }
  EXPECT_EQ(log_text("\xff\u00e9::\xc2"), "\xff\u00e9::\xc2") << "bytes stay as they are";
  EXPECT_EQ(log_text("a ##vso[task.complete]b"), "a # #vso[task.complete]b");
  EXPECT_EQ(log_text("##teamcity[x] ##x_1.y-z[a"), "# #teamcity[x] # #x_1.y-z[a");
  EXPECT_EQ(log_text("## a [b] ##a b["), "## a [b] ##a b[");
  EXPECT_EQ(json_text(results::Json{{"a", "###vso[x]"}}),
            "{\n  \"a\": \"\\u0023\\u0023#vso[x]\"\n}\n");
  EXPECT_EQ(results::Json::parse(json_text(results::Json{{"a", "###vso[x]"}}))["a"], "###vso[x]");
}

TEST(Text, OfJsonIsAllSeen) {
  const results::Json json{{"a\u202eb", "\u009b31m \u00b5 \U000E0041 \u200b"}};
  const std::string text = json_text(json);
  EXPECT_EQ(text, "{\n  \"a\\u202eb\": \"\\u009b31m \u00b5 \\udb40\\udc41 \\u200b\"\n}\n");
  EXPECT_EQ(results::Json::parse(text), json);
}

TEST(Text, RatesHaveFourDigitsAndAUnit) {
  EXPECT_EQ(readable_rate(3941.4, "GB/s"), "3,941 GB/s");
  EXPECT_EQ(readable_rate(999.96, "GB/s"), "1,000 GB/s");
  EXPECT_EQ(readable_rate(51.234, "TFLOP/s"), "51.23 TFLOP/s");
  EXPECT_EQ(readable_rate(0.0123456, "TFLOP/s"), "0.0123 TFLOP/s");
}

TEST(Text, ChangesAreInPerCentUpToADoubling) {
  EXPECT_EQ(readable_change(100, 104), "+4.00 %");
  EXPECT_EQ(readable_change(100, 80), "-20.0 %");
  EXPECT_EQ(readable_change(100, 100), "0 %");
  EXPECT_EQ(readable_change(4'194'436, 4'194'320), "-0.003 %") << "it moved, so not by 0.00 %";
  EXPECT_EQ(readable_change(1e9, 1e9 + 2), "+0.0000002 %");
  EXPECT_EQ(readable_change(1, 32), "×32.0");
  EXPECT_EQ(readable_change(0, 32), "+32") << "of which no per cent can be said";
  EXPECT_EQ(readable_change(0, 16384), "+16,384");
  EXPECT_EQ(readable_change(0, 0), "–");
  EXPECT_EQ(readable_change(std::nullopt, 32), "–");
}

}  // namespace
}  // namespace warpgauge::ci
