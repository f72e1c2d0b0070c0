// SPDX-License-Identifier: Apache-2.0
// How often changes are missed, and how often they are made up, by the segmentation and by two
// rules that people use instead. The table stands in docs/guide/history.md.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "ci/statistics/series/change_points.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

constexpr int kSeries = 1000;
constexpr std::size_t kRunsOfASeries = 100;
constexpr std::size_t kNear = 5;  // runs between a change and what is taken for its finding

using Random = std::mt19937_64;

// A normal deviate; the library's own may differ from system to system.
double normal(Random& random) {
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  const double radius = std::sqrt(-2 * std::log(uniform()));
  return radius * std::cos(6.283185307179586 * uniform());
}

// Figures about 1 of a kernel that stays as it is.
using Noise = std::function<double(Random&)>;

Noise one_per_cent() {
  return [](Random& random) { return 1 + 0.01 * normal(random); };
}

Noise with_odd_runs() {
  return [](Random& random) {
    const bool odd = random() % 50 == 0;
    return 1 + 0.01 * normal(random) + (odd ? 0.1 : 0);
  };
}

// As where a machine's state lasts for some runs: half of each run's deviation is the last one's.
Noise correlated() {
  return [last = 0.0](Random& random) mutable {
    last = 0.5 * last + std::sqrt(0.75) * normal(random);
    return 1 + 0.01 * last;
  };
}

// Of each benchmark, by session, relative to its own mean; in a series, of one benchmark.
std::vector<std::vector<double>> recorded_sessions() {
  const auto json = nlohmann::json::parse(
      results::read_file(SOURCE_ROOT "/tests/verdict/recorded/h200_sessions.json"));
  std::vector<std::vector<double>> all;
  for (const auto& [id, medians] : json.at("benchmarks").items()) {
    auto figures = medians.get<std::vector<double>>();
    const double mean =
        std::accumulate(figures.begin(), figures.end(), 0.0) / static_cast<double>(figures.size());
    for (double& figure : figures) figure /= mean;
    all.push_back(figures);
  }
  return all;
}

// A change of the level at a run.
struct Planted {
  std::size_t at = 0;
  double factor = 1;
};

struct Series {
  std::vector<double> figures;
  std::vector<std::size_t> changes;  // where they are
};

struct Scenario {
  std::string name;
  std::function<Series(Random&)> draw;
};

// Level changes at these runs by these factors, on noise.
Series stepped(Random& random, const Noise& noise, const std::vector<Planted>& planted) {
  Series series;
  double level = 1;
  auto next = planted.begin();
  for (std::size_t run = 0; run < kRunsOfASeries; ++run) {
    if (next != planted.end() && next->at == run) {
      level *= next->factor;
      series.changes.push_back(run);
      ++next;
    }
    series.figures.push_back(level * noise(random));
  }
  return series;
}

Scenario step(const std::string& name, const std::function<Noise(Random&)>& noise, double factor) {
  return {name, [=](Random& random) {
            const std::size_t at = 20 + random() % 60;
            return stepped(random, noise(random), {{at, factor}});
          }};
}

Scenario drift(const std::string& name, double by) {
  return {name, [=](Random& random) {
            Series series = stepped(random, one_per_cent(), {});
            for (std::size_t i = 0; i < kRunsOfASeries; ++i) {
              series.figures[i] *= 1 + by * static_cast<double>(i) / kRunsOfASeries;
            }
            return series;
          }};
}

std::vector<Scenario> scenarios() {
  const auto plain = [](Random&) { return one_per_cent(); };
  const auto odd = [](Random&) { return with_odd_runs(); };
  const auto sessions = recorded_sessions();
  // Of one benchmark a series.
  const auto recorded = [sessions](Random& random) -> Noise {
    const std::vector<double>& one = sessions[random() % sessions.size()];
    return [one](Random& each) { return one[each() % one.size()]; };
  };
  const auto quiet = [](const std::string& name, const std::function<Noise(Random&)>& noise) {
    return Scenario{name, [=](Random& random) { return stepped(random, noise(random), {}); }};
  };
  return {
      quiet("none; scatter of 1 %", plain),
      quiet("none; one run in 50 is odd, +10 %", odd),
      quiet("none; scatter as recorded", recorded),
      quiet("none; each run deviates half as the one before", [](Random&) { return correlated(); }),
      step("step of 1 %", plain, 1.01),
      step("step of 2 %", plain, 1.02),
      step("step of 3 %", plain, 1.03),
      step("step of 6 %", plain, 1.06),
      step("step of 3 %, with odd runs", odd, 1.03),
      step("step of 2 %; scatter as recorded", recorded, 1.02),
      {"3 % up, and back after 10 runs",
       [=](Random& random) {
         const std::size_t at = 20 + random() % 50;
         return stepped(random, one_per_cent(), {{at, 1.03}, {at + 10, 1 / 1.03}});
       }},
      drift("drift of 2 % over all 100 runs", 0.02),
      drift("drift of 4 % over all 100 runs", 0.04),
  };
}

// Runs at which a rule says that something changed.
using FindsChanges = std::function<std::vector<std::size_t>(const std::vector<double>&)>;

std::vector<Change> segmentation(const std::vector<double>& figures) {
  std::vector<SeriesPoint> points;
  for (const double figure : figures) points.push_back({std::log(figure), 0});
  return find_changes(points);
}

std::vector<std::size_t> by_segmentation(const std::vector<double>& figures) {
  std::vector<std::size_t> alarms;
  for (const Change& change : segmentation(figures)) alarms.push_back(change.first);
  return alarms;
}

// Off the mean of the 20 runs before by more than three of their standard deviations.
std::vector<std::size_t> by_moving_average(const std::vector<double>& figures) {
  constexpr std::size_t kWindow = 20;
  std::vector<std::size_t> alarms;
  for (std::size_t i = kWindow; i < figures.size(); ++i) {
    double sum = 0;
    double squares = 0;
    for (std::size_t j = i - kWindow; j < i; ++j) sum += figures[j];
    const double mean = sum / kWindow;
    for (std::size_t j = i - kWindow; j < i; ++j) {
      squares += (figures[j] - mean) * (figures[j] - mean);
    }
    const double deviation = std::sqrt(squares / (kWindow - 1));
    if (std::abs(figures[i] - mean) > 3 * deviation) alarms.push_back(i);
  }
  return alarms;
}

// Off the first run by more than 5 %.
std::vector<std::size_t> by_threshold(const std::vector<double>& figures) {
  std::vector<std::size_t> alarms;
  for (std::size_t i = 1; i < figures.size(); ++i) {
    if (std::abs(figures[i] / figures[0] - 1) > 0.05) alarms.push_back(i);
  }
  return alarms;
}

struct ChangeRates {
  double missed = 0;        // of the planted changes
  double false_alarms = 0;  // series in which something was found that is not there
};

bool near(std::size_t alarm, std::size_t change) {
  return alarm + kNear >= change && alarm <= change + kNear;
}

// A rule that looks at each run by itself goes on alarming after a step, which is no false alarm.
ChangeRates rates_of(const Scenario& scenario, const FindsChanges& rule, bool goes_on) {
  Random random(20261121);
  std::size_t missed = 0;
  std::size_t planted = 0;
  std::size_t false_alarms = 0;
  for (int i = 0; i < kSeries; ++i) {
    const Series series = scenario.draw(random);
    const std::vector<std::size_t> alarms = rule(series.figures);
    for (const std::size_t change : series.changes) {
      ++planted;
      const bool found = std::any_of(alarms.begin(), alarms.end(),
                                     [&](std::size_t alarm) { return near(alarm, change); });
      missed += found ? 0 : 1;
    }
    const bool made_up = std::any_of(alarms.begin(), alarms.end(), [&](std::size_t alarm) {
      return std::none_of(series.changes.begin(), series.changes.end(), [&](std::size_t change) {
        return near(alarm, change) || (goes_on && alarm > change);
      });
    });
    false_alarms += made_up ? 1 : 0;
  }
  return {planted == 0 ? 0 : static_cast<double>(missed) / static_cast<double>(planted),
          static_cast<double>(false_alarms) / kSeries};
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

struct Row {
  std::string name;
  bool planted = false;
  ChangeRates segmentation;
  ChangeRates moving_average;
  ChangeRates threshold;
};

bool is_drift(const std::string& name) { return name.starts_with("drift"); }

std::vector<Row> measured() {
  std::vector<Row> rows;
  for (const Scenario& scenario : scenarios()) {
    Random random(1);
    rows.push_back({scenario.name, !scenario.draw(random).changes.empty(),
                    rates_of(scenario, by_segmentation, false),
                    rates_of(scenario, by_moving_average, true),
                    rates_of(scenario, by_threshold, true)});
    // A drift is nowhere, and everywhere: what says anything has found it.
    if (!is_drift(scenario.name)) continue;
    Row& row = rows.back();
    row.planted = true;
    for (ChangeRates* rates : {&row.segmentation, &row.moving_average, &row.threshold}) {
      *rates = {1 - rates->false_alarms, 0};
    }
  }
  return rows;
}

// Of the drifts in which anything was found, how many are one drift and nothing else.
std::string called_drifts() {
  Random random(20261121);
  const Scenario scenario = drift("", 0.04);
  int found = 0;
  int called = 0;
  for (int i = 0; i < kSeries; ++i) {
    const std::vector<Change> changes = segmentation(scenario.draw(random).figures);
    found += changes.empty() ? 0 : 1;
    called += changes.size() == 1 && changes[0].kind == ChangeKind::drift ? 1 : 0;
  }
  return fmt::format("Of the drifts of 4 % that are found, {} are called one drift.\n",
                     percent(static_cast<double>(called) / found));
}

std::string table_of(const std::vector<Row>& rows) {
  std::string text =
      "| what is there | E-divisive: missed | made up | moving average: missed | made up | fixed "
      "threshold: missed | made up |\n|---|---|---|---|---|---|---|\n";
  for (const Row& row : rows) {
    text += "| " + row.name;
    for (const ChangeRates& rates : {row.segmentation, row.moving_average, row.threshold}) {
      text += " | " + (row.planted ? percent(rates.missed) : "–");
      text += " | " + (is_drift(row.name) ? "–" : percent(rates.false_alarms));
    }
    text += " |\n";
  }
  return text;
}

// Between its markers; with WARPGAUGE_WRITE_GOLDEN it is put there.
void expect_in_page(const std::string& table) {
  const std::string path = SOURCE_ROOT "/docs/guide/history.md";
  const std::string begin = "<!-- change rates: begin -->\n";
  const std::string end = "<!-- change rates: end -->\n";
  const std::string page = results::read_file(path);
  const std::size_t from = page.find(begin);
  const std::size_t to = page.find(end);
  ASSERT_TRUE(from != page.npos && to != page.npos && from < to) << path << " lacks the markers";
  const std::string before = page.substr(0, from + begin.size());
  if (std::getenv("WARPGAUGE_WRITE_GOLDEN") != nullptr) {
    results::write_file_atomically(path, before + table + page.substr(to));
    return;
  }
  EXPECT_EQ(page.substr(before.size(), to - before.size()), table)
      << path << "; if this is meant to change, rewrite it with WARPGAUGE_WRITE_GOLDEN=1";
}

TEST(ChangeRates, AreAsTheDocumentationSays) {
  const std::vector<Row> rows = measured();
  const std::string table = table_of(rows) + "\n" + called_drifts();
  expect_in_page(table);
  for (const Row& row : rows) {
    if (row.name.starts_with("none; each run")) continue;  // not what the level holds for
    if (row.name.starts_with("none")) {
      // Twice the level and more where the scatter is of two kinds, as recorded of an odd die.
      EXPECT_LT(row.segmentation.false_alarms, row.name.ends_with("recorded") ? 0.03 : 0.015)
          << row.name;
      EXPECT_LT(row.segmentation.false_alarms, row.moving_average.false_alarms) << row.name;
    } else {
      EXPECT_LE(row.segmentation.missed, row.moving_average.missed) << row.name;
      EXPECT_LE(row.segmentation.missed, row.threshold.missed) << row.name;
    }
  }
}

// Of one code; but sessions of one die follow each other, and dies differ.
TEST(RecordedSeries, OfOneCodeHaveHardlyAStep) {
  int stepped = 0;
  int series = 0;
  for (const std::vector<double>& figures : recorded_sessions()) {
    stepped += segmentation(figures).empty() ? 0 : 1;
    ++series;
  }
  std::printf("%d of %d benchmarks have a step\n", stepped, series);
  EXPECT_GT(series, 20);
  EXPECT_LE(stepped, series / 10) << stepped << " of " << series;
}

TEST(RecordedSeries, OfOneCodeShowAStepThatIsPutIntoThem) {
  int found = 0;
  int series = 0;
  for (std::vector<double> figures : recorded_sessions()) {
    const std::vector<double> once = figures;
    // The same sessions twice, the second time 5 % slower.
    for (const double figure : once) figures.push_back(1.05 * figure);
    const std::vector<Change> changes = segmentation(figures);
    found += changes.size() == 1 && changes[0].first == once.size() ? 1 : 0;
    ++series;
  }
  EXPECT_GE(found, series * 9 / 10) << found << " of " << series;
}

}  // namespace
}  // namespace warpgauge::ci
