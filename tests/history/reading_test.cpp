// SPDX-License-Identifier: Apache-2.0
// Who only reads a history changes nothing of it.
#include <gtest/gtest.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "ci/history/connection/database.hpp"
#include "ci/history/history.hpp"
#include "ci/support/errors.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/history/database_fixtures.hpp"

namespace warpgauge::ci {
namespace {

class Reading : public EachDatabaseTest {};
INSTANTIATE_TEST_SUITE_P(Sqlite, Reading, testing::Values(Kind::sqlite));
INSTANTIATE_TEST_SUITE_P(Postgresql, Reading, testing::Values(Kind::postgresql));

TEST_P(Reading, BringsNothingUpToDate) {
  const std::array<std::string_view, 2> two{"create table t (a integer not null primary key)",
                                            "alter table t add column b integer"};
  {
    Database database(where_);
    database.migrate(std::span(two).first(1));
  }
  Database database(where_);
  const auto why = [&](std::size_t known) -> std::string {
    try {
      database.require(std::span(two).first(known));
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.exit_status(), kExitNotMeasured);
      return error.what();
    }
  };
  EXPECT_EQ(why(1), "");
  EXPECT_NE(why(2).find("is of version 1, and this warpgauge reads version 2: record a run"),
            std::string::npos);
  EXPECT_NE(why(0).find("is of version 1, and this warpgauge knows up to version 0"),
            std::string::npos);
  EXPECT_EQ(database.version(), 1);
}

TEST_P(Reading, WritesNothing) {
  const std::string text =
      results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1000}}}, "2026-11-21T04:00:00Z");
  History(where_, History::For::recording)
      .record({text, results::parse_results(text, "results.json"), {}, ""});
  Database database(where_);
  ASSERT_TRUE(database.has_version());
  EXPECT_THROW(database.sql() << "delete from figures", soci::soci_error);
  {
    WriteTransaction transaction(database);
    EXPECT_NO_THROW(database.sql() << "update run set revision = 'kept'");
    transaction.commit();
  }
  EXPECT_THROW(database.sql() << "delete from figures", soci::soci_error);
  {
    const WriteTransaction lost(database);
    EXPECT_NO_THROW(database.sql() << "update run set revision = 'lost'");
  }
  EXPECT_THROW(database.sql() << "delete from figures", soci::soci_error);
  EXPECT_EQ(History(where_, History::For::reading)
                .runs("nvidia-h200", kAll)
                .front()
                .session.source.revision,
            "kept");
}

}  // namespace
}  // namespace warpgauge::ci
