// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/museum/cheats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/markdown.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kWordsShown = 120;

bool is_honest(const std::string& benchmark) { return benchmark.find("/honest") != benchmark.npos; }

bool is_caught(const std::string& status) { return status != "ok"; }

std::string cell(const std::string& benchmark, const std::string& status) {
  if (status == "ok") return is_honest(benchmark) ? "passed" : "**missed**";
  if (is_honest(benchmark)) return "**accused**";
  return status == "remark" ? "remarked" : "caught";
}

// How many of one device's rows say what.
struct Tally {
  std::size_t cheats = 0;
  std::size_t refused = 0;
  std::size_t remarked = 0;
  std::size_t honest = 0;
  std::size_t accused = 0;

  void add(const CheatRow& row) {
    const bool caught = is_caught(row.status);
    if (is_honest(row.benchmark)) {
      ++honest;
      accused += caught ? 1 : 0;
      return;
    }
    ++cheats;
    refused += caught && row.status != "remark" ? 1 : 0;
    remarked += row.status == "remark" ? 1 : 0;
  }
};

using DeviceAndSide = std::pair<std::string, std::string>;

std::string table_of_places(const std::vector<CheatRow>& rows,
                            const std::vector<std::pair<DeviceAndSide, std::string>>& places) {
  std::map<DeviceAndSide, Tally> tallies;
  for (const CheatRow& row : rows) tallies[{row.device, row.side}].add(row);
  std::vector<std::vector<std::string>> cells;
  for (const auto& [place, title] : places) {
    const Tally& tally = tallies[place];
    cells.push_back({title, fmt::format("{} of {}", tally.refused, tally.cheats),
                     fmt::format("{}", tally.remarked),
                     fmt::format("{} of {}", tally.accused, tally.honest)});
  }
  return markdown_table({{"where"},
                         {"cheats refused", Align::right},
                         {"remarked", Align::right},
                         {"honest ones accused", Align::right}},
                        cells);
}

std::string beginning_of(const std::string& words) {
  if (words.size() <= kWordsShown) return words;
  std::size_t end = kWordsShown;
  while (end > 0 && (static_cast<unsigned char>(words[end]) & 0xc0U) == 0x80U) --end;  // whole ones
  return words.substr(0, end) + "…";
}

}  // namespace

std::vector<CheatRow> cheat_rows(std::string_view text, const std::string& name) {
  std::vector<CheatRow> rows;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '\t');) cells.push_back(part);
    if (cells.size() == 4) cells.emplace_back();
    if (cells.size() != 5) {
      throw Error(kExitNotMeasured,
                  fmt::format("{}: line {} is not one of tests/museum/cheats/run.py: {}", name,
                              rows.size() + 1, line));
    }
    rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[4]});
  }
  return rows;
}

std::string cheats_table(const std::string& heading, const std::vector<CheatRow>& rows) {
  std::vector<std::pair<DeviceAndSide, std::string>> places{
      {{"emulated", "first"}, "emulator, first sight"},
      {{"emulated", "after"}, "emulator"},
      {{"gpu", "first"}, "H200, first sight"},
      {{"gpu", "after"}, "H200"}};
  std::map<std::string, std::map<DeviceAndSide, const CheatRow*>> by_benchmark;
  std::set<DeviceAndSide> recorded;
  for (const CheatRow& row : rows) {
    by_benchmark[row.benchmark][{row.device, row.side}] = &row;
    recorded.insert({row.device, row.side});
  }
  std::erase_if(places, [&](const auto& place) { return !recorded.contains(place.first); });

  std::vector<Column> columns{{"benchmark"}};
  for (const auto& place : places) columns.push_back({place.second});
  columns.push_back({"what is said"});
  std::vector<std::vector<std::string>> cells;
  std::map<std::string, std::set<std::string>> caught;  // by side
  std::map<std::string, std::set<std::string>> accused;
  std::size_t cheats = 0;
  for (const bool honest : {false, true}) {
    for (const auto& [benchmark, said] : by_benchmark) {
      if (is_honest(benchmark) != honest) continue;
      if (!honest) ++cheats;
      std::vector<std::string> line{markdown_code(benchmark)};
      std::string words;
      for (const auto& [place, title] : places) {
        const auto found = said.find(place);
        if (found == said.end()) {
          line.emplace_back("–");
          continue;
        }
        const CheatRow& row = *found->second;
        line.push_back(cell(benchmark, row.status));
        if (!is_caught(row.status)) continue;
        (honest ? accused : caught)[row.side].insert(benchmark);
        words = row.words;
      }
      line.push_back(markdown_text(beginning_of(words)));
      cells.push_back(std::move(line));
    }
  }
  // Without these on a device that had the cheats first, fewer would be caught after than before.
  const bool again = std::all_of(recorded.begin(), recorded.end(), [&](const DeviceAndSide& place) {
    return recorded.contains({place.first, "after"});
  });
  const auto before_and_after = [&](std::map<std::string, std::set<std::string>>& found) {
    return fmt::format("{} at first sight{}", found["first"].size(),
                       again ? fmt::format(", {} after", found["after"].size()) : "");
  };
  return fmt::format(
             "### {}\n\nCaught, on one device at least, of {} cheats: {}. Honest ones accused, "
             "of {}: {}.\n\n",
             heading, cheats, before_and_after(caught), by_benchmark.size() - cheats,
             before_and_after(accused)) +
         table_of_places(rows, places) + "\n" + markdown_table(columns, cells);
}

std::string cheats_tables(const std::filesystem::path& folder) {
  constexpr std::array<std::pair<const char*, const char*>, 2> kFiles{
      {{"Cheats, one by one", "cheats.tsv"},
       {"Cheats of an author who had not seen the detectors", "blind_cheats.tsv"}}};
  std::string tables;
  for (const auto& [heading, name] : kFiles) {
    const std::filesystem::path file = folder / name;
    if (!std::filesystem::exists(file)) continue;
    tables += cheats_table(heading, cheat_rows(results::read_file(file), file)) + "\n";
  }
  return tables;
}

}  // namespace warpgauge::ci
