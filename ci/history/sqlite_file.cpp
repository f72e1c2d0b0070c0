// SPDX-License-Identifier: Apache-2.0
#include "ci/history/sqlite_file.hpp"

#include <fmt/format.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <thread>

#include "ci/history/address.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

// Of one value: a compressed results file, and some.
constexpr int kLongestValue = 80 << 20;

// What ANALYZE, or a tool that runs it, makes in any database; a table of another shape would be
// somebody's own.
bool is_of_analyze(const std::string& name, const std::string& made) {
  return (name == "sqlite_stat1" &&
          made == "table of sqlite_stat1: CREATE TABLE sqlite_stat1(tbl,idx,stat)") ||
         (name == "sqlite_stat4" && made ==
                                        "table of sqlite_stat4: CREATE TABLE "
                                        "sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)");
}

}  // namespace

void check_sqlite_files(const std::string& where) {
  std::error_code absent;
  if (std::filesystem::exists(where, absent) && !std::filesystem::is_regular_file(where, absent)) {
    throw Error(kExitUsage, fmt::format("--history {}: choose a regular file", name_of(where)));
  }
  // SQLite has them beside the file that a link leads to.
  const std::string file = std::filesystem::weakly_canonical(where, absent);
  for (const char* beside : {"-journal", "-wal", "-shm"}) {
    const auto status = std::filesystem::symlink_status(file + beside, absent);
    if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) continue;
    throw Error(kExitNotMeasured,
                fmt::format("--history {}: {} beside it is no regular file: remove it",
                            name_of(where), one_line(file + beside)));
  }
}

void open_carefully(soci::session& sql, std::chrono::seconds busy_timeout) {
  sql << fmt::format("pragma busy_timeout = {}", std::chrono::milliseconds(busy_timeout).count());
  // As SQLite's authors advise.
  sql << "pragma trusted_schema = off";
  sql << "pragma cell_size_check = on";
  sql << "pragma mmap_size = 0";
  auto& backend = static_cast<soci::sqlite3_session_backend&>(*sql.get_backend());
  (void)::sqlite_api::sqlite3_limit(backend.conn_, SQLITE_LIMIT_LENGTH, kLongestValue);
}

void use_write_ahead_log(soci::session& sql, std::chrono::seconds busy_timeout) {
  // Where several make a database at once, SQLite does not wait by itself for the one that is
  // changing the mode.
  constexpr std::chrono::milliseconds kPause{20};
  const auto end = std::chrono::steady_clock::now() + busy_timeout;
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

std::map<std::string, std::string> tables_of(soci::session& sql) {
  std::map<std::string, std::string> tables;
  std::string name;
  std::string made;
  soci::statement each =
      (sql.prepare << "select name, type || ' of ' || tbl_name || ': ' || coalesce(sql, '') "
                      "from sqlite_master",
       soci::into(name), soci::into(made));
  each.execute();
  while (each.fetch()) {
    if (!is_of_analyze(name, made)) tables[name] = made;
  }
  return tables;
}

}  // namespace warpgauge::ci
