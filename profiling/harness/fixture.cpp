// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/fixture.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "profiling/harness/suite/journal.hpp"
#include "profiling/harness/suite/subject.hpp"
#include "profiling/harness/trust.hpp"

namespace warpgauge {
namespace {

using results::Pass;
using results::Record;
using results::Status;

// Google Benchmark needs a time for every iteration. Without a clock on the device, use the
// duration of the observation; the record says that no time was measured.
double iteration_seconds(const Record& record, std::chrono::steady_clock::duration observing) {
  if (record.time_ns) return *record.time_ns * 1e-9;
  return std::chrono::duration<double>(observing).count();
}

// The process that counts lines checks the whole result: a gate runs it only for what may have
// changed. A backend that does not count lines apart checks it with the counters.
Coverage coverage_of(const Backend& backend, Pass pass) {
  const std::vector<Pass> passes = backend.passes();
  const bool lines_apart = std::find(passes.begin(), passes.end(), Pass::lines) != passes.end();
  return pass == (lines_apart ? Pass::lines : Pass::counters) ? Coverage::full : Coverage::sampled;
}

void discard_measurements(Record& record) {
  record.samples_ns.clear();
  record.time_ns.reset();
  record.counters.clear();
  record.lines.clear();
  record.instructions.clear();
}

}  // namespace

void KernelFixture::bind(const Session& session, std::string id, Sizes size,
                         std::function<std::unique_ptr<KernelFixture>()> make) {
  session_ = &session;
  id_ = std::move(id);
  size_ = std::move(size);
  make_ = std::move(make);
}

void KernelFixture::observe(benchmark::State& state, Record& record) {
  Backend& backend = session_->backend;
  if (!session_->profile) backend.place_data(record.pass);
  Subject subject(backend, make_, size_, coverage_of(backend, record.pass));
  std::uint64_t bytes = 0;
  for (const DeviceBlock& block : subject.blocks()) bytes += block.bytes;
  const bool timed = record.pass == Pass::time || record.pass == Pass::sentinel;
  if ((timed || session_->launches) && !session_->profile) {
    record.input_digest = backend.digest(subject.blocks());
  }
  record.work = subject.fixture().work();
  for ([[maybe_unused]] auto iteration : state) {
    const auto start = std::chrono::steady_clock::now();
    const auto launch = [&] { subject.launch(); };
    if (session_->profile) {
      backend.profile(launch, record);
    } else {
      const ClockWatch clock;
      Workload workload{.launch = launch,
                        .relocate = [&] { subject.relocate(); },
                        .hot = session_->hot,
                        .memory_bytes = bytes,
                        .lines = !session_->launches};
      const bool inspects = !session_->launches && backend.inspects(record.pass);
      if (inspects) {
        workload.surprise = [&] { subject.surprise(); };
        workload.settle = [&] { subject.settle(); };
      }
      const auto before = inspects ? std::optional(backend.state()) : std::nullopt;
      backend.observe(record.pass, workload, record);
      if (before) require_same_state(*before, backend.state());
      clock.require_right();
    }
    state.SetIterationTime(iteration_seconds(record, std::chrono::steady_clock::now() - start));
  }
  subject.require_right();
  if (!subject.remark().empty()) record.remarks.push_back(subject.remark());
  if (record.pass == Pass::time && !session_->profile)
    record.counters.merge(subject.fixture().figures());
}

void KernelFixture::BenchmarkCase(benchmark::State& state) {
  Record record;
  record.id = id_;
  record.pass = session_->pass;
  session_->journal.started(id_);
  try {
    observe(state, record);
  } catch (const WrongResult& error) {
    record.outcome = {Status::wrong_result, error.what()};
  } catch (const std::exception& error) {
    record.outcome = {Status::error, error.what()};
  }
  if (record.outcome.status == Status::ok) {
    for (const auto& [name, value] : record.counters) state.counters[name] = value;
  } else {
    discard_measurements(record);
    state.SkipWithError(record.outcome.message.c_str());
  }
  session_->journal.finished(record);
}

}  // namespace warpgauge
