// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/museum/evidence.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "ci/history/blobs.hpp"
#include "ci/policy/policy.hpp"
#include "ci/support/errors.hpp"
#include "tests/helpers/contains.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/tools/museum/cheats.hpp"
#include "tests/tools/page_tables.hpp"
#include "tests/tools/rates/pooled_rules.hpp"

namespace warpgauge::ci {
namespace {

TEST(Evidence, WelchsTestIsAsPublished) {
  // Welch's example as R's t.test prints it for sleep: t = -1.8608, df = 17.776, p = 0.07939.
  const std::vector<double> first{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
  const std::vector<double> second{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
  EXPECT_NEAR(welch_p(first, second), 0.07939, 5e-6);
  EXPECT_EQ(welch_p({1, 1}, {1, 1}), 1);
  EXPECT_EQ(welch_p({1, 1}, {2, 2}), 0);
  EXPECT_EQ(welch_p({1}, {2, 2}), 1);
}

Policy policy() {
  return parse_policy(
      "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\nrelative_floor = 0.005\n",
      "policy");
}

// Two benchmarks, the first one slower by this factor on the new side; each process of 90 launches.
MuseumComparison comparison(const std::string& name, double factor) {
  const auto side = [](double first) {
    const std::vector<double> figures{100'000, 100'020, 100'040, 100'000, 100'020, 100'040};
    std::vector<double> scaled = figures;
    for (double& each : scaled) each *= first;
    results::Results results =
        results_of(h200(), {{.id = "museum/changed/1", .times_ns = scaled},
                            {.id = "museum/control/1", .times_ns = figures}});
    for (results::BenchmarkResult& each : results.benchmarks) {
      for (const double figure : each.metrics.at(results::kTimeMetric).sessions.at(0)) {
        std::vector<double>& samples = each.samples_ns.emplace_back(90, figure);
        for (std::size_t i = 0; i < samples.size(); ++i)
          samples[i] += 100 * static_cast<double>(i % 10);
      }
    }
    return results;
  };
  return {name, side(1), side(factor)};
}

TEST(Evidence, EachRuleIsCountedByWhatItFoundAndWhatItAccused) {
  const std::string text =
      evidence_tables({comparison("after", 1.04), comparison("faint", 1.02), comparison("twin", 1),
                       comparison("unchanged-1", 1.004), comparison("unchanged-2", 1)},
                      policy(), "this");
  // Of two in each comparison, one of which never is slower, so that there is no regression to
  // find; pairs of six processes where one side is one process.
  EXPECT_TRUE(contains(text, "| warpgauge | 1 of 1 | – | 1 of 1 | 0 of 2 | 0 of 4 |")) << text;
  EXPECT_TRUE(contains(text, "| Mann–Whitney | 1 of 1 | – | 1 of 1 | 0 of 2 | 1 of 4 |")) << text;
  EXPECT_TRUE(contains(text, "| Welch | 1 of 1 | – | 1 of 1 | 0 of 2 | 0 of 4 |")) << text;
  EXPECT_TRUE(contains(text, "| compare.py | 6 of 6 | – | 6 of 6 | 0 of 12 | 6 of 24 |")) << text;
  EXPECT_TRUE(contains(text, "| threshold of 5 % | 0 of 6 | – | 0 of 6 | 0 of 12 | 0 of 24 |"))
      << text;
  EXPECT_TRUE(contains(text, "`changed` | 100.0 µs → 104.0 µs, +4.0 % | found | found | found |"))
      << text;
  EXPECT_TRUE(contains(text, "`control` | 100.0 µs → 100.0 µs, +0.0 % | passed |")) << text;
  EXPECT_TRUE(contains(text, "Printed by `this`.")) << text;
}

TEST(Evidence, OneFigureASideLeavesARuleUndecided) {
  MuseumComparison untimed = comparison("after", 1.04);
  for (results::Results* side : {&untimed.before, &untimed.after}) {
    for (results::BenchmarkResult& each : side->benchmarks) {
      each.metrics.at(results::kTimeMetric).sessions.at(0).resize(1);
      each.samples_ns.clear();
    }
  }
  const std::string text = evidence_tables({untimed}, policy(), "this");
  EXPECT_TRUE(contains(text, "| warpgauge | 0 of 1, 1 undecided |")) << text;
  EXPECT_TRUE(contains(text, "| Welch | 0 of 1, 1 undecided |")) << text;
  EXPECT_TRUE(contains(text, "| compare.py | – |")) << text;
}

TEST(Evidence, WithoutAGpuTheEmulatorAndMachineCodeSpeak) {
  const auto side = [](double wavefronts) {
    return results_of(emulated(), {{.id = "museum/padding/1",
                                    .counters = {{"shared_load_wavefronts", wavefronts}}}});
  };
  const std::string counted =
      "[[metric]]\nnames = [\"shared_load_wavefronts\"]\nclass = \"exact\"\n";
  const std::string text =
      evidence_tables({{"emulated-after", side(1), side(32)}, {"emulated-twin", side(1), side(1)}},
                      parse_policy(counted, "policy"), "this");
  EXPECT_TRUE(contains(text, "Called worse, after: 1 of 1, twin: 0 of 1.")) << text;
  EXPECT_TRUE(contains(text, "| `padding` | found | passed |")) << text;
  EXPECT_TRUE(contains(text, "| warpgauge | – | – | – | – | – |")) << text;
}

class Museum : public InFolder {};

TEST_F(Museum, IsReadFromTheFoldersThatHoldBothSides) {
  EXPECT_THROW((void)read_museum(folder_ / "absent"), Error);
  for (const char* each : {"twin", "after", "half"})
    std::filesystem::create_directory(folder_ / each);
  const std::string results = results_text(h200(), {{.id = "museum/x/1", .times_ns = {1, 2}}});
  for (const char* each :
       {"twin/results.json", "twin/against.json", "after/results.json", "half/results.json"})
    write(each, results);
  write("after/against.json.zst", compress(results));
  const std::vector<MuseumComparison> museum = read_museum(folder_);
  ASSERT_EQ(museum.size(), 2U);
  EXPECT_EQ(museum[0].name, "after");
  EXPECT_EQ(museum[1].name, "twin");
}

TEST(EvidencePage, IsMadeOfWhatWasRecorded) {
  const std::filesystem::path root = SOURCE_ROOT;
  const std::string page = results::read_file(root / "docs/explain/evidence.md");
  const std::string made =
      with_tables(page,
                  cheats_tables(root / "tests/museum/recorded") +
                      evidence_tables(read_museum(root / "tests/museum/recorded"),
                                      read_policy(root / "ci/policy.toml"),
                                      "build/ci/bin/docs_tables evidence docs/explain/evidence.md "
                                      "tests/museum/recorded"),
                  "docs/explain/evidence.md");
  EXPECT_TRUE(made == page)
      << "build/ci/bin/docs_tables evidence docs/explain/evidence.md tests/museum/recorded";
}

}  // namespace
}  // namespace warpgauge::ci
