// SPDX-License-Identifier: Apache-2.0
// Eight writers at once, round after round: nothing of what any of them wrote is lost, whether they
// find something there or all begin it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "ci/baselines/baseline.hpp"
#include "ci/history/history.hpp"
#include "tests/history/database_fixtures.hpp"
#include "tests/system/faults/place.hpp"

namespace warpgauge {
namespace {

constexpr std::size_t kWriters = 8;

int rounds() { return is_nightly() ? 100 : 3; }

// Files 0.json to 8.json in the folder, each of a session and a family of its own.
void write_sessions(const std::filesystem::path& folder) {
  for (std::size_t i = 0; i <= kWriters; ++i) {
    const Measured each{.id = fmt::format("{}/x/1", static_cast<char>('a' + i)),
                        .counters = {{"barriers", 1}}};
    results::write_file_atomically(
        folder / fmt::format("{}.json", i),
        results_text(emulated(), {each}, fmt::format("2026-11-21T{:02}:00:00Z", i)));
  }
}

class Writers : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write_sessions(folder_);
  }

  // One for each session, all at once; where there is to be something already, it is the last
  // one's.
  void write_all(const std::function<std::string(std::size_t)>& command, bool over_earlier) const {
    if (over_earlier) {
      const Finished first = warpgauge(command(kWriters));
      ASSERT_EQ(first.status, 0) << first.output;
    }
    std::string all;
    for (std::size_t i = 0; i < kWriters; ++i) {
      all += fmt::format("{{ {} {} || echo FAILED; }} & ", quoted(WARPGAUGE), command(i));
    }
    const Finished finished = shell(fmt::format("cd {} && {{ {} wait; }}", quoted(folder_), all));
    EXPECT_EQ(finished.output.find("FAILED"), finished.output.npos) << finished.output;
  }
};

class Approvals : public Writers, public testing::WithParamInterface<bool> {};

TEST_P(Approvals, AtOnceLoseNothing) {
  for (int round = 0; round < rounds(); ++round) {
    const std::string baselines = fmt::format("{}/baselines", round);
    write_all(
        [&](std::size_t i) {
          return fmt::format("approve {}.json --reason why --baselines {}", i, baselines);
        },
        GetParam());
    const auto baseline = ci::read_baseline(folder_ / baselines, "emulated");
    ASSERT_TRUE(baseline);
    EXPECT_EQ(baseline->benchmarks.size(), kWriters + (GetParam() ? 1 : 0)) << "round " << round;
    EXPECT_EQ(files_below(folder_ / baselines).size(), baseline->benchmarks.size() + 2)
        << "something is left behind in round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(IntoNoneAndOverEarlier, Approvals, testing::Bool());

enum class At { file, server };

class Recordings : public Writers, public testing::WithParamInterface<std::tuple<At, bool>> {
 protected:
  void SetUp() override {
    Writers::SetUp();
    if (std::get<At>(GetParam()) == At::server && PostgresqlServer::programs().empty()) {
      GTEST_SKIP() << "there is no PostgreSQL server here; ci/scripts/setup.sh test installs one";
    }
  }
};

TEST_P(Recordings, AtOnceLoseNothing) {
  const auto [at, over_earlier] = GetParam();
  for (int round = 0; round < rounds(); ++round) {
    const std::string where = at == At::server
                                  ? postgresql_server().new_database()
                                  : (folder_ / std::to_string(round) / "history.sqlite").string();
    write_all(
        [&](std::size_t i) {
          return fmt::format("history record {}.json --history {}", i, quoted(where));
        },
        over_earlier);
    ci::History history(where, ci::History::For::reading);
    const auto runs = history.runs("emulated", kAll);
    EXPECT_EQ(runs.size(), kWriters + (over_earlier ? 1 : 0)) << "round " << round;
    std::set<std::string> texts;
    for (const ci::HistoryRun& run : runs) texts.insert(history.results(run.number));
    EXPECT_EQ(texts.size(), runs.size()) << "round " << round;
    EXPECT_EQ(history.series("emulated").size(), runs.size()) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(IntoNoneAndOverEarlier, Recordings,
                         testing::Combine(testing::Values(At::file, At::server), testing::Bool()));

}  // namespace
}  // namespace warpgauge
