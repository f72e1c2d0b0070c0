// SPDX-License-Identifier: Apache-2.0
#include "ci/history/connection/sqlite_file.hpp"

#include <fmt/format.h>
#include <soci/sqlite3/soci-sqlite3.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "ci/history/connection/address.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

// Of one value: a compressed results file, and some.
constexpr int kLongestValue = 80 << 20;

constexpr std::chrono::milliseconds kPause{20};  // between two looks at what another is changing

// What ANALYZE, or a tool that runs it, makes in any database; a table of another shape would be
// somebody's own.
bool is_of_analyze(const std::string& name, const std::string& made) {
  return (name == "sqlite_stat1" &&
          made == "table of sqlite_stat1: CREATE TABLE sqlite_stat1(tbl,idx,stat)") ||
         (name == "sqlite_stat4" && made ==
                                        "table of sqlite_stat4: CREATE TABLE "
                                        "sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)");
}

// As in "Database File Format", sqlite.org/fileformat2.html: two bytes of a file's header are 2
// where it is written with a log ahead, and with this a journal begins, or ends that names a second
// one.
constexpr std::streamoff kModeAt = 18;
constexpr std::string_view kWithLogAhead = "\x02\x02";
constexpr std::string_view kJournalMagic = "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7";

constexpr std::uintmax_t kPage = 4096;  // as SQLite makes them; a file without tables is one

// As long as a file takes that is changed over to a log ahead, by way of a journal.
constexpr std::chrono::seconds kChangeOver{1};

bool has_bytes(std::ifstream& file, std::streamoff at, std::ios::seekdir from,
               std::string_view wanted) {
  std::array<char, kJournalMagic.size()> bytes{};
  file.seekg(at, from);
  file.read(bytes.data(), static_cast<std::streamsize>(wanted.size()));
  return file && std::string_view(bytes.data(), wanted.size()) == wanted;
}

// Whether SQLite would put back what a journal says, which is none of ours: a history has a log
// ahead instead. It would also remove any file that the journal's end names.
bool has_foreign_journal(const std::string& file) {
  std::ifstream journal(file + "-journal", std::ios::binary | std::ios::ate);
  if (!journal || journal.tellg() <= 0) return false;
  const auto magic = static_cast<std::streamoff>(kJournalMagic.size());
  if (journal.tellg() >= magic && has_bytes(journal, -magic, std::ios::end, kJournalMagic)) {
    return true;
  }
  // A program that dies while it makes a history leaves a journal, and nothing that could be lost.
  std::error_code absent;
  const auto size = std::filesystem::file_size(file, absent);
  if ((absent || size <= kPage) && !std::filesystem::exists(file + "-wal", absent)) return false;
  std::ifstream database(file, std::ios::binary);
  return has_bytes(database, kModeAt, std::ios::beg, kWithLogAhead);
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
  const auto end = std::chrono::steady_clock::now() + kChangeOver;
  while (has_foreign_journal(file)) {
    if (std::chrono::steady_clock::now() >= end) {
      throw Error(
          kExitNotMeasured,
          fmt::format("--history {}: {}-journal beside it is not of this history, and would "
                      "change it: remove it",
                      name_of(where), one_line(file)));
    }
    std::this_thread::sleep_for(kPause);
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
