// SPDX-License-Identifier: Apache-2.0
// What `warpgauge init` says is left to do where something is approved already.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/helpers/contains.hpp"
#include "tests/init/init_folder.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

TEST_F(Init, WhereSomethingIsApprovedNoGateIsTheFirst) {
  const std::string first = "the first time it ends with 3";
  write("a.py", "import torch");
  ASSERT_EQ(warpgauge("init --yes").status, 0);
  EXPECT_TRUE(contains(warpgauge("init").output, first));
  write("baselines/bench/nvidia-h200/device.json", "{}");
  write("baselines/bench/notes/readme.txt", "");
  const std::string again = warpgauge("init").output;
  EXPECT_FALSE(contains(again, first)) << again;
  EXPECT_TRUE(contains(again,
                       "Run bash ci/warpgauge.sh: it compares with what baselines/bench has "
                       "for nvidia-h200. On another device it ends with 3 and prints"))
      << again;
  write("ci/warpgauge.sh", "baselines=baselines/other\n");
  EXPECT_TRUE(contains(warpgauge("init").output, first));
}

TEST_F(Init, OnTheRunnerOtherProcessorsFollowThoseThatHaveBaselines) {
  write("CMakeLists.txt", kGoogleBenchmark);
  for (const char* host : {"github", "gitlab"}) {
    remote(std::string("https://") + host + ".com/acme/x");
    ASSERT_EQ(warpgauge("init --yes").status, 0);
    fs::remove_all(folder_ / "baselines");
    EXPECT_FALSE(contains(warpgauge("init").output, "already: "));
    write("baselines/google_benchmark/a-processor/device.json", "{}");
    const std::string again = warpgauge("init").output;
    EXPECT_TRUE(contains(again, "Approved in baselines/google_benchmark already: a-processor."));
    EXPECT_TRUE(contains(again, "A job ends with 3 where its processor has no baseline")) << again;
    EXPECT_FALSE(contains(again, "The first job")) << again;
  }
}

}  // namespace
}  // namespace warpgauge
