// SPDX-License-Identifier: Apache-2.0
#include "ci/history/database.hpp"

#include <fmt/format.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <cstddef>
#include <filesystem>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

constexpr int kBusyTimeoutSeconds = 60;

// Any number, as long as it is the same in all programs: PostgreSQL's lock of the history's
// writers.
constexpr const char* kWritersLock = "select pg_advisory_xact_lock(8021172351)";

constexpr const char* kSchemes[] = {"postgresql://", "postgres://"};

soci::backend_factory const& factory(bool postgresql) {
  return postgresql ? *soci::factory_postgresql() : *soci::factory_sqlite3();
}

std::string connection(const std::string& where) {
  if (is_postgresql(where)) return where;
  if (where.find('"') != where.npos) {
    throw Error(kExitUsage, fmt::format("--history {}: choose a name without \"", where));
  }
  const auto folder = std::filesystem::path(where).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder);
  return fmt::format("dbname=\"{}\" timeout={}", where, kBusyTimeoutSeconds);
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

bool is_postgresql(std::string_view where) {
  for (const char* scheme : kSchemes) {
    if (where.starts_with(scheme)) return true;
  }
  return false;
}

std::string name_of(const std::string& where) {
  const std::size_t at = where.find('@');
  if (!is_postgresql(where) || at == where.npos) return where;
  const std::size_t user = where.find("://") + 3;
  const std::size_t colon = where.find(':', user);
  if (colon > at) return where;
  return where.substr(0, colon) + where.substr(at);
}

Database::Database(const std::string& where)
    : postgresql_(ci::is_postgresql(where)),
      name_(name_of(where)),
      sql_(factory(postgresql_), connection(where)) {
  if (postgresql_) {
    // Apart from what else is in the database.
    sql_ << "set search_path to warpgauge";
    // Notices of what is there already are no news.
    sql_ << "set client_min_messages to warning";
  } else {
    // Readers go on while one writes; a writer that dies leaves the file as it was.
    std::string mode;
    sql_ << "pragma journal_mode=wal", soci::into(mode);
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

int Database::version() {
  int tables = 0;
  int ours = 0;
  if (postgresql_) {
    // In its schema there is nothing of others. to_regclass() would say what it said before another
    // program made the table.
    sql_ << "select count(*) from pg_catalog.pg_class as tables "
            "join pg_catalog.pg_namespace as schemas on schemas.oid = tables.relnamespace "
            "where schemas.nspname = 'warpgauge' and tables.relname = 'schema_version'",
        soci::into(ours);
  } else {
    sql_ << "select count(*), count(case when name = 'schema_version' then 1 end) "
            "from sqlite_master where type = 'table'",
        soci::into(tables), soci::into(ours);
  }
  if (ours == 0 && tables > 0) {
    throw Error(kExitNotMeasured,
                fmt::format("{} is a database, but no history of Warpgauge's; name another with "
                            "--history",
                            name_));
  }
  int version = 0;
  if (ours != 0) sql_ << "select version from schema_version", soci::into(version);
  return version;
}

void Database::migrate(std::span<const std::string_view> migrations) {
  const auto newest = static_cast<int>(migrations.size());
  if (version() == newest) return;
  WriteTransaction transaction(*this);
  // Asked again: someone else may have done it meanwhile.
  const int from = version();
  if (from > newest) {
    throw Error(kExitNotMeasured,
                fmt::format("{} is of version {}, and this warpgauge knows up to version {}: "
                            "update warpgauge",
                            name_, from, newest));
  }
  if (from == 0) {
    if (postgresql_) {
      sql_ << "create schema if not exists warpgauge";
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
  if (database_.is_postgresql()) {
    database_.sql() << "begin";
    database_.sql() << kWritersLock;
  } else {
    // At once, not at the first write: what was read before that would then count as stale.
    database_.sql() << "begin immediate";
  }
}

WriteTransaction::~WriteTransaction() {
  if (!open_) return;
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
