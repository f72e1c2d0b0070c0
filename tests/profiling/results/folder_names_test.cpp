// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/files/folder_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge::results {
namespace {

using FolderNames = InFolder;

TEST_F(FolderNames, AreOfAllThatIsThereAndOfNothingElse) {
  EXPECT_TRUE(names_in(folder_).empty());
  for (const char* name : {"a", ".hidden", "b/within"}) write(name, "");
  std::vector<std::string> names = names_in(folder_);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{".hidden", "a", "b"}));
  EXPECT_TRUE(names_in(folder_ / "a").empty()) << "a file";
  EXPECT_TRUE(names_in(folder_ / "none").empty());
}

}  // namespace
}  // namespace warpgauge::results
