// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/museum/evidence.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ci/gate/calibrate/calibrate.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/markdown.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/tools/rates/competing_rules.hpp"
#include "tests/tools/rates/pooled_rules.hpp"
#include "tests/tools/recorded_file.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::Results;

constexpr std::string_view kEmulated = "emulated-";
constexpr double kNoSlower = 0.005;
// How often one rule said so. What sees one process a side counts pairs of processes.
struct Count {
  std::size_t slower = 0;
  std::size_t open = 0;
  std::size_t of = 0;

  void add(Said said) {
    slower += said == Said::slower ? 1 : 0;
    open += said == Said::open ? 1 : 0;
    ++of;
  }
  void add(const Count& more) {
    slower += more.slower;
    open += more.open;
    of += more.of;
  }
};

// What all rules say of one benchmark of a comparison.
struct Row {
  std::string id;
  double before_ns = 0;  // 0: not timed
  double after_ns = 0;
  Verdict verdict = Verdict::same;
  std::string why;                     // Warpgauge's
  std::optional<double> instructions;  // that are executed: by how much there are more
  std::vector<Count> one_each;         // of each competing rule
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
    Count pairs_called;
    for (std::size_t i = 0; i < pairs; ++i) {
      const std::vector<double>& a = before.samples_ns[i];
      const std::vector<double>& b = after.samples_ns[i];
      if (std::min(a.size(), b.size()) < kFewestSamples) continue;
      pairs_called.add(rule.is_slower(a, b)      ? Said::slower
                       : leaves_open(rule, a, b) ? Said::open
                                                 : Said::not_slower);
    }
    row.one_each.push_back(pairs_called);
  }
  for (const PooledRule& rule : pooled_rules()) row.pooled.push_back(rule.says(before, after));
}

// Without the namespace that the exhibits' kernels lie in, and no longer than a cell can be.
std::string for_a_cell(std::string text) {
  constexpr std::string_view kNamespace = "warpgauge::museum::(anonymous namespace)::";
  for (std::size_t at = text.find(kNamespace); at != text.npos; at = text.find(kNamespace))
    text.erase(at, kNamespace.size());
  constexpr std::size_t kLongest = 240;
  return shortened(text, kLongest);
}

// The figures stand in another table.
std::string without_interval(const std::string& why) {
  const std::size_t end = why.find("; ");
  return why.starts_with("interval ") && end != why.npos ? why.substr(end + 2) : why;
}

// Of "regressed: spill_load_bytes 0 → 168 (+168); shown: …" what got worse beside the time.
std::string also_worse(const std::string& also) {
  for (const std::string_view said : {"regressed: ", "not worse: "}) {
    if (also.starts_with(said))
      return fmt::format("; also {}", also.substr(said.size(), also.find(" (") - said.size()));
  }
  return {};
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
    if (!block.rows.empty()) {
      std::string why = without_interval(block.rows.front().why);
      if (why.ends_with(';')) why.pop_back();
      row.why = for_a_cell(why + also_worse(block.also));
    }
    const auto old_instructions = before->figure("instructions");
    const auto new_instructions = after->figure("instructions");
    if (old_instructions && new_instructions)
      row.instructions = *new_instructions / *old_instructions - 1;
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

std::string text_of(const Count& count) {
  if (count.of == 0) return "–";
  std::string text = fmt::format("{} of {}", count.slower, count.of);
  if (count.open > 0) text += fmt::format(", {} undecided", count.open);
  return text;
}

std::vector<Column> columns_of_rules() {
  std::vector<Column> columns{{"warpgauge"}};
  for (const PooledRule& rule : pooled_rules()) columns.push_back({rule.name});
  for (const CompetingRule& rule : competing_rules()) columns.push_back({rule.name, Align::right});
  return columns;
}

// What a rule has to say of it. What was meant to be slower and is not, on this device, is none.
Said right_of(const Row& row, Said meant) {
  const bool is_slower = !(row.before_ns > 0) || row.after_ns > (1 + kNoSlower) * row.before_ns;
  return meant == Said::slower && !is_slower ? Said::not_slower : meant;
}

// Whether a row is called slower by each rule, in the order of the columns; of what sees one
// process a side, the pairs.
std::string table_of(const std::vector<Row>& rows, Said meant) {
  std::vector<Column> columns{{"exhibit"}, {"time"}};
  for (const Column& each : columns_of_rules()) columns.push_back(each);
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    const Said right = right_of(row, meant);
    std::vector<std::string> line{markdown_code(name_of(row.id)), change_of(row),
                                  word(said_by(row.verdict), right)};
    for (const Said said : row.pooled) line.push_back(word(said, right));
    for (const Count& pairs : row.one_each) line.push_back(text_of(pairs));
    cells.push_back(std::move(line));
  }
  return markdown_table(columns, cells);
}

std::string causes(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows) {
    if (said_by(row.verdict) == Said::slower)
      cells.push_back({markdown_code(name_of(row.id)), markdown_text(row.why),
                       row.instructions ? fmt::format("{:+.1f} %", 100 * *row.instructions) : "–"});
  }
  return cells.empty()
             ? ""
             : markdown_table({{"exhibit"}, {"cause"}, {"instructions", Align::right}}, cells);
}

std::vector<Count> counts_of(const std::vector<Row>& rows, Said meant) {
  std::vector<Count> counts(1 + pooled_rules().size() + competing_rules().size());
  for (const Row& row : rows) {
    if (right_of(row, meant) != meant) continue;
    std::size_t rule = 0;
    counts[rule++].add(said_by(row.verdict));
    for (const Said said : row.pooled) counts[rule++].add(said);
    for (const Count& pairs : row.one_each) counts[rule++].add(pairs);
  }
  return counts;
}

// The rows of all comparisons of a kind: "after", "twin", "real", "unchanged", and, without a GPU,
// "emulated-after" and so on.
using Kinds = std::map<std::string, std::vector<Row>>;

std::string kind_of(const std::string& name) {
  return name.starts_with(kEmulated) ? name : name.substr(0, name.find('-'));
}

// What the emulator and machine code say, which no other rule can be asked of.
std::string without_a_gpu(const Kinds& kinds) {
  std::map<std::string, std::vector<std::string>> cells;  // by exhibit
  std::map<std::string, std::string> causes;
  std::vector<std::string> told;
  std::vector<Column> columns{{"exhibit"}};
  for (const char* side : {"after", "faint", "twin"}) {
    const auto rows = kinds.find(std::string(kEmulated) + side);
    if (rows == kinds.end()) continue;
    const Said meant = rows->first.ends_with("twin") ? Said::not_slower : Said::slower;
    Count count;
    for (const Row& row : rows->second) {
      const Said said = said_by(row.verdict);
      count.add(said);
      cells[row.id].push_back(word(said, meant));
      if (said == Said::slower) causes.try_emplace(row.id, row.why);
    }
    columns.push_back({side});
    told.push_back(fmt::format("{}: {}", side, text_of(count)));
  }
  if (cells.empty()) return {};
  columns.push_back({"cause"});
  std::vector<std::vector<std::string>> lines;
  for (auto& [id, line] : cells) {
    line.insert(line.begin(), markdown_code(name_of(id)));
    line.push_back(markdown_text(causes[id]));
    lines.push_back(line);
  }
  return fmt::format("\n### Without a GPU\n\nCalled worse, {}.\n\n", fmt::join(told, ", ")) +
         markdown_table(columns, lines);
}

// Of each exhibit over all its comparisons: how often each rule accused it.
std::string table_by_exhibit(const std::vector<Row>& rows) {
  std::map<std::string, std::vector<Row>> by_id;
  for (const Row& row : rows) by_id[row.id].push_back(row);
  std::vector<Column> columns{{"exhibit"}, {"furthest apart", Align::right}};
  for (const Column& each : columns_of_rules()) columns.push_back(each);
  std::vector<std::vector<std::string>> cells;
  for (const auto& [id, of_exhibit] : by_id) {
    double furthest = 0;
    for (const Row& row : of_exhibit) {
      if (row.before_ns > 0)
        furthest = std::max(furthest, std::abs(row.after_ns / row.before_ns - 1));
    }
    std::vector<std::string> line{markdown_code(name_of(id)),
                                  fmt::format("{:.2f} %", 100 * furthest)};
    for (const Count& count : counts_of(of_exhibit, Said::not_slower))
      line.push_back(text_of(count));
    cells.push_back(std::move(line));
  }
  return markdown_table(columns, cells);
}

std::string summary(const Kinds& kinds) {
  constexpr std::array kSlower{"after", "real", "faint"};
  constexpr std::array kHarmless{"twin", "unchanged"};
  std::vector<std::vector<Count>> counts;
  const auto add = [&](const std::string& kind, Said meant) {
    counts.push_back(counts_of(kinds.contains(kind) ? kinds.at(kind) : std::vector<Row>{}, meant));
  };
  for (const char* kind : kSlower) add(kind, Said::slower);
  for (const char* kind : kHarmless) add(kind, Said::not_slower);
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
                         {"faint ones found"},
                         {"twins accused"},
                         {"unchanged accused"}},
                        cells);
}

std::string how(const std::vector<MuseumComparison>& museum, const std::string& command) {
  std::set<std::string> machines;
  std::set<std::string> gpus;
  std::set<std::string> times;
  for (const MuseumComparison& each : museum) {
    if (!each.after.session || each.name.starts_with(kEmulated)) continue;
    machines.insert(fmt::format("{}, driver {}, CUDA {}", each.after.session->device.name,
                                each.after.session->device.driver,
                                each.after.session->toolchain.cuda));
    gpus.insert(each.after.session->device.uuid);
    times.insert(each.after.session->created);
  }
  std::string text;
  for (const std::string& machine : machines)
    text += (text.empty() ? "Measured on " : "; ") + machine;
  if (!text.empty()) {
    text += fmt::format(", {}, {} to {}. ", counted(gpus.size(), "GPU"), *times.begin(),
                        *times.rbegin());
  }
  for (const PooledRule& rule : pooled_rules())
    text += fmt::format("{}: {}. ", rule.name, rule.description);
  for (const CompetingRule& rule : competing_rules())
    text += fmt::format("{}: {}. ", rule.name, rule.description);
  text.pop_back();
  return markdown_text(text) + fmt::format(" Printed by {}.\n", markdown_code(command));
}

// As it is, or as zstd compressed it. Absent: neither is there.
std::optional<Results> side_of(const fs::path& file) {
  for (const fs::path& each : {file, fs::path(file.string() + ".zst")}) {
    if (fs::exists(each)) return read_recorded(each);
  }
  return std::nullopt;
}

}  // namespace

std::vector<MuseumComparison> read_museum(const fs::path& folder) {
  std::vector<MuseumComparison> museum;
  std::set<fs::path> names;
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path());
  }
  for (const fs::path& each : names) {
    std::optional<Results> before = side_of(each / "against.json");
    std::optional<Results> after = side_of(each / "results.json");
    if (before && after)
      museum.push_back({each.filename().string(), std::move(*before), std::move(*after)});
  }
  if (museum.empty()) {
    throw Error(kExitNotMeasured,
                fmt::format("{}: holds no folder with results.json and against.json, by themselves "
                            "or as zstd compresses them; tests/museum/run.sh makes them",
                            folder.string()));
  }
  return museum;
}

std::string evidence_tables(const std::vector<MuseumComparison>& museum, const Policy& policy,
                            const std::string& command) {
  Kinds kinds;
  for (const MuseumComparison& each : museum) {
    std::vector<Row>& rows = kinds[kind_of(each.name)];
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
  add("faint", "Faint forms", Said::slower);
  add("twin", "Harmless twins", Said::not_slower);
  if (kinds.contains("unchanged"))
    text += "\n### Unchanged code\n\nAccused, of so many:\n\n" +
            table_by_exhibit(kinds.at("unchanged"));
  return text + without_a_gpu(kinds) + "\n" + how(museum, command);
}

}  // namespace warpgauge::ci
