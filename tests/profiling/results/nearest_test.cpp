// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/nearest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace warpgauge::results {
namespace {

using Names = std::vector<std::string>;

TEST(EditDistance, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("abc", ""), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("sitting", "kitten"), 3U);
  EXPECT_EQ(edit_distance("flaw", "lawn"), 2U);
  EXPECT_EQ(edit_distance("GH100", "gh100"), 0U) << "case must not count";
  EXPECT_EQ(edit_distance("*abcd", "x/axyd"), 2U) << "a * is no edit";
  EXPECT_EQ(edit_distance("a?c", "abc"), 0U);
  EXPECT_EQ(edit_distance("a?c", "ac"), 1U) << "a ? is one character";
}

TEST(Nearest, PutsTheNearestFirstAndEqualsInTheirOrder) {
  const Names names{"far away", "cat", "bat", "cart"};
  EXPECT_EQ(nearest("rat", names, 3), (Names{"cat", "bat", "cart"}));
  EXPECT_EQ(nearest("cart", names, 1), Names{"cart"});
  EXPECT_EQ(nearest("x", {}, 3), Names{});
  EXPECT_EQ(nearest("x", {"y"}, 3), Names{"y"});
}

TEST(DidYouMean, ProposesWhatMayBeASlipOfThePen) {
  EXPECT_EQ(did_you_mean("*/lokback/*", {"scan/naive/1", "scan/lookback/20000"}),
            " (did you mean 'scan/lookback/20000'?)");
  EXPECT_EQ(did_you_mean("*abcd", {"x/axyd"}), " (did you mean 'x/axyd'?)") << "two edits";
  EXPECT_EQ(did_you_mean("*abcd", {"x/axyz"}), "") << "three are too many";
  EXPECT_EQ(did_you_mean("transposition", {"transpose"}), "") << "five of thirteen letters";
  EXPECT_EQ(did_you_mean("transposed", {"transpose"}), " (did you mean 'transpose'?)");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(DidYouMean, ProposesEquallyNearOnesUpToThree) {
  EXPECT_EQ(did_you_mean("rat", {"cart", "cat", "bat"}), " (did you mean 'cat' or 'bat'?)");
  EXPECT_EQ(did_you_mean("rat", {"cat", "bat", "hat", "mat"}),
            " (did you mean 'cat' or 'bat' or 'hat'?)");
}

}  // namespace
}  // namespace warpgauge::results
