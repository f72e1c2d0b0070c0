// SPDX-License-Identifier: Apache-2.0
// Lines as wide as a terminal.
#include "ci/support/terminal_lines.hpp"

#include <gtest/gtest.h>

namespace warpgauge::ci {
namespace {

TEST(TerminalLines, BreakAtBlanksAndAreIndented) {
  EXPECT_EQ(wrapped("one two three", 2, 0), "one two three");
  EXPECT_EQ(wrapped("one two three", 2, 15), "one two three");
  EXPECT_EQ(wrapped("one two three", 2, 14), "one two\n    three");
  EXPECT_EQ(wrapped("one two  three", 2, 9), "one two\n    three");
  EXPECT_EQ(wrapped("one two  three", 0, 10), "one two\n  three") << "no line ends with a blank";
  EXPECT_EQ(wrapped("one kernels/transpose.cuh two", 0, 10), "one\n  kernels/transpose.cuh\n  two")
      << "a path stays whole";
  EXPECT_EQ(wrapped("µs → µs", 0, 7), "µs → µs") << "columns, not bytes";
  EXPECT_EQ(wrapped("one -96.6 % more", 0, 10), "one\n  -96.6 %\n  more")
      << "not a line that begins with %";
  EXPECT_EQ(wrapped("", 2, 10), "");
}

}  // namespace
}  // namespace warpgauge::ci
