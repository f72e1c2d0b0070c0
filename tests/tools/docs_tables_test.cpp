// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ci/support/errors.hpp"
#include "tests/helpers/contains.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/tools/page_tables.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kPage =
    "# Title\r\n\nbefore\n<!-- tables: begin -->\nold\n<!-- tables: end -->  \nafter, no newline";

TEST(TablePage, OnlyWhatStandsBetweenTheMarkersIsReplaced) {
  const std::string page = with_tables(kPage, "new\n", "page.md");
  EXPECT_EQ(page,
            "# Title\r\n\nbefore\n<!-- tables: begin -->\n\nnew\n\n<!-- tables: end -->  \n"
            "after, no newline");
  EXPECT_EQ(with_tables(page, "new\n", "page.md"), page);
}

TEST(TablePage, AMarkerWithinALineIsNone) {
  const std::string page = "say `<!-- tables: begin -->`\n" + std::string(kPage);
  EXPECT_EQ(with_tables(page, "new\n", "page.md"),
            "say `<!-- tables: begin -->`\n" + with_tables(kPage, "new\n", "page.md"));
}

std::string complaint(const std::string& page) {
  try {
    return "none: " + with_tables(page, "new\n", "page.md");
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    return error.what();
  }
}

TEST(TablePage, MarkersMustBeThereOnceAndInOrder) {
  const std::string begin = std::string(kTablesBegin) + "\n";
  const std::string end = std::string(kTablesEnd) + "\n";
  EXPECT_EQ(complaint(end),
            "page.md: has no line '<!-- tables: begin -->'; add '<!-- tables: begin -->' and "
            "'<!-- tables: end -->', each on a line of its own, where the tables belong");
  EXPECT_TRUE(contains(complaint(begin), "has no line '<!-- tables: end -->'"));
  EXPECT_TRUE(contains(complaint(""), "has no line"));
  EXPECT_EQ(complaint(begin + end + begin),
            "page.md: has the line '<!-- tables: begin -->' more than once; leave one");
  EXPECT_TRUE(contains(complaint(begin + end + end), "'<!-- tables: end -->' more than once"));
  EXPECT_EQ(complaint(end + begin),
            "page.md: has the line '<!-- tables: end -->' before '<!-- tables: begin -->'; swap "
            "them");
}

class DocsTables : public InFolder {
 protected:
  [[nodiscard]] Finished docs_tables(const std::string& arguments) const {
    return shell("cd " + quoted(folder_.string()) + " && " + quoted(DOCS_TABLES) + " " + arguments);
  }
};

TEST_F(DocsTables, OfResultsStandInThePageWithTheirCommand) {
  write("results.json", results_text(h200(), {{.id = "x/naive/1", .times_ns = {100, 102}},
                                              {.id = "x/cub/1", .times_ns = {50, 51}}}));
  const auto page = write("a page.md", kPage);
  const Finished written = docs_tables("table 'a page.md' results.json");
  EXPECT_EQ(written.status, 0) << written.output;
  EXPECT_EQ(written.output, "");
  const std::string text = results::read_file(page);
  EXPECT_EQ(text.rfind("# Title\r\n\nbefore\n<!-- tables: begin -->\n\n### x\n", 0), 0U) << text;
  EXPECT_TRUE(contains(
      text,
      "Measured on NVIDIA H200, driver 580.1, 2 processes, 2026-11-21T04:00:00Z. Printed by "
      "`build/ci/bin/docs_tables table 'a page.md' results.json`.\n\n"
      "<!-- tables: end -->  \nafter, no newline"))
      << text;
  EXPECT_FALSE(contains(text, "old"));
}

TEST_F(DocsTables, OfSeveralFilesLeaveOutFamiliesThatAnEarlierOneHas) {
  write("a.json", results_text(h200(), {{.id = "x/one/1", .times_ns = {100, 102}},
                                        {.id = "y/new/1", .times_ns = {40, 41}}}));
  write("b.json", results_text(h200(), {{.id = "x/one/1", .times_ns = {200, 202}},
                                        {.id = "y/old/1", .times_ns = {50, 51}}}));
  const auto page = write("page.md", kPage);
  EXPECT_EQ(docs_tables("table page.md a.json b.json").status, 0);
  const std::string text = results::read_file(page);
  EXPECT_EQ(text.find("### x\n"), text.rfind("### x\n")) << text;
  EXPECT_FALSE(contains(text, "201")) << text;
  EXPECT_TRUE(contains(text, "`new`")) << text;
  EXPECT_TRUE(contains(text, "`old`")) << text;
  EXPECT_EQ(text.find("Printed by"), text.rfind("Printed by")) << text;
  EXPECT_TRUE(contains(text, "`build/ci/bin/docs_tables table page.md a.json b.json`.")) << text;
}

TEST_F(DocsTables, OfTheEmulatorAndAGpuStandInThePage) {
  const Measured one{.id = "x/y/1",
                     .counters = {{"shared_load_requests", 1},
                                  {"shared_load_wavefronts", 1},
                                  {"shared_store_requests", 1},
                                  {"shared_store_wavefronts", 1}}};
  write("emulated.json", results_text(emulated(), {one}));
  write("h200.json", results_text(h200(), {one}));
  const auto page = write("page.md", kPage);
  EXPECT_EQ(docs_tables("agree page.md emulated.json h200.json").status, 0);
  const std::string text = results::read_file(page);
  EXPECT_TRUE(contains(text, "agree for 1 of 1 benchmark, 0 differ")) << text;
  EXPECT_TRUE(contains(text, "`build/ci/bin/docs_tables agree page.md emulated.json h200.json`."))
      << text;
  EXPECT_NE(docs_tables("agree page.md h200.json emulated.json").status, 0);
  EXPECT_EQ(results::read_file(page), text);
}

TEST_F(DocsTables, OfACalibrationHaveOtherToolsRules) {
  std::vector<double> times;
  for (int i = 0; i < 6; ++i) times.push_back(100'000 + 90 * (i % 4));
  std::string recorded = results_text(h200(), {{"a/one", times}, {"a/two", times}});
  write("a.json", recorded);
  std::filesystem::create_directory(folder_ / "ci");
  write("ci/policy.toml",
        "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.002\n");
  const auto page = write("page.md", kPage);
  const Finished written = docs_tables("calibrate page.md 20 a.json");
  EXPECT_EQ(written.status, 0) << written.output;
  const std::string text = results::read_file(page);
  EXPECT_TRUE(contains(text, "| warpgauge | in turns | ")) << text;
  EXPECT_TRUE(contains(text, "Other rules are left out: they need the samples")) << text;
}

TEST_F(DocsTables, OfPowerTakeWhatIsKeptOfSessions) {
  std::vector<double> steady, shaky;
  for (int i = 0; i < 6; ++i) {
    steady.push_back(100'000 + 20 * (i % 4));
    shaky.push_back(6'000 + 30 * (i % 4));
  }
  write("a.json", results_text(h200(), {{"a/steady", steady}, {"a/shaky", shaky}}));
  std::filesystem::create_directory(folder_ / "ci");
  write("ci/policy.toml",
        "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.002\n");
  const auto page = write("page.md", kPage);
  const Finished kept =
      shell("cd " + quoted(folder_.string()) + " && python3 " +
            quoted(SOURCE_ROOT "/tests/verdict/recorded/keep.py") + " a.json a.json.zst");
  ASSERT_EQ(kept.status, 0) << kept.output;
  const Finished written = docs_tables("power page.md 20 a.json.zst");
  EXPECT_EQ(written.status, 0) << written.output;
  const std::string text = results::read_file(page);
  EXPECT_TRUE(contains(text, "| in turns | 30 µs and more | 0.1 % at most | 1 | 0.2 % | ")) << text;
  EXPECT_TRUE(contains(text, "| in turns | 5 to 30 µs | more | 1 | 0.2 % | ")) << text;
}

TEST_F(DocsTables, ChangeNothingWhereTheyFail) {
  write("results.json", results_text(h200(), {{.id = "x/naive/1", .times_ns = {100, 102}}}));
  write("page.md", "no markers\n");
  const auto before = all_files();
  const auto fails = [&](const std::string& arguments, const std::string& message) {
    const Finished finished = docs_tables(arguments);
    EXPECT_EQ(finished.status, 1) << finished.output;
    EXPECT_TRUE(contains(finished.output, message)) << finished.output;
  };
  fails("table page.md results.json", "page.md: has no line '<!-- tables: begin -->'");
  fails("table absent.md results.json", "cannot read absent.md");
  fails("table page.md absent.json", "cannot read absent.json");
  fails("table page.md", "usage: docs_tables");
  fails("", "usage: docs_tables");
  EXPECT_EQ(all_files(), before);
}

}  // namespace
}  // namespace warpgauge::ci
