// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/page_figures.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

results::Results sample() {
  return results_of(
      h200(),
      {{.id = "x/a/1", .times_ns = {9'000}, .counters = {{"cycles", 40}}},
       {.id = "x/b/1",
        .times_ns = {6'000},
        .counters = {{"cycles", 34}, {"shared_load_requests", 2}, {"shared_load_wavefronts", 8}}},
       {.id = "x/cub/1", .times_ns = {7'500}}});
}

std::string of(const std::string& words) { return filled(words, sample()); }

TEST(PageFigures, AreComputedFromTheResults) {
  EXPECT_EQ(of("none"), "none");
  EXPECT_EQ(of("takes {time x/a/1}, not {time x/b/1}."), "takes 9.000 µs, not 6.000 µs.");
  EXPECT_EQ(of("{ratio.1 duration x/a/1 x/b/1} {percent.0 duration x/b/1 x/a/1}"), "1.5 67 %");
  EXPECT_EQ(of("{more.0 duration x/a/1 x/b/1} {less.1 duration x/b/1 x/a/1}"), "50 % 33.3 %");
  EXPECT_EQ(of("{figure.1 cycles x/a/1} {figure.0 wavefronts x/b/1}"), "40.0 4");
  EXPECT_EQ(of("{slower x/a/1 x/b/1} {slower x/b/1 x/a/1}"), "slower faster");
  EXPECT_EQ(of("{beside.1 x/a/1} {beside.0 x/[ab]/1} {apart.0 x/[ab]/1}"),
            "83.3 % 83 to 125 % 20 %");
}

TEST(PageFigures, ThatTheResultsDoNotHaveAreRefused) {
  for (const char* const words :
       {"{time x/c/1}", "{time}", "{time x/a/1", "{speed x/a/1}", "{share.1 y/*}", "{rate x/a/1}",
        "{share.1 x/a/1}", "{time x/a/1 x/b/1}", "{figure.1 wavefronts x/a/1}",
        "{ratio.1 duration x/a/1}"}) {
    EXPECT_THROW((void)of(words), Error) << words;
  }
}

TEST(PageFigures, OfABlockAreWrittenAndOfASectionMustBeThere) {
  const std::vector<PageFigures> figures = page_figures(
      "# why\n\nblock\t| {time x/a/1} |\nblock\t| {time x/b/1} |\n#on-x\ttakes {time x/a/1}\n",
      "page.tsv");
  const std::string before = "# A page\n<!-- block: begin -->\n\n| 1 |\n\n<!-- block: end -->\n";
  const std::string section = "## On x\n\nit takes\n9.000 µs\n";
  EXPECT_EQ(
      with_figures(before + section, figures, sample(), "page.md"),
      "# A page\n<!-- block: begin -->\n\n| 9.000 µs |\n| 6.000 µs |\n\n<!-- block: end -->\n" +
          section);
  EXPECT_THROW(
      (void)with_figures(before + "## On x\n\nit takes 9.001 µs\n", figures, sample(), "p"), Error);
  EXPECT_THROW((void)with_figures("no markers\n" + section, figures, sample(), "p"), Error);
  EXPECT_THROW((void)page_figures("block {time x/a/1}\n", "page.tsv"), Error);
}

TEST(PageFigures, OfTheKernelsAreThoseOfTheResultsBesideThem) {
  const std::filesystem::path folder = std::filesystem::path(SOURCE_ROOT) / "docs/explain";
  const std::string page = results::read_file(folder / "kernels.md");
  EXPECT_TRUE(
      with_figures(page, page_figures(results::read_file(folder / "kernels.tsv"), "kernels.tsv"),
                   results::read_results(folder / "kernels-h200.json"), "kernels.md") == page)
      << "docs_tables table docs/explain/kernels.md docs/explain/kernels-h200.json";
}

}  // namespace
}  // namespace warpgauge::ci
