// SPDX-License-Identifier: Apache-2.0
// The database under the history, SQLite or PostgreSQL: connection, transactions, migrations. What
// the two do differently ends here; what is kept in it is the business of history_record.hpp and
// history_read.hpp.
#pragma once

#include <soci/soci.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/history/connection/patience.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {

class Database {
 public:
  // Connects; an SQLite file is made where there is none, and one that is there stays as it is.
  // Waits for other writers, up to a minute. Throws soci::soci_error, and Error (usage) for what is
  // no place of a history.
  explicit Database(const std::string& where);

  [[nodiscard]] soci::session& sql() { return sql_; }
  [[nodiscard]] bool is_postgresql() const { return postgresql_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // for messages

  // How long a statement may take from now on, by the server's clock and by ours.
  void allow(std::chrono::seconds statement);

  // Bytes as a column takes them, by `cast(:name as blob)`, and as it gives them back.
  [[nodiscard]] std::string to_column(std::string bytes) const;
  [[nodiscard]] std::string from_column(std::string column) const;

  // An expression: how many bytes a column holds. Its value is not read for it.
  [[nodiscard]] std::string bytes_of(const std::string& column) const;

  // Whether a history was begun here. Runs nothing that is stored in the database. Throws Error
  // (not measured) for a database that another program made, or that holds more than tables, or
  // whose schema belongs to someone who is not trusted (see schema_trust.hpp).
  [[nodiscard]] bool has_version();

  // Version of the schema; 0: there is none yet. Throws as has_version(), and Error (not measured)
  // for what is no version.
  [[nodiscard]] int version();

  // Applies what is missing of the migrations, the first of which makes version 1, each in one step
  // with its number. A statement ends with ";\n"; {clustered} after a table's columns keeps its
  // rows in the order of the primary key, where the database can. Several programs may do so at
  // once. Throws Error (not measured) when the database is newer than the last of them, or when an
  // SQLite file holds anything else than these make.
  void migrate(std::span<const std::string_view> migrations);

  // For reading, which writes nothing: throws Error (not measured) unless the database is as these
  // migrations make it.
  void require(std::span<const std::string_view> migrations);

  // The number after the greatest of `table`. Throws Error (not measured) where there is none: a
  // figure of a metric with a number beyond could not be read again. Only within a
  // WriteTransaction.
  [[nodiscard]] int next_number(const std::string& table);

  // The number of the row of `table` whose `columns` have these values; a row is made where there
  // is none. Only within a WriteTransaction.
  int number_of(const std::string& table,
                const std::vector<std::pair<std::string, std::string>>& columns);

 private:
  friend class WritePermit;
  friend class WriteTransaction;

  void let_write(bool may);
  void migrate_at_once(std::span<const std::string_view> migrations);
  void check_tables(std::span<const std::string_view> migrations);
  void wait_for(std::chrono::milliseconds statement);
  [[nodiscard]] Error foreign_file() const;
  [[nodiscard]] Error newer_than(std::size_t newest, int version) const;

  bool postgresql_;
  std::string name_;
  Patience patience_;
  soci::session sql_;
};

// While there is one, statements may change an SQLite file: within a WriteTransaction, and else
// only what must stand outside of one. A PostgreSQL database asks for no more than the transaction.
class WritePermit {
 public:
  explicit WritePermit(Database& database);
  ~WritePermit();
  WritePermit(const WritePermit&) = delete;
  WritePermit& operator=(const WritePermit&) = delete;

 private:
  Database& database_;
};

// Only in one is a database written to. Until commit() nothing of it is there for
// others, or after a crash. While it lasts no other program writes: numbers that are counted on
// from the greatest are then nobody else's.
class WriteTransaction {
 public:
  explicit WriteTransaction(Database& database);
  ~WriteTransaction();
  WriteTransaction(const WriteTransaction&) = delete;
  WriteTransaction& operator=(const WriteTransaction&) = delete;

  void commit();

 private:
  void rollback();

  Database& database_;
  std::optional<WritePermit> permit_;  // goes with the transaction, however that ends
  bool open_ = true;
  bool commits_ = false;
};

}  // namespace warpgauge::ci
