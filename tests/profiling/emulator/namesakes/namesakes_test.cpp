// SPDX-License-Identifier: Apache-2.0
// Each kernel has its own clusters and its own shared memory, whatever others are called.
#include "tests/profiling/emulator/namesakes/namesakes.hpp"

namespace warpgauge::emulator::namesakes {
namespace {

TEST(Namesakes, OfTwoFiles) {
  EXPECT_EQ(show_plain(), (Shown{"", 1, 128}));
  EXPECT_EQ(show_clustered(), (Shown{"", 2, 256}));
}

TEST(Namesakes, OneOfThemOfAllFiles) {
  EXPECT_EQ(show_c_static(), (Shown{"", 1, 128}));
  EXPECT_EQ(show_c_global(), (Shown{"", 2, 256}));
}

TEST(Namesakes, AKernelThatTheLinkerHidHasItsOwn) { EXPECT_EQ(show_hidden(), (Shown{"", 4, 512})); }

TEST(Namesakes, AKernelThatTheLinkerHidHasItsOwnBesideAStaticOne) {
  EXPECT_EQ(show_c_hidden(), (Shown{"", 4, 512}));
  EXPECT_EQ(show_c_beside_hidden(), (Shown{"", 1, 128}));
}

}  // namespace
}  // namespace warpgauge::emulator::namesakes
