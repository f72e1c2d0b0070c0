// SPDX-License-Identifier: Apache-2.0
// What the harness says of the benchmarks that mislead it (tests/museum/cheats), from what run.py
// recorded.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::ci {

// A row of run.py.
struct CheatRow {
  std::string device;
  std::string side;  // "first" or "after"
  std::string benchmark;
  std::string status;
  std::string words;
};

// Throws Error (not measured) on a line that is no such row.
[[nodiscard]] std::vector<CheatRow> cheat_rows(std::string_view text, const std::string& name);

// As Markdown, below a heading. An honest benchmark is one whose variant's name says so.
[[nodiscard]] std::string cheats_table(const std::string& heading,
                                       const std::vector<CheatRow>& rows);

// The tables of all files of rows in a folder (tests/museum/recorded), one after the other. Empty:
// there is no such file.
[[nodiscard]] std::string cheats_tables(const std::filesystem::path& folder);

}  // namespace warpgauge::ci
