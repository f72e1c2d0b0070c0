// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>

#include "ci/gate/calibrate.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/statistics/proportion.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/markdown.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "tests/tools/competing_rules.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;

constexpr double kAlpha = 0.05;
constexpr double kFloor = 0.005;  // Warpgauge's own of two sides in turns

double variance_of_mean(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double squares = 0;
  for (const double each : values) squares += (each - mean) * (each - mean);
  const auto count = static_cast<double>(values.size());
  return squares / (count - 1) / count;
}

std::vector<double> times_of(const BenchmarkResult& benchmark) {
  const results::Metric* const time = benchmark.find(results::kTimeMetric);
  return time == nullptr ? std::vector<double>{} : time->figures();
}

std::vector<double> all_launches(const BenchmarkResult& benchmark) {
  std::vector<double> all;
  for (const auto& process : benchmark.samples_ns)
    all.insert(all.end(), process.begin(), process.end());
  return all;
}

Said mann_whitney(const BenchmarkResult& before, const BenchmarkResult& after) {
  const std::vector<double> a = all_launches(before);
  const std::vector<double> b = all_launches(after);
  if (a.empty() || b.empty()) return Said::open;
  return mean_of(b) > mean_of(a) && mann_whitney_p(a, b) < kAlpha ? Said::slower : Said::not_slower;
}

Said welch(const BenchmarkResult& before, const BenchmarkResult& after) {
  const std::vector<double> a = times_of(before);
  const std::vector<double> b = times_of(after);
  if (a.size() < 2 || b.size() < 2) return Said::open;
  return mean_of(b) > (1 + kFloor) * mean_of(a) && welch_p(a, b) < kAlpha ? Said::slower
                                                                          : Said::not_slower;
}

// What all rules say of one benchmark of a comparison.
struct Row {
  std::string id;
  double before_ns = 0;  // 0: not timed
  double after_ns = 0;
  Verdict verdict = Verdict::same;
  std::string why;                   // Warpgauge's
  std::vector<Proportion> one_each;  // of each competing rule: pairs of processes called slower
  std::vector<Said> pooled;
};

Said said_by(Verdict verdict) {
  if (verdict == Verdict::regressed) return Said::slower;
  return verdict == Verdict::inconclusive || verdict == Verdict::not_measured ||
                 verdict == Verdict::missing || verdict == Verdict::failed
             ? Said::open
             : Said::not_slower;
}

void add_rivals(const BenchmarkResult& before, const BenchmarkResult& after, Row& row) {
  const std::size_t pairs = std::min(before.samples_ns.size(), after.samples_ns.size());
  for (const CompetingRule& rule : competing_rules()) {
    Proportion slower;
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::vector<double>& a = before.samples_ns[i];
      const std::vector<double>& b = after.samples_ns[i];
      if (std::min(a.size(), b.size()) >= kFewestSamples) slower.add(rule.is_slower(a, b));
    }
    row.one_each.push_back(slower);
  }
  for (const PooledRule& rule : pooled_rules()) row.pooled.push_back(rule.says(before, after));
}

std::vector<Row> rows_of(const MuseumComparison& comparison, const Policy& policy) {
  const GateVerdict verdict =
      compare(comparison.before, comparison.after, policy,
              {.design = Design::interleaved, .treat_as_changed = true, .compares_builds = true});
  std::vector<Row> rows;
  for (const BenchmarkVerdict& each : verdict.benchmarks) {
    const BenchmarkResult* const before = comparison.before.find(each.id);
    const BenchmarkResult* const after = comparison.after.find(each.id);
    if (before == nullptr || after == nullptr) continue;
    Row row;
    row.id = each.id;
    row.verdict = each.verdict;
    const std::vector<double> old_times = times_of(*before);
    const std::vector<double> new_times = times_of(*after);
    if (!old_times.empty() && !new_times.empty()) {
      row.before_ns = mean_of(old_times);
      row.after_ns = mean_of(new_times);
    }
    const ReportBlock block = report_block(each);
    if (!block.rows.empty()) row.why = block.rows.front().why;
    add_rivals(*before, *after, row);
    rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.id < b.id; });
  return rows;
}

// "museum/padding/16777216" is padding.
std::string name_of(const std::string& id) {
  const std::size_t begin = id.find('/') + 1;
  return id.substr(begin, id.find('/', begin) - begin);
}

std::string change_of(const Row& row) {
  if (!(row.before_ns > 0)) return "–";
  return fmt::format("{} → {}, {:+.1f} %", readable_time(row.before_ns),
                     readable_time(row.after_ns), 100 * (row.after_ns / row.before_ns - 1));
}

// right: what Said would be right.
std::string word(Said said, Said right) {
  if (said == Said::open) return "undecided";
  if (right == Said::slower) return said == right ? "found" : "**missed**";
  return said == right ? "passed" : "**accused**";
}

std::string pairs_of(const Proportion& slower) {
  return slower.of == 0 ? "–" : fmt::format("{} of {}", slower.hits, slower.of);
}

std::vector<Column> columns_of_rules() {
  std::vector<Column> columns{{"warpgauge"}};
  for (const PooledRule& rule : pooled_rules()) columns.push_back({rule.name});
  for (const CompetingRule& rule : competing_rules()) columns.push_back({rule.name, Align::right});
  return columns;
}

// Whether a row is called slower by each rule, in the order of the columns; of what sees one
// process a side, the pairs.
std::string table_of(const std::vector<Row>& rows, Said right) {
  std::vector<Column> columns{{"exhibit"}, {"time"}};
  for (const Column& each : columns_of_rules()) columns.push_back(each);
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    std::vector<std::string> line{markdown_code(name_of(row.id)), change_of(row),
                                  word(said_by(row.verdict), right)};
    for (const Said said : row.pooled) line.push_back(word(said, right));
    for (const Proportion& slower : row.one_each) line.push_back(pairs_of(slower));
    cells.push_back(std::move(line));
  }
  return markdown_table(columns, cells);
}

std::string causes(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    if (said_by(row.verdict) == Said::slower)
      cells.push_back({markdown_code(name_of(row.id)), markdown_text(row.why)});
  }
  return cells.empty() ? "" : markdown_table({{"exhibit"}, {"cause"}}, cells);
}

// Of one rule over rows of one kind. What sees one process a side counts pairs.
struct Count {
  std::size_t slower = 0;
  std::size_t open = 0;
  std::size_t of = 0;

  void add(Said said) {
    slower += said == Said::slower ? 1 : 0;
    open += said == Said::open ? 1 : 0;
    ++of;
  }
  void add(const Proportion& pairs) {
    slower += pairs.hits;
    of += pairs.of;
  }
};

std::string text_of(const Count& count) {
  if (count.of == 0) return "–";
  std::string text = fmt::format("{} of {}", count.slower, count.of);
  if (count.open > 0) text += fmt::format(", {} undecided", count.open);
  return text;
}

std::vector<Count> counts_of(const std::vector<Row>& rows) {
  std::vector<Count> counts(1 + pooled_rules().size() + competing_rules().size());
  for (const Row& row : rows) {
    std::size_t rule = 0;
    counts[rule++].add(said_by(row.verdict));
    for (const Said said : row.pooled) counts[rule++].add(said);
    for (const Proportion& pairs : row.one_each) counts[rule++].add(pairs);
  }
  return counts;
}

// The rows of all comparisons of a kind: "after", "twin", "real", "unchanged".
using Kinds = std::map<std::string, std::vector<Row>>;

std::string summary(const Kinds& kinds) {
  constexpr std::array kColumns{"after", "real", "twin", "unchanged"};
  std::vector<std::vector<Count>> counts;
  counts.reserve(kColumns.size());
  for (const char* kind : kColumns)
    counts.push_back(counts_of(kinds.contains(kind) ? kinds.at(kind) : std::vector<Row>{}));
  std::vector<std::vector<std::string>> cells;
  const std::vector<Column> rules = columns_of_rules();
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    std::vector<std::string> line{rules[rule].title};
    for (const std::vector<Count>& kind : counts) line.push_back(text_of(kind[rule]));
    cells.push_back(std::move(line));
  }
  return markdown_table({{"rule"},
                         {"re-enacted regressions found"},
                         {"real ones found"},
                         {"twins accused"},
                         {"unchanged accused"}},
                        cells);
}

std::string how(const std::vector<MuseumComparison>& museum, const std::string& command) {
  std::set<std::string> machines;
  std::string first = museum.front().after.session ? museum.front().after.session->created : "";
  for (const MuseumComparison& each : museum) {
    if (!each.after.session) continue;
    machines.insert(fmt::format("{}, driver {}, CUDA {}", each.after.session->device.name,
                                each.after.session->device.driver,
                                each.after.session->toolchain.cuda));
    first = std::min(first, each.after.session->created);
  }
  std::string text = "Measured on ";
  std::size_t count = 0;
  for (const std::string& machine : machines) text += (count++ > 0 ? "; " : "") + machine;
  text += fmt::format(", {}. ", first);
  for (const PooledRule& rule : pooled_rules())
    text += fmt::format("{}: {}. ", rule.name, rule.description);
  for (const CompetingRule& rule : competing_rules())
    text += fmt::format("{}: {}. ", rule.name, rule.description);
  return markdown_text(text) + fmt::format("\nPrinted by {}.\n", markdown_code(command));
}

}  // namespace

std::vector<MuseumComparison> read_museum(const fs::path& folder) {
  std::vector<MuseumComparison> museum;
  if (fs::is_directory(folder)) {
    std::set<fs::path> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path());
    for (const fs::path& each : names) {
      if (!fs::exists(each / "results.json") || !fs::exists(each / "against.json")) continue;
      museum.push_back({each.filename().string(), results::read_results(each / "against.json"),
                        results::read_results(each / "results.json")});
    }
  }
  if (museum.empty()) {
    throw Error(kExitNotMeasured,
                fmt::format("{}: holds no folder with results.json and against.json; "
                            "tests/museum/run.sh makes them",
                            folder.string()));
  }
  return museum;
}

double welch_p(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || b.size() < 2) return 1;
  const double of_a = variance_of_mean(a);
  const double of_b = variance_of_mean(b);
  const double difference = std::abs(mean_of(a) - mean_of(b));
  if (!(of_a + of_b > 0)) return difference > 0 ? 0 : 1;
  const double freedom = (of_a + of_b) * (of_a + of_b) /
                         (of_a * of_a / static_cast<double>(a.size() - 1) +
                          of_b * of_b / static_cast<double>(b.size() - 1));
  const boost::math::students_t distribution(freedom);
  const double t = difference / std::sqrt(of_a + of_b);
  return 2 * boost::math::cdf(boost::math::complement(distribution, t));
}

const std::vector<PooledRule>& pooled_rules() {
  static const std::vector<PooledRule> kRules{
      {"Mann–Whitney", "over all launches of all processes, p < 0.05, means in that order",
       mann_whitney},
      {"Welch", "over the processes' figures, p < 0.05, and means that differ by more than 0.5 %",
       welch}};
  return kRules;
}

std::string evidence_tables(const std::vector<MuseumComparison>& museum, const Policy& policy,
                            const std::string& command) {
  Kinds kinds;
  for (const MuseumComparison& each : museum) {
    std::vector<Row>& rows = kinds[each.name.substr(0, each.name.find('-'))];
    for (Row& row : rows_of(each, policy)) rows.push_back(std::move(row));
  }
  std::string text = "### In all\n\n" + summary(kinds);
  const auto add = [&](const char* kind, const char* title, Said right) {
    if (!kinds.contains(kind)) return;
    text += fmt::format("\n### {}\n\n", title) + table_of(kinds.at(kind), right);
    if (right == Said::slower) text += "\n" + causes(kinds.at(kind));
  };
  add("after", "Re-enacted regressions", Said::slower);
  add("real", "Real regressions", Said::slower);
  add("twin", "Harmless twins", Said::not_slower);
  add("unchanged", "Unchanged code", Said::not_slower);
  return text + "\n" + how(museum, command);
}

}  // namespace warpgauge::ci
