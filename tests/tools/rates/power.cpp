// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/rates/power.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "ci/statistics/mean.hpp"
#include "ci/statistics/suite_model.hpp"
#include "ci/support/markdown.hpp"
#include "ci/verdict/metrics/narrowed_floor.hpp"
#include "tests/tools/rates/pooled_rules.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

struct SpreadClass {
  double below;  // a share
  const char* name;
};
constexpr SpreadClass kSpreads[] = {{0.001, "0.1 % at most"},
                                    {0.003, "0.1 to 0.3 %"},
                                    {std::numeric_limits<double>::infinity(), "more"}};
constexpr double kShown[] = {0.005, 0.01, 0.02, 0.05};

// Of the processes of a session, as a share: the root of the mean square over sessions.
double process_spread(const std::string& id, const std::vector<Results>& sessions) {
  double squares = 0;
  std::size_t count = 0;
  for (const Results& session : sessions) {
    const results::BenchmarkResult* const found = session.find(id);
    if (found == nullptr) continue;
    const std::vector<double> times = times_of(*found);
    if (times.size() < 2) continue;
    const double mean = mean_of(times);
    double deviations = 0;
    for (const double each : times) deviations += (each / mean - 1) * (each / mean - 1);
    squares += deviations / static_cast<double>(times.size() - 1);
    ++count;
  }
  return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
}

// A share of `time_ns`: as what is recorded of the processes allows.
double floor_of(Rule rule, Design design, const std::string& id, double time_ns,
                const std::vector<Results>& sessions) {
  TwoSides sides;
  for (const Results& session : sessions) {
    if (const auto* const found = session.find(id)) sides.before.push_back(times_of(*found));
  }
  sides.after = sides.before;
  if (design == Design::interleaved) narrow(rule, sides);
  return std::max(rule.relative_floor, rule.absolute_floor / time_ns);
}

// The kernels of one class in one setting.
struct SpreadRow {
  std::size_t kernels = 0;
  double least_floor = std::numeric_limits<double>::infinity();
  double greatest_floor = 0;
  std::vector<Proportion> found = std::vector<Proportion>(std::size(kShown));
  Proportion open;

  void add(const BenchmarkRates& benchmark, double floor) {
    ++kernels;
    least_floor = std::min(least_floor, floor);
    greatest_floor = std::max(greatest_floor, floor);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& all = slowdowns();
      const auto place = std::find(all.begin(), all.end(), kShown[i]) - all.begin();
      found[i] += benchmark.found.at(static_cast<std::size_t>(place));
    }
    open += benchmark.open;
  }
};

std::string percent(const Proportion& proportion) {
  return proportion.of == 0 ? "–" : fmt::format("{:.1f} %", 100 * proportion.share());
}

std::string floor_text(const SpreadRow& row) {
  const std::string least = fmt::format("{:.2g}", 100 * row.least_floor);
  const std::string greatest = fmt::format("{:.2g} %", 100 * row.greatest_floor);
  return least + " %" == greatest ? greatest : least + " to " + greatest;
}

void add_rows(const SettingRates& setting, const std::vector<Results>& sessions,
              const Policy& policy, std::vector<std::vector<std::string>>& rows) {
  const std::string device = sessions.front().session->device.key;
  double above = std::numeric_limits<double>::infinity();
  for (const DurationClass& of_duration : duration_classes()) {
    SpreadRow by_spread[std::size(kSpreads)];
    for (const BenchmarkRates& each : setting.benchmarks) {
      if (each.time_ns < of_duration.least_ns || each.time_ns >= above) continue;
      if (each.found.front().of == 0) continue;  // a control
      const Rule rule = policy.rule_for(each.id, results::kTimeMetric,
                                        {.design = setting.design, .device = device});
      const double spread = process_spread(each.id, sessions);
      const auto place = std::find_if(std::begin(kSpreads), std::end(kSpreads),
                                      [spread](const SpreadClass& c) { return spread <= c.below; });
      by_spread[place - std::begin(kSpreads)].add(
          each, floor_of(rule, setting.design, each.id, each.time_ns, sessions));
    }
    above = of_duration.least_ns;
    for (std::size_t i = 0; i < std::size(kSpreads); ++i) {
      const SpreadRow& row = by_spread[i];
      if (row.kernels == 0) continue;
      std::vector<std::string> cells{
          setting.design == Design::interleaved ? "in turns" : "baseline", of_duration.name,
          kSpreads[i].name, fmt::format("{}", row.kernels), floor_text(row)};
      for (const Proportion& each : row.found) cells.push_back(percent(each));
      cells.push_back(percent(row.open));
      rows.push_back(std::move(cells));
    }
  }
}

}  // namespace

std::string power_by_spread(const Calibration& calibration, const std::vector<Results>& sessions,
                            const Policy& policy) {
  std::vector<std::vector<std::string>> rows;
  for (const SettingRates& setting : calibration.settings)
    add_rows(setting, sessions, policy, rows);
  return markdown_table({{"sides"},
                         {"kernels of"},
                         {"processes differ by"},
                         {"kernels", Align::right},
                         {"floor", Align::right},
                         {"0.5 % found", Align::right},
                         {"1 %", Align::right},
                         {"2 %", Align::right},
                         {"5 %", Align::right},
                         {"open, if none", Align::right}},
                        rows);
}

}  // namespace warpgauge::ci
