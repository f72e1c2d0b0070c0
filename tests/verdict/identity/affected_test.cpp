// SPDX-License-Identifier: Apache-2.0
// What a change can have touched is told from kernels and launches; what is not known is never
// said to be untouched.
#include "ci/verdict/identity/affected.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/verdict/small_comparison.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::ImageKernels;
using results::Results;
using Texts = std::vector<std::string>;

ImageKernels build_of(const std::vector<results::KernelCode>& kernels) {
  ImageKernels all;
  for (const results::KernelCode& each : kernels) {
    all.kernels[{each.name, each.architecture}].push_back({each, {}});
    all.architectures.insert(each.architecture);
  }
  return all;
}

results::KernelLaunch launch(const std::string& kernel, std::uint32_t blocks = 8) {
  return {.kernel = kernel, .grid = {blocks, 1, 1}, .block = {256, 1, 1}};
}

Measured launching(const std::string& id, const std::string& kernel, std::uint32_t blocks = 8) {
  return {.id = id, .counters = {{"barriers", 2}}, .launches = {launch(kernel, blocks)}};
}

class AffectedTest : public testing::Test {
 protected:
  [[nodiscard]] Affected affected() const {
    return affected_benchmarks(before_, after_, results_of(emulated(), suite_before_),
                               results_of(emulated(), suite_after_), barriers_policy());
  }
  // "ID: because", of those that may be affected.
  [[nodiscard]] Texts found() const {
    Texts all;
    for (const AffectedBenchmark& each : affected().benchmarks) {
      std::string text = each.id + (each.is == Identity::different ? ":" : "?");
      for (const std::string& because : each.because) text += " " + because;
      all.push_back(text);
    }
    return all;
  }

  ImageKernels before_ = build_of({kernel_code("add(int)", 'a'), kernel_code("mul(int)", 'b')});
  ImageKernels after_ = before_;
  std::vector<Measured> suite_before_ = {launching("f/add/16", "add(int)"),
                                         launching("f/mul/16", "mul(int)")};
  std::vector<Measured> suite_after_ = suite_before_;
};

TEST_F(AffectedTest, IsNothingWhereBothBuildsAreTheSame) {
  const Affected none = affected();
  EXPECT_TRUE(none.nothing());
  EXPECT_EQ(none.same_kernels, 2U);
  EXPECT_EQ(none.same_benchmarks, 2U);
  EXPECT_EQ(filter_for(none), "");
}

TEST_F(AffectedTest, AreTheBenchmarksThatLaunchAKernelOfOtherMachineCode) {
  after_ = build_of({kernel_code("add(int)", 'c'), kernel_code("mul(int)", 'b')});
  EXPECT_EQ(found(), Texts{"f/add/16: other machine code: add"});
  EXPECT_FALSE(affected().nothing());
  ASSERT_EQ(affected().kernels.size(), 1U);
  EXPECT_EQ(affected().kernels[0].key.first, "add(int)");
}

// The same instructions with more registers run differently.
TEST_F(AffectedTest, AreThoseOfTheSameInstructionsThatTakeMore) {
  after_ = build_of({kernel_code("add(int)", 'a', 40), kernel_code("mul(int)", 'b')});
  EXPECT_EQ(found(), Texts{"f/add/16: other machine code: add"});
}

TEST_F(AffectedTest, AreThoseThatLaunchTheSameKernelsDifferently) {
  suite_after_[1] = launching("f/mul/16", "mul(int)", 16);
  EXPECT_EQ(found(), Texts{"f/mul/16: launched differently: mul: grid 8 → 16"});
  suite_after_[1] = launching("f/mul/16", "add(int)");
  EXPECT_EQ(found(), Texts{"f/mul/16: launched differently: add: is launched now; mul: is launched "
                           "no longer"});
}

TEST_F(AffectedTest, AreThoseWhoseLaunchesCountOtherwise) {
  suite_after_[0].counters["barriers"] = 3;
  EXPECT_EQ(found(), Texts{"f/add/16: other counters"});
  suite_after_[0].counters.clear();
  EXPECT_EQ(found(), Texts{"f/add/16? a counter is missing on one side"});
}

TEST_F(AffectedTest, AreNewBenchmarksAndRemovedOnes) {
  suite_after_[0].id = "f/plus/16";
  const Affected all = affected();
  EXPECT_EQ(found(), Texts{"f/plus/16: new"});
  EXPECT_EQ(all.removed, Texts{"f/add/16"});
  EXPECT_FALSE(all.nothing());
}

TEST_F(AffectedTest, AreThoseWhoseKernelIsGone) {
  after_ = build_of({kernel_code("mul(int)", 'b')});
  EXPECT_EQ(found(), Texts{"f/add/16: machine code is gone: add"});
  EXPECT_EQ(filter_for(affected()), "^(f/add/)");
  results::KernelCode older = kernel_code("add(int)", 'a');
  older.architecture = "sm_80";
  before_.kernels[{"add(int)", "sm_80"}] = {{older, {}}};
  EXPECT_EQ(found(), Texts{"f/add/16: machine code is gone: add"});
  after_ = build_of({kernel_code("mul(int)", 'b'), kernel_code("add(int)", 'a')});
  EXPECT_EQ(found(), Texts{"f/add/16: other machine code: add"}) << "of sm_80 alone";
}

TEST_F(AffectedTest, OneSuiteTellsThemWithoutComparingLaunches) {
  after_ = build_of({kernel_code("add(int)", 'c'), kernel_code("mul(int)", 'b')});
  const Affected by_one =
      affected_benchmarks(before_, after_, results_of(emulated(), suite_after_), barriers_policy());
  EXPECT_FALSE(by_one.compared_launches);
  ASSERT_EQ(by_one.benchmarks.size(), 1U);
  EXPECT_EQ(by_one.benchmarks[0].id, "f/add/16");
  EXPECT_EQ(by_one.same_benchmarks, 1U);
  EXPECT_TRUE(affected().compared_launches);
}

TEST_F(AffectedTest, AreThoseOfWhichSomethingIsNotKnown) {
  suite_after_[0].launches.clear();
  EXPECT_EQ(found(), Texts{"f/add/16? launches are not known on both sides"});
  suite_before_[0].launches.clear();
  EXPECT_EQ(found(), Texts{"f/add/16? launches are not known on both sides"});
  suite_before_[0] = suite_after_[0] = launching("f/add/16", "of_a_library(int)");
  EXPECT_EQ(found(), Texts{"f/add/16? no machine code of of_a_library"});
  suite_before_[0].outcome = {results::Status::crashed, "died"};
  EXPECT_EQ(found().size(), 1U);
}

TEST_F(AffectedTest, AreAllWhereABuildHasWhatIsNotRead) {
  const auto doubts_with = [&](auto change) {
    const ImageKernels kept = after_;
    change(after_);
    const Affected all = affected();
    after_ = kept;
    EXPECT_EQ(all.benchmarks.size(), 2U);
    EXPECT_EQ(filter_for(all), kAllBenchmarks);
    EXPECT_FALSE(all.nothing());
    return all.doubts;
  };
  EXPECT_EQ(doubts_with([](ImageKernels& all) { all.unread = {"sm_61"}; }),
            Texts{"machine code for sm_61 is not read here"});
  EXPECT_EQ(doubts_with([](ImageKernels& all) { all.to_be_compiled = {"compute_90"}; }),
            Texts{"compute_90, which a driver compiles, is new"});
  EXPECT_EQ(doubts_with([](ImageKernels& all) { all.broken = {"x.cubin: torn"}; }),
            Texts{"not read: x.cubin: torn"});
}

TEST_F(AffectedTest, AreTheBenchmarksThatLaunchAKernelOfOtherPtx) {
  before_.entries = {{{"add(int)", "compute_90"}, {"1"}},
                     {{"jit(int)", "compute_90"}, {"1"}},
                     {{"mul(int)", "compute_90"}, {"1"}}};
  before_.to_be_compiled = {"compute_90"};
  after_.entries = before_.entries;
  after_.to_be_compiled = before_.to_be_compiled;
  suite_before_.push_back(launching("f/jit/16", "jit(int)"));
  suite_after_ = suite_before_;
  EXPECT_TRUE(affected().nothing());
  EXPECT_EQ(affected().same_kernels, 3U) << "each once, by name";
  after_.entries[{"mul(int)", "compute_90"}] = {"2"};
  EXPECT_EQ(found(), Texts{"f/mul/16: other PTX: mul"});
  EXPECT_EQ(affected().kernels.size(), 1U);
  EXPECT_EQ(filter_for(affected()), "^(f/mul/)");
  after_.entries.erase({"jit(int)", "compute_90"});
  EXPECT_EQ(found(), (Texts{"f/mul/16: other PTX: mul", "f/jit/16: other PTX: jit"}));
}

// Whichever kernel it is linked with.
TEST_F(AffectedTest, AreAllWhereCodeForTheLinkerChanged) {
  before_.entries = {{{machine_code::kNoKernel, "compute_90"}, {"1"}}};
  after_.entries = {{{machine_code::kNoKernel, "compute_90"}, {"2"}}};
  EXPECT_EQ(found(),
            (Texts{"f/add/16? the code for compute_90 that a linker joins with kernels changed",
                   "f/mul/16? the code for compute_90 that a linker joins with kernels changed"}));
  EXPECT_EQ(filter_for(affected()), kAllBenchmarks);
  EXPECT_TRUE(affected().changed_kernels().empty()) << "it is no kernel";
  EXPECT_TRUE(affected().launched_by_none.empty());
  EXPECT_FALSE(affected().nothing());
}

// A benchmark of a GPU's suite may launch it, which the emulator's lacks.
TEST_F(AffectedTest, FiltersNothingOutWhereNoBenchmarkLaunchesAKernelThatChanged) {
  before_.kernels[{"cub(int)", "sm_90"}].push_back({kernel_code("cub(int)", 'x'), {}});
  after_.kernels[{"cub(int)", "sm_90"}].push_back({kernel_code("cub(int)", 'y'), {}});
  const Affected all = affected();
  EXPECT_TRUE(all.benchmarks.empty());
  EXPECT_EQ(all.launched_by_none, Texts{"cub(int)"});
  EXPECT_EQ(filter_for(all), kAllBenchmarks);
}

// A GPU's gate has other sizes than the emulator's.
TEST_F(AffectedTest, FiltersByFamilyAndVariantWhateverTheSize) {
  after_ = build_of({kernel_code("add(int)", 'c'), kernel_code("mul(int)", 'b')});
  const IdFilter filter(filter_for(affected()));
  EXPECT_TRUE(filter.matches("f/add/16"));
  EXPECT_TRUE(filter.matches("f/add/4096x4096"));
  EXPECT_FALSE(filter.matches("f/mul/16"));
  EXPECT_FALSE(filter.matches("f/add_more/16"));
  EXPECT_FALSE(filter.matches("g/f/add/16"));
}

TEST_F(AffectedTest, RefusesSuitesOfDifferentDevices) {
  EXPECT_THROW((void)affected_benchmarks(before_, after_, results_of(emulated(), suite_before_),
                                         results_of(h200(), suite_after_), barriers_policy()),
               Error);
}

TEST_F(AffectedTest, SaysOfKernelsAloneThatAnyBenchmarkMayBeAffected) {
  EXPECT_EQ(filter_for(affected_kernels(before_, after_)), "");
  after_ = build_of({kernel_code("add(int)", 'a')});
  EXPECT_EQ(filter_for(affected_kernels(before_, after_)), kAllBenchmarks);
}

}  // namespace
}  // namespace warpgauge::ci
