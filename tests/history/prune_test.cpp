// SPDX-License-Identifier: Apache-2.0
// Which runs are taken out of a history, and what is left of them, on both databases.
#include "ci/history/prune.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "ci/history/connection/database.hpp"
#include "ci/history/history.hpp"
#include "ci/support/utc_time.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/history/database_fixtures.hpp"

namespace warpgauge::ci {
namespace {

class Pruning : public EachDatabaseTest {
 protected:
  // Day by day, with a benchmark of its own and one that all have.
  void record(const results::Device& device, int days) const {
    for (int day = 1; day <= days; ++day) {
      const std::string text =
          results_text(device,
                       {{.id = "scan/plain/1", .times_ns = {1000.0 + day}},
                        {.id = fmt::format("scan/of/{}", day), .times_ns = {2000}}},
                       fmt::format("2026-10-{:02}T04:00:00Z", day));
      History history(where_, History::For::recording);
      (void)history.record({text, results::parse_results(text, "results.json"), {}, ""});
    }
  }

  [[nodiscard]] std::vector<std::string> measured(const std::string& device) const {
    std::vector<std::string> days;
    History history(where_, History::For::reading);
    for (const HistoryRun& run : history.runs(device, kAll)) {
      days.push_back(run.session.created.substr(8, 2));
    }
    return days;
  }

  [[nodiscard]] int rows(const std::string& table) const {
    Database database(where_);
    EXPECT_TRUE(database.has_version());
    int count = 0;
    database.sql() << "select count(*) from " + table, soci::into(count);
    return count;
  }

  using Days = std::vector<std::string>;
};
INSTANTIATE_TEST_SUITE_P(Sqlite, Pruning, testing::Values(Kind::sqlite));
INSTANTIATE_TEST_SUITE_P(Postgresql, Pruning, testing::Values(Kind::postgresql));

TEST_P(Pruning, KeepsTheNewestOfEachDevice) {
  record(h200(), 5);
  record(emulated(), 2);
  const auto pruned = prune_history(
      where_, {.device_keys = {"emulated", "nvidia-h200"}, .keep = 3, .measured = {}});
  EXPECT_EQ(pruned.at("nvidia-h200").removed, 2u);
  EXPECT_EQ(pruned.at("nvidia-h200").kept, 3u);
  EXPECT_EQ(pruned.at("emulated").removed, 0u);
  EXPECT_EQ(measured("nvidia-h200"), (Days{"03", "04", "05"}));
  EXPECT_EQ(measured("emulated"), (Days{"01", "02"}));
  // Nothing is left of what went, and all of what stayed.
  EXPECT_EQ(rows("run"), 5);
  EXPECT_EQ(rows("results"), 5);
  EXPECT_EQ(rows("figures"), 10);
  EXPECT_EQ(rows("series"), 4 + 3);
  History history(where_, History::For::reading);
  const auto runs = history.runs("nvidia-h200", kAll);
  for (const HistorySeries& series : history.series("nvidia-h200")) {
    if (series.benchmark != "scan/plain/1") continue;
    const auto figures = history.figures(series, "time", runs);
    ASSERT_EQ(figures.size(), 3u);
    EXPECT_EQ(figures[0].figures, (std::vector<double>{1003}));
  }
  EXPECT_NE(history.results(runs.front().number).find("2026-10-03"), std::string::npos);
}

TEST_P(Pruning, ByAgeLeavesWhatIsYoungAndTheNewestOfAll) {
  record(h200(), 5);
  const auto before = [](int day) {
    return utc_seconds(fmt::format("2026-10-{:02}T04:00:00Z", day));
  };
  (void)prune_history(where_, {.device_keys = {"nvidia-h200"}, .keep = 1, .measured = before(3)});
  EXPECT_EQ(measured("nvidia-h200"), (Days{"03", "04", "05"}));
  (void)prune_history(where_, {.device_keys = {"nvidia-h200"}, .keep = 2, .measured = before(31)});
  EXPECT_EQ(measured("nvidia-h200"), (Days{"04", "05"}));
  // What was taken out can be recorded again.
  record(h200(), 5);
  EXPECT_EQ(measured("nvidia-h200").size(), 5u);
}

TEST_P(Pruning, AMetricGoesWithItsLastFigures) {
  for (const results::Device& device : {h200(), emulated()}) {
    const std::string text = results_text(
        device, {{.id = "scan/plain/1", .times_ns = {1000}, .counters = {{"barriers", 2}}}},
        "2026-09-01T04:00:00Z");
    History history(where_, History::For::recording);
    (void)history.record({text, results::parse_results(text, "results.json"), {}, ""});
  }
  record(h200(), 2);
  record(emulated(), 2);
  const auto prune = [&](const std::string& device) {
    const auto pruned = prune_history(where_, {.device_keys = {device}, .keep = 2, .measured = {}});
    EXPECT_EQ(pruned.at(device).removed, 1u);
    return History(where_, History::For::reading).metrics();
  };
  const std::vector<std::string> of_one = prune("nvidia-h200");
  EXPECT_TRUE(std::ranges::count(of_one, "barriers")) << "the other device has it still";
  const std::vector<std::string> of_none = prune("emulated");
  EXPECT_FALSE(std::ranges::count(of_none, "barriers"));
  EXPECT_EQ(of_none.size(), of_one.size() - 1);
  EXPECT_TRUE(std::ranges::count(of_none, "time"));
}

TEST_P(Pruning, TheCommandSaysWhatWent) {
  record(h200(), 3);
  const std::string at = " --history " + warpgauge::quoted(where_);
  EXPECT_EQ(warpgauge("history prune" + at).status, 64);
  EXPECT_EQ(measured("nvidia-h200").size(), 3u);
  const Finished none = warpgauge("history prune --older-than 36500" + at);
  EXPECT_EQ(none.output, "nvidia-h200: 0 runs removed, 3 kept\n");
  const Finished finished = warpgauge("history prune --keep 2" + at);
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.output, "nvidia-h200: 1 run removed, 2 kept\n");
  EXPECT_EQ(measured("nvidia-h200"), (Days{"02", "03"}));
}

TEST(PruningOfAFile, GivesItsRoomBack) {
  std::string folder = std::filesystem::temp_directory_path() / "warpgauge prune XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string where = std::filesystem::path(folder) / "history.sqlite";
  for (int day = 1; day <= 4; ++day) {
    std::vector<Measured> benchmarks;
    for (int i = 0; i < 500; ++i) {
      benchmarks.push_back({.id = fmt::format("scan/{}/{}", day, i), .times_ns = {1000.5 + i}});
    }
    const std::string text =
        results_text(h200(), benchmarks, fmt::format("2026-10-{:02}T04:00:00Z", day));
    History history(where, History::For::recording);
    (void)history.record({text, results::parse_results(text, "results.json"), {}, ""});
  }
  const auto before = std::filesystem::file_size(where);
  (void)prune_history(where, {.device_keys = {"nvidia-h200"}, .keep = 1, .measured = {}});
  EXPECT_LT(std::filesystem::file_size(where), before / 2);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warpgauge::ci
