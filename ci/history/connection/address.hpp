// SPDX-License-Identifier: Apache-2.0
// Where a history is: an SQLite file, or the address of a PostgreSQL database. What is shown of an
// address never holds a password.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::ci {

// Whether this is an address of PostgreSQL's; everything else is an SQLite file.
[[nodiscard]] bool is_postgresql(std::string_view where);

// The place for messages: an address without password and options.
[[nodiscard]] std::string name_of(const std::string& where);

// The address as libpq takes it, with a limit on how long connecting may take where neither the
// address nor PGCONNECT_TIMEOUT gives one, or that is 0. Throws Error (usage), without a word of
// the address that may be a password, for one that libpq would read differently than it is meant.
[[nodiscard]] std::string connection_of(const std::string& where);

// Throws Error (usage) for what is no file's name: an address in another form than PostgreSQL's or
// with a misspelt scheme, which may hold a password, and what SQLite keeps nowhere.
void check_file_name(const std::string& where);

// A complaint about `where` without its passwords, whoever repeats them.
[[nodiscard]] std::string without_password(std::string complaint, const std::string& where);

// A text with words that someone typed, each cut off where a password may begin, and all of it
// behind the first option that may be one, as in "password = ".
[[nodiscard]] std::string without_addresses(const std::string& text);

// A word that someone typed where nothing is known to be wanted, without what may be a value.
[[nodiscard]] std::string without_values(const std::string& word);

}  // namespace warpgauge::ci
