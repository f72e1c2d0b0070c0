// SPDX-License-Identifier: Apache-2.0
#include "ci/run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/device_lock.hpp"
#include "ci/errors.hpp"
#include "ci/id_filter.hpp"
#include "ci/interrupt.hpp"
#include "ci/machine_code.hpp"
#include "ci/source.hpp"
#include "ci/suite.hpp"
#include "ci/text.hpp"
#include "profiling/results/merge.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;
using results::Observation;
using results::Pass;
using results::Record;
using results::Status;

// Google Benchmark's name of a benchmark is its id, perhaps with more after a slash.
bool is_entry_of(const Json& entry, const std::string& id) {
  const auto name = entry.find("name");
  if (name == entry.end() || !name->is_string()) return false;
  const auto& text = name->get_ref<const std::string&>();
  return text == id || text.starts_with(id + "/iterations:");
}

class Runner {
 public:
  // only_counts: the device has a clock, but no pass of this run uses it.
  Runner(const Suite& suite, const RunOptions& options, std::vector<std::string> ids,
         bool only_counts)
      : suite_(suite), options_(options), ids_(std::move(ids)), only_counts_(only_counts) {
    if (options.machine_code) machine_code_ = MachineCode::read(*options.machine_code);
  }

  // Observes all benchmarks in one process, or in as many as it takes when some end theirs.
  void observe(Pass pass, int process) {
    std::vector<std::string> left;
    std::copy_if(ids_.begin(), ids_.end(), std::back_inserter(left),
                 [&](const std::string& id) { return !failed_.contains(id); });
    while (!left.empty()) {
      ProcessReport report = suite_.observe(pass, left);
      const std::size_t before = left.size();
      take(pass, process, report, left);
      if (context_.is_null()) context_ = std::move(report.context);
      if (left.empty() || left.size() < before) continue;
      throw Error(kExitNotMeasured,
                  fmt::format("the suite {} in the {} pass before its first benchmark{}",
                              describe(report.end), to_string(pass), quote(report.last_words)));
    }
  }

  // In the suite's order, those of a benchmark together.
  [[nodiscard]] std::vector<Observation> observations() {
    std::vector<Observation> all;
    for (const std::string& id : ids_) {
      std::move(observations_[id].begin(), observations_[id].end(), std::back_inserter(all));
    }
    return all;
  }

  [[nodiscard]] const Json& context() const { return context_; }
  [[nodiscard]] std::size_t failed() const { return failed_.size(); }

 private:
  static std::string quote(const std::string& words) {
    return words.empty() ? std::string() : fmt::format("; its last words: {}", words);
  }

  // A benchmark may also end its process after its record is written: when what it owns is given
  // back, which is where a broken heap shows.
  static bool died_cleaning_up(const ProcessReport& report) {
    return report.unfinished.empty() && !report.end.succeeded() && !report.finished.empty() &&
           report.finished.back().outcome.status == Status::ok;
  }

  void take(Pass pass, int process, ProcessReport& report, std::vector<std::string>& left) {
    const bool cleaning_up = died_cleaning_up(report);
    if (cleaning_up) {
      report.unfinished = report.finished.back().id;
      report.finished.pop_back();
    }
    for (Record& record : report.finished) {
      const auto entry =
          std::find_if(report.entries.begin(), report.entries.end(),
                       [&](const Json& each) { return is_entry_of(each, record.id); });
      add(process, std::move(record),
          entry == report.entries.end() ? std::nullopt : std::optional(std::move(*entry)), left);
    }
    if (report.unfinished.empty()) return;
    Record record;
    record.id = report.unfinished;
    record.pass = pass;
    const bool hung = report.end.kind == ChildEnd::Kind::timed_out;
    record.outcome.status = hung ? Status::hung : Status::crashed;
    record.outcome.message = fmt::format(
        "the process {}{} in the {} pass{}{}", describe(report.end),
        hung ? fmt::format(" for {:g} s", std::chrono::duration<double>(options_.timeout).count())
             : "",
        to_string(pass), cleaning_up ? ", after this was measured" : "", quote(report.last_words));
    add(process, std::move(record), std::nullopt, left);
  }

  void add(int process, Record record, std::optional<Json> entry, std::vector<std::string>& left) {
    const auto found = std::find(left.begin(), left.end(), record.id);
    if (found == left.end()) {
      throw Error(kExitNotMeasured,
                  fmt::format("the suite observed {}, which it was not asked for; "
                              "is it of the same version?",
                              record.id));
    }
    left.erase(found);
    if (record.outcome.status != Status::ok) {
      failed_.insert(record.id);
      options_.progress(fmt::format("{} failed ({}): {}", record.id,
                                    to_string(record.outcome.status), record.outcome.message));
    }
    if (only_counts_) record.not_measured["time"] = "at these sizes it is only counted";
    add_source_text(record.lines, options_.source_root);
    if (machine_code_) machine_code_->annotate(record);
    auto& of_benchmark = observations_[record.id];
    of_benchmark.push_back({process, std::move(record), std::move(entry)});
  }

  const Suite& suite_;
  const RunOptions& options_;
  std::vector<std::string> ids_;
  bool only_counts_;
  std::optional<MachineCode> machine_code_;
  std::map<std::string, std::vector<Observation>> observations_;
  std::set<std::string> failed_;  // not started again: a hang would cost its timeout each time
  Json context_;
};

std::vector<std::string> matching(std::vector<std::string> ids, const std::string& filter) {
  const IdFilter wanted(filter);
  std::erase_if(ids, [&](const std::string& id) { return !wanted.matches(id); });
  if (ids.empty()) {
    throw Error(kExitUsage, fmt::format("--filter '{}' matches no benchmark of the suite", filter));
  }
  return ids;
}

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

RunResult run(const RunOptions& options) {
  const InterruptGuard interrupts;
  const Suite suite(options.suite, options.timeout, options.sizes, options.counters);
  const SuiteDescription description = suite.describe();
  const auto ids = matching(description.ids, options.filter);

  results::Session session;
  session.created = now_utc();
  const SuiteDevice device = suite.device();
  session.device = device.device;
  session.settings = device.settings;
  session.toolchain = description.toolchain;
  session.source = current_source();

  std::optional<DeviceLock> lock;
  const bool is_gpu = session.device.kind == results::DeviceKind::gpu;
  if (is_gpu) {
    lock.emplace(session.device.uuid, options.lock_wait, [&] {
      options.progress(fmt::format("waiting for another run on {}", session.device.uuid));
    });
  }

  std::vector<std::pair<Pass, int>> processes;
  for (const Pass pass : description.passes) {
    const int count = pass == Pass::time ? options.processes : 1;
    for (int process = 0; process < count; ++process) processes.emplace_back(pass, process);
    session.processes = std::max(session.processes, count);
  }

  const auto& passes = description.passes;
  const bool times = std::find(passes.begin(), passes.end(), Pass::time) != passes.end();
  Runner runner(suite, options, ids, is_gpu && !times);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto [pass, process] = processes[i];
    options.progress(
        fmt::format("process {} of {} ({}{}): {}", i + 1, processes.size(), to_string(pass),
                    pass == Pass::counters && device.counter_passes
                        ? fmt::format(", each kernel in {} passes", *device.counter_passes)
                        : "",
                    counted(ids.size(), "benchmark")));
    runner.observe(pass, process);
  }
  return {results::merge(session, runner.context(), runner.observations()), ids.size(),
          runner.failed()};
}

}  // namespace warpgauge::ci
