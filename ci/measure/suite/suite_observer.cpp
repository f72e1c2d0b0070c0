// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/suite/suite_observer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "ci/measure/line_traffic.hpp"
#include "ci/measure/measurement.hpp"
#include "ci/measure/source.hpp"
#include "ci/support/errors.hpp"

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

// What may say why.
std::string told_besides(const ProcessReport& report) {
  std::string text;
  if (!report.last_words.empty()) text += fmt::format("; its last words: {}", report.last_words);
  if (!report.full_disk.empty()) text += "; " + report.full_disk;
  return text;
}

// A benchmark may also end its process after its record is written: when what it owns is given
// back, which is where a broken heap shows.
bool died_cleaning_up(const ProcessReport& report) {
  return report.unfinished.empty() && !report.end.succeeded() && !report.finished.empty() &&
         report.finished.back().outcome.status == Status::ok;
}

Record failure_of(Pass pass, const ProcessReport& report, bool cleaning_up,
                  std::chrono::milliseconds timeout) {
  Record record;
  record.id = report.unfinished;
  record.pass = pass;
  const bool hung = report.end.kind == ChildEnd::Kind::timed_out;
  record.outcome.status = hung ? Status::hung : Status::crashed;
  record.outcome.message = fmt::format(
      "the process {}{} in the {} pass{}{}", describe(report.end),
      hung ? fmt::format(" for {:g} s", std::chrono::duration<double>(timeout).count()) : "",
      to_string(pass), cleaning_up ? ", after this was measured" : "", told_besides(report));
  return record;
}

}  // namespace

SuiteObserver::SuiteObserver(const Suite& suite, const RunOptions& options,
                             const results::Device& device, std::vector<std::string> ids,
                             bool only_counts)
    : suite_(suite),
      options_(options),
      ids_(std::move(ids)),
      only_counts_(only_counts),
      sources_(options.source_root) {
  if (!options.machine_code.empty()) {
    machine_code_ = MachineCode::read(options.machine_code, device.compute_capability);
  } else if (device.kind == results::DeviceKind::gpu) {
    try {
      machine_code_ = MachineCode::read({options.suite}, device.compute_capability);
    } catch (const machine_code::CubinError& error) {
      no_machine_code_ = error.what();
    }
  }
}

void SuiteObserver::observe(Pass pass, int process, const std::set<std::string>& wanted,
                            const std::function<void(std::size_t)>& finished) {
  std::vector<std::string> left;
  std::copy_if(ids_.begin(), ids_.end(), std::back_inserter(left),
               [&](const std::string& id) { return wanted.contains(id) && !failed_.contains(id); });
  while (!left.empty()) {
    const std::size_t before = left.size();
    const std::size_t done = wanted.size() - before;
    ProcessReport report =
        suite_.observe(pass, left, [&](std::size_t of_these) { finished(done + of_these); });
    take(pass, process, report, left);
    if (context_.is_null()) context_ = std::move(report.context);
    if (left.empty() || left.size() < before) continue;
    const std::string what =
        fmt::format("the suite {} in the {} pass before its first benchmark{}",
                    describe(report.end), to_string(pass), told_besides(report));
    if (pass != Pass::lines) throw Error(kExitNotMeasured, what);
    leave_out_lines(process, what, left);
  }
}

results::RunRecord SuiteObserver::merged(const results::Session& session) const {
  std::vector<Observation> all;
  for (const std::string& id : ids_) {
    const auto found = observations_.find(id);
    if (found == observations_.end()) continue;
    all.insert(all.end(), found->second.begin(), found->second.end());
  }
  return results::merge(session, context_, all);
}

void SuiteObserver::take(Pass pass, int process, ProcessReport& report,
                         std::vector<std::string>& left) {
  const bool cleaning_up = died_cleaning_up(report);
  if (cleaning_up) {
    report.unfinished = report.finished.back().id;
    report.finished.pop_back();
  }
  for (Record& record : report.finished) {
    const auto entry = std::find_if(report.entries.begin(), report.entries.end(),
                                    [&](const Json& each) { return is_entry_of(each, record.id); });
    add(process, std::move(record),
        entry == report.entries.end() ? std::nullopt : std::optional(std::move(*entry)), left);
  }
  if (report.unfinished.empty()) return;
  add(process, failure_of(pass, report, cleaning_up, options_.timeout.value_or(kSuiteTimeout)),
      std::nullopt, left);
}

void SuiteObserver::leave_out_lines(int process, const std::string& why,
                                    std::vector<std::string>& left) {
  options_.log(why);
  while (!left.empty()) {
    Record record;
    record.id = left.front();
    record.pass = Pass::lines;
    record.not_measured["source_lines"] = why;
    add(process, std::move(record), std::nullopt, left);
  }
}

void SuiteObserver::add(int process, Record record, std::optional<Json> entry,
                        std::vector<std::string>& left) {
  const auto found = std::find(left.begin(), left.end(), record.id);
  if (found == left.end()) {
    throw Error(kExitNotMeasured, fmt::format("the suite observed {}, which it was not asked for; "
                                              "is it of the same version?",
                                              record.id));
  }
  left.erase(found);
  if (record.pass == Pass::lines) {
    forgive(record);
    look_up_lines(record);
  } else if (machine_code_) {
    machine_code_->annotate(record);
  }
  if (record.outcome.status != Status::ok) {
    failed_.insert(record.id);
    options_.log(fmt::format("{} failed ({}): {}", record.id, to_string(record.outcome.status),
                             record.outcome.message));
  }
  if (only_counts_) record.not_measured["time"] = "at these sizes it is only counted";
  add_source_text(record.lines, options_.source_root);
  // Once: it is the same in every process.
  if (process == 0 && record.pass != Pass::lines && record.outcome.status == Status::ok) {
    if (machine_code_) {
      machine_code_->add_kernels(record);
      add_places(*machine_code_, sources_, record.machine_code);
      add_source_text(record.machine_code, options_.source_root);
    }
    if (!no_machine_code_.empty()) record.not_measured["machine_code"] = no_machine_code_;
  }
  auto& of_benchmark = observations_[record.id];
  of_benchmark.push_back({process, std::move(record), std::move(entry)});
}

// What fails while lines are counted leaves all else measured.
void SuiteObserver::forgive(Record& record) const {
  if (record.outcome.status == Status::ok) return;
  record.not_measured["source_lines"] = record.outcome.message;
  record.outcome = {};
  options_.log(fmt::format("{}: source lines are not measured: {}", record.id,
                           record.not_measured["source_lines"]));
}

// Makes lines of what was counted of each instruction, and says of which kernels there are none.
void SuiteObserver::look_up_lines(Record& record) {
  if (!record.instructions.empty() && !machine_code_) {
    record.not_measured["source_lines"] = no_machine_code_;
  } else if (machine_code_ && !record.not_measured.contains("source_lines")) {
    auto lines = counted_lines(record.instructions, *machine_code_, sources_);
    std::move(lines.begin(), lines.end(), std::back_inserter(record.lines));
    const std::string missing = kernels_without_lines(record);
    if (!missing.empty()) record.not_measured["source_lines"] = missing;
  }
  record.instructions.clear();
}

std::string SuiteObserver::kernels_without_lines(const Record& record) {
  if (!with_lines_) with_lines_ = kernels_with_lines(*machine_code_, sources_);
  std::vector<std::string> foreign;
  std::vector<std::string> uncounted;
  for (const std::string& kernel : kernels_of(record)) {
    const bool counted =
        std::find(record.kernels.begin(), record.kernels.end(), kernel) != record.kernels.end();
    if (!with_lines_->contains(kernel)) {
      foreign.push_back(kernel);
    } else if (!counted) {
      uncounted.push_back(kernel);
    }
  }
  std::vector<std::string> reasons;
  if (!foreign.empty()) {
    reasons.push_back(fmt::format(
        "the machine code of {} names no file below {}: it is a library's, or nvcc made it "
        "without -lineinfo, or its source is elsewhere (--source-root), or several files have a "
        "kernel of this name",
        fmt::join(foreign, ", "), options_.source_root.string()));
  }
  if (!uncounted.empty()) {
    reasons.push_back(fmt::format("the device counted nothing of {}", fmt::join(uncounted, ", ")));
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

// That the benchmark launched, as the time pass saw it, or else this one.
std::vector<std::string> SuiteObserver::kernels_of(const Record& record) const {
  const auto found = observations_.find(record.id);
  if (found != observations_.end()) {
    for (const Observation& each : found->second) {
      if (!each.record.kernels.empty()) return each.record.kernels;
    }
  }
  return record.kernels;
}

}  // namespace warpgauge::ci
