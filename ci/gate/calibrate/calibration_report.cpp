// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/calibrate/calibration_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "ci/support/markdown.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;

const char* name_of(const SettingRates& setting) {
  return setting.design == Design::interleaved ? "in turns"
         : setting.then_in_turns               ? "baseline, then in turns"
                                               : "baseline";
}

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::string readable_slowdown(double share) { return fmt::format("{:g} %", 100 * share); }

std::string rate(const Proportion& proportion) {
  return proportion.of == 0 ? "–" : percent(proportion.share());
}

std::string count_and_limit(const Proportion& proportion) {
  return fmt::format("{} of {}, at most {}", proportion.hits, proportion.of,
                     percent(upper_limit(proportion)));
}

std::size_t place_of(double slowdown) {
  const auto& all = slowdowns();
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), slowdown) - all.begin());
}

std::string error_rates(const Calibration& calibration) {
  std::vector<std::vector<std::string>> rows;
  for (const SettingRates& setting : calibration.settings) {
    for (const RuleRates& rule : setting.rules) {
      rows.push_back({markdown_text(rule.name), name_of(setting), count_and_limit(rule.gates_wrong),
                      rate(rule.entries_wrong), rate(rule.entries_open)});
    }
  }
  return markdown_table({{"rule"},
                         {"sides"},
                         {"gates without a slowdown that alarm"},
                         {"benchmarks called slower", Align::right},
                         {"inconclusive", Align::right}},
                        rows);
}

std::string power(const Calibration& calibration) {
  constexpr double kShown[] = {0.01, 0.02, 0.05};
  std::vector<std::vector<std::string>> rows;
  for (const SettingRates& setting : calibration.settings) {
    for (const RuleRates& rule : setting.rules) {
      for (std::size_t c = 0; c < duration_classes().size(); ++c) {
        std::vector<std::string> row{markdown_text(rule.name), name_of(setting),
                                     duration_classes()[c].name};
        bool any = false;
        for (const double slowdown : kShown) {
          const Proportion& found = rule.found[c][place_of(slowdown)];
          row.push_back(found.of == 0
                            ? "–"
                            : fmt::format("{} (≥ {})", rate(found), percent(lower_limit(found))));
          any = any || found.of > 0;
        }
        if (any) rows.push_back(std::move(row));
      }
    }
  }
  const bool of_cpu = calibration.sessions.front().device.kind == results::DeviceKind::cpu;
  return markdown_table({{"rule"},
                         {"sides"},
                         {of_cpu ? "benchmarks of" : "kernels of"},
                         {"1 % found", Align::right},
                         {"2 % found", Align::right},
                         {"5 % found", Align::right}},
                        rows);
}

std::string smallest(const BenchmarkRates& benchmark) {
  const auto found = benchmark.smallest_found();
  return found ? readable_slowdown(*found) : "> " + readable_slowdown(slowdowns().back());
}

std::string by_benchmark(const Calibration& calibration) {
  std::vector<Column> columns{{"benchmark"}, {"time", Align::right}};
  for (const SettingRates& setting : calibration.settings) {
    columns.push_back({fmt::format("found, {}", name_of(setting)), Align::right});
    columns.push_back({fmt::format("inconclusive, {}", name_of(setting)), Align::right});
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t b = 0; b < calibration.settings.front().benchmarks.size(); ++b) {
    const BenchmarkRates& first = calibration.settings.front().benchmarks[b];
    std::vector<std::string> row{markdown_code(first.id), readable_time(first.time_ns)};
    for (const SettingRates& setting : calibration.settings) {
      const bool tried = setting.benchmarks[b].found.front().of > 0;
      row.push_back(tried ? smallest(setting.benchmarks[b]) : "a control");
      row.push_back(rate(setting.benchmarks[b].open));
    }
    rows.push_back(std::move(row));
  }
  return markdown_table(columns, rows);
}

std::string slowed_table(const Calibration& calibration) {
  std::vector<std::vector<std::string>> rows;
  for (const SlowedRates& each : calibration.slowed) {
    rows.push_back({markdown_code(each.id), fmt::format("{:+.2f} %", 100 * (each.ratio - 1)),
                    count_and_limit(each.found)});
  }
  return markdown_table({{"benchmark"}, {"slower by", Align::right}, {"called slower"}}, rows);
}

std::string environment(const Calibration& calibration, const std::string& command) {
  std::set<std::string> devices;
  for (const auto& session : calibration.sessions) devices.insert(session.device.uuid);
  const Effort& effort = calibration.options.effort;
  const std::string processes =
      effort.most_processes > effort.processes
          ? fmt::format("{} to {}", effort.processes, effort.most_processes)
          : fmt::format("{}", effort.processes);
  std::string text = fmt::format(
      "{}, {} on {}, at least {} processes each, {}; a gate of {} processes a side; {} trials, "
      "seed {}.",
      markdown_text(calibration.sessions.front().device.name),
      counted(calibration.sessions.size(), "session"), counted(devices.size(), "device"),
      calibration.fewest_processes,
      counted(calibration.settings.front().benchmarks.size(), "benchmark"), processes,
      calibration.options.trials, calibration.options.seed);
  text += calibration.with_replacement
              ? " Processes are drawn with replacement, as there are too few for two sides."
              : " No process is drawn twice in a trial.";
  text +=
      " Limits are of 95 %, one-sided, as if trials were independent; they share the recorded "
      "processes. Slowdowns are injected as numbers: recorded times of one side are multiplied, in "
      "every tenth benchmark of a trial.";
  if (calibration.left_out > 0) {
    text += fmt::format(" Left out, since not all sessions have a time of them: {}.",
                        counted(calibration.left_out, "benchmark"));
  }
  const std::vector<CompetingRule>& others = calibration.options.competing_rules;
  if (!others.empty() && !calibration.with_samples) {
    text += " Other rules are left out: they need the samples of each process.";
  } else if (!others.empty()) {
    std::vector<std::string> of_processes;
    for (const CompetingRule& rule : others) {
      text += fmt::format(" {}: {}.", markdown_text(rule.name), markdown_text(rule.description));
      if (rule.of_processes) of_processes.push_back(markdown_text(rule.name));
    }
    text += of_processes.empty()
                ? " Each of these sees one process a side."
                : fmt::format(" {} sees {} processes a side, each of the others one.",
                              fmt::join(of_processes, ", "), effort.at_once());
  }
  if (!command.empty()) text += fmt::format(" Printed by {}.", markdown_code(command));
  return text + "\n";
}

Json to_json(const Proportion& proportion) {
  return {{"hits", proportion.hits},
          {"of", proportion.of},
          {"lower_limit", lower_limit(proportion)},
          {"upper_limit", upper_limit(proportion)}};
}

Json found_json(const std::vector<Proportion>& found) {
  Json json = Json::array();
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].of == 0) continue;
    Json each = to_json(found[i]);
    each["slowdown"] = slowdowns()[i];
    json.push_back(std::move(each));
  }
  return json;
}

Json to_json(const SettingRates& setting) {
  Json json{{"sides", name_of(setting)}, {"rules", Json::array()}, {"benchmarks", Json::array()}};
  for (const RuleRates& rule : setting.rules) {
    Json each{{"name", rule.name},
              {"gates_wrong", to_json(rule.gates_wrong)},
              {"benchmarks_wrong", to_json(rule.entries_wrong)},
              {"found", Json::array()}};
    if (rule.entries_open.of > 0) each["inconclusive"] = to_json(rule.entries_open);
    for (std::size_t c = 0; c < rule.found.size(); ++c) {
      each["found"].push_back(
          {{"least_ns", duration_classes()[c].least_ns}, {"slowed", found_json(rule.found[c])}});
    }
    json["rules"].push_back(std::move(each));
  }
  for (const BenchmarkRates& benchmark : setting.benchmarks) {
    Json each{{"id", benchmark.id},
              {"time_ns", benchmark.time_ns},
              {"inconclusive", to_json(benchmark.open)},
              {"slowed", found_json(benchmark.found)}};
    if (const auto smallest_one = benchmark.smallest_found()) {
      each["smallest_found"] = *smallest_one;
    }
    json["benchmarks"].push_back(std::move(each));
  }
  return json;
}

const SettingRates& plainest(const Calibration& calibration) {
  const auto against_baseline = std::find_if(
      calibration.settings.begin(), calibration.settings.end(),
      [](const auto& each) { return each.design == Design::apart && !each.then_in_turns; });
  return against_baseline == calibration.settings.end() ? calibration.settings.front()
                                                        : *against_baseline;
}

}  // namespace

std::string calibration_summary(const Calibration& calibration) {
  constexpr std::size_t kNamed = 5;
  const SettingRates& setting = plainest(calibration);
  const RuleRates& ours = setting.rules.front();
  std::string text =
      fmt::format("Unchanged code: {} of all verdicts are \"slower\", {} \"inconclusive\".\n",
                  rate(ours.entries_wrong), rate(ours.entries_open));
  std::map<double, std::vector<std::string>> by_slowdown;
  for (const BenchmarkRates& each : setting.benchmarks) {
    const bool tried = each.found.front().of > 0;
    if (tried) by_slowdown[each.smallest_found().value_or(1)].push_back(each.id);
  }
  text += "The smallest slowdown that 99 of 100 gates find:\n";
  for (const auto& [slowdown, ids] : by_slowdown) {
    const std::string found = slowdown < 1 ? readable_slowdown(slowdown)
                                           : "not even " + readable_slowdown(slowdowns().back());
    text += fmt::format("  {}: {}\n", found, some_of(ids, kNamed));
  }
  if (by_slowdown.contains(1)) {
    text +=
        "Where not even that is found, times differ too much from one process or session to the "
        "next: measure while nothing else runs, or in more processes.\n";
  }
  return text;
}

std::string calibration_tables(const Calibration& calibration, const std::string& command) {
  std::string text = error_rates(calibration) + "\n" + power(calibration) +
                     "\nThe smallest slowdown that is found in 99 % of all cases:\n\n" +
                     by_benchmark(calibration);
  if (!calibration.slowed.empty()) {
    text += "\nKernels that are slower for real, in turns:\n\n" + slowed_table(calibration);
  }
  return text + "\n" + environment(calibration, command);
}

std::string calibration_json(const Calibration& calibration) {
  Json json{{"device", calibration.sessions.front().device.name},
            {"processes", calibration.options.effort.processes},
            {"most_processes", calibration.options.effort.most_processes},
            {"trials", calibration.options.trials},
            {"seed", calibration.options.seed},
            {"with_replacement", calibration.with_replacement},
            {"sessions", Json::array()},
            {"settings", Json::array()}};
  for (const auto& session : calibration.sessions) json["sessions"].push_back(label(session));
  for (const SettingRates& setting : calibration.settings) {
    json["settings"].push_back(to_json(setting));
  }
  for (const SlowedRates& each : calibration.slowed) {
    json["slowed"].push_back(
        {{"id", each.id}, {"ratio", each.ratio}, {"found", to_json(each.found)}});
  }
  return json.dump(1) + "\n";
}

}  // namespace warpgauge::ci
