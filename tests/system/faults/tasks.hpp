// SPDX-License-Identifier: Apache-2.0
// The commands that change what others rely on: each over an earlier state, and where there is
// none.
#pragma once

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_json.hpp"
#include "ci/history/connection/database.hpp"
#include "ci/history/history.hpp"
#include "profiling/results/json/session_json.hpp"
#include "tests/helpers/sample_results.hpp"
#include "tests/system/faults/place.hpp"

namespace warpgauge {

inline std::string quoted_words(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += quoted(word) + " ";
  return line;
}

inline void write_into(const std::filesystem::path& folder, const std::string& name,
                       const std::string& text) {
  results::write_file_atomically(folder / name, text);
}

// Of three families, whose counters are all as the factor says.
inline std::string counted_results(double factor, const std::string& created, bool with_last) {
  std::vector<Measured> benchmarks;
  for (const char* id : {"first/x/1", "first/y/1", "second/x/1", "third/x/1"}) {
    benchmarks.push_back(
        {.id = id, .counters = {{"barriers", 4 * factor}, {"shared_load_requests", 8}}});
  }
  if (!with_last) benchmarks.pop_back();
  return results_text(emulated(), benchmarks, created);
}

// What is read of the baseline, wherever it lies, and all other files as they are.
inline Files approved_in(const std::filesystem::path& folder) {
  Files state = texts_below(folder);
  std::erase_if(state, [](const auto& file) { return file.first.starts_with("baselines/"); });
  const auto baseline = ci::load_baseline(folder / "baselines", "emulated");
  if (!baseline) return state;
  state["device"] = ci::device_text(*baseline);
  for (const auto& [name, family] : baseline->families) state[name] = ci::to_text(family);
  return state;
}

// The results are the new ones, or the old ones, in their place or set aside; and of what is said
// of results all is said of these, or absent. What is set aside is of the old ones.
constexpr const char* kAside = "results/earlier/";

inline bool is_of_one_gate(const Files& before, const Files& now, const Files& after) {
  const std::string results = "results/results.json";
  const std::string aside = kAside;
  Files all = before;
  all.insert(after.begin(), after.end());
  all.insert(now.begin(), now.end());
  std::erase_if(all, [&](const auto& file) { return file.first.starts_with(aside); });
  const auto is_of = [&](const Files& gate) {
    return std::all_of(all.begin(), all.end(), [&](const auto& file) {
      const std::string text = content(now, file.first);
      return text == content(gate, file.first) ||
             (text == "absent" && file.first.starts_with("results/"));
    });
  };
  for (const auto& [name, text] : now) {
    const bool is_aside = name.starts_with(aside);
    if (is_aside && text != content(before, "results/" + name.substr(aside.size()))) return false;
  }
  const std::string found = content(now, results);
  if (found == content(after, results)) return is_of(after);
  const std::string old = found == "absent" ? content(now, aside + "results.json") : found;
  return old == content(before, results) && is_of(before);
}

inline Task approve_task(bool over_earlier) {
  Task task{.name = over_earlier ? "approve" : "approve, the first",
            .arguments = {"approve", "second.json", "--reason", "second"},
            .begin = [over_earlier](const std::filesystem::path& folder, const Runner& warpgauge) {
              write_into(folder, "first.json", counted_results(1, "2026-11-18T04:00:00Z", true));
              write_into(folder, "second.json", counted_results(2, "2026-11-19T04:00:00Z", false));
              if (over_earlier) warpgauge("approve first.json --reason first");
            }};
  if (over_earlier) {
    task.again = task.arguments;
    task.arguments.insert(task.arguments.end(), {"--remove", "third/x/1"});
  }
  task.state = approved_in;
  return task;
}

// Of all devices: what each run was recorded from, and each series' figures by run.
inline Files state_of(ci::History& history) {
  Files state;
  for (const std::string& device : history.devices()) {
    const auto runs = history.runs(device, 1000);
    for (const ci::HistoryRun& run : runs) {
      state[fmt::format("run {}", run.number)] = history.results(run.number);
    }
    for (const ci::HistorySeries& series : history.series(device)) {
      for (const auto& [metric, points] : history.figures(series, runs)) {
        std::string& text = state[series.benchmark + ": " + metric];
        for (const ci::HistoryFigures& point : points) {
          text += fmt::format("{}: {}; ", runs[point.run].number, fmt::join(point.figures, " "));
        }
      }
    }
  }
  return state;
}

inline Files history_in(const std::filesystem::path& folder) {
  const std::string file = folder / "history" / "history.sqlite";
  if (!std::filesystem::exists(file)) return {};
  {
    ci::Database database(file);
    std::string verdict;
    database.sql() << "pragma integrity_check", soci::into(verdict);
    if (verdict != "ok") throw std::runtime_error("integrity_check: " + verdict);
    if (database.version() == 0) return {};
  }
  ci::History history(file, ci::History::For::reading);
  return state_of(history);
}

inline Task record_task(bool over_earlier) {
  const std::vector<std::string> where{"--history", "history/history.sqlite"};
  Task task{
      .name = over_earlier ? "history record" : "history record, the first",
      .arguments = {"history", "record", "second.json"},
      .begin =
          [over_earlier, where](const std::filesystem::path& folder, const Runner& warpgauge) {
            write_into(folder, "first.json", counted_results(1, "2026-11-18T04:00:00Z", true));
            write_into(folder, "second.json", counted_results(2, "2026-11-19T04:00:00Z", true));
            if (over_earlier) warpgauge("history record first.json " + quoted_words(where));
          },
      .state = history_in};
  task.arguments.insert(task.arguments.end(), where.begin(), where.end());
  return task;
}

// A suite that only counts, as on the emulator.
inline void write_plan(const std::filesystem::path& folder) {
  results::Json plan{{"backend", "emulated"},
                     {"passes", results::Json::array({"counters"})},
                     {"device", to_json(emulated())}};
  for (const char* id : {"first/x/1", "first/y/1", "second/x/1"}) {
    plan["benchmarks"][id]["counters"] = {{"barriers", 4}, {"shared_load_requests", 8}};
  }
  write_into(folder, "plan.json", plan.dump());
}

inline Task gate_task(bool over_earlier) {
  const std::vector<std::string> gate{"gate",    "--suite",  FAKE_SUITE,
                                      "--quiet", "--report", "junit=results/junit.xml"};
  return {.name = over_earlier ? "gate" : "gate, the first",
          .arguments = gate,
          .begin =
              [gate, over_earlier](const std::filesystem::path& folder, const Runner& warpgauge) {
                write_plan(folder);
                warpgauge("run --quiet --out first.json --suite " + quoted(FAKE_SUITE));
                warpgauge("approve first.json --reason first");
                if (over_earlier) warpgauge(quoted_words(gate));
              },
          .aside = kAside,
          .is_sound = is_of_one_gate};
}

inline Task run_task(bool over_earlier) {
  const std::vector<std::string> run{"run",     "--suite", FAKE_SUITE,
                                     "--quiet", "--out",   "results/results.json"};
  return {
      .name = over_earlier ? "run" : "run, the first",
      .arguments = run,
      .begin = [run, over_earlier](const std::filesystem::path& folder, const Runner& warpgauge) {
        write_plan(folder);
        if (over_earlier) warpgauge(quoted_words(run));
      }};
}

inline std::vector<Task> tasks() {
  std::vector<Task> tasks;
  for (const auto task : {approve_task, record_task, gate_task, run_task}) {
    tasks.push_back(task(true));
    if (is_nightly()) tasks.push_back(task(false));
  }
  return tasks;
}

}  // namespace warpgauge
