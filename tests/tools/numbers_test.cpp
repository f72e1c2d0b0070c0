// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/tools/page_tables.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kPageOfNumbers =
    "# A page\n\nabove\n\n## What it costs, here\n\nA start takes 5 ms,\nand `others` 7.\n\n"
    "| rule | sides | found |\n|---|---|--:|\n| ours | in turns | 3 of 4 |\n| ours | baseline | 2 "
    "|\n\n"
    "### Deeper\n\ndeep 1\n\n## Next\n\nnext 2\n";

std::string figure(const std::string& of) {
  return stated({"group", "what", of, "machine", "", "page.md#what-it-costs-here"},
                section_of(kPageOfNumbers, "what-it-costs-here"));
}

TEST(Numbers, ASectionEndsAtTheNextHeadingThatIsNoDeeper) {
  const std::string section = section_of(kPageOfNumbers, "what-it-costs-here");
  EXPECT_NE(section.find("deep 1"), section.npos);
  EXPECT_EQ(section.find("next 2"), section.npos);
  EXPECT_EQ(section.find("above"), section.npos);
  EXPECT_EQ(section_of(kPageOfNumbers, "what-it-cost"), "");
}

TEST(Numbers, AFigureIsAQuotationOrACell) {
  EXPECT_EQ(figure("takes 5 ms, and `others`"), "takes 5 ms, and `others`");
  EXPECT_EQ(figure("=ours | found"), "3 of 4");
  EXPECT_EQ(figure("later=ours / baseline | found; 5 ms"), "later: 2; 5 ms");
}

TEST(Numbers, AFigureThatThePageNoLongerSaysIsRefused) {
  EXPECT_THROW((void)figure("6 ms"), Error);
  EXPECT_THROW((void)figure("next 2"), Error);
  EXPECT_THROW((void)figure("=theirs | found"), Error);
  EXPECT_THROW((void)figure("=ours | missed"), Error);
  EXPECT_THROW((void)figure("=ours"), Error);
}

TEST(Numbers, ALineHasSixCells) {
  EXPECT_EQ(number_rows("# why\ng\tw\tf\tm\t\tp#a\n", "n.tsv").size(), 1U);
  EXPECT_THROW((void)number_rows("g\tw\tf\tm\tp#a\n", "n.tsv"), Error);
}

TEST(Numbers, SpreadIsOfProcessesSessionsAndGpus) {
  const auto session = [](const std::string& gpu, const std::vector<double>& times) {
    results::Device device = h200();
    device.uuid = gpu;
    return results_of(device, {{.id = "a/b/1", .times_ns = times}});
  };
  // 1 and 3 % within sessions; 2 % between two of one GPU; the other GPU's mean is the same.
  const double step = 1 / std::sqrt(2.0);
  const auto pair = [step](double mean, double share) {
    return std::vector<double>{mean * (1 - share * step), mean * (1 + share * step)};
  };
  const std::string table = spread_table({session("GPU-a", pair(40'000 * (1 - 0.02 * step), 0.01)),
                                          session("GPU-a", pair(40'000 * (1 + 0.02 * step), 0.03)),
                                          session("GPU-b", pair(40'000, 0.01))});
  EXPECT_NE(table.find("| 30 µs and more | 1 | 1.91 %, 1.91 % | 2.00 %, 2.00 % | 0.00 %, 0.00 % |"),
            table.npos)
      << table;
  EXPECT_NE(table.find("| 5 to 30 µs | 0 | not measured | not measured | not measured |"),
            table.npos)
      << table;
}

TEST(Numbers, ThePageSaysWhatTheOthersSay) {
  const std::filesystem::path root = SOURCE_ROOT;
  const std::filesystem::path folder = root / "docs/explain";
  std::string command =
      "build/ci/bin/docs_tables numbers docs/explain/numbers.md docs/explain/numbers.tsv";
  std::vector<results::Results> sessions;
  for (int i = 1; i <= 12; ++i) {
    const std::string file = std::string("tests/verdict/recorded/h200-") + (i < 10 ? "0" : "") +
                             std::to_string(i) + ".json";
    sessions.push_back(results::read_results(root / file));
    command += " " + file;
  }
  const std::string page = results::read_file(folder / "numbers.md");
  const std::string made = with_tables(
      page,
      numbers_tables(
          number_rows(results::read_file(folder / "numbers.tsv"), "numbers.tsv"), sessions,
          [&folder](const std::string& name) { return results::read_file(folder / name); },
          command),
      "numbers.md");
  EXPECT_TRUE(made == page) << command;
}

}  // namespace
}  // namespace warpgauge::ci
