// SPDX-License-Identifier: Apache-2.0
// A PostgreSQL database that others use too: nothing of theirs runs as whoever reads or writes the
// history, and nobody without rights holds it up.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <soci/soci.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "ci/history/connection/database.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/history/database_fixtures.hpp"

namespace warpgauge::ci {
namespace {

class SharedDatabase : public PostgresqlTest {
 protected:
  void SetUp() override {
    PostgresqlTest::SetUp();
    if (IsSkipped()) return;
    administrator_ = server_->address("test", database_);
    ci_ = user("ci_" + database_);
    mallory_ = user("mallory_" + database_);
    run(administrator_, fmt::format("grant create on database {} to ci_{}", database_, database_));
    write("results.json", results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1000}}}));
  }

  // Address of a new role that may only connect.
  std::string user(const std::string& role) {
    run(administrator_, "create role " + role + " login");
    return server_->address(role, database_);
  }

  // As psql would run it.
  static void run(const std::string& where, const std::string& statement) {
    Database database(where);
    database.sql() << "set default_transaction_read_only to off";
    database.sql() << statement;
  }

  [[nodiscard]] Finished history(const std::string& command, const std::string& where) const {
    return warpgauge("history " + command + " --history " + quoted(where));
  }
  [[nodiscard]] Finished record(const std::string& where) const {
    return history("record results.json", where);
  }

  std::string administrator_;  // a superuser, to whom the database belongs
  std::string ci_;             // may create schemas
  std::string mallory_;        // may connect
};

TEST_F(SharedDatabase, AStrangersSchemaIsNeitherReadNorWritten) {
  run(administrator_, fmt::format("grant create on database {0} to mallory_{0}", database_));
  run(mallory_, "create schema warpgauge");
  run(mallory_,
      "create function warpgauge.trap() returns integer language plpgsql as "
      "$$ begin raise exception 'trapped %', current_user; end $$");
  run(mallory_, "create view warpgauge.schema_version as select warpgauge.trap() as version");
  run(mallory_, "grant usage on schema warpgauge to public");
  run(mallory_, "grant select on warpgauge.schema_version to public");
  for (const std::string& victim : {ci_, administrator_}) {
    for (const char* command : {"list", "record results.json"}) {
      const Finished refused = history(command, victim);
      EXPECT_EQ(refused.status, 4);
      EXPECT_EQ(refused.output.find("trapped"), std::string::npos) << refused.output;
      EXPECT_NE(refused.output.find("belongs to mallory_" + database_), std::string::npos)
          << refused.output;
    }
  }
}

TEST_F(SharedDatabase, AStrangersTableInOurSchemaIsRefused) {
  ASSERT_EQ(record(ci_).status, 0);
  run(ci_, fmt::format("grant usage, create on schema warpgauge to mallory_{}", database_));
  EXPECT_EQ(history("list", ci_).status, 0);
  run(mallory_, "create table warpgauge.more (a integer)");
  const Finished refused = history("list", ci_);
  EXPECT_EQ(refused.status, 4);
  EXPECT_NE(refused.output.find("more of the schema warpgauge belongs to mallory_"),
            std::string::npos)
      << refused.output;
}

TEST_F(SharedDatabase, AReaderTrustsTheOwnerOfTheDatabaseAlone) {
  ASSERT_EQ(record(ci_).status, 0);
  run(ci_, "grant usage on schema warpgauge to public");
  run(ci_, "grant select on all tables in schema warpgauge to public");
  EXPECT_EQ(history("list", mallory_).status, 4);
  run(administrator_, fmt::format("alter database {0} owner to ci_{0}", database_));
  const Finished listed = history("list", mallory_);
  EXPECT_EQ(listed.status, 0) << listed.output;
}

TEST_F(SharedDatabase, NothingThatRunsByItselfMayBeInTheSchema) {
  struct Foreign {
    const char* name;
    std::vector<std::string> statements;
  };
  const std::vector<Foreign> all{
      {"the relation seen, which is no table", {"create view warpgauge.seen as select 1 as a"}},
      {"the relation kept, which is no table",
       {"create materialized view warpgauge.kept as select 1 as a"}},
      {"the rule quiet", {"create rule quiet as on insert to warpgauge.metric do instead nothing"}},
      {"the trigger alarm",
       {"create function public.f() returns trigger language plpgsql as $$ begin return new; end "
        "$$",
        "create trigger alarm before insert on warpgauge.run for each row execute function "
        "public.f()"}},
      {"a default of run", {"alter table warpgauge.run alter verdict set default current_user"}},
      {"the constraint checked",
       {"alter table warpgauge.run add constraint checked check (length(verdict) < 9999)"}},
      {"the constraint holds",
       {"alter domain warpgauge.blob add constraint holds check (length(value) > -1)"}},
      {"row security of run", {"alter table warpgauge.run enable row level security"}},
      {"row security of series", {"alter table warpgauge.series force row level security"}},
      {"the policy all_of_it", {"create policy all_of_it on warpgauge.run using (true)"}},
      {"the foreign key outside_run_fkey of public.outside",
       {"create table public.outside (run integer references warpgauge.run on delete cascade)"}},
      {"the foreign key of_outside of warpgauge.metric",
       {"create table public.inside (number integer primary key)",
        "insert into public.inside select number from warpgauge.metric",
        "alter table warpgauge.metric add constraint of_outside foreign key (number) references "
        "public.inside"}},
      {"the type blob", {"alter domain warpgauge.blob set default 'x'"}},
      {"an index of run on an expression",
       {"create index other on warpgauge.run (lower(verdict))"}},
      {"an heir of metric", {"create table public.heir () inherits (warpgauge.metric)"}},
      {"the function lower",
       {"create function warpgauge.lower(integer) returns integer language sql as 'select 1'"}},
      {"the type mood", {"create type warpgauge.mood as enum ('a')"}},
      {"the column odd of run",
       {"create type public.mood as enum ('a')",
        "alter table warpgauge.run add column odd public.mood"}}};
  ASSERT_EQ(record(administrator_).status, 0);
  for (const Foreign& each : all) {
    const std::string where = server_->address("test", server_->new_database_name(database_));
    for (const std::string& statement : each.statements) run(where, statement);
    for (const char* command : {"list", "record results.json"}) {
      const Finished refused = history(command, where);
      EXPECT_EQ(refused.status, 4) << each.name;
      EXPECT_NE(refused.output.find("the schema warpgauge holds " + std::string(each.name) + ", "),
                std::string::npos)
          << each.name << ": " << refused.output;
    }
  }
}

// Whoever may refer to a table of ours would have a pruning run what he wants, by what hangs on
// his.
TEST_F(SharedDatabase, AForeignKeyFromOutsideRunsNothingWhenARunIsPruned) {
  ASSERT_EQ(record(ci_).status, 0);
  write("results.json",
        results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1001}}}, "2026-11-22T04:00:00Z"));
  ASSERT_EQ(record(ci_).status, 0);
  run(ci_, "grant usage on schema warpgauge to public");
  run(ci_, "grant select, references on all tables in schema warpgauge to public");
  run(administrator_, fmt::format("create schema of_mallory authorization mallory_{}", database_));
  run(administrator_, "create table public.seen (who text)");
  run(administrator_, "grant insert on public.seen to public");
  run(mallory_,
      "create table of_mallory.trap (run integer references warpgauge.run on delete cascade)");
  run(mallory_, "insert into of_mallory.trap values (1)");
  run(mallory_,
      "create function of_mallory.f() returns trigger language plpgsql as $$ begin "
      "insert into public.seen values (session_user); "
      "raise warning E'trapped\\n::error::\\x1b[31m'; return null; end $$");
  run(mallory_,
      "create constraint trigger later after delete on of_mallory.trap deferrable initially "
      "deferred for each row execute function of_mallory.f()");
  const Finished refused = history("prune --keep 1", ci_);
  EXPECT_EQ(refused.status, 4);
  EXPECT_EQ(refused.output.find("trapped"), std::string::npos) << refused.output;
  EXPECT_NE(refused.output.find("holds the foreign key trap_run_fkey of of_mallory.trap, which no "
                                "warpgauge put there"),
            std::string::npos)
      << refused.output;
  Database database(administrator_);
  int seen = 0;
  database.sql() << "select count(*) from public.seen", soci::into(seen);
  EXPECT_EQ(seen, 0);
}

TEST_F(SharedDatabase, NothingIsPutOntoATableWhileItIsWritten) {
  ASSERT_EQ(record(ci_).status, 0);
  Database writer(ci_);
  WriteTransaction transaction(writer);
  for (const char* statement :
       {"create table public.outside (run integer references warpgauge.run)",
        "create rule quiet as on delete to warpgauge.run do instead nothing",
        "create trigger t before delete on warpgauge.figures for each row execute function "
        "suppress_redundant_updates_trigger()"}) {
    Database other(administrator_ + "&options=-c%20lock_timeout%3D100ms");
    other.sql() << "set default_transaction_read_only to off";
    EXPECT_THROW(other.sql() << statement, soci::soci_error) << statement;
  }
}

TEST_F(SharedDatabase, WhatTheServerSaysIsTextOfAnyone) {
  ASSERT_EQ(record(ci_).status, 0);
  testing::internal::CaptureStderr();
  {
    Database database(ci_);
    for (int i = 0; i < 50; ++i) {
      database.sql() << "do $$ begin raise warning "
                        "E'seen\\n::error::x\\x1b[31m postgresql://ci:hunter2@host/db'; end $$";
    }
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("warpgauge: the history's server says: WARNING:  seen"), std::string::npos)
      << said;
  EXPECT_EQ(("\n" + said).find("\n::"), std::string::npos) << said;
  EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
  EXPECT_EQ(said.find("hunter2"), std::string::npos) << said;
  EXPECT_LT(std::count(said.begin(), said.end(), '\n'), 20) << "not without end";
}

// A stopped process still has its connections.
TEST_F(SharedDatabase, AServerThatNoLongerAnswersIsNotWaitedFor) {
  ASSERT_EQ(record(ci_).status, 0);
  Database database(ci_ + "&options=-c%20statement_timeout%3D1s");
  int process = 0;
  database.sql() << "select pg_backend_pid()", soci::into(process);
  ASSERT_EQ(::kill(process, SIGSTOP), 0);
  const auto begin = std::chrono::steady_clock::now();
  try {
    database.sql() << "select 1";
    ADD_FAILURE() << "a stopped server answered";
  } catch (const soci::soci_error& error) {
    EXPECT_NE(std::string(error.what()).find("the server has not answered for 6 s"),
              std::string::npos)
        << error.what();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
  EXPECT_THROW(database.sql() << "select 1", soci::soci_error) << "at once";
  ::kill(process, SIGCONT);
}

// What a list says of a server that lets in who comes as PostgreSQL does, answers the first
// statement so, and says no more.
Finished list_of_server_that_answers(std::string_view first) {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ::sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::socklen_t size = sizeof address;
  EXPECT_EQ(::bind(socket, reinterpret_cast<::sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::getsockname(socket, reinterpret_cast<::sockaddr*>(&address), &size), 0);
  EXPECT_EQ(::listen(socket, 8), 0);
  const std::jthread server([&] {
    const int client = ::accept(socket, nullptr, nullptr);
    char said[512];
    (void)::recv(client, said, sizeof said, 0);
    // AuthenticationOk, ReadyForQuery.
    constexpr char kWelcome[] = "R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
    (void)::send(client, kWelcome, sizeof kWelcome - 1, MSG_NOSIGNAL);
    (void)::recv(client, said, sizeof said, 0);
    (void)::send(client, first.data(), first.size(), MSG_NOSIGNAL);
    while (::recv(client, said, sizeof said, 0) > 0) {
    }
    ::close(client);
  });
  const std::string where = fmt::format(
      "postgresql://ci@127.0.0.1:{}/db?connect_timeout=2&sslmode=disable&gssencmode=disable",
      ntohs(address.sin_port));
  // SOCI leaves behind a connection that fails before it is its own.
  Finished ended = shell("ASAN_OPTIONS=detect_leaks=0 timeout 60 " + quoted(WARPGAUGE) +
                         " history list --history " + quoted(where));
  ::shutdown(socket, SHUT_RDWR);
  ::close(socket);
  return ended;
}

TEST(AnotherServer, ThatOnlyLetsInIsNotWaitedFor) {
  const Finished refused = list_of_server_that_answers("");
  EXPECT_EQ(refused.status, 4);
  EXPECT_NE(refused.output.find("the server has not answered for 2 s"), std::string::npos)
      << refused.output;
}

// CopyInResponse, CopyOutResponse: libpq would give them again each time it is asked.
TEST(AnotherServer, ThatWantsToCopyIsRefused) {
  using namespace std::string_view_literals;
  for (const std::string_view answer : {"G\0\0\0\x07\0\0\0"sv, "H\0\0\0\x07\0\0\0"sv}) {
    const Finished refused = list_of_server_that_answers(answer);
    EXPECT_EQ(refused.status, 4);
    EXPECT_NE(refused.output.find("the server wants to copy data, which nothing asked for"),
              std::string::npos)
        << refused.output;
  }
}

TEST_F(SharedDatabase, WhoMayOnlyConnectHoldsNobodyUp) {
  ASSERT_EQ(record(ci_).status, 0);
  run(ci_, "grant usage on schema warpgauge to public");
  run(ci_, "grant select on all tables in schema warpgauge to public");
  Database stranger(mallory_);
  // All locks that a reader can take, and the advisory one that writers used to take.
  stranger.sql() << "begin";
  stranger.sql() << "select pg_advisory_lock(8021172351)";
  stranger.sql() << "lock table warpgauge.schema_version, warpgauge.run in access share mode";
  EXPECT_THROW(stranger.sql() << "lock table warpgauge.schema_version in share mode",
               soci::soci_error);
  stranger.sql() << "rollback";
  stranger.sql() << "begin";
  stranger.sql() << "lock table warpgauge.schema_version, warpgauge.run in access share mode";
  write("results.json", results_text(h200(), {{.id = "scan/plain/1", .times_ns = {1001}}}));
  const Finished recorded = record(ci_ + "&options=-c%20lock_timeout%3D20s");
  EXPECT_EQ(recorded.status, 0) << recorded.output;
  EXPECT_NE(recorded.output.find("recorded as run 2"), std::string::npos) << recorded.output;
}

TEST_F(SharedDatabase, WaitingForALockEnds) {
  ASSERT_EQ(record(ci_).status, 0);
  Database writer(ci_);
  ASSERT_TRUE(writer.has_version());
  WriteTransaction transaction(writer);
  const Finished refused = record(ci_ + "&options=-c%20lock_timeout%3D100ms");
  EXPECT_EQ(refused.status, 4);
  EXPECT_NE(refused.output.find("lock timeout"), std::string::npos) << refused.output;
  EXPECT_EQ(history("list", ci_).status, 0) << "readers go on";
}

TEST_F(SharedDatabase, EachWaitHasALimitUnlessTheAddressGivesOne) {
  Database database(ci_ + "&options=-c%20statement_timeout%3D7s");
  for (const auto& [name, limit] : {std::pair{"lock_timeout", "1min"},
                                    {"statement_timeout", "7s"},
                                    {"idle_in_transaction_session_timeout", "5min"}}) {
    std::string value;
    database.sql() << fmt::format("show {}", name), soci::into(value);
    EXPECT_EQ(value, limit) << name;
  }
}

TEST_F(SharedDatabase, ASettingOfTheRoleChangesNothing) {
  run(administrator_, fmt::format("alter role ci_{} set bytea_output to escape", database_));
  run(administrator_, fmt::format("alter role ci_{} set search_path to public", database_));
  ASSERT_EQ(record(ci_).status, 0);
  const Finished exported = history("export --run 1", ci_);
  EXPECT_EQ(exported.status, 0) << exported.output;
  EXPECT_NE(exported.output.find("scan/plain/1"), std::string::npos);
}

TEST_F(SharedDatabase, ManyRecordWhateverIsolationTheRoleHas) {
  run(administrator_, fmt::format("alter role ci_{} set default_transaction_isolation to "
                                  "'repeatable read'",
                                  database_));
  ASSERT_EQ(record(ci_).status, 0);
  std::string commands;
  constexpr int kWriters = 8;
  for (int i = 0; i < kWriters; ++i) {
    const std::string name = fmt::format("{}.json", i);
    write(name, results_text(h200(), {{.id = "scan/plain/1", .times_ns = {2000.0 + i}}}));
    commands += warpgauge::quoted(WARPGAUGE) + " history record " + name + " --history " +
                warpgauge::quoted(ci_) + " & ";
  }
  const Finished finished =
      shell("cd " + warpgauge::quoted(folder_.string()) + " && { " + commands + "wait; }");
  const Finished listed = history("list", ci_);
  EXPECT_NE(listed.output.find(fmt::format("{} runs", kWriters + 1)), std::string::npos)
      << finished.output << listed.output;
}

}  // namespace
}  // namespace warpgauge::ci
