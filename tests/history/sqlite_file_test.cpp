// SPDX-License-Identifier: Apache-2.0
// SQLite files that someone else made, names that are no files, and what is beside them.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <soci/soci.h>
#include <soci/sqlite3/soci-sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ci/history/connection/database.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::ci {
namespace {

class SqliteFile : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("results.json", results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1000}}}));
  }

  [[nodiscard]] Finished record(const std::string& where = "history.sqlite") const {
    return warpgauge("history record results.json --history " + quoted(where));
  }

  // As any other program could do it.
  void run(const std::vector<std::string>& statements) const {
    soci::session sql(*soci::factory_sqlite3(),
                      "dbname=\"" + (folder_ / "history.sqlite").string() + "\"");
    for (const std::string& statement : statements) sql << statement;
  }

  void expect_foreign() const {
    for (const char* command : {"list", "export", "record results.json", "prune --keep 1"}) {
      const Finished refused =
          warpgauge("history " + std::string(command) + " --history history.sqlite");
      EXPECT_EQ(refused.status, 4) << command << ": " << refused.output;
      EXPECT_NE(refused.output.find("no history of Warpgauge's"), std::string::npos)
          << command << ": " << refused.output;
    }
  }
};

TEST_F(SqliteFile, WhatSqliteKeepsNowhereIsNoHistory) {
  for (const auto& [where, why] :
       {std::pair{"", "the name is empty"},
        {":memory:", "are no files, and keep nothing"},
        {"file:history.sqlite", "are no files, and keep nothing"},
        {"FILE:x?mode=memory", "are no files, and keep nothing"},
        {"file::memory:?cache=shared", "are no files, and keep nothing"}}) {
    for (const char* command : {"record results.json", "list", "prune --keep 1"}) {
      const Finished refused =
          warpgauge(std::string("history ") + command + " --history " + quoted(where));
      EXPECT_EQ(refused.status, 64) << where << ": " << refused.output;
      EXPECT_NE(refused.output.find(why), std::string::npos) << where << ": " << refused.output;
    }
  }
  EXPECT_EQ(all_files().size(), 1u) << "the results alone";
}

// As SQLite ends a transaction itself where a disk is full: what then rolls back fails.
TEST_F(SqliteFile, ATransactionThatIsGoneLeavesNothingThatMayWrite) {
  ASSERT_EQ(record().status, 0);
  Database database((folder_ / "history.sqlite").string());
  const auto forget = [&] { database.sql() << "delete from results"; };
  EXPECT_THROW(forget(), soci::soci_error);
  {
    const WriteTransaction transaction(database);
    forget();
    database.sql() << "rollback";
  }
  EXPECT_THROW(forget(), soci::soci_error);
  {
    WriteTransaction transaction(database);
    transaction.commit();
    EXPECT_THROW(forget(), soci::soci_error);
  }
  EXPECT_THROW(forget(), soci::soci_error);
}

TEST_F(SqliteFile, ANameWithAColonIsAPath) {
  EXPECT_EQ(record("./a:b.sqlite").status, 0);
  EXPECT_EQ(record(folder_ / "c:d.sqlite").status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a:b.sqlite"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "c:d.sqlite"));
  EXPECT_EQ(record("e:f.sqlite").status, 64);
}

TEST_F(SqliteFile, OnlyWhatTheMigrationsMakeMayBeInIt) {
  const std::vector<std::vector<std::string>> all{
      {"create virtual table w using fts4(a)"},
      {"create virtual table w using fts5(a)"},
      {"create virtual table w using fts4(a)", "pragma writable_schema = on",
       "update sqlite_master set rootpage = 2 where name = 'w'"},
      {"create table more (a)"},
      {"create index other on run (verdict)"},
      {"create index other on run (verdict || hex(verdict))"},
      {"create view v as select 1"},
      {"create trigger t after insert on run begin delete from figures; end"},
      {"alter table metric add column more as (hex(name))"},
      {"alter table metric add column more default 5"},
      {"drop index run_in_order"},
      {"pragma writable_schema = on",
       "update sqlite_master set sql = replace(sql, 'data blob not null', "
       "'data blob not null check (data <> 5)') where name = 'results'"}};
  ASSERT_EQ(record("made.sqlite").status, 0);
  for (const auto& statements : all) {
    SCOPED_TRACE(statements.front());
    std::filesystem::copy_file(folder_ / "made.sqlite", folder_ / "history.sqlite",
                               std::filesystem::copy_options::overwrite_existing);
    run(statements);
    expect_foreign();
  }
}

TEST_F(SqliteFile, WhatAnalyzeMakesMayBeInIt) {
  ASSERT_EQ(record().status, 0);
  run({"analyze"});
  for (const char* command : {"list", "export", "record results.json", "prune --keep 1"}) {
    const Finished used =
        warpgauge("history " + std::string(command) + " --history history.sqlite");
    EXPECT_EQ(used.status, 0) << command << ": " << used.output;
  }
  run({"pragma writable_schema = on",
       "update sqlite_master set sql = replace(sql, 'stat)', 'stat check (stat <> 5))') "
       "where name = 'sqlite_stat1'"});
  expect_foreign();
}

TEST_F(SqliteFile, AnotherProgramsFileStaysAsItIs) {
  run({"create table customers (name text)", "insert into customers values ('a')"});
  const std::string before = results::read_file(folder_ / "history.sqlite");
  expect_foreign();
  EXPECT_TRUE(results::read_file(folder_ / "history.sqlite") == before)
      << "its journal mode, for one";
  EXPECT_EQ(all_files().size(), 2u);
}

TEST_F(SqliteFile, AHistoryIsWrittenWithALogAhead) {
  ASSERT_EQ(record().status, 0);
  std::string mode;
  soci::session sql(*soci::factory_sqlite3(),
                    "dbname=\"" + (folder_ / "history.sqlite").string() + "\"");
  sql << "pragma journal_mode", soci::into(mode);
  EXPECT_EQ(mode, "wal");
}

// As one that another program has copied: a reader does not even change how it is written.
TEST_F(SqliteFile, WhoReadsLeavesItAsItIs) {
  ASSERT_EQ(record().status, 0);
  run({"pragma journal_mode = delete"});
  const auto before = all_files();
  const std::string content = results::read_file(folder_ / "history.sqlite");
  for (const char* command :
       {"list", "export", "changes", "trend scan/plain/1", "export --run 1 --out /dev/null"}) {
    const Finished read =
        warpgauge("history " + std::string(command) + " --history history.sqlite");
    EXPECT_EQ(read.status, 0) << command << read.output;
    EXPECT_TRUE(results::read_file(folder_ / "history.sqlite") == content) << command;
    EXPECT_EQ(all_files(), before) << command;
  }
}

TEST_F(SqliteFile, WhatIsBesideItIsAFileToo) {
  ASSERT_EQ(record().status, 0);
  const std::filesystem::path target = write("target", "kept");
  for (const char* beside : {"-journal", "-wal", "-shm"}) {
    const std::filesystem::path path = folder_ / ("history.sqlite" + std::string(beside));
    for (const bool link : {false, true}) {
      std::filesystem::remove(path);
      if (link) {
        std::filesystem::create_symlink(target, path);
      } else {
        ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
      }
      for (const char* command : {"list", "record results.json", "prune --keep 1"}) {
        const Finished refused =
            shell("cd " + quoted(folder_.string()) + " && timeout 20 " + quoted(WARPGAUGE) +
                  " history " + command + " --history history.sqlite");
        EXPECT_EQ(refused.status, 4) << beside << link << refused.output;
        EXPECT_NE(refused.output.find(std::string(beside) + " beside it is no regular file"),
                  std::string::npos)
            << refused.output;
      }
    }
    std::filesystem::remove(path);
  }
  EXPECT_EQ(results::read_file(target), "kept");
}

// A journal by which the database had no pages once; its end names another file.
std::string journal_of_nothing(std::string_view end = "") {
  constexpr std::string_view kMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";
  std::string journal(512, '\0');
  journal.replace(0, kMagic.size(), kMagic);
  journal[22] = 2;   // a sector has 512 bytes,
  journal[26] = 16;  // a page 4096
  if (end.empty()) return journal;
  unsigned sum = 0;
  for (const char each : end) sum += static_cast<unsigned char>(each);
  journal.append(4, '\0').append(end);
  for (const unsigned number : {static_cast<unsigned>(end.size()), sum}) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
      journal += static_cast<char>(number >> shift & 255U);
    }
  }
  return journal.append(kMagic);
}

TEST_F(SqliteFile, AJournalBesideItChangesNothing) {
  ASSERT_EQ(record().status, 0);
  const std::filesystem::path target = write("target", "kept");
  const std::string before = results::read_file(folder_ / "history.sqlite");
  for (const std::string& journal : {journal_of_nothing(), journal_of_nothing(target.string())}) {
    for (const char* command : {"list", "record results.json", "prune --keep 1"}) {
      write("history.sqlite-journal", journal);
      const Finished refused =
          warpgauge("history " + std::string(command) + " --history history.sqlite");
      EXPECT_EQ(refused.status, 4) << command << refused.output;
      EXPECT_NE(refused.output.find("history.sqlite-journal beside it is not of this history"),
                std::string::npos)
          << refused.output;
      EXPECT_TRUE(results::read_file(folder_ / "history.sqlite") == before) << command;
      EXPECT_TRUE(std::filesystem::exists(target)) << command;
    }
  }
  write("history.sqlite-journal", "");
  EXPECT_EQ(warpgauge("history list --history history.sqlite").status, 0);
}

TEST_F(SqliteFile, WhatDiedWhileItMadeOneIsNoHindrance) {
  run({"pragma journal_mode = wal"});
  ASSERT_EQ(std::filesystem::file_size(folder_ / "history.sqlite"), 4096u);
  write("history.sqlite-journal", journal_of_nothing());
  EXPECT_EQ(record().status, 0);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "history.sqlite-journal"));
}

TEST_F(SqliteFile, AJournalOfAFileThatIsNotThereYetRemovesNoOther) {
  const std::filesystem::path target = write("target", "kept");
  write("history.sqlite-journal", journal_of_nothing(target.string()));
  EXPECT_EQ(record().status, 4);
  EXPECT_TRUE(std::filesystem::exists(target));
}

TEST_F(SqliteFile, AnExportFollowsNoLinkBesideItsFile) {
  ASSERT_EQ(record().status, 0);
  const std::filesystem::path target = write("target", "kept");
  std::filesystem::create_symlink(target, folder_ / "figures.csv.unfinished");
  ASSERT_EQ(warpgauge("history export --history history.sqlite --out figures.csv").status, 0);
  EXPECT_EQ(results::read_file(target), "kept");
  EXPECT_NE(results::read_file(folder_ / "figures.csv").find("scan/plain/1"), std::string::npos);
}

}  // namespace
}  // namespace warpgauge::ci
