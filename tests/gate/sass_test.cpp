// SPDX-License-Identifier: Apache-2.0
// The gate's machine code side by side: of which kernels, and what is said where there is none.
#include "ci/gate/sass.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "ci/support/process/interrupt.hpp"
#include "profiling/machine_code/image_kernels.hpp"
#include "tests/helpers/two_cubins.hpp"

namespace warpgauge::ci {
namespace {

class GateSass : public TwoCubins {
 protected:
  void SetUp() override {
    TwoCubins::SetUp();
    path_ = std::getenv("PATH");
    ::setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
    before_.suite = folder_ / "before.cubin";
    after_.suite = folder_ / "no suite";
    after_.machine_code = {folder_ / "after.cubin"};
  }

  void TearDown() override {
    ::setenv("PATH", path_.c_str(), 1);
    TwoCubins::TearDown();
  }

  [[nodiscard]] results::KernelCode code_in_file(const char* name) const {
    return machine_code::read_image_kernels({folder_ / name}).kernels.begin()->second.at(0).code;
  }

  [[nodiscard]] BenchmarkVerdict benchmark(const std::string& id, Verdict verdict) const {
    BenchmarkVerdict made{.id = id, .verdict = verdict, .message = "", .metrics = {}};
    const results::KernelCode after = code_in_file("after.cubin");
    made.kernels = {{after.name, code_in_file("before.cubin"), after}};
    return made;
  }

  const InterruptGuard guard_;  // as where a gate runs: no signal of another test counts
  std::string path_;
  RunOptions before_;
  RunOptions after_;
};

TEST_F(GateSass, IsAddedToKernelsThatChangedOfBenchmarksThatMoved) {
  install_nvdisasm(kNvdisasmSays);
  GateVerdict verdict;
  verdict.benchmarks = {benchmark("a/x/1", Verdict::regressed), benchmark("a/x/2", Verdict::same),
                        benchmark("a/x/3", Verdict::improved)};
  verdict.benchmarks[2].kernels[0].after = verdict.benchmarks[2].kernels[0].before;
  add_side_by_side(before_, after_, verdict);
  EXPECT_TRUE(verdict.notes.empty()) << verdict.notes.front();
  EXPECT_FALSE(verdict.benchmarks[0].kernels[0].sass.rows.empty());
  EXPECT_TRUE(verdict.benchmarks[1].kernels[0].sass.rows.empty()) << "it has not moved";
  EXPECT_TRUE(verdict.benchmarks[2].kernels[0].sass.rows.empty()) << "its code has not changed";
}

TEST_F(GateSass, OfOneKernelFourBenchmarksHaveIt) {
  install_nvdisasm(kNvdisasmSays);
  GateVerdict verdict;
  for (int i = 0; i < 6; ++i) {
    verdict.benchmarks.push_back(benchmark("a/x/" + std::to_string(i), Verdict::regressed));
  }
  add_side_by_side(before_, after_, verdict);
  int with = 0;
  for (const BenchmarkVerdict& each : verdict.benchmarks)
    with += !each.kernels[0].sass.rows.empty();
  EXPECT_EQ(with, 4);
  EXPECT_FALSE(verdict.benchmarks[0].kernels[0].sass.rows.empty()) << "the gravest lead";
}

TEST_F(GateSass, WhereThereIsNoneANoteSaysWhyAndTheVerdictStays) {
  install_nvdisasm("echo 'cannot read that' >&2; exit 1\n");
  GateVerdict verdict;
  verdict.benchmarks = {benchmark("a/x/1", Verdict::regressed)};
  add_side_by_side(before_, after_, verdict);
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_NE(verdict.notes[0].find("no machine code side by side of what changed: "),
            std::string::npos)
      << verdict.notes[0];
  EXPECT_NE(verdict.notes[0].find("cannot read that"), std::string::npos) << verdict.notes[0];

  verdict.notes.clear();
  after_.machine_code = {folder_ / "gone.cubin"};
  add_side_by_side(before_, after_, verdict);
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_NE(verdict.notes[0].find("gone.cubin"), std::string::npos) << verdict.notes[0];
  EXPECT_EQ(verdict.benchmarks[0].verdict, Verdict::regressed);
}

}  // namespace
}  // namespace warpgauge::ci
