// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/museum/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "ci/statistics/mean.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/markdown.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using nlohmann::json;

// What a gate said of a kernel of a rung.
struct Gated {
  std::string id;
  int units = 0;
  double time_ns = 0;
  double slower = 0;
  double standard_error = 0;
  std::size_t pairs = 0;  // of processes
  std::string verdict;
  double floor = 0;
};

// By differences of logarithms, pair by pair: what is common to a pair does not count.
Gated gated_of(const json& row) {
  Gated gated{.id = row.at("id"), .units = row.at("units"), .verdict = row.at("verdict")};
  if (row.at("floor").is_number()) gated.floor = row.at("floor");
  const auto before = row.at("before").get<std::vector<double>>();
  const auto after = row.at("after").get<std::vector<double>>();
  gated.time_ns = mean_of(before);
  gated.pairs = std::min(before.size(), after.size());
  std::vector<double> pairs;
  for (std::size_t i = 0; i < gated.pairs; ++i) pairs.push_back(std::log(after[i] / before[i]));
  const double mean = mean_of(pairs);
  double squares = 0;
  for (const double each : pairs) squares += (each - mean) * (each - mean);
  const auto count = static_cast<double>(pairs.size());
  gated.slower = std::expm1(mean);
  gated.standard_error = std::sqrt(squares / (count - 1) / count);
  return gated;
}

std::string said(const Gated& gated) {
  if (gated.verdict == "regressed") return "found";
  return gated.verdict == "inconclusive" ? "undecided" : "passed";
}

const char* size_of(double slower) {
  if (slower < 0.0025) return "less than 0.25 %, or faster";
  if (slower < 0.0075) return "0.25 to 0.75 %";
  if (slower < 0.015) return "0.75 to 1.5 %";
  return "1.5 % and more";
}

std::string by_size(const std::vector<Gated>& all) {
  std::map<std::string, std::map<std::string, int>> counts;
  for (const Gated& each : all) ++counts[size_of(each.slower)][said(each)];
  std::vector<std::vector<std::string>> rows;
  for (const double size : {0.0, 0.005, 0.01, 0.02}) {
    std::map<std::string, int>& of = counts[size_of(size)];
    rows.push_back({size_of(size), fmt::format("{}", of["found"]), fmt::format("{}", of["passed"]),
                    fmt::format("{}", of["undecided"])});
  }
  return markdown_table({{"slower by"},
                         {"found", Align::right},
                         {"passed", Align::right},
                         {"undecided", Align::right}},
                        rows);
}

std::string by_kernel(const std::vector<Gated>& all) {
  std::vector<std::vector<std::string>> rows;
  for (const Gated& each : all) {
    rows.push_back(
        {markdown_code(each.id), readable_time(each.time_ns), fmt::format("{}", each.units),
         fmt::format("{:+.2f} ± {:.2f} %", 100 * each.slower, 100 * each.standard_error),
         fmt::format("{:.2f} %", 100 * each.floor), fmt::format("{}", each.pairs), said(each)});
  }
  return markdown_table({{"kernel"},
                         {"time", Align::right},
                         {"units", Align::right},
                         {"slower by", Align::right},
                         {"floor", Align::right},
                         {"pairs", Align::right},
                         {"the gate"}},
                        rows);
}

}  // namespace

std::string ladder_tables(std::string_view text, const std::string& name,
                          const std::string& command) {
  try {
    const json recorded = json::parse(text);
    std::vector<Gated> all;
    for (const json& row : recorded.at("kernels")) all.push_back(gated_of(row));
    std::sort(all.begin(), all.end(), [](const Gated& a, const Gated& b) {
      return std::tie(a.id, a.units, a.pairs) < std::tie(b.id, b.units, b.pairs);
    });
    const json& measured = recorded.at("measured");
    return by_size(all) + "\n" + by_kernel(all) +
           fmt::format("\nMeasured on {}, driver {}, CUDA {}, {}. Printed by {}.\n",
                       markdown_text(measured.at("device").get<std::string>()),
                       measured.at("driver").get<std::string>(),
                       measured.at("cuda").get<std::string>(),
                       measured.at("created").get<std::string>(), markdown_code(command));
  } catch (const json::exception& error) {
    throw Error(kExitNotMeasured,
                fmt::format("{}: {}; tests/museum/ladder/keep.py writes it", name, error.what()));
  }
}

}  // namespace warpgauge::ci
