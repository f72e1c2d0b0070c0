// SPDX-License-Identifier: Apache-2.0
// Writes the tables of a page of docs/, between its two markers, and below them how they were made:
//
// docs_tables table PAGE RESULTS...             measured figures, of each file what it adds; where
//                                               the page has a .tsv beside it, also the blocks
//                                               and figures that it names, of the first file
// docs_tables agree PAGE EMULATED HARDWARE      what the emulator and a GPU counted, side by side
// docs_tables calibrate PAGE TRIALS RESULTS...  how often the gate and other tools' rules are wrong
// docs_tables power PAGE TRIALS RESULTS...      the same beside floors and spreads
// docs_tables ladder PAGE FILE                  what it says of kernels slower by a little
//                                               (tests/museum/ladder)
// docs_tables evidence PAGE FOLDER              what they say of the museum (tests/museum)
// docs_tables numbers PAGE FILE RESULTS...      the figures of other pages, and spreads
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "ci/gate/calibrate/calibrate.hpp"
#include "ci/gate/calibrate/calibration_report.hpp"
#include "ci/policy/policy.hpp"
#include "ci/report/results_table.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/results.hpp"
#include "tests/tools/emulator_accuracy.hpp"
#include "tests/tools/museum/cheats.hpp"
#include "tests/tools/museum/evidence.hpp"
#include "tests/tools/museum/ladder.hpp"
#include "tests/tools/numbers.hpp"
#include "tests/tools/page_figures.hpp"
#include "tests/tools/page_tables.hpp"
#include "tests/tools/rates/competing_rules.hpp"
#include "tests/tools/rates/pooled_rules.hpp"
#include "tests/tools/rates/power.hpp"
#include "tests/tools/recorded_file.hpp"

namespace {

namespace ci = warpgauge::ci;
namespace results = warpgauge::results;
using Words = std::vector<std::string>;

// Other rules need so many samples of each process; a benchmark that has fewer in any session is
// left out of all. Sessions without any samples stay as they are.
void leave_out_what_has_few_samples(std::vector<results::Results>& sessions) {
  std::set<std::string, std::less<>> few;
  bool any = false;
  for (const results::Results& session : sessions) {
    for (const results::BenchmarkResult& each : session.benchmarks) {
      for (const std::vector<double>& process : each.samples_ns) {
        any = any || !process.empty();
        if (process.size() < ci::kFewestSamples) few.insert(each.id);
      }
    }
  }
  if (!any) return;
  for (results::Results& session : sessions) {
    std::erase_if(session.benchmarks,
                  [&few](const results::BenchmarkResult& each) { return few.contains(each.id); });
  }
}

// with_power: beside floors and spreads, and with Welch's test among the rules.
std::string calibration(const Words& words, bool with_power, const std::string& command) {
  std::vector<results::Results> sessions;
  for (std::size_t i = 3; i < words.size(); ++i) sessions.push_back(ci::read_recorded(words[i]));
  if (with_power) leave_out_what_has_few_samples(sessions);
  const ci::Policy policy = ci::read_policy("ci/policy.toml");
  ci::CalibrationOptions options;
  options.effort = {.processes = policy.processes, .most_processes = policy.most_processes};
  options.trials = std::stoi(words[2]);
  options.competing_rules = ci::competing_rules();
  if (with_power) options.competing_rules.push_back(ci::welch_with_floors());
  std::fprintf(stderr, "trying %d gates, which takes minutes\n", options.trials);
  const ci::Calibration rates = ci::calibrate(sessions, {}, policy, options);
  if (!with_power) return ci::calibration_tables(rates, command);
  return "Floors, what processes differ by, and what is found, together:\n\n" +
         ci::power_by_spread(rates, sessions, policy) + "\n" +
         ci::calibration_tables(rates, command);
}

std::string numbers(const Words& words, const std::string& command) {
  std::vector<results::Results> sessions;
  for (std::size_t i = 3; i < words.size(); ++i) sessions.push_back(ci::read_recorded(words[i]));
  const std::filesystem::path folder = std::filesystem::path(words[2]).parent_path();
  return ci::numbers_tables(
      ci::number_rows(results::read_file(words[2]), words[2]), sessions,
      [&folder](const std::string& page) { return results::read_file(folder / page); }, command);
}

// Each file apart, since it has ceilings of its own. A family of which an earlier file has every
// benchmark is not printed again.
std::string measured(const Words& words, const std::string& command) {
  std::set<std::string, std::less<>> printed;
  std::string text;
  for (std::size_t i = 2; i < words.size(); ++i) {
    results::Results results = results::read_results(words[i]);
    std::set<std::string, std::less<>> of_use;
    for (const results::BenchmarkResult& each : results.benchmarks)
      if (printed.insert(each.id).second) of_use.emplace(results::parts_of(each.id).family);
    std::erase_if(results.benchmarks, [&](const results::BenchmarkResult& each) {
      return of_use.count(results::parts_of(each.id).family) == 0;
    });
    ci::TableOptions options;
    if (i + 1 == words.size()) options.command = command;
    text += (text.empty() ? "" : "\n") + ci::markdown_tables(results, options);
  }
  return text;
}

// words: what, the page, and what the tables are made of.
std::string tables(const Words& words) {
  std::string command = "build/ci/bin/docs_tables";
  for (const std::string& word : words) command += " " + ci::shell_word(word);
  if (words.size() >= 3 && words[0] == "table") return measured(words, command);
  if (words.size() == 4 && words[0] == "agree") {
    return ci::agreement_tables(results::read_results(words[2]), results::read_results(words[3]),
                                {command});
  }
  if (words.size() >= 4 && (words[0] == "calibrate" || words[0] == "power"))
    return calibration(words, words[0] == "power", command);
  if (words.size() == 3 && words[0] == "ladder")
    return ci::ladder_tables(results::read_file(words[2]), words[2], command);
  if (words.size() >= 3 && words[0] == "numbers") return numbers(words, command);
  if (words.size() == 3 && words[0] == "evidence") {
    return ci::cheats_tables(words[2]) + ci::evidence_tables(ci::read_museum(words[2]),
                                                             ci::read_policy("ci/policy.toml"),
                                                             command);
  }
  throw std::invalid_argument(
      "usage: docs_tables table PAGE RESULTS... | agree PAGE EMULATED HARDWARE | calibrate PAGE "
      "TRIALS RESULTS... | power PAGE TRIALS RESULTS... | ladder PAGE FILE | evidence PAGE FOLDER "
      "| numbers PAGE FILE RESULTS...");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Words words(argv + 1, argv + argc);
    const std::string text = tables(words);
    std::string page = ci::with_tables(results::read_file(words[1]), text, words[1]);
    const std::filesystem::path figures = std::filesystem::path(words[1]).replace_extension("tsv");
    if (words[0] == "table" && std::filesystem::exists(figures)) {
      page = ci::with_figures(page, ci::page_figures(results::read_file(figures), figures.string()),
                              results::read_results(words[2]), words[1]);
    }
    results::write_file_atomically(words[1], page);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "docs_tables: {}\n", error.what());
    return 1;
  }
}
