// SPDX-License-Identifier: Apache-2.0
// Holds every #include of the product to ci/arrows.txt, which draws the rooms that a room may use.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/system/house/complaints.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

// By room, the rooms that it may use. Rooms are folders: "ci/verdict", "profiling/results",
// "kernels".
using Arrows = std::map<std::string, std::set<std::string>>;

// The table calls rooms of ci/ by their last name alone, and lets all of them use two more.
Arrows drawn_arrows() {
  std::ifstream file(kRoot / "ci" / "arrows.txt");
  Arrows arrows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t colon = line.find(':');
    const std::string name = line.substr(0, colon);
    const bool in_ci = fs::is_directory(kRoot / "ci" / name);
    std::set<std::string>& used = arrows[in_ci ? "ci/" + name : name];
    std::istringstream words(colon == line.npos ? "" : line.substr(colon + 1));
    for (std::string word; words >> word;) used.insert(in_ci ? "ci/" + word : word);
    if (in_ci) used.insert({"profiling/results", "profiling/machine_code"});
  }
  return arrows;
}

// The room that a file is in; without a room of its own, the folder at the top.
std::string room_of(const std::string& path, const Arrows& arrows) {
  for (fs::path folder = fs::path(path).parent_path(); !folder.empty();
       folder = folder.parent_path()) {
    if (arrows.contains(folder.string())) return folder.string();
  }
  return path.substr(0, path.find('/'));
}

// What an #include in quotation marks names, as a path in the project; std::nullopt for all else.
std::optional<std::string> included_by(const std::string& line, const fs::path& file) {
  const std::size_t hash = line.find_first_not_of(" \t");
  if (hash == line.npos || line[hash] != '#') return std::nullopt;
  const std::size_t word = line.find_first_not_of(" \t", hash + 1);
  if (word == line.npos || line.compare(word, 7, "include") != 0) return std::nullopt;
  const std::size_t begin = line.find('"', word);
  const std::size_t end = line.find('"', begin + 1);
  if (begin == line.npos || end == line.npos) return std::nullopt;
  const std::string name = line.substr(begin + 1, end - begin - 1);
  const fs::path beside = (file.parent_path() / name).lexically_normal();
  if (!fs::exists(kRoot / name) && fs::exists(kRoot / beside)) return beside.string();
  return name;  // one that CMake generates has its path in the project too
}

Complaints complaints(const Arrows& arrows) {
  const std::set<std::string> kinds{".cpp", ".hpp", ".h", ".cu", ".cuh", ".in"};
  Complaints found;
  for (const char* top : {"ci", "profiling", "kernels", "benchmarks"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / top)) {
      if (!entry.is_regular_file() || !kinds.contains(entry.path().extension())) continue;
      const fs::path path = entry.path().lexically_relative(kRoot);
      const std::string from = room_of(path.string(), arrows);
      std::ifstream file(entry.path());
      int number = 0;
      for (std::string line; std::getline(file, line);) {
        ++number;
        const auto name = included_by(line, path);
        if (!name) continue;
        ++found.seen;
        const std::string to = room_of(*name, arrows);
        const auto used = arrows.find(from);
        if (to == from || (used != arrows.end() && used->second.contains(to))) continue;
        found.texts.push_back(path.string() + ":" + std::to_string(number) + " includes " + *name +
                              ", but ci/arrows.txt draws no arrow from " + from + " to " + to);
      }
    }
  }
  return found;
}

// The rooms of a circle that starts and ends at the last one; empty when there is none.
std::vector<std::string> circle(const Arrows& arrows, std::vector<std::string> path) {
  const auto used = arrows.find(path.back());
  if (used == arrows.end()) return {};
  for (const std::string& next : used->second) {
    std::vector<std::string> longer = path;
    longer.push_back(next);
    if (std::find(path.begin(), path.end(), next) != path.end()) return longer;
    longer = circle(arrows, longer);
    if (!longer.empty()) return longer;
  }
  return {};
}

TEST(Arrows, EveryIncludeIsDrawn) {
  const Complaints found = complaints(drawn_arrows());
  EXPECT_TRUE(found.texts.empty()) << joined(found.texts);
  EXPECT_GT(found.seen, 500) << "too few includes were found: the test proves nothing";
}

TEST(Arrows, OneThatIsNotDrawnIsNamedWithFileAndLine) {
  Arrows arrows = drawn_arrows();
  ASSERT_TRUE(arrows.at("ci/report").erase("ci/verdict"));
  const Complaints found = complaints(arrows);
  ASSERT_FALSE(found.texts.empty());
  for (const std::string& text : found.texts) {
    EXPECT_EQ(text.find("ci/report/"), 0U) << text;
    EXPECT_NE(text.find(" includes ci/verdict/"), text.npos) << text;
    EXPECT_NE(text.find("no arrow from ci/report to ci/verdict"), text.npos) << text;
  }
}

TEST(Arrows, EveryRoomIsAFolderAndEveryFolderOfCodeARoom) {
  const Arrows arrows = drawn_arrows();
  for (const auto& [room, used] : arrows) {
    EXPECT_TRUE(fs::is_directory(kRoot / room)) << room;
    for (const std::string& each : used) {
      EXPECT_TRUE(arrows.contains(each)) << room << " uses " << each << ", which has no line";
    }
  }
  for (const char* top : {"ci", "profiling"}) {
    for (const auto& entry : fs::directory_iterator(kRoot / top)) {
      if (!entry.is_directory() || !fs::exists(entry.path() / "CMakeLists.txt")) continue;
      EXPECT_TRUE(arrows.contains(entry.path().lexically_relative(kRoot))) << entry.path();
    }
  }
}

TEST(Arrows, DrawNoCircle) {
  Arrows arrows = drawn_arrows();
  for (const auto& [room, used] : arrows) EXPECT_EQ(joined(circle(arrows, {room})), "");
  arrows.at("ci/support").insert("ci/cli");
  EXPECT_NE(joined(circle(arrows, {"ci/support"})), "");
}

TEST(Arrows, KernelsKnowNothingAndTheRecordKnowsNoGate) {
  const Arrows arrows = drawn_arrows();
  EXPECT_TRUE(arrows.at("kernels").empty());
  EXPECT_TRUE(arrows.at("profiling/results").empty());
  for (const auto& [room, used] : arrows) {
    if (room.starts_with("ci/")) continue;
    for (const std::string& each : used) EXPECT_FALSE(each.starts_with("ci/")) << room;
  }
  for (const auto& [room, used] : arrows) EXPECT_FALSE(used.contains("ci/cli")) << room;
}

}  // namespace
}  // namespace warpgauge
