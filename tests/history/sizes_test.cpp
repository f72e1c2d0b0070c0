// SPDX-License-Identifier: Apache-2.0
// More than anyone records, put into a history by whoever may write to it: refused before it is
// read.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <string>
#include <tuple>

#include "ci/history/connection/database.hpp"
#include "ci/history/history.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/history/database_fixtures.hpp"

namespace warpgauge::ci {
namespace {

class Sizes : public EachDatabaseTest {
 protected:
  void SetUp() override {
    EachDatabaseTest::SetUp();
    if (IsSkipped()) return;
    for (const char* day : {"18", "19", "20"}) {
      const std::string text = results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1000}}},
                                            fmt::format("2026-11-{}T04:00:00Z", day));
      History history(where_, History::For::recording);
      (void)history.record({text, results::parse_results(text, "results.json"), {}, ""});
    }
  }

  // As any program of that database could do it.
  void change(const std::string& statement) const {
    if (GetParam() == Kind::sqlite) {
      soci::session(*soci::factory_sqlite3(), "dbname=\"" + where_ + "\"") << statement;
      return;
    }
    Database database(where_);
    ASSERT_TRUE(database.has_version());
    database.sql() << "set default_transaction_read_only to off";
    database.sql() << statement;
  }

  // Some bytes that hardly take room on a disk.
  [[nodiscard]] static std::string zeros(int mebibytes) {
    if (GetParam() == Kind::sqlite) return fmt::format("zeroblob({})", mebibytes << 20);
    return fmt::format("cast(repeat('0', {}) as bytea)", mebibytes << 20);
  }
  [[nodiscard]] static std::string text(int mebibytes) {
    // Its printf() takes a long text character by character.
    if (GetParam() == Kind::sqlite) return fmt::format("hex(zeroblob({}))", mebibytes << 19);
    return fmt::format("repeat('x', {})", mebibytes << 20);
  }

  void expect_refused(const std::string& command, const std::string& why) const {
    const Finished refused =
        warpgauge("history " + command + " --history " + warpgauge::quoted(where_));
    EXPECT_EQ(refused.status, 4) << command << refused.output.substr(0, 1000);
    EXPECT_NE(refused.output.find(why), std::string::npos) << refused.output.substr(0, 1000);
  }
};
INSTANTIATE_TEST_SUITE_P(Sqlite, Sizes, testing::Values(Kind::sqlite));
INSTANTIATE_TEST_SUITE_P(Postgresql, Sizes, testing::Values(Kind::postgresql));

TEST_P(Sizes, AResultsFileIsNoLargerThanAnyThatIsRecorded) {
  change("update results set data = " + zeros(66) + " where run = 2");
  expect_refused("export --run 2",
                 "is larger than 64 MiB, the most that is read of a results file");
  EXPECT_EQ(warpgauge("history export --run 1 --history " + warpgauge::quoted(where_)).status, 0);
}

TEST_P(Sizes, FiguresOfABenchmarkAreLimitedTogether) {
  change("update figures set data = " + zeros(50));
  const std::string why = "holds more than 128 MiB of a benchmark's figures over runs";
  expect_refused("changes", why);
  expect_refused("trend scan/plain/1", why);
  expect_refused("export", why);
  // But can be pruned.
  const Finished pruned =
      warpgauge("history prune --keep 1 --history " + warpgauge::quoted(where_));
  EXPECT_EQ(pruned.status, 0) << pruned.output;
}

TEST_P(Sizes, TextsAreLimitedTogether) {
  for (const auto& [table, column, whose] :
       {std::tuple{"run", "verdict", "what a history says of its runs"},
        {"environment", "driver", "what a history says of its runs"},
        {"series", "benchmark", "a history's names"},
        {"metric", "name", "a history's names"}}) {
    // A key is small there.
    if (GetParam() == Kind::postgresql && std::string(whose) == "a history's names") continue;
    change(fmt::format("update {} set {} = {} where number = 1", table, column, text(1)));
    EXPECT_EQ(warpgauge("history list --history " + warpgauge::quoted(where_)).status, 0);
    if (GetParam() == Kind::sqlite) {
      // Of one value even less is read.
      change(fmt::format("update {} set {} = {} where number = 1", table, column, text(90)));
      expect_refused("export", "too big");
    } else {
      change(fmt::format("update {} set {} = {} where number = 1", table, column, text(257)));
      expect_refused("export", fmt::format("holds more than 256 MiB of {}", whose));
    }
    change(fmt::format("update {} set {} = 'time' where number = 1", table, column));
  }
}

}  // namespace
}  // namespace warpgauge::ci
