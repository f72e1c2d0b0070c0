// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/measurement.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/measure/device_lock.hpp"
#include "ci/measure/line_traffic.hpp"
#include "ci/measure/source.hpp"
#include "ci/measure/suite_process.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/id_pattern.hpp"
#include "ci/support/interrupt.hpp"
#include "ci/support/source_tree.hpp"
#include "ci/support/text.hpp"
#include "profiling/machine_code/suite_code.hpp"
#include "profiling/results/ceilings.hpp"
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

}  // namespace

class Measurement::Runner {
 public:
  // only_counts: the device has a clock, but no pass of this run uses it.
  Runner(const Suite& suite, const RunOptions& options, const results::Device& device,
         std::vector<std::string> ids, bool only_counts)
      : suite_(suite),
        options_(options),
        ids_(std::move(ids)),
        only_counts_(only_counts),
        sources_(options.source_root) {
    const bool is_gpu = device.kind == results::DeviceKind::gpu;
    if (!options.machine_code.empty()) {
      machine_code_ = MachineCode::read(options.machine_code, device.compute_capability);
    } else if (is_gpu) {
      try {
        machine_code_ = MachineCode::read({options.suite}, device.compute_capability);
      } catch (const machine_code::CubinError& error) {
        no_machine_code_ = error.what();
      }
    }
  }

  // Observes the wanted benchmarks in one process, or in as many as it takes when some end theirs.
  // `finished` is told how many of the wanted ones this process is done with.
  void observe(Pass pass, int process, const std::set<std::string>& wanted,
               const std::function<void(std::size_t)>& finished) {
    std::vector<std::string> left;
    std::copy_if(ids_.begin(), ids_.end(), std::back_inserter(left), [&](const std::string& id) {
      return wanted.contains(id) && !failed_.contains(id);
    });
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
                      describe(report.end), to_string(pass), quote(report.last_words));
      if (pass != Pass::lines) throw Error(kExitNotMeasured, what);
      options_.tell(what);
      while (!left.empty()) {
        Record record;
        record.id = left.front();
        record.pass = pass;
        record.not_measured["source_lines"] = what;
        add(process, std::move(record), std::nullopt, left);
      }
    }
  }

  // In the suite's order, those of a benchmark together.
  [[nodiscard]] std::vector<Observation> observations() const {
    std::vector<Observation> all;
    for (const std::string& id : ids_) {
      const auto found = observations_.find(id);
      if (found == observations_.end()) continue;
      all.insert(all.end(), found->second.begin(), found->second.end());
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
    if (record.pass == Pass::lines) {
      forgive(record);
      look_up_lines(record);
    } else if (machine_code_) {
      machine_code_->annotate(record);
    }
    if (record.outcome.status != Status::ok) {
      failed_.insert(record.id);
      options_.tell(fmt::format("{} failed ({}): {}", record.id, to_string(record.outcome.status),
                                record.outcome.message));
    }
    if (only_counts_) record.not_measured["time"] = "at these sizes it is only counted";
    add_source_text(record.lines, options_.source_root);
    // Once: it is the same in every process.
    if (process == 0 && record.pass != Pass::lines && record.outcome.status == Status::ok) {
      if (machine_code_) machine_code_->add_kernels(record);
      if (!no_machine_code_.empty()) record.not_measured["machine_code"] = no_machine_code_;
    }
    auto& of_benchmark = observations_[record.id];
    of_benchmark.push_back({process, std::move(record), std::move(entry)});
  }

  // What fails while lines are counted leaves all else measured.
  void forgive(Record& record) const {
    if (record.outcome.status == Status::ok) return;
    record.not_measured["source_lines"] = record.outcome.message;
    record.outcome = {};
    options_.tell(fmt::format("{}: source lines are not measured: {}", record.id,
                              record.not_measured["source_lines"]));
  }

  // Makes lines of what was counted of each instruction, and says of which kernels there are none.
  void look_up_lines(Record& record) {
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

  [[nodiscard]] std::string kernels_without_lines(const Record& record) {
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
      reasons.push_back(
          fmt::format("the device counted nothing of {}", fmt::join(uncounted, ", ")));
    }
    return fmt::format("{}", fmt::join(reasons, "; "));
  }

  // That the benchmark launched, as the time pass saw it, or else this one.
  [[nodiscard]] std::vector<std::string> kernels_of(const Record& record) const {
    const auto found = observations_.find(record.id);
    if (found != observations_.end()) {
      for (const Observation& each : found->second) {
        if (!each.record.kernels.empty()) return each.record.kernels;
      }
    }
    return record.kernels;
  }

  const Suite& suite_;
  const RunOptions& options_;
  std::vector<std::string> ids_;
  bool only_counts_;
  SourceTree sources_;
  std::optional<std::set<std::string>> with_lines_;  // kernels; absent: not looked up yet
  std::optional<MachineCode> machine_code_;
  std::string no_machine_code_;  // why there is none where there should be
  std::map<std::string, std::vector<Observation>> observations_;
  std::set<std::string> failed_;  // not started again: a hang would cost its timeout each time
  Json context_;
};

namespace {

std::vector<std::string> matching(std::vector<std::string> ids, const std::string& filter) {
  const IdFilter wanted(filter);
  std::erase_if(ids, [&](const std::string& id) { return !wanted.matches(id); });
  if (ids.empty()) {
    throw NothingMatches(fmt::format("--filter '{}' matches no benchmark of the suite", filter));
  }
  return ids;
}

std::string now_utc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace

Measurement::Measurement(RunOptions options) : Measurement(std::move(options), nullptr) {}

Measurement::Measurement(RunOptions options, const Measurement& holder)
    : Measurement(std::move(options), &holder) {}

Measurement::Measurement(RunOptions options, const Measurement* holder)
    : options_(std::move(options)),
      suite_(options_.suite, options_.timeout, options_.sizes, options_.counters, options_.hot),
      description_(suite_.describe()),
      ids_(matching(description_.ids, options_.filter)) {
  if (description_.passes.empty()) {
    throw Error(
        kExitNotMeasured,
        fmt::format("{} lists no pass, so that nothing would be measured; is it of the same "
                    "version?",
                    options_.suite.string()));
  }
  if (options_.hot && !has_clock()) {
    throw Error(kExitUsage, fmt::format("--hot: {} times nothing{}, hot or cold; leave it out",
                                        options_.suite.string(),
                                        options_.sizes == "emulated" ? " at these sizes" : ""));
  }
  session_.created = now_utc();
  session_.hot = options_.hot;
  const SuiteDevice device = suite_.device();
  session_.device = device.device;
  session_.settings = device.settings;
  counter_passes_ = device.counter_passes.value_or(0);
  session_.toolchain = description_.toolchain;
  session_.filter = options_.filter;
  session_.source = options_.source                        ? *options_.source
                    : description_.source.revision.empty() ? current_source()
                                                           : description_.source;
  if (options_.shard) take_shard(*options_.shard);
  hold_device(holder);
  const bool is_gpu = session_.device.kind == results::DeviceKind::gpu;
  runner_ =
      std::make_unique<Runner>(suite_, options_, session_.device, ids_, is_gpu && !has_clock());
}

Measurement::~Measurement() = default;

void Measurement::hold_device(const Measurement* holder) {
  const results::Device& device = session_.device;
  if (holder != nullptr) {
    const results::Device& held = holder->session_.device;
    if (held.kind == device.kind && held.key == device.key && held.uuid == device.uuid) return;
    throw Error(kExitNotMeasured,
                fmt::format("{} runs on {} {} and {} on {} {}; what is compared must be measured "
                            "on one device: name it in CUDA_VISIBLE_DEVICES",
                            options_.suite.string(), device.name, device.uuid,
                            holder->options_.suite.string(), held.name, held.uuid));
  }
  if (device.kind != results::DeviceKind::gpu) return;
  lock_.emplace(device.uuid, options_.lock_wait,
                [&] { options_.tell(fmt::format("waiting for another run on {}", device.uuid)); });
}

void Measurement::take_shard(const ShardOf& shard) {
  session_.shard =
      results::Shard{shard.index, shard.count, ids_, options_.sizes, options_.counters};
  std::erase_if(ids_, [&](const std::string& id) {
    if (shard_of(id, shard.count) == shard.index) return false;
    const bool tells_dies = results::parts_of(id).family == results::kCeilingFamily ||
                            matches_any(options_.controls, id);
    if (!has_clock() || !tells_dies) return true;
    only_timed_.insert(id);
    return false;
  });
}

bool Measurement::has_clock() const {
  const auto& passes = description_.passes;
  return std::find(passes.begin(), passes.end(), Pass::time) != passes.end();
}

void Measurement::observe_all() {
  std::vector<std::pair<Pass, int>> processes;
  for (const Pass pass : description_.passes) {
    const int count = pass == Pass::time ? options_.processes : 1;
    for (int process = 0; process < count; ++process) processes.emplace_back(pass, process);
    session_.processes = std::max(session_.processes, count);
  }
  observe(processes, {ids_.begin(), ids_.end()});
  timed_ = has_clock() ? options_.processes : 0;
}

void Measurement::observe_untimed() {
  std::vector<std::pair<Pass, int>> processes;
  for (const Pass pass : description_.passes) {
    if (pass != Pass::time) processes.emplace_back(pass, 0);
  }
  session_.processes = has_clock() ? options_.processes : 1;
  observe(processes, {ids_.begin(), ids_.end()});
}

void Measurement::time_again(const std::set<std::string>& wanted, int processes) {
  std::set<std::string> ids;
  std::copy_if(ids_.begin(), ids_.end(), std::inserter(ids, ids.end()),
               [&](const std::string& id) { return wanted.contains(id); });
  std::vector<std::pair<Pass, int>> again;
  again.reserve(static_cast<std::size_t>(processes));
  for (int i = 0; i < processes; ++i) again.emplace_back(Pass::time, timed_++);
  observe(again, ids);
}

void Measurement::observe(const std::vector<std::pair<Pass, int>>& processes,
                          const std::set<std::string>& wanted) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto [pass, process] = processes[i];
    std::set<std::string> ids = wanted;
    if (pass != Pass::time) {
      std::erase_if(ids, [&](const std::string& id) { return only_timed_.contains(id); });
    }
    Progress progress{.process = i + 1,
                      .processes = processes.size(),
                      .pass = pass,
                      .counter_passes = pass == Pass::counters ? counter_passes_ : 0,
                      .benchmarks = ids.size()};
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t failed_before = runner_->failed();
    const auto tell_progress = [&](Progress::Moment moment, std::size_t finished) {
      const auto now = std::chrono::steady_clock::now();
      progress.moment = moment;
      progress.finished = finished;
      progress.elapsed = now - start;
      progress.took = now - begin;
      progress.failed = runner_->failed() - failed_before;
      options_.progress(progress);
    };
    tell_progress(Progress::Moment::begins, 0);
    runner_->observe(pass, process, ids, [&](std::size_t finished) {
      tell_progress(Progress::Moment::runs, finished);
    });
    tell_progress(Progress::Moment::ended, ids.size());
  }
}

RunResult Measurement::result() const {
  const auto observations = runner_->observations();
  std::string text = results::merge(session_, runner_->context(), observations);
  if (has_clock() && !observations.empty()) {
    results::Session session = session_;
    session.ceilings = measured_ceilings(results::parse_results(text, "the results"));
    text = results::merge(session, runner_->context(), observations);
  }
  return {std::move(text), ids_.size(), runner_->failed()};
}

RunResult run(const RunOptions& options) {
  Measurement measurement(options);
  const std::string other = other_revision_here(measurement.source());
  if (!other.empty()) options.tell(other);
  measurement.observe_all();
  return measurement.result();
}

}  // namespace warpgauge::ci
