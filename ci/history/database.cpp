// SPDX-License-Identifier: Apache-2.0
#include "ci/history/database.hpp"

#include <fmt/format.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <charconv>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

#include "ci/history/address.hpp"
#include "ci/history/schema_trust.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"

namespace warpgauge::ci {
namespace {

constexpr int kBusyTimeoutSeconds = 60;

constexpr std::size_t kLongestQuote = 40;

// The writers' lock in PostgreSQL. It takes a right to change the history: what may only connect
// or read cannot hold it. Readers go on.
constexpr const char* kWritersLock = "lock table warpgauge.schema_version in exclusive mode";

// Unless the address or the role sets another: no wait is forever.
constexpr std::pair<const char*, const char*> kTimeouts[] = {
    {"lock_timeout", "60s"},
    {"statement_timeout", "300s"},
    {"idle_in_transaction_session_timeout", "300s"}};

soci::backend_factory const& factory(bool postgresql) {
  return postgresql ? *soci::factory_postgresql() : *soci::factory_sqlite3();
}

std::string connection(const std::string& where) {
  if (is_postgresql(where)) return connection_of(where);
  check_file_name(where);
  if (where.find('"') != where.npos) {
    throw Error(kExitUsage, fmt::format("--history {}: choose a name without \"", name_of(where)));
  }
  // Of a pipe or a device, SQLite would read forever.
  if (std::filesystem::exists(where) && !std::filesystem::is_regular_file(where)) {
    throw Error(kExitUsage, fmt::format("--history {}: choose a regular file", name_of(where)));
  }
  const auto folder = std::filesystem::path(where).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  // SOCI takes what has no = for a name, and reads anything else as options: without memory, that
  // never ends.
  if (where.find('=') == where.npos) return where;
  return fmt::format("dbname=\"{}\"", where);
}

// Readers go on while one writes; a writer that dies leaves the file as it was. Where several make
// a database at once, SQLite does not wait by itself for the one that is changing the mode.
void use_write_ahead_log(soci::session& sql) {
  constexpr std::chrono::milliseconds kPause{20};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(kBusyTimeoutSeconds);
  while (true) {
    try {
      std::string mode;
      sql << "pragma journal_mode=wal", soci::into(mode);
      return;
    } catch (const soci::soci_error& error) {
      const bool is_busy = std::string_view(error.what()).find("locked") != std::string_view::npos;
      if (!is_busy || std::chrono::steady_clock::now() >= end) throw;
    }
    std::this_thread::sleep_for(kPause);
  }
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

}  // namespace

Database::Database(const std::string& where)
    : postgresql_(ci::is_postgresql(where)),
      name_(name_of(where)),
      sql_(factory(postgresql_), connection(where)) {
  if (postgresql_) {
    // Nothing of the schema is found before version() has looked at it.
    sql_ << "set search_path to pg_catalog, pg_temp";
    // Only a WriteTransaction writes.
    sql_ << "set default_transaction_read_only to on";
    sql_ << "set client_min_messages to warning";
    sql_ << "set bytea_output to hex";
    for (const auto& [name, limit] : kTimeouts) {
      sql_ << fmt::format(
          "select set_config('{0}', '{1}', false) where current_setting('{0}') = '0'", name, limit);
    }
  } else {
    sql_ << fmt::format("pragma busy_timeout = {}", 1000 * kBusyTimeoutSeconds);
    use_write_ahead_log(sql_);
  }
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
  int foreign = 0;
  // A view, a trigger or a virtual table runs what its maker wants.
  sql_
      << "select count(*), count(case when type = 'table' and name = 'schema_version' then 1 end), "
         "count(case when type not in ('table', 'index') or rootpage = 0 then 1 end) "
         "from sqlite_master",
      soci::into(all), soci::into(ours), soci::into(foreign);
  if ((ours == 0 && all > 0) || foreign > 0) {
    throw Error(kExitNotMeasured,
                fmt::format("{} is a database, but no history of Warpgauge's; name another with "
                            "--history",
                            name_));
  }
  return ours != 0;
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

void Database::migrate(std::span<const std::string_view> migrations) {
  const int from = version();
  if (from == static_cast<int>(migrations.size())) return;
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
  if (from > newest) {
    throw Error(kExitNotMeasured,
                fmt::format("{} is of version {}, and this warpgauge knows up to version {}: "
                            "update warpgauge",
                            name_, from, newest));
  }
  if (from == 0) {
    if (postgresql_) {
      // One that someone made meanwhile is not ours, and must fail this.
      if (!may_use_schema(sql_, name_)) sql_ << "create schema warpgauge";
      sql_ << "create domain warpgauge.blob as bytea";
    }
    sql_ << "create table schema_version (version integer not null)";
    sql_ << "insert into schema_version values (0)";
  }
  for (int next = from; next < newest; ++next) {
    run_all(sql_, migrations[static_cast<std::size_t>(next)], postgresql_ ? "" : "without rowid");
  }
  sql_ << "update schema_version set version = :version", soci::use(newest, "version");
  transaction.commit();
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
  sql_ << "select coalesce(max(number), 0) + 1 from " + table, soci::into(number);
  soci::statement insert(sql_);
  insert.exchange(soci::use(number, "number"));
  for (const auto& [name, value] : columns) insert.exchange(soci::use(value, name));
  insert.alloc();
  insert.prepare("insert into " + table + " (number" + names + ") values (:number" + values + ")");
  insert.define_and_bind();
  insert.execute(true);
  return number;
}

WriteTransaction::WriteTransaction(Database& database) : database_(database) {
  if (!database_.is_postgresql()) {
    // At once, not at the first write: what was read before that would then count as stale.
    database_.sql() << "begin immediate";
    return;
  }
  database_.sql() << "begin read write";
  try {
    if (database_.has_version()) database_.sql() << kWritersLock;
  } catch (const std::exception&) {
    rollback();
    throw;
  }
}

WriteTransaction::~WriteTransaction() {
  if (open_) rollback();
}

void WriteTransaction::rollback() {
  try {
    database_.sql() << "rollback";
  } catch (const soci::soci_error&) {
    // The connection is gone, and with it the transaction.
  }
}

void WriteTransaction::commit() {
  database_.sql() << "commit";
  open_ = false;
}

}  // namespace warpgauge::ci
