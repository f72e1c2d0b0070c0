// SPDX-License-Identifier: Apache-2.0
// The history, with the same tests on both databases: what is recorded comes back, whoever else
// writes and whatever kills the writer.
#include "ci/history/history.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "ci/history/blobs.hpp"
#include "ci/history/connection/database.hpp"
#include "ci/history/migrations.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/utc_time.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/history/database_fixtures.hpp"

namespace warpgauge::ci {
namespace {

class EachDatabase : public EachDatabaseTest {
 protected:
  [[nodiscard]] History recording() const { return History(where_, History::For::recording); }
  [[nodiscard]] History reading() const { return History(where_, History::For::reading); }

  RecordedRun record(const std::string& text, std::optional<std::int64_t> commit_time = {}) const {
    return recording().record(
        {text, results::parse_results(text, "results.json"), commit_time, ""});
  }

  // Runs `warpgauge history COMMAND` on this database.
  [[nodiscard]] Finished history(const std::string& command) const {
    return warpgauge("history " + command + " --history " + warpgauge::quoted(where_));
  }

  // In SQLite that may be anything.
  void set_version(const std::string& sql) const {
    Database database(where_);
    ASSERT_TRUE(database.has_version());
    WriteTransaction transaction(database);
    database.sql() << "update schema_version set version = " + sql;
    transaction.commit();
  }

  // All that is recorded, as text.
  [[nodiscard]] std::string everything() const {
    return history("list").output + history("export").output;
  }
};
INSTANTIATE_TEST_SUITE_P(Sqlite, EachDatabase, testing::Values(Kind::sqlite));
INSTANTIATE_TEST_SUITE_P(Postgresql, EachDatabase, testing::Values(Kind::postgresql));

std::string some_results(const std::string& created = "2026-11-21T04:00:00Z", double time = 1000) {
  return results_text(h200(),
                      {{.id = "scan/plain/1",
                        .times_ns = {time, time + 0.25, time + 32},
                        .counters = {{"loads", 64}}},
                       {.id = "scan/wide/1", .times_ns = {2 * time}, .counters = {{"loads", 16}}}},
                      created);
}

// Of a suite that takes a while to record.
std::string large_results(const std::string& created) {
  std::vector<Measured> benchmarks;
  for (int i = 0; i < 200; ++i) {
    benchmarks.push_back({.id = fmt::format("scan/plain/{}", i),
                          .times_ns = {1000.5, 1000.25},
                          .counters = {{"loads", 64}}});
  }
  return results_text(h200(), benchmarks, created);
}

TEST_P(EachDatabase, GivesBackWhatWasRecorded) {
  const std::string text = some_results();
  const RecordedRun recorded = record(text, 1'700'000'000);
  EXPECT_EQ(recorded.number, 1);
  EXPECT_FALSE(recorded.was_there);

  History history = reading();
  EXPECT_EQ(history.devices(), (std::vector<std::string>{"nvidia-h200"}));
  const auto runs = history.runs("nvidia-h200", kAll);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].number, 1);
  EXPECT_EQ(runs[0].session.created, "2026-11-21T04:00:00Z");
  EXPECT_EQ(runs[0].session.source.revision, "abc");
  EXPECT_FALSE(runs[0].session.source.modified);
  EXPECT_EQ(runs[0].commit_time, 1'700'000'000);
  EXPECT_TRUE(runs[0].commit_time_known);
  EXPECT_EQ(runs[0].session.device.uuid, "GPU-test");
  EXPECT_EQ(runs[0].session.device.driver, "580.1");
  EXPECT_EQ(runs[0].session.toolchain.host_compiler, "g++ 12");

  const auto series = history.series("nvidia-h200");
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].benchmark, "scan/plain/1");
  const auto times = history.figures(series[0], "time", runs);
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0].figures, (std::vector<double>{1000, 1000.25, 1032}));
  const auto all = history.figures(series[1], runs);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.at("loads")[0].figures, std::vector<double>{16});
  EXPECT_EQ(all.at("time")[0].figures, std::vector<double>{2000});
  EXPECT_EQ(history.results(1), text);
}

TEST_P(EachDatabase, RecordingTwiceChangesNothing) {
  (void)record(some_results());
  const std::string before = everything();
  const RecordedRun again = record(some_results(), 5);
  EXPECT_EQ(again.number, 1);
  EXPECT_TRUE(again.was_there);
  EXPECT_EQ(everything(), before);
}

TEST_P(EachDatabase, IsInTheOrderOfCommitsWhateverTheOrderOfRecording) {
  (void)record(some_results("2026-11-21T04:00:00Z"), 3000);
  (void)record(some_results("2026-11-21T05:00:00Z"), 1000);
  (void)record(some_results("2026-11-21T07:00:00Z"), 2000);
  (void)record(some_results("2026-11-21T06:00:00Z"), 2000);
  History history = reading();
  std::vector<int> order;
  for (const HistoryRun& run : history.runs("nvidia-h200", kAll)) order.push_back(run.number);
  EXPECT_EQ(order, (std::vector<int>{2, 4, 3, 1}));
  order.clear();
  for (const HistoryRun& run : history.runs("nvidia-h200", 2)) order.push_back(run.number);
  EXPECT_EQ(order, (std::vector<int>{3, 1}));
}

TEST_P(EachDatabase, WithoutACommitTimeTheTimeOfMeasuringCounts) {
  (void)record(some_results("2026-11-21T04:00:00Z"));
  const HistoryRun run = reading().runs("nvidia-h200", kAll).at(0);
  EXPECT_EQ(run.commit_time, utc_seconds("2026-11-21T04:00:00Z"));
  EXPECT_FALSE(run.commit_time_known);
}

TEST_P(EachDatabase, NamesMayHoldAnything) {
  const std::string name = "a'b\"c;--\\x00:name/µ\u202e/{}";
  (void)record(results_text(h200(), {{.id = name, .times_ns = {1}, .counters = {{name, 7}}}}));
  History history = reading();
  const auto series = history.series("nvidia-h200");
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].benchmark, name);
  const auto figures = history.figures(series[0], history.runs("nvidia-h200", kAll));
  ASSERT_TRUE(figures.contains(name));
  EXPECT_EQ(figures.at(name)[0].figures, std::vector<double>{7});
}

TEST_P(EachDatabase, KeepsDevicesApart) {
  (void)record(some_results());
  (void)record(results_text(emulated(), {{.id = "scan/plain/1", .counters = {{"loads", 3}}}}));
  History history = reading();
  EXPECT_EQ(history.devices(), (std::vector<std::string>{"emulated", "nvidia-h200"}));
  EXPECT_EQ(history.runs("emulated", kAll).size(), 1u);
  EXPECT_EQ(history.series("emulated").size(), 1u);
  const Finished ambiguous = this->history("trend scan/plain/1 loads");
  EXPECT_EQ(ambiguous.status, 64);
  EXPECT_NE(ambiguous.output.find("--device emulated or nvidia-h200"), std::string::npos)
      << ambiguous.output;
  EXPECT_EQ(this->history("trend scan/plain/1 loads --device emulated").status, 0);
}

TEST_P(EachDatabase, WhatFailedInAnyProcessHasNoFigureButItsRecord) {
  std::string text = results_text(
      h200(), {{.id = "scan/plain/1", .times_ns = {1, 2}}, {.id = "scan/wide/1", .times_ns = {2}}});
  // The second process of the first benchmark.
  const std::string ok = "\"outcome\":{\"status\":\"ok\"";
  const std::size_t second = text.find(ok, text.find(ok) + 1);
  ASSERT_NE(second, std::string::npos) << text;
  text.replace(second, ok.size(), "\"outcome\":{\"status\":\"crashed\"");
  (void)record(text);
  History history = reading();
  const auto runs = history.runs("nvidia-h200", kAll);
  const auto series = history.series("nvidia-h200");
  ASSERT_EQ(series.size(), 2u);
  EXPECT_TRUE(history.figures(series[0], "time", runs).empty());
  EXPECT_EQ(history.figures(series[1], "time", runs).size(), 1u);
  EXPECT_EQ(history.results(1), text);
}

TEST_P(EachDatabase, SeveralWritersAtOnceLoseNothing) {
  // They find no database, so that they make it at once, too.
  constexpr int kWriters = 5;
  constexpr int kRunsEach = 6;
  std::string commands;
  for (int writer = 0; writer < kWriters; ++writer) {
    std::string each;
    for (int run = 0; run < kRunsEach; ++run) {
      const std::string name = fmt::format("{}-{}.json", writer, run);
      write(name, some_results(fmt::format("2026-11-{:02}T04:00:{:02}Z", writer + 1, run)));
      // One at a time, and all see what the others recorded as well.
      each +=
          fmt::format("{} history record {} both.json --history {} >> log 2>&1 || touch failed; ",
                      warpgauge::quoted(WARPGAUGE), name, warpgauge::quoted(where_));
    }
    commands += "( " + each + ") & ";
  }
  write("both.json", some_results());
  const Finished finished =
      shell("cd " + warpgauge::quoted(folder_.string()) + " && { " + commands + " wait; }");
  ASSERT_EQ(finished.status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "failed")) << results::read_file(folder_ / "log");

  History history = reading();
  const auto runs = history.runs("nvidia-h200", kAll);
  ASSERT_EQ(runs.size(), kWriters * kRunsEach + 1u);
  for (const HistorySeries& series : history.series("nvidia-h200")) {
    EXPECT_EQ(history.figures(series, "time", runs).size(), runs.size()) << series.benchmark;
  }
}

TEST_P(EachDatabase, AWriterKilledWithinItsTransactionLeavesNothingOfIt) {
  (void)record(some_results());
  const std::string before = everything();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Database database(where_);
    WriteTransaction transaction(database);
    database.sql() << "update run set revision = 'lost'";
    database.sql() << "delete from figures";
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_EQ(everything(), before);
  EXPECT_FALSE(record(some_results("2026-11-21T05:00:00Z")).was_there);
}

TEST_P(EachDatabase, KilledAtAnyMomentItHoldsWholeRuns) {
  (void)record(large_results("2026-11-19T00:00:00Z"));
  write("second.json", large_results("2026-11-20T00:00:00Z"));
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(history("record second.json").status, 0);
  // Killed within the last four fifths of what one took, which may have been held up.
  auto takes = std::chrono::duration_cast<std::chrono::microseconds>(
                   std::chrono::steady_clock::now() - begin)
                   .count();
  const auto least = takes / 10;
  std::mt19937 random(7);
  int killed = 0;
  for (int i = 0; i < 25; ++i) {
    const auto path = write("run.json", large_results(fmt::format("2026-11-21T00:00:{:02}Z", i)));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDOUT_FILENO);
      ::execl(WARPGAUGE, WARPGAUGE, "history", "record", path.c_str(), "--history", where_.c_str(),
              nullptr);
      ::_exit(127);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(
        takes / 5 + static_cast<std::int64_t>(random() % 1000) * takes * 4 / 5000));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
      ++killed;
    } else {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      takes = std::max(takes * 2 / 3, least);
    }
  }
  EXPECT_GT(killed, 5) << "too few were killed at work: the test proves nothing";

  (void)record(large_results("2026-11-22T00:00:00Z"));
  History history = reading();
  const auto runs = history.runs("nvidia-h200", kAll);
  for (const HistorySeries& series : history.series("nvidia-h200")) {
    ASSERT_EQ(history.figures(series, "time", runs).size(), runs.size()) << series.benchmark;
  }
  for (const HistoryRun& run : runs) EXPECT_FALSE(history.results(run.number).empty());
  if (GetParam() == Kind::sqlite) {
    std::string sound;
    Database(where_).sql() << "pragma integrity_check", soci::into(sound);
    EXPECT_EQ(sound, "ok");
  }
}

TEST_P(EachDatabase, ANewerOneIsRefused) {
  (void)record(some_results());
  const int newer = static_cast<int>(kHistoryMigrations.size()) + 1;
  set_version(std::to_string(newer));
  const std::string text =
      fmt::format("is of version {}, and this warpgauge knows up to version {}", newer, newer - 1);
  for (const char* command : {"list", "record results.json"}) {
    write("results.json", some_results());
    const Finished refused = history(command);
    EXPECT_EQ(refused.status, 4);
    EXPECT_NE(refused.output.find(text), std::string::npos) << refused.output;
  }
}

TEST_P(EachDatabase, WhatIsNoVersionIsSaid) {
  (void)record(some_results());
  write("results.json", some_results());
  std::vector<std::string> wrong{"-1", "-2147483648"};
  if (GetParam() == Kind::sqlite) {
    for (const char* each : {"2147483648", "9e999", "-9e999", "0.5", "'1x'", "''", "x'00ff'",
                             "'\x1b[31m'", "-9223372036854775808"}) {
      wrong.emplace_back(each);
    }
  }
  for (const std::string& version : wrong) {
    set_version(version);
    for (const char* command : {"list", "export", "record results.json"}) {
      const Finished refused = history(command);
      EXPECT_EQ(refused.status, 4) << version << ": " << refused.output;
      EXPECT_NE(refused.output.find("is damaged: its table schema_version holds '"),
                std::string::npos)
          << version << ": " << refused.output;
      EXPECT_EQ(refused.output.find('\x1b'), std::string::npos) << refused.output;
    }
  }
}

// In a figure a metric's number beyond is damage: what was recorded could not be read again.
TEST_P(EachDatabase, WhereNoNumberIsLeftNothingIsRecorded) {
  (void)record(some_results());
  {
    Database database(where_);
    ASSERT_TRUE(database.has_version());
    WriteTransaction transaction(database);
    database.sql() << "insert into metric (number, name) values (2147483647, 'the last')";
    transaction.commit();
  }
  write("results.json", results_text(h200(), {{.id = "scan/plain/1", .counters = {{"new", 1}}}}));
  const std::string before = everything();
  const Finished refused = history("record results.json");
  EXPECT_EQ(refused.status, 4);
  EXPECT_NE(refused.output.find("its table metric has no number left"), std::string::npos)
      << refused.output;
  EXPECT_EQ(everything(), before);
}

TEST_P(EachDatabase, TwoVersionsAreNone) {
  (void)record(some_results());
  {
    Database database(where_);
    ASSERT_TRUE(database.has_version());
    WriteTransaction transaction(database);
    database.sql() << "insert into schema_version values (1)";
    transaction.commit();
  }
  const Finished refused = history("list");
  EXPECT_EQ(refused.status, 4);
  EXPECT_NE(refused.output.find("and not one version"), std::string::npos) << refused.output;
}

TEST_P(EachDatabase, MigrationsAreAppliedInOrderEachOnce) {
  constexpr std::array<std::string_view, 2> kTwo{"create table t (a integer not null) {clustered}",
                                                 "alter table t add column b integer;\n"
                                                 "insert into t (a, b) values (1, 2)"};
  // What SQLite has no rowid for needs a key.
  std::array<std::string_view, 2> two = kTwo;
  two[0] = "create table t (a integer not null primary key) {clustered}";
  {
    Database database(where_);
    EXPECT_EQ(database.version(), 0);
    database.migrate(std::span(two).first(1));
    EXPECT_EQ(database.version(), 1);
  }
  Database database(where_);
  database.migrate(two);
  database.migrate(two);
  EXPECT_EQ(database.version(), 2);
  int rows = 0;
  int b = 0;
  database.sql() << "select count(*), max(b) from t", soci::into(rows), soci::into(b);
  EXPECT_EQ(rows, 1);
  EXPECT_EQ(b, 2);
}

TEST_P(EachDatabase, AMigrationThatFailsLeavesTheVersionBefore) {
  std::array<std::string_view, 2> two{"create table t (a integer not null primary key)",
                                      "alter table t add column b integer;\nno such statement"};
  Database database(where_);
  database.migrate(std::span(two).first(1));
  EXPECT_THROW(database.migrate(two), soci::soci_error);
  EXPECT_EQ(database.version(), 1);
  two[1] = "alter table t add column b integer";
  database.migrate(two);
  EXPECT_EQ(database.version(), 2);
}

TEST_P(EachDatabase, AnotherProgramsDatabaseIsLeftAlone) {
  if (GetParam() == Kind::postgresql) GTEST_SKIP() << "there it has a schema of its own";
  {
    Database database(where_);
    WriteTransaction transaction(database);
    database.sql() << "create table customers (name text)";
    transaction.commit();
  }
  const auto path = write("results.json", some_results());
  const Finished refused = history("record results.json");
  EXPECT_EQ(refused.status, 4);
  EXPECT_NE(refused.output.find("no history of Warpgauge's"), std::string::npos) << refused.output;
}

TEST_P(EachDatabase, NothingThereYetIsSaid) {
  const Finished refused = history("list");
  EXPECT_EQ(refused.status, 4);
  EXPECT_NE(refused.output.find("warpgauge history record"), std::string::npos) << refused.output;
  if (GetParam() == Kind::sqlite) {
    EXPECT_FALSE(std::filesystem::exists(where_));
  }
}

using SqliteHistory = InFolder;

TEST_F(SqliteHistory, AFileThatIsNoDatabaseIsSaid) {
  write("history.sqlite", std::string(5000, 'x'));
  const Finished refused = warpgauge("history list --history history.sqlite");
  EXPECT_EQ(refused.status, 4);
  EXPECT_EQ(refused.output,
            "warpgauge: history history.sqlite: file is not a database; see "
            "docs/guide/history.md\n");
}

TEST_F(SqliteHistory, AFileThatHoldsMoreThanTablesIsRefused) {
  write("results.json", some_results());
  for (const char* more :
       {"create view v as with recursive n(i) as (select 1 union all select i + 1 from n) "
        "select i from n",
        "create trigger t after insert on run begin delete from figures; end",
        "create virtual table w using fts5(a)"}) {
    std::filesystem::remove(folder_ / "history.sqlite");
    ASSERT_EQ(warpgauge("history record results.json --history history.sqlite").status, 0);
    {
      Database database(folder_ / "history.sqlite");
      const WritePermit permit(database);
      database.sql() << more;
    }
    for (const char* command : {"list", "record results.json"}) {
      const Finished refused =
          warpgauge("history " + std::string(command) + " --history history.sqlite");
      EXPECT_EQ(refused.status, 4) << more;
      EXPECT_NE(refused.output.find("no history of Warpgauge's"), std::string::npos)
          << refused.output;
    }
  }
}

TEST_F(SqliteHistory, OnlyARegularFileIsOpened) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  write("results.json", some_results());
  for (const char* command : {"list --history pipe", "list --history /dev/zero", "list --history .",
                              "record results.json --history pipe"}) {
    const Finished refused = warpgauge("history " + std::string(command));
    EXPECT_EQ(refused.status, 64) << command << refused.output;
    EXPECT_NE(refused.output.find("choose a regular file"), std::string::npos) << refused.output;
  }
}

TEST_F(SqliteHistory, PlainGoogleBenchmarkFilesAreToBeImported) {
  write("plain.json", plain_text({nanoseconds("10.0")}));
  const Finished refused = warpgauge("history record plain.json");
  EXPECT_EQ(refused.status, 4);
  EXPECT_NE(refused.output.find("warpgauge import"), std::string::npos) << refused.output;
}

TEST_F(SqliteHistory, HotTimesAreRefused) {
  std::string text = results_text(h200(), {{.id = "a/b/1", .times_ns = {5, 6}}});
  write("cold.json", text);
  EXPECT_EQ(warpgauge("history record cold.json").status, 0);
  text.insert(text.find("\"processes\""), "\"hot\": true, ");
  write("hot.json", text);
  const Finished refused = warpgauge("history record hot.json");
  EXPECT_EQ(refused.status, 64);
  EXPECT_NE(refused.output.find("hot.json was timed hot"), std::string::npos) << refused.output;
}

TEST_F(SqliteHistory, TheCommitsTimeIsGits) {
  const std::string git = "git -c user.name=a -c user.email=a@example.com ";
  const Finished made =
      shell("cd " + warpgauge::quoted(folder_.string()) +
            " && git init -q . && export GIT_COMMITTER_DATE=2025-01-02T03:04:05Z && " + git +
            "commit -q --allow-empty -m one && git rev-parse HEAD");
  ASSERT_EQ(made.status, 0) << made.output;
  std::string text = some_results();
  const std::string revision = made.output.substr(0, 40);
  const std::string before = "\"revision\": \"abc\"";
  ASSERT_NE(text.find(before), std::string::npos) << text.substr(0, 2000);
  text.replace(text.find(before), before.size(), "\"revision\": \"" + revision + "\"");
  write("results.json", text);
  const Finished recorded = warpgauge("history record results.json");
  EXPECT_EQ(recorded.output, "results.json: recorded as run 1\n");
  const Finished listed = warpgauge("history list");
  EXPECT_NE(listed.output.find(revision.substr(0, 10) + "  2025-01-02 03:04  2026-11-21 04:00"),
            std::string::npos)
      << listed.output;
}

TEST_F(SqliteHistory, ATrendIsItsMediansWithIntervalsOldestFirst) {
  write("b.json", some_results("2026-11-21T05:00:00Z", 3000));
  write("a.json", some_results("2026-11-21T04:00:00Z", 1000));
  ASSERT_EQ(warpgauge("history record b.json a.json").status, 0);
  const Finished trend = warpgauge("history trend scan/plain/1");
  EXPECT_EQ(trend.status, 0);
  const std::size_t first = trend.output.find("1.000 µs  1.000 µs to 1.032 µs");
  const std::size_t second = trend.output.find("3.000 µs  3.000 µs to 3.032 µs");
  ASSERT_NE(first, std::string::npos) << trend.output;
  ASSERT_NE(second, std::string::npos) << trend.output;
  EXPECT_LT(first, second);
}

TEST_F(SqliteHistory, UnknownNamesAreAnsweredWithWhatThereIs) {
  write("a.json", some_results());
  ASSERT_EQ(warpgauge("history record a.json").status, 0);
  const Finished benchmark = warpgauge("history trend scan/plian/1");
  EXPECT_EQ(benchmark.status, 64);
  EXPECT_NE(benchmark.output.find("did you mean 'scan/plain/1'"), std::string::npos);
  const Finished metric = warpgauge("history trend scan/plain/1 lods");
  EXPECT_EQ(metric.status, 64);
  EXPECT_NE(metric.output.find("there are loads, time"), std::string::npos) << metric.output;
  EXPECT_EQ(warpgauge("history export --run 2").status, 64);
  EXPECT_EQ(warpgauge("history list --device gpu").status, 64);
}

TEST_F(SqliteHistory, ExportsEachFigureAndEachResultsFile) {
  const std::string text = some_results();
  write("a.json", text);
  ASSERT_EQ(warpgauge("history record a.json --commit-time 2026-11-20T00:00:00Z").status, 0);
  const Finished exported = warpgauge("history export");
  EXPECT_EQ(exported.output,
            "run,measured,commit,modified,committed,device,uuid,driver,cuda,benchmark,metric,"
            "process,figure\n"
            "1,2026-11-21T04:00:00Z,abc,0,2026-11-20T00:00:00Z,nvidia-h200,GPU-test,580.1,,"
            "scan/plain/1,loads,0,64\n"
            "1,2026-11-21T04:00:00Z,abc,0,2026-11-20T00:00:00Z,nvidia-h200,GPU-test,580.1,,"
            "scan/plain/1,time,0,1000\n"
            "1,2026-11-21T04:00:00Z,abc,0,2026-11-20T00:00:00Z,nvidia-h200,GPU-test,580.1,,"
            "scan/plain/1,time,1,1000.25\n"
            "1,2026-11-21T04:00:00Z,abc,0,2026-11-20T00:00:00Z,nvidia-h200,GPU-test,580.1,,"
            "scan/plain/1,time,2,1032\n"
            "1,2026-11-21T04:00:00Z,abc,0,2026-11-20T00:00:00Z,nvidia-h200,GPU-test,580.1,,"
            "scan/wide/1,loads,0,16\n"
            "1,2026-11-21T04:00:00Z,abc,0,2026-11-20T00:00:00Z,nvidia-h200,GPU-test,580.1,,"
            "scan/wide/1,time,0,2000\n");
  ASSERT_EQ(warpgauge("history export --out new/figures.csv").status, 0);
  EXPECT_EQ(results::read_file(folder_ / "new/figures.csv"), exported.output);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new/figures.csv.unfinished"));
  ASSERT_EQ(warpgauge("history export --run 1 --out then.json").status, 0);
  EXPECT_EQ(results::read_file(folder_ / "then.json"), text);
}

// Who may write to the database writes neither to a terminal nor to a runner's log.
TEST_F(SqliteHistory, WhatOthersWroteIntoItIsNoCommand) {
  write("a.json", some_results());
  ASSERT_EQ(warpgauge("history record a.json").status, 0);
  {
    const std::string command = "x\n::error::x\x1b[31m";
    const std::string blob = compress("::error::x\x1b[31m\n");
    Database database((folder_ / "history.sqlite").string());
    WriteTransaction transaction(database);
    database.sql() << "update environment set driver = :d, device_uuid = :d, cuda = :d",
        soci::use(command, "d");
    database.sql() << "update run set revision = :r", soci::use(command, "r");
    const std::string created = "2026-11-21T\x1b[31m04:19";
    database.sql() << "update run set created = :c", soci::use(created, "c");
    database.sql() << "update series set benchmark = '::error::' || benchmark";
    const std::string data = database.to_column(blob);
    database.sql() << "update results set data = cast(:data as blob)", soci::use(data, "data");
    transaction.commit();
  }
  for (const char* asked : {"list", "changes", "trend ::error::scan/plain/1", "export"}) {
    const Finished finished = warpgauge(std::string("history ") + asked);
    EXPECT_EQ(finished.status, 0) << finished.output;
    EXPECT_EQ(finished.output.find('\x1b'), std::string::npos) << finished.output;
    EXPECT_EQ(("\n" + finished.output).find("\n::"), std::string::npos) << finished.output;
  }
  const Finished run = warpgauge("history export --run 1");
  EXPECT_EQ(run.status, 4);
  EXPECT_EQ(("\n" + run.output).find("\n::"), std::string::npos) << run.output;
  ASSERT_EQ(warpgauge("history export --run 1 --out run").status, 0);
  EXPECT_EQ(results::read_file(folder_ / "run"), "::error::x\x1b[31m\n");
}

}  // namespace
}  // namespace warpgauge::ci
