// SPDX-License-Identifier: Apache-2.0
#include "ci/history/connection/database.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <limits>
#include <string_view>

#include "ci/history/connection/address.hpp"
#include "ci/history/connection/schema_trust.hpp"
#include "ci/history/connection/sqlite_file.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::chrono::seconds kBusyTimeout{60};

constexpr std::size_t kLongestQuote = 40;

// The writers' lock in PostgreSQL. It takes a right to change the history: what may only connect
// or read cannot hold it. Readers go on.
constexpr const char* kWritersLock = "lock table warpgauge.schema_version in exclusive mode";

// Unless the address or the role sets another: no wait is forever.
constexpr std::pair<const char*, const char*> kTimeouts[] = {
    {"lock_timeout", "60s"},
    {"statement_timeout", "300s"},
    {"idle_in_transaction_session_timeout", "300s"}};

// Its answer to a statement that it ended takes a while, too.
constexpr std::chrono::milliseconds kShortestGrace{5000};
constexpr int kShareOfGrace = 10;

constexpr const char* kVersionTable = "create table schema_version (version integer not null)";

constexpr const char* kClusteredInSqlite = "without rowid";

soci::backend_factory const& factory(bool postgresql) {
  return postgresql ? *soci::factory_postgresql() : *soci::factory_sqlite3();
}

std::string connection(const std::string& where) {
  if (is_postgresql(where)) return connection_of(where);
  check_file_name(where);
  if (where.find('"') != where.npos) {
    throw Error(kExitUsage, fmt::format("--history {}: choose a name without \"", name_of(where)));
  }
  check_sqlite_files(where);
  const auto folder = std::filesystem::path(where).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  // SOCI takes what has no = for a name, and reads anything else as options: without memory, that
  // never ends.
  if (where.find('=') == where.npos) return where;
  return fmt::format("dbname=\"{}\"", where);
}

void run_all(soci::session& sql, std::string_view statements, std::string_view clustered) {
  constexpr std::string_view kPlace = "{clustered}";
  while (!statements.empty()) {
    const std::size_t end = statements.find(";\n");
    std::string statement(statements.substr(0, end));
    const std::size_t place = statement.find(kPlace);
    if (place != statement.npos) statement.replace(place, kPlace.size(), clustered);
    sql << statement;
    if (end == statements.npos) break;
    statements.remove_prefix(end + 2);
  }
}

// As inserting locks them; nobody adds a trigger, a rule or a foreign key to them meanwhile.
void keep_tables(soci::session& sql) {
  std::vector<std::string> tables;
  std::string table;
  soci::statement each =
      (sql.prepare << "select format('warpgauge.%I', tablename) from pg_tables "
                      "where schemaname = 'warpgauge' and tablename <> 'schema_version' order by 1",
       soci::into(table));
  each.execute();
  while (each.fetch()) tables.push_back(table);
  if (tables.empty()) return;
  sql << fmt::format("lock table {} in row exclusive mode", fmt::join(tables, ", "));
}

}  // namespace

Database::Database(const std::string& where)
    : postgresql_(ci::is_postgresql(where)),
      name_(name_of(where)),
      sql_(factory(postgresql_), connection(where)) {
  if (postgresql_) {
    be_patient(static_cast<soci::postgresql_session_backend*>(sql_.get_backend())->conn_,
               patience_);
    // Nothing of the schema is found before version() has looked at it.
    sql_ << "set search_path to pg_catalog, pg_temp";
    // Writers lock each other out, and each must see what the one before wrote.
    sql_ << "set default_transaction_isolation to 'read committed'";
    // Only a WriteTransaction writes.
    sql_ << "set default_transaction_read_only to on";
    sql_ << "set client_min_messages to warning";
    sql_ << "set bytea_output to hex";
    for (const auto& [name, limit] : kTimeouts) {
      sql_ << fmt::format(
          "select set_config('{0}', '{1}', false) where current_setting('{0}') = '0'", name, limit);
    }
    long long limit = 0;
    sql_ << "select cast(setting as bigint) from pg_settings where name = 'statement_timeout'",
        soci::into(limit);
    wait_for(std::chrono::milliseconds(limit));
    return;
  }
  open_carefully(sql_, kBusyTimeout);
  let_write(false);
}

void Database::let_write(bool may) {
  if (!postgresql_) sql_ << (may ? "pragma query_only = off" : "pragma query_only = on");
}

void Database::wait_for(std::chrono::milliseconds statement) {
  patience_.limit = statement + std::max(kShortestGrace, statement / kShareOfGrace);
}

void Database::allow(std::chrono::seconds statement) {
  if (!postgresql_) return;
  sql_ << fmt::format("set statement_timeout to '{}s'", statement.count());
  wait_for(statement);
}

std::string Database::to_column(std::string bytes) const {
  if (!postgresql_) return bytes;
  constexpr const char* kDigits = "0123456789abcdef";
  std::string column = "\\x";
  column.reserve(2 + 2 * bytes.size());
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    column.push_back(kDigits[value >> 4]);
    column.push_back(kDigits[value & 15]);
  }
  return column;
}

std::string Database::from_column(std::string column) const {
  if (!postgresql_) return column;
  const auto digit = [](char character) {
    return character <= '9' ? character - '0' : character - 'a' + 10;
  };
  std::string bytes;
  bytes.reserve(column.size() / 2);
  for (std::size_t i = 2; i + 1 < column.size(); i += 2) {
    bytes.push_back(static_cast<char>(digit(column[i]) * 16 + digit(column[i + 1])));
  }
  return bytes;
}

std::string Database::bytes_of(const std::string& column) const {
  if (postgresql_) return fmt::format("octet_length({})", column);
  // Of a text, length() counts characters, up to a zero.
  return fmt::format(
      "case typeof({0}) when 'blob' then length({0}) else length(cast({0} as blob)) end", column);
}

bool Database::has_version() {
  int ours = 0;
  if (postgresql_) {
    if (!may_use_schema(sql_, name_)) return false;
    sql_ << "select count(*) from pg_catalog.pg_class as tables "
            "join pg_catalog.pg_namespace as schemas on schemas.oid = tables.relnamespace "
            "where schemas.nspname = 'warpgauge' and tables.relname = 'schema_version'",
        soci::into(ours);
    return ours != 0;
  }
  int all = 0;
  int plain = 0;
  // A view, a trigger, a virtual table or a column that is computed runs what its maker wants.
  sql_ << "select count(*), "
          "count(case when type = 'table' and name = 'schema_version' "
          "and lower(sql) = 'create table schema_version (version integer not null)' then 1 end), "
          "count(case when rootpage > 0 and (type = 'table' and sql like 'create table %' "
          "or type = 'index' and (sql is null or sql like 'create index %')) then 1 end) "
          "from sqlite_master",
      soci::into(all), soci::into(ours), soci::into(plain);
  if ((ours == 0 && all > 0) || plain < all) throw foreign_file();
  return ours != 0;
}

Error Database::foreign_file() const {
  return {kExitNotMeasured, fmt::format("{} is a database, but no history of Warpgauge's; name "
                                        "another with --history",
                                        name_)};
}

int Database::version() {
  if (!has_version()) return 0;
  int rows = 0;
  std::string text;
  soci::indicator there = soci::i_null;
  sql_ << "select count(*), max(cast(version as text)) from schema_version", soci::into(rows),
      soci::into(text, there);
  int version = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, version);
  if (rows != 1 || there != soci::i_ok || error != std::errc() || rest != end || version < 0) {
    throw Error(kExitNotMeasured,
                fmt::format("{} is damaged: its table schema_version holds '{}' and not one "
                            "version; restore the database from a copy",
                            name_, one_line(shortened(text, kLongestQuote))));
  }
  return version;
}

void Database::check_tables(std::span<const std::string_view> migrations) {
  soci::session made(factory(false), ":memory:");
  made << kVersionTable;
  for (const std::string_view migration : migrations) {
    run_all(made, migration, kClusteredInSqlite);
  }
  if (tables_of(sql_) != tables_of(made)) throw foreign_file();
}

Error Database::newer_than(std::size_t newest, int version) const {
  return {kExitNotMeasured,
          fmt::format("{} is of version {}, and this warpgauge knows up to version {}: "
                      "update warpgauge",
                      name_, version, newest)};
}

void Database::require(std::span<const std::string_view> migrations) {
  const int from = version();
  const auto newest = static_cast<int>(migrations.size());
  if (from > newest) throw newer_than(migrations.size(), from);
  if (from < newest) {
    throw Error(kExitNotMeasured,
                fmt::format("{} is of version {}, and this warpgauge reads version {}: record a "
                            "run, which brings it up to date",
                            name_, from, newest));
  }
  if (!postgresql_) check_tables(migrations);
}

void Database::migrate(std::span<const std::string_view> migrations) {
  const int from = version();
  const auto newest = static_cast<int>(migrations.size());
  if (!postgresql_) {
    if (from > 0 && from <= newest) {
      check_tables(migrations.first(static_cast<std::size_t>(from)));
    }
    if (from <= newest) {
      const WritePermit permit(*this);
      use_write_ahead_log(sql_, kBusyTimeout);
    }
  }
  if (from == newest) return;
  try {
    migrate_at_once(migrations);
  } catch (const soci::soci_error&) {
    // Where there is no table to lock yet, PostgreSQL lets the first of several makers have it.
    if (from != 0 || !postgresql_ || version() == 0) throw;
    migrate_at_once(migrations);
  }
}

void Database::migrate_at_once(std::span<const std::string_view> migrations) {
  const auto newest = static_cast<int>(migrations.size());
  WriteTransaction transaction(*this);
  // Asked again: someone else may have done it meanwhile.
  const int from = version();
  if (from == newest) return;
  if (from > newest) throw newer_than(migrations.size(), from);
  if (from == 0) {
    if (postgresql_) {
      // One that someone made meanwhile is not ours, and must fail this.
      if (!may_use_schema(sql_, name_)) sql_ << "create schema warpgauge";
      sql_ << "create domain warpgauge.blob as bytea";
    }
    sql_ << kVersionTable;
    sql_ << "insert into schema_version values (0)";
  }
  for (int next = from; next < newest; ++next) {
    run_all(sql_, migrations[static_cast<std::size_t>(next)],
            postgresql_ ? "" : kClusteredInSqlite);
  }
  sql_ << "update schema_version set version = :version", soci::use(newest, "version");
  transaction.commit();
}

int Database::next_number(const std::string& table) {
  long long number = 0;
  sql_ << "select coalesce(max(cast(number as bigint)), 0) + 1 from " + table, soci::into(number);
  if (number >= 1 && number <= std::numeric_limits<int>::max()) return static_cast<int>(number);
  throw Error(kExitNotMeasured,
              fmt::format("{} is damaged: its table {} has no number left for another row; restore "
                          "the database from a copy",
                          name_, table));
}

int Database::number_of(const std::string& table,
                        const std::vector<std::pair<std::string, std::string>>& columns) {
  std::string names;
  std::string values;
  std::string condition;
  for (const auto& [name, value] : columns) {
    names += fmt::format(", {}", name);
    values += fmt::format(", :{}", name);
    condition += fmt::format("{}{} = :{}", condition.empty() ? "" : " and ", name, name);
  }
  int number = 0;
  {
    soci::statement find(sql_);
    for (const auto& [name, value] : columns) find.exchange(soci::use(value, name));
    find.exchange(soci::into(number));
    find.alloc();
    find.prepare("select number from " + table + " where " + condition);
    find.define_and_bind();
    if (find.execute(true)) return number;
  }
  number = next_number(table);
  soci::statement insert(sql_);
  insert.exchange(soci::use(number, "number"));
  for (const auto& [name, value] : columns) insert.exchange(soci::use(value, name));
  insert.alloc();
  insert.prepare("insert into " + table + " (number" + names + ") values (:number" + values + ")");
  insert.define_and_bind();
  insert.execute(true);
  return number;
}

WritePermit::WritePermit(Database& database) : database_(database) { database_.let_write(true); }

WritePermit::~WritePermit() {
  try {
    database_.let_write(false);
  } catch (const std::exception&) {
    // The connection is gone.
  }
}

WriteTransaction::WriteTransaction(Database& database) : database_(database), permit_(database) {
  if (!database_.is_postgresql()) {
    // At once, not at the first write: what was read before that would then count as stale.
    database_.sql() << "begin immediate";
    return;
  }
  database_.sql() << "begin read write";
  try {
    if (database_.has_version()) {
      database_.sql() << kWritersLock;
      keep_tables(database_.sql());
      // Asked again: until they were locked, someone else may have put something onto them.
      (void)database_.has_version();
    }
  } catch (const std::exception&) {
    rollback();
    throw;
  }
}

WriteTransaction::~WriteTransaction() {
  if (open_) rollback();
}

void WriteTransaction::rollback() {
  // A server that did commit, and whose answer was lost, says that there is nothing to roll back.
  if (commits_) database_.patience_.notices = 0;
  try {
    database_.sql() << "rollback";
  } catch (const std::exception&) {
    // The transaction is gone: with the connection, or SQLite has ended it itself, as where the
    // disk is full.
  }
}

void WriteTransaction::commit() {
  commits_ = true;
  database_.sql() << "commit";
  open_ = false;
  permit_.reset();
}

}  // namespace warpgauge::ci
