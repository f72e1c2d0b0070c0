// SPDX-License-Identifier: Apache-2.0
// What was a regression in any golden verdict stays one, or stands with a reason in
// no_longer_regressed.json. regressions.json holds all that ever were: with
// WARPGAUGE_UPDATE_GOLDEN=1 new ones are added, and none is taken out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "ci/support/id_glob.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/verdict/golden/golden_verdicts.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using results::Json;

// Test, case, benchmark.
using Regression = std::tuple<std::string, std::string, std::string>;

const fs::path kFolder = fs::path(SOURCE_ROOT) / "tests/verdict";

Json read(const fs::path& path) { return Json::parse(results::read_file(path)); }

std::string text_of(const Regression& regression) {
  const auto& [test, name, id] = regression;
  return fmt::format("{}: {}: {}", test, name, id);
}

std::set<Regression> once_regressed() {
  std::set<Regression> all;
  const Json remembered = read(kFolder / "golden/regressions.json");
  for (const auto& [test, cases] : remembered.items()) {
    for (const auto& [name, ids] : cases.items()) {
      for (const Json& id : ids) all.emplace(test, name, id.get<std::string>());
    }
  }
  return all;
}

std::set<Regression> regressed_now() {
  std::set<Regression> all;
  for (const auto& file : fs::directory_iterator(kFolder / "golden_verdicts")) {
    const Json golden = read(file.path());
    for (const auto& [name, decisions] : golden.items()) {
      if (!decisions.contains("benchmarks")) continue;
      for (const Json& each : decisions.at("benchmarks")) {
        if (each.at("verdict") != "regressed") continue;
        all.emplace(file.path().stem().string(), name, each.at("id").get<std::string>());
      }
    }
  }
  return all;
}

bool is_in(const Json& values, const std::string& wanted) {
  return std::any_of(values.begin(), values.end(),
                     [&](const Json& each) { return each.get<std::string>() == wanted; });
}

bool explains(const Json& entry, const Regression& regression) {
  const auto& [test, name, id] = regression;
  return entry.at("test") == test && is_in(entry.at("cases"), name) &&
         ci::matches_any(entry.at("benchmarks").get<std::vector<std::string>>(), id);
}

void write_all(const std::set<Regression>& all) {
  std::map<std::string, std::map<std::string, Json>> by_test;
  for (const auto& [test, name, id] : all) by_test[test][name].push_back(id);
  std::string text;
  for (const auto& [test, cases] : by_test) {
    text += fmt::format("{}{}: {{", text.empty() ? "{\n" : ",\n", Json(test).dump());
    const char* separator = "\n ";
    for (const auto& [name, ids] : cases) {
      text += fmt::format("{}{}: {}", separator, Json(name).dump(), ids.dump());
      separator = ",\n ";
    }
    text += "}";
  }
  results::write_file_atomically(kFolder / "golden/regressions.json", text + "\n}\n");
}

TEST(GoldenRegressions, StayRegressionsOrHaveAReason) {
  const Json reasons = read(kFolder / "golden/no_longer_regressed.json");
  const std::set<Regression> now = regressed_now();
  std::vector<std::size_t> uses(reasons.size(), 0);
  for (const Regression& each : once_regressed()) {
    if (now.contains(each)) continue;
    bool has_reason = false;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if (!explains(reasons[i], each)) continue;
      has_reason = true;
      ++uses[i];
    }
    EXPECT_TRUE(has_reason) << text_of(each) << " was a regression and is none: give a reason in "
                            << "tests/verdict/golden/no_longer_regressed.json";
  }
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    EXPECT_FALSE(reasons[i].at("reason").get<std::string>().empty());
    EXPECT_GT(uses[i], 0U) << "explains nothing: " << reasons[i].dump();
  }
}

TEST(GoldenRegressions, AreAllRemembered) {
  std::set<Regression> all = once_regressed();
  const std::set<Regression> now = regressed_now();
  if (std::getenv("WARPGAUGE_UPDATE_GOLDEN") != nullptr) {
    all.insert(now.begin(), now.end());
    return write_all(all);
  }
  for (const Regression& each : now) {
    EXPECT_TRUE(all.contains(each))
        << text_of(each) << ": add it with WARPGAUGE_UPDATE_GOLDEN=1, so that it stays";
  }
}

}  // namespace
}  // namespace warpgauge
