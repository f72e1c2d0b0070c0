// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/emulator_accuracy.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "tests/helpers/contains.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

using results::Access;
using results::Compiled;
using results::Results;
using results::SourceLine;

using Counters = std::map<std::string, double>;

Counters shared(double load_requests, double load_wavefronts, double store_requests,
                double store_wavefronts) {
  return {{"shared_load_requests", load_requests},
          {"shared_load_wavefronts", load_wavefronts},
          {"shared_store_requests", store_requests},
          {"shared_store_wavefronts", store_wavefronts}};
}

SourceLine compiled(int line, Access access, Compiled how, const std::string& instructions) {
  SourceLine source = source_line(line, access, 1, 1, "");
  source.compiled = how;
  source.instructions = instructions;
  return source;
}

Measured with(const std::string& id, const Counters& counters,
              const std::vector<SourceLine>& lines = {}) {
  Measured measured;
  measured.id = id;
  measured.counters = counters;
  measured.lines = lines;
  return measured;
}

std::string tables(const std::vector<Measured>& counted, const std::vector<Measured>& measured) {
  return agreement_tables(results_of(emulated(), counted), results_of(h200(), measured), {});
}

TEST(Agreement, EqualFiguresStandOnceAndDifferentOnesBothWithTheReason) {
  const std::vector<SourceLine> lines{
      compiled(44, Access::shared_load, Compiled::merged, "1 × LDS.64, 14 × LDS.32"),
      compiled(44, Access::shared_load, Compiled::merged, "1 × LDS.64, 14 × LDS.32"),
      compiled(47, Access::shared_load, Compiled::confirmed, "1 × LDS.32"),
      compiled(50, Access::shared_store, Compiled::absent, "")};
  const std::vector<Measured> counted{
      with("reduction_float/sequential/4096", shared(400, 400, 320, 320)),
      with("reduction_float/indexed/4096", shared(400, 1500, 320, 944), lines),
      with("reduction_float/global/4096", shared(0, 0, 0, 0)),
      with("transpose/copy/8x8", shared(0, 0, 0, 0))};
  std::vector<Measured> measured{counted[0], counted[1], counted[2], counted[3]};
  for (Measured& each : measured) each.times_ns = {100, 101};
  measured[1].counters = shared(336, 1392, 320, 944);
  EXPECT_EQ(
      tables(counted, measured),
      R"(All four figures agree for 3 of 4 benchmarks, 1 differ. One number: both counted it. Two, in bold: the emulator's / the NVIDIA H200's.

### reduction\_float

| benchmark | load requests | load wavefronts | store requests | store wavefronts | why they differ |
|---|--:|--:|--:|--:|---|
| `sequential/4096` | 400 | 400 | 320 | 320 |  |
| `indexed/4096` | **400 / 336** | **1,500 / 1,392** | 320 | 944 | `kernels/transpose.cuh:44` merged: 1 × LDS.64, 14 × LDS.32 |

No shared memory, on both: `global/4096`.

### transpose

No shared memory, on both: `copy/8x8`.

Emulated 2026-11-21T04:00:00Z; measured on NVIDIA H200, driver 580.1, 2026-11-21T04:00:00Z.
)");
}

TEST(Agreement, ADifferenceThatNoLineExplainsIsSaid) {
  const std::vector<SourceLine> lines{
      compiled(1, Access::shared_load, Compiled::confirmed, "1 × LDS.32"),
      compiled(2, Access::shared_store, Compiled::merged, "1 × STS.64"),
      source_line(3, Access::shared_load, 1, 1, "")};
  const std::string text =
      tables({with("x/y/1", shared(8, 8, 8, 8), lines)}, {with("x/y/1", shared(7, 8, 8, 8))});
  EXPECT_TRUE(contains(text, "| `y/1` | **8 / 7** | 8 | 8 | 8 | not explained |")) << text;
}

TEST(Agreement, AnAbsentLineIsAReason) {
  const std::string text = tables({with("x/y/1", shared(8, 8, 8, 8),
                                        {compiled(2, Access::shared_store, Compiled::absent, "")})},
                                  {with("x/y/1", shared(8, 8, 0, 0))});
  EXPECT_TRUE(contains(text,
                       "| `y/1` | 8 | 8 | **8 / 0** | **8 / 0** | "
                       "`kernels/transpose.cuh:2` absent |"))
      << text;
}

TEST(Agreement, AnAsynchronousCopyIsAReasonEvenWhereItIsLeftAsWritten) {
  const std::string text =
      tables({with("x/y/1", shared(8, 8, 8, 8),
                   {compiled(2, Access::shared_store, Compiled::confirmed, "2 × LDGSTS.128")})},
             {with("x/y/1", shared(8, 8, 0, 0))});
  EXPECT_TRUE(contains(text,
                       "| `y/1` | 8 | 8 | **8 / 0** | **8 / 0** | `kernels/transpose.cuh:2` "
                       "confirmed: 2 × LDGSTS.128, asynchronous copies, which are not among a "
                       "GPU's stores |"))
      << text;
}

TEST(Agreement, AGridThatDependsOnTheDeviceIsAReason) {
  Results counted = results_of(
      emulated(), {with("x/same/1", shared(8, 8, 8, 8)), with("x/other/1", shared(8, 8, 8, 8))});
  for (auto& each : counted.benchmarks) each.grid_fills_device = true;
  const std::string text = agreement_tables(
      counted,
      results_of(h200(),
                 {with("x/same/1", shared(8, 8, 8, 8)), with("x/other/1", shared(9, 8, 8, 8))}),
      {});
  EXPECT_TRUE(contains(text, "| `same/1` | 8 | 8 | 8 | 8 |  |")) << text;
  EXPECT_TRUE(
      contains(text, "| **8 / 9** | 8 | 8 | 8 | the grid is as large as the device holds |"))
      << text;
}

TEST(Agreement, WhatOneSideDidNotMeasureNeitherAgreesNorDiffers) {
  Counters without_wavefronts = shared(8, 8, 8, 8);
  without_wavefronts.erase("shared_load_wavefronts");
  Measured half = with("x/half/1", without_wavefronts);
  half.not_measured["shared_load_wavefronts"] = "the chip lacks it";
  Measured crashed = with("x/crashed/1", {});
  crashed.outcome = {results::Status::crashed, "died of SIGSEGV"};
  Measured uncounted = with("x/zero/1", {});
  uncounted.not_measured["counters"] = "no permission";
  const std::string text =
      tables({with("x/half/1", shared(8, 8, 8, 8)), with("x/crashed/1", shared(8, 8, 8, 8)),
              with("x/zero/1", shared(0, 0, 0, 0))},
             {half, crashed, uncounted});
  EXPECT_TRUE(contains(
      text, "All four figures agree for 0 of 3 benchmarks, 0 differ, 3 were not measured on both."))
      << text;
  EXPECT_TRUE(contains(text, "| `half/1` | 8 | **8 / not measured** | 8 | 8 | not measured |"))
      << text;
  EXPECT_TRUE(contains(text, "| `zero/1` | **0 / not measured** |")) << text;
  EXPECT_TRUE(contains(text,
                       "Not measured on the GPU: `x/half/1`: shared\\_load\\_wavefronts: "
                       "the chip lacks it."))
      << text;
  EXPECT_TRUE(contains(text, "Not measured on the GPU: `x/crashed/1`: failed: died of SIGSEGV."))
      << text;
  EXPECT_TRUE(contains(text, "Not measured on the GPU: `x/zero/1`: counters: no permission."))
      << text;
}

TEST(Agreement, WhatOnlyOneSideHasIsListed) {
  const Counters none = shared(0, 0, 0, 0);
  const std::string text = tables({with("x/both/1", none), with("x/small/1", none)},
                                  {with("x/both/1", none), with("x/cub/1", none)});
  EXPECT_TRUE(contains(text, "Only on the emulator: `x/small/1`.")) << text;
  EXPECT_TRUE(contains(text, "Only on the GPU: `x/cub/1`.")) << text;
}

std::string complaint(const Results& counted, const Results& measured) {
  try {
    return "none: " + agreement_tables(counted, measured, {});
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    return error.what();
  }
}

TEST(Agreement, EachSideMustBeOfItsKindAndTheyMustHaveSomethingInCommon) {
  const Measured one = with("x/y/1", shared(1, 1, 1, 1));
  const Measured other = with("x/y/2", shared(1, 1, 1, 1));
  EXPECT_TRUE(contains(complaint(results_of(h200(), {one}), results_of(h200(), {one})),
                       "is of NVIDIA H200; results of the emulator are wanted here"));
  EXPECT_TRUE(contains(complaint(results_of(emulated(), {one}), results_of(emulated(), {one})),
                       "is of emulated; results of a GPU are wanted here"));
  EXPECT_TRUE(contains(complaint(results_of(emulated(), {one}),
                                 results::parse_results(plain_text({nanoseconds("1")}), "plain")),
                       "plain: does not say on what device"));
  EXPECT_TRUE(contains(complaint(results_of(emulated(), {one}), results_of(h200(), {other})),
                       "no benchmark in common; measure the GPU at the emulator's sizes with "
                       "warpgauge run --sizes emulated"));
}

}  // namespace
}  // namespace warpgauge::ci
