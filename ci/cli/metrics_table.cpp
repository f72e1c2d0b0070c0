// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/metrics_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;

std::string text(const Json& metric, const char* field) {
  return one_line(metric.at(field).get<std::string>());
}

}  // namespace

std::string metrics_table(const Json& answer) {
  if (answer.contains("chips")) {
    std::string chips;
    for (const Json& chip : answer["chips"]) chips += one_line(chip.get<std::string>()) + "\n";
    return chips;
  }
  const Json& metrics = answer.at("metrics");
  const bool recorded = std::any_of(metrics.begin(), metrics.end(), [](const Json& metric) {
    return metric.contains("recorded_as");
  });
  std::vector<Column> columns{{"metric"}, {"of"}, {"in"}, {"passes", Align::right}};
  if (recorded) columns.push_back({"always recorded as"});
  columns.push_back({"what"});

  std::vector<std::vector<std::string>> rows;
  for (const Json& metric : metrics) {
    const auto passes = metric.at("passes").get<std::size_t>();
    rows.push_back({text(metric, "name"), text(metric, "unit"), text(metric, "dimension"),
                    passes == 0 ? "–" : fmt::format("{}", passes)});
    if (recorded) {
      rows.back().push_back(metric.contains("recorded_as") ? text(metric, "recorded_as") : "");
    }
    rows.back().push_back(text(metric, "description"));
  }
  return aligned_table(columns, rows);
}

}  // namespace warpgauge::ci
