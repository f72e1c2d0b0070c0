// SPDX-License-Identifier: Apache-2.0
// Memory that was deleted while the process ends is still there: malloc has not written into it.
#include "profiling/cupti/inject/recording/kept_memory.hpp"

#include <gtest/gtest.h>

namespace warpgauge::inject {
namespace {

TEST(KeptMemory, IsNotGivenBackWhileTheProcessEnds) {
  int* volatile number = new int(7);
  int* volatile same = number;
  keep_memory(true);
  delete number;
  EXPECT_EQ(*same, 7);
  keep_memory(false);
  delete same;
}

}  // namespace
}  // namespace warpgauge::inject
