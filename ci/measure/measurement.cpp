// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "ci/measure/source.hpp"
#include "ci/measure/suite/suite_observer.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/id_glob.hpp"
#include "ci/support/utc_time.hpp"
#include "profiling/results/ceilings.hpp"

namespace warpgauge::ci {
namespace {

using results::Pass;

std::vector<std::string> matching(const std::vector<std::string>& ids, const std::string& filter) {
  const IdFilter wanted(filter);
  std::vector<std::string> matching;
  std::copy_if(ids.begin(), ids.end(), std::back_inserter(matching),
               [&](const std::string& id) { return wanted.matches(id); });
  if (matching.empty()) {
    throw NothingMatches(fmt::format("--filter '{}' matches no benchmark of the suite{}", filter,
                                     meant_by_filter(filter, ids)));
  }
  return matching;
}

}  // namespace

Measurement::Measurement(RunOptions options) : Measurement(std::move(options), nullptr) {}

Measurement::Measurement(RunOptions options, const Measurement& holder)
    : Measurement(std::move(options), &holder) {}

Measurement::Measurement(RunOptions options, const Measurement* holder)
    : options_(std::move(options)),
      suite_(options_.suite, options_.timeout.value_or(kSuiteTimeout), options_.sizes,
             options_.counters, options_.hot),
      description_(suite_.describe()),
      ids_(matching(description_.ids, options_.filter)) {
  if (options_.launches_alone && description_.tells_launches_alone) suite_.ask_for_launches_alone();
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
  session_.created = utc_now();
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
  observer_ = std::make_unique<SuiteObserver>(suite_, options_, session_.device, ids_,
                                              is_gpu && !has_clock());
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
                [&] { options_.log(fmt::format("waiting for another run on {}", device.uuid)); });
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

bool Measurement::has_pass(Pass pass) const {
  const auto& passes = description_.passes;
  return std::find(passes.begin(), passes.end(), pass) != passes.end();
}

std::set<std::string> Measurement::known(const std::set<std::string>& ids) const {
  std::set<std::string> known;
  std::copy_if(ids_.begin(), ids_.end(), std::inserter(known, known.end()),
               [&](const std::string& id) { return ids.contains(id); });
  return known;
}

void Measurement::observe_all() { observe_passes(has_clock() ? options_.processes : 0); }

void Measurement::observe_untimed() { observe_passes(0); }

void Measurement::observe_passes(int timing_processes) {
  session_.processes = has_clock() ? options_.processes : 1;
  std::vector<std::pair<Pass, int>> processes;
  for (const Pass pass : description_.passes) {
    if (pass == Pass::sentinel) continue;
    if (pass != Pass::time) processes.emplace_back(pass, 0);
    for (int i = 0; pass == Pass::time && i < timing_processes; ++i) {
      processes.emplace_back(pass, timed_++);
    }
  }
  observe(processes, {ids_.begin(), ids_.end()});
}

void Measurement::look() {
  session_.processes = 1;
  std::vector<std::pair<Pass, int>> processes{{Pass::sentinel, 0}};
  if (has_pass(Pass::counters)) processes.emplace_back(Pass::counters, 0);
  observe(processes, {ids_.begin(), ids_.end()});
}

void Measurement::count_lines(const std::set<std::string>& wanted) {
  if (has_pass(Pass::lines)) observe({{Pass::lines, 0}}, known(wanted));
}

void Measurement::time_again(const std::set<std::string>& wanted, int processes) {
  std::vector<std::pair<Pass, int>> again;
  again.reserve(static_cast<std::size_t>(processes));
  for (int i = 0; i < processes; ++i) again.emplace_back(Pass::time, timed_++);
  session_.processes = std::max(session_.processes, std::min(timed_, options_.processes));
  observe(again, known(wanted));
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
    const std::size_t failed_before = observer_->failed();
    const auto show_progress = [&](Progress::Moment moment, std::size_t finished) {
      const auto now = std::chrono::steady_clock::now();
      progress.moment = moment;
      progress.finished = finished;
      progress.elapsed = now - start;
      progress.took = now - begin;
      progress.failed = observer_->failed() - failed_before;
      options_.progress(progress);
    };
    show_progress(Progress::Moment::begins, 0);
    observer_->observe(pass, process, ids, [&](std::size_t finished) {
      show_progress(Progress::Moment::runs, finished);
    });
    show_progress(Progress::Moment::ended, ids.size());
  }
}

results::RunRecord Measurement::result() const {
  results::RunRecord run = observer_->merged(session_);
  for (results::Entry& entry : run.entries) {
    const auto reason = untimed_.find(entry.record.id);
    if (reason == untimed_.end()) continue;
    entry.record.not_timed = reason->second;
    entry.record.not_measured.erase(results::kTimeMetric);
  }
  if (has_clock() && !run.entries.empty()) {
    run.session.ceilings = measured_ceilings(results::results_from(run, "the results"));
  }
  return run;
}

results::RunRecord run(const RunOptions& options) {
  Measurement measurement(options);
  const std::string other = other_revision_here(measurement.source());
  if (!other.empty()) options.log(other);
  measurement.observe_all();
  return measurement.result();
}

std::size_t failed_in(const results::Results& results) {
  const bool ran = results.session->device.kind != results::DeviceKind::machine_code;
  return static_cast<std::size_t>(
      std::count_if(results.benchmarks.begin(), results.benchmarks.end(), [&](const auto& each) {
        return each.outcome.status != results::Status::ok || (!ran && each.machine_code.empty());
      }));
}

}  // namespace warpgauge::ci
