// SPDX-License-Identifier: Apache-2.0
// Dates that cannot be: no run is the newest for years because its commit says so, on both
// databases.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <soci/soci.h>

#include <string>
#include <vector>

#include "ci/history/connection/database.hpp"
#include "ci/history/history.hpp"
#include "ci/history/prune.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/utc_time.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/history/database_fixtures.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kFarOff = "2037-01-01T00:00:00Z";

class Order : public EachDatabaseTest {
 protected:
  RecordedRun record(const std::string& created, const std::string& committed = "") const {
    const std::string text =
        results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1000}}}, created);
    History history(where_, History::For::recording);
    return history.record({text, results::parse_results(text, "results.json"),
                           committed.empty() ? std::nullopt : utc_seconds(committed), ""});
  }

  [[nodiscard]] std::vector<HistoryRun> runs(std::size_t most = kAll) const {
    return History(where_, History::For::reading).runs("nvidia-h200", most);
  }
  [[nodiscard]] std::vector<int> order(std::size_t most = kAll) const {
    std::vector<int> numbers;
    for (const HistoryRun& run : runs(most)) numbers.push_back(run.number);
    return numbers;
  }

  // As an earlier version would have recorded it, or someone else.
  void change(const std::string& statement) const {
    Database database(where_);
    ASSERT_TRUE(database.has_version());
    WriteTransaction transaction(database);
    database.sql() << statement;
    transaction.commit();
  }

  using Numbers = std::vector<int>;
};
INSTANTIATE_TEST_SUITE_P(Sqlite, Order, testing::Values(Kind::sqlite));
INSTANTIATE_TEST_SUITE_P(Postgresql, Order, testing::Values(Kind::postgresql));

TEST_P(Order, ACommitOfADayToComeIsInOrderByWhenItWasMeasured) {
  EXPECT_FALSE(record("2026-11-20T04:00:00Z", kFarOff).commit_time_known);
  EXPECT_TRUE(record("2026-11-21T04:00:00Z", "2026-11-21T03:00:00Z").commit_time_known);
  EXPECT_FALSE(record("2026-11-19T04:00:00Z", "2026-11-19T04:00:01Z").commit_time_known);
  EXPECT_EQ(order(), (Numbers{3, 1, 2}));
  EXPECT_EQ(runs()[1].commit_time, utc_seconds("2026-11-20T04:00:00Z"));
  EXPECT_FALSE(runs()[1].commit_time_known);
}

TEST_P(Order, WhatIsRecordedWithSuchADateIsInOrderToo) {
  for (const char* day : {"18", "19", "20", "21"}) {
    (void)record(std::string("2026-11-") + day + "T04:00:00Z", "2026-11-01T00:00:00Z");
  }
  for (const char* time : {"2114380800", "9223372036854775807", "-1", "-9223372036854775807"}) {
    change(std::string("update run set commit_time = ") + time + " where number = 2");
    EXPECT_EQ(order(), (Numbers{1, 3, 4, 2})) << "by commit but for the one, measured later";
    EXPECT_FALSE(runs()[3].commit_time_known);
    EXPECT_EQ(order(2), (Numbers{4, 2}));
    const Finished listed = warpgauge("history list --history " + warpgauge::quoted(where_));
    EXPECT_EQ(listed.status, 0) << listed.output;
  }
  // Nor is it kept for good.
  change("update run set commit_time = 2114380800 where number = 2");
  change(fmt::format("update run set commit_time = {} where number = 4",
                     *utc_seconds("2026-11-20T04:00:00Z")));
  (void)prune_history(where_, {.device_keys = {"nvidia-h200"}, .keep = 1, .measured = {}});
  EXPECT_EQ(order(), Numbers{4});
}

TEST_P(Order, ResultsOfADayToComeAreRefused) {
  write("results.json",
        results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1000}}}, kFarOff));
  const Finished refused =
      warpgauge("history record results.json --history " + warpgauge::quoted(where_));
  EXPECT_EQ(refused.status, 4);
  EXPECT_NE(refused.output.find("results.json: context.warpgauge.created: 2037-01-01T00:00:00Z is "
                                "yet to come"),
            std::string::npos)
      << refused.output;
}

TEST_P(Order, CommitsOfADayToComeHideNothingThatGotWorse) {
  std::string names;
  for (int day = 1; day <= 20; ++day) {
    const double time = (day < 15 ? 1000 : 1500) + day * 7 % 5;
    const std::string name = fmt::format("{}.json", day);
    write(name, results_text(h200(), {{.id = "scan/plain/1", .times_ns = {time}}},
                             fmt::format("2026-11-{:02}T04:00:00Z", day)));
    const std::string committed = day < 8 ? std::string(" --commit-time ") + kFarOff : "";
    const Finished recorded =
        warpgauge("history record " + name + committed + " --history " + warpgauge::quoted(where_));
    EXPECT_EQ(
        recorded.output.find("its source is said to be committed only later") != std::string::npos,
        day < 8)
        << recorded.output;
  }
  const Finished changes =
      warpgauge("history changes --fail-within 7 --history " + warpgauge::quoted(where_));
  EXPECT_EQ(changes.status, 1) << changes.output;
}

TEST_P(Order, CommitsOfThePastHideNothingThatGotWorse) {
  for (int day = 1; day <= 28; ++day) {
    const bool is_late = day > 20;
    const double time = (is_late ? 1500 : 1000) + day * 7 % 5;
    const std::string name = fmt::format("{}.json", day);
    write(name, results_text(h200(), {{.id = "scan/plain/1", .times_ns = {time}}},
                             fmt::format("2026-10-{:02}T04:00:00Z", day)));
    const std::string committed =
        is_late ? fmt::format("2001-01-{:02}T00:00:00Z", day) : "2026-09-01T00:00:00Z";
    (void)warpgauge("history record " + name + " --commit-time " + committed + " --history " +
                    warpgauge::quoted(where_));
  }
  const std::string at = " --history " + warpgauge::quoted(where_);
  for (const char* last : {"", " --last 20"}) {
    const Finished changes = warpgauge("history changes --fail-within 7" + at + last);
    EXPECT_EQ(changes.status, 1) << changes.output;
    EXPECT_NE(changes.output.find("run 21, "), std::string::npos) << changes.output;
    const Finished badge = warpgauge("history badge --out badge.svg" + at + last);
    EXPECT_EQ(badge.status, 0) << badge.output;
    EXPECT_NE(results::read_file(folder_ / "badge.svg").find("1 of 1 benchmark worse"),
              std::string::npos);
  }
  EXPECT_EQ(order().front(), 21) << "by commit";
  // Nor are they the first to go.
  ASSERT_EQ(warpgauge("history prune --keep 9" + at).status, 0);
  EXPECT_EQ(order(), (Numbers{21, 22, 23, 24, 25, 26, 27, 28, 20}));
}

}  // namespace
}  // namespace warpgauge::ci
