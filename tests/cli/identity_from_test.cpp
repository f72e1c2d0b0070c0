// SPDX-License-Identifier: Apache-2.0
// A change that rewrites what its own baselines say of code: --identity-from holds it to those from
// before.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ci/verdict/verdict_json.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr int kBenchmarks = 12;

std::string id_of(int i) { return fmt::format("family/kernel_{}/1024", i); }

class IdentityFromTest : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("policy.toml", R"(
[[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.007
[[metric]]
names = ["barriers"]
class = "exact"
)");
    write("before.json", measured('a', 1, true));
    const Finished approved =
        warpgauge("approve before.json --policy policy.toml --reason 'the first'");
    ASSERT_EQ(approved.status, 0) << approved.output;
    fs::copy(folder_ / "baselines", folder_ / "default branch", fs::copy_options::recursive);
    // The first kernel was changed and is 4 % slower, which is below what a sentinel tells.
    write("results.json", measured('b', 1.04, false));
  }

  // hash and slower: of the first benchmark. timed: else what a gate leaves of the same code.
  static std::string measured(char hash, double slower, bool timed) {
    std::vector<Measured> benchmarks;
    for (int i = 0; i < kBenchmarks; ++i) {
      const double time = 20000.0 * (1 + i);
      benchmarks.push_back({.id = id_of(i),
                            .times_ns = timed ? std::vector{time, time * 1.001, time * 0.999, time}
                                              : std::vector<double>{},
                            .counters = {{"barriers", 2}},
                            .machine_code = {kernel_code("kernel", i == 0 ? hash : 'a')},
                            .launches = {{.kernel = "kernel", .arguments = std::string(16, '1')}}});
    }
    auto json = nlohmann::ordered_json::parse(
        results_text(h200(), benchmarks, timed ? "2026-11-20T04:00:00Z" : "2026-11-21T04:00:00Z"));
    for (auto& entry : json["benchmarks"]) {
      auto& record = entry["warpgauge"];
      record["input_digest"] = std::string(16, 'd');
      if (timed) continue;
      record["not_measured"].erase("time");
      record["not_timed"] = "same code";
      for (int i = 0; i < kBenchmarks; ++i) {
        if (record["id"] == id_of(i)) {
          record["sentinel_ns"] = 20000.0 * (1 + i) * (i == 0 ? slower : 1);
        }
      }
    }
    return json.dump();
  }

  void edit_by_hand() const {
    const std::string file = "baselines/nvidia-h200/family.json";
    std::string text = results::read_file(folder_ / file);
    const std::size_t at = text.find(std::string(32, 'a'));
    ASSERT_NE(at, text.npos) << text;
    write(file, text.replace(at, 32, std::string(32, 'b')));
  }

  [[nodiscard]] Finished compare(const std::string& more = "") const {
    return warpgauge("compare baselines results.json --policy policy.toml --json verdict.json " +
                     more);
  }
};

TEST_F(IdentityFromTest, CodeThatTheChangesOwnBaselinesCallTheSameIsNotTheSame) {
  edit_by_hand();
  const Finished own = compare();
  EXPECT_EQ(own.status, 0) << own.output;
  const Finished held = compare("--identity-from 'default branch'");
  EXPECT_NE(held.status, 0) << held.output;
  for (const BenchmarkVerdict& each : read_verdict(folder_ / "verdict.json").benchmarks) {
    EXPECT_EQ(each.verdict == Verdict::same, each.id != id_of(0)) << each.id << held.output;
  }
}

TEST_F(IdentityFromTest, AFolderWithoutThisDevicesBaselinesKnowsNoCode) {
  write("results.json", measured('a', 1, false));
  EXPECT_EQ(compare("--identity-from 'default branch'").status, 0);
  fs::create_directory(folder_ / "empty");
  const Finished held = compare("--identity-from empty");
  EXPECT_NE(held.status, 0) << held.output;
  for (const BenchmarkVerdict& each : read_verdict(folder_ / "verdict.json").benchmarks) {
    EXPECT_NE(each.verdict, Verdict::same) << each.id;
  }
}

TEST_F(IdentityFromTest, BaselinesThatCannotBeReadVouchForNothing) {
  write("default branch/nvidia-h200/family.json", "{");
  const Finished held = compare("--identity-from 'default branch'");
  EXPECT_EQ(held.status, 4) << held.output;
  EXPECT_NE(held.output.find("default branch/nvidia-h200/family.json"), std::string::npos)
      << held.output;
}

TEST_F(IdentityFromTest, WithoutAFolderItIsWrongUsage) {
  for (const char* wrong : {"--identity-from nowhere", "--identity-from results.json",
                            "--identity-from baselines --merge-base HEAD"}) {
    EXPECT_EQ(compare(wrong).status, 64) << wrong;
  }
  const Finished files = warpgauge("compare before.json results.json --identity-from baselines");
  EXPECT_EQ(files.status, 64) << files.output;
  EXPECT_NE(files.output.find("compares code with a folder of baselines"), std::string::npos)
      << files.output;
}

}  // namespace
}  // namespace warpgauge::ci
