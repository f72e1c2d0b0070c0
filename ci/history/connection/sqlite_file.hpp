// SPDX-License-Identifier: Apache-2.0
// An SQLite file that someone else may have made, and what is beside it.
#pragma once

#include <soci/soci.h>

#include <chrono>
#include <map>
#include <string>

namespace warpgauge::ci {

// Throws Error for what is no regular file, or has beside it what is none: of a pipe or a device
// SQLite would read forever, and it follows a link. Also for a journal beside it, which SQLite
// would play back into it before anything is read: no history has one.
void check_sqlite_files(const std::string& where);

// For a file of unknown origin. Changes nothing in it.
void open_carefully(soci::session& sql, std::chrono::seconds busy_timeout);

// Readers go on while one writes; a writer that dies leaves the file as it was. Changes the file.
void use_write_ahead_log(soci::session& sql, std::chrono::seconds busy_timeout);

// All that a file holds, by name: what it is, of which table, and the statement that made it; but
// for the tables that ANALYZE makes in any file.
[[nodiscard]] std::map<std::string, std::string> tables_of(soci::session& sql);

}  // namespace warpgauge::ci
