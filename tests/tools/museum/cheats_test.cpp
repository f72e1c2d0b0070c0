// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/museum/cheats.hpp"

#include <gtest/gtest.h>

#include <string>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

TEST(Cheats, AreCountedWhereOneDeviceAtLeastCaughtThem) {
  const std::string table =
      cheats_table("Cheats", cheat_rows("emulated\tfirst\twave/stale\tok\t\n"
                                        "emulated\tafter\twave/stale\tok\t\n"
                                        "gpu\tfirst\twave/stale\terror\ttook longer\n"
                                        "gpu\tafter\twave/stale\terror\ttook longer\n"
                                        "emulated\tfirst\twave/half\tok\t\n"
                                        "emulated\tafter\twave/half\tremark\tcoarse\n"
                                        "emulated\tafter\twave/honest\tok\t\n"
                                        "gpu\tafter\twave/honest_scratch\terror\tno\n",
                                        "cheats.tsv"));
  EXPECT_NE(
      table.find(
          "of 2 cheats: 1 at first sight, 2 after. Honest ones accused, of 2: 0 at first sight, "
          "1 after."),
      table.npos)
      << table;
  EXPECT_NE(
      table.find("| `wave/stale` | **missed** | **missed** | caught | caught | took longer |"),
      table.npos)
      << table;
  EXPECT_NE(table.find("| `wave/half` | **missed** | remarked | – | – | coarse |"), table.npos)
      << table;
  EXPECT_NE(table.find("| `wave/honest` | – | passed | – | – |"), table.npos) << table;
  EXPECT_NE(table.find("| **accused** |"), table.npos) << table;
  EXPECT_NE(table.find("| emulator | 0 of 2 | 1 | 0 of 1 |"), table.npos) << table;
  EXPECT_NE(table.find("| H200 | 1 of 1 | 0 | 1 of 1 |"), table.npos) << table;
}

TEST(Cheats, ALineThatIsNoRowIsAnError) {
  EXPECT_THROW((void)cheat_rows("emulated\tafter\n", "cheats.tsv"), Error);
}

}  // namespace
}  // namespace warpgauge::ci
