// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/fixture.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include "profiling/harness/journal.hpp"

namespace warpgauge {
namespace {

using results::Record;
using results::Status;

// Google Benchmark needs a time for every iteration. Without a clock on the device, use the
// duration of the observation; the record says that no time was measured.
double iteration_seconds(const Record& record, std::chrono::steady_clock::duration observing) {
  if (record.time_ns) return *record.time_ns * 1e-9;
  return std::chrono::duration<double>(observing).count();
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
  if (!session_->profile) session_->backend.place_data(record.pass);
  const std::size_t of_others = device_memory().size();
  prepare(size_);
  const std::vector<DeviceBlock> blocks = device_memory().since(of_others);
  std::uint64_t bytes = 0;
  for (const DeviceBlock& block : blocks) bytes += block.bytes;
  const bool timed = record.pass == results::Pass::time || record.pass == results::Pass::sentinel;
  if (timed && !session_->profile) {
    record.input_digest = session_->backend.digest(blocks);
  }
  record.work = work();
  std::unique_ptr<KernelFixture> elsewhere;  // holds the data after the first relocation
  const auto current = [&]() -> KernelFixture& { return elsewhere ? *elsewhere : *this; };
  for ([[maybe_unused]] auto iteration : state) {
    const auto start = std::chrono::steady_clock::now();
    const auto launch = [&] { current().run_variant(); };
    // Frees the old data after allocating the new, so that the addresses differ.
    const auto relocate = [&] {
      auto fresh = make_();
      fresh->prepare(size_);
      elsewhere = std::move(fresh);
    };
    if (session_->profile) {
      session_->backend.profile(launch, record);
    } else {
      session_->backend.observe(record.pass, {launch, relocate, session_->hot, bytes}, record);
    }
    state.SetIterationTime(iteration_seconds(record, std::chrono::steady_clock::now() - start));
  }
  const bool counted = record.pass == results::Pass::counters;
  if (const Check result = current().check(counted ? Coverage::full : Coverage::sampled);
      !result.passed()) {
    record.outcome = {Status::wrong_result, result.message()};
    return;
  }
  if (record.pass == results::Pass::time && !session_->profile)
    record.counters.merge(current().figures());
}

void KernelFixture::BenchmarkCase(benchmark::State& state) {
  Record record;
  record.id = id_;
  record.pass = session_->pass;
  session_->journal.started(id_);
  try {
    observe(state, record);
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
