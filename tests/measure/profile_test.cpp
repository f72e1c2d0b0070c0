// SPDX-License-Identifier: Apache-2.0
// `warpgauge profile`, with tools that only say how they were called.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

class Profile : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    plan_for("gpu");
    fs::copy_file(FAKE_SUITE, folder_ / "the suite");
  }

  void plan_for(const std::string& backend) const {
    const results::Json plan{
        {"backend", backend},
        {"passes", {"time"}},
        {"device", nullptr},
        {"benchmarks", {{"transpose/padded/4096x4096", results::Json::object()}}}};
    write("plan.json", plan.dump());
  }

  void add_tool(const std::string& name) const {
    const fs::path tool =
        write("tools/" + name, "#!/bin/sh\nprintf '[%s]' \"" + name + "\" \"$@\"; echo; exit 7\n");
    fs::permissions(tool, fs::perms::owner_all);
  }

  // The suite is named relative to the folder, and has a blank in its name.
  [[nodiscard]] Finished profile(const std::string& arguments,
                                 const std::string& id = "transpose/padded/4096x4096") const {
    return shell("cd " + quoted(folder_.string()) + " && FAKE_SUITE_PLAN=plan.json PATH=" +
                 quoted((folder_ / "tools").string()) + ":/bin:/usr/bin " + quoted(WARPGAUGE) +
                 " profile " + id + " --suite 'the suite' " + arguments);
  }

  [[nodiscard]] std::string suite() const { return (folder_ / "the suite").string(); }
};

TEST_F(Profile, PrintsTheCommandForNcu) {
  const Finished finished = profile("--tool ncu");
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(
      finished.output,
      "ncu --nvtx --nvtx-include warpgauge@transpose.padded.4096x4096/ --clock-control none '" +
          suite() +
          "' --warpgauge_profile "
          "'--benchmark_filter=^transpose/padded/4096x4096/iterations:'\n");
}

TEST_F(Profile, PrintsTheCommandForNsys) {
  const Finished finished = profile("--tool nsys --sizes large --out 'my report' -- --stats=true");
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.output,
            "nsys profile --trace=cuda,nvtx --capture-range=nvtx "
            "--nvtx-capture=transpose.padded.4096x4096@warpgauge --force-overwrite=true "
            "'--output=my report' --stats=true '" +
                suite() +
                "' --warpgauge_profile --warpgauge_sizes=large "
                "'--benchmark_filter=^transpose/padded/4096x4096/iterations:'\n");
}

TEST_F(Profile, WhatIsPrintedIsWhatRuns) {
  add_tool("ncu");
  const std::string arguments =
      "--tool ncu --out 'a b' -- --set full --kernel-name 'regex:it'\\''s'";
  const Finished printed = profile(arguments);
  ASSERT_EQ(printed.status, 0);
  const Finished pasted =
      shell("PATH=" + quoted((folder_ / "tools").string()) + ":/bin:/usr/bin; " + printed.output);
  const Finished ran = profile("--run " + arguments);
  EXPECT_EQ(ran.status, 7) << "the tool's own exit status";
  EXPECT_EQ(ran.output, pasted.output);
  EXPECT_EQ(ran.output,
            "[ncu][--nvtx][--nvtx-include][warpgauge@transpose.padded.4096x4096/]"
            "[--clock-control][none][--force-overwrite][--export][a b][--set][full]"
            "[--kernel-name][regex:it's][" +
                suite() +
                "][--warpgauge_profile]"
                "[--benchmark_filter=^transpose/padded/4096x4096/iterations:]\n");
}

TEST_F(Profile, AToolThatIsNotThereIsNamed) {
  const Finished finished = profile("--tool nsys --run");
  EXPECT_EQ(finished.status, 4);
  EXPECT_NE(finished.output.find("cannot start nsys: No such file"), std::string::npos)
      << finished.output;
}

TEST_F(Profile, AnUnknownBenchmarkIsWrongUsage) {
  const Finished finished = profile("--tool ncu", "transpose/padded");
  EXPECT_EQ(finished.status, 64);
  EXPECT_NE(finished.output.find("has no benchmark transpose/padded;"), std::string::npos)
      << finished.output;
}

TEST_F(Profile, TheEmulatorHasNoProfilers) {
  plan_for("emulated");
  const Finished finished = profile("--tool ncu");
  EXPECT_EQ(finished.status, 64);
  EXPECT_NE(finished.output.find("is for the emulated device, which has no profilers"),
            std::string::npos)
      << finished.output;
}

TEST_F(Profile, NeedsATool) {
  EXPECT_EQ(profile("").status, 64);
  EXPECT_EQ(profile("--tool nvprof").status, 64);
}

}  // namespace
}  // namespace warpgauge
