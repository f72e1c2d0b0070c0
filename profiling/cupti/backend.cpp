// SPDX-License-Identifier: Apache-2.0
// The Backend for NVIDIA GPUs.
#include "profiling/harness/backend.hpp"

#include <cuda_profiler_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "profiling/cupti/counters/instruction_counter.hpp"
#include "profiling/cupti/counters/range_profiler.hpp"
#include "profiling/cupti/cupti_error.hpp"
#include "profiling/cupti/device/attached_profiler.hpp"
#include "profiling/cupti/device/device.hpp"
#include "profiling/cupti/device/device_watch.hpp"
#include "profiling/cupti/device/memory_digest.hpp"
#include "profiling/cupti/timing/activity_timer.hpp"
#include "profiling/cupti/timing/cache_flush.hpp"
#include "profiling/cupti/timing/event_timer.hpp"
#include "profiling/cupti/timing/inspection.hpp"
#include "profiling/cupti/timing/nvtx_range.hpp"
#include "profiling/harness/device_arena.hpp"
#include "profiling/harness/device_state.hpp"
#include "profiling/harness/launch.hpp"
#include "profiling/harness/trust.hpp"
#include "profiling/machine_code/names/symbol_names.hpp"
#include "profiling/results/trimmed_mean.hpp"

namespace warpgauge {
namespace {

using results::Pass;
using results::Record;

constexpr int kLaunchesUnderProfiler = 3;
constexpr const char* kLinesApart = "lines are counted in a pass of their own";

// An eighth of what is free at most. The driver frees it with the process.
DeviceArena arena_of_device() {
  constexpr std::size_t kMostBytes = std::size_t{4} << 30;
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) free = 0;
  const std::size_t bytes =
      std::min(kMostBytes, free / 8) / DeviceArena::kPage * DeviceArena::kPage;
  void* memory = nullptr;
  const bool taken = bytes > 0 && cudaMalloc(&memory, bytes) == cudaSuccess;
  static_cast<void>(cudaGetLastError());  // without it, data lie where cudaMalloc puts them
  return {memory, taken ? bytes : 0};
}

class GpuBackend : public Backend {
 public:
  results::DeviceKind kind() const override { return results::DeviceKind::gpu; }
  std::vector<Pass> passes() const override {
    return {Pass::time, Pass::sentinel, Pass::counters, Pass::lines};
  }

  results::Toolchain toolchain() const override {
    return {.host_compiler = WARPGAUGE_HOST_COMPILER,
            .cuda = WARPGAUGE_CUDA_VERSION,
            .build_type = WARPGAUGE_BUILD_TYPE,
            .version = WARPGAUGE_VERSION};
  }

  results::Device device() override { return cupti::current_device(); }

  std::optional<results::DeviceSettings> settings() override { return watch().settings(); }

  std::optional<int> select_counters(const std::vector<std::string>& names) override {
    more_counters_ = names;
    static_cast<void>(cupti::current_device());
    if (attached_profiler()) return std::nullopt;  // nothing can be counted under a profiler
    try {
      return static_cast<int>(cupti::passes_on_device(names));
    } catch (const cupti::CuptiError& error) {
      throw DeviceError(error.what());
    }
  }

  std::map<std::string, std::string> state() override {
    auto state = device_state();
    const results::DeviceSettings settings = watch().settings();
    const auto add = [&state](const char* name, const std::optional<double>& value) {
      if (value) state[name] = fmt::format("{}", *value);
    };
    add("the application clock of the multiprocessors, in MHz", settings.sm_clock_mhz);
    add("the application clock of the memory, in MHz", settings.memory_clock_mhz);
    add("the power limit, in W", settings.power_limit_w);
    return state;
  }

  // It takes a part of the time that timing does, so few processes do it.
  bool inspects(Pass pass) override {
    constexpr std::size_t kOneOf = 8;
    return pass == Pass::time &&
           (std::getenv("WARPGAUGE_INSPECT_ALL") != nullptr || cupti::random_moment(kOneOf) == 0);
  }

  void take_more_samples() override { time_limits_ = cupti::kMoreLimits; }

  // The other passes count, and what they count does not depend on the place.
  void place_data(Pass pass) override {
    const bool timed = pass == Pass::time || pass == Pass::sentinel;
    if (!timed || attached_profiler()) return;
    static DeviceArena arena = arena_of_device();  // fixtures may outlive the backend
    device_arena() = &arena;
  }

  std::string digest(std::span<const DeviceBlock> blocks) override {
    return blocks.empty() ? "" : fmt::format("{:016x}", cupti::memory_digest(blocks));
  }

  void observe(Pass pass, const Workload& workload, Record& record) override {
    const std::function<void()>& launch = workload.launch;
    const cupti::NvtxRange range(record.id);
    if (const auto profiler = attached_profiler()) {
      launch_for(*profiler, launch, record);
    } else if (pass == Pass::time || pass == Pass::sentinel) {
      record.not_measured["counters"] = "counters are read in a pass of their own";
      record.not_measured["source_lines"] = kLinesApart;
      measure_time(workload, record);
    } else if (pass == Pass::counters) {
      record.not_measured["time"] = "time is measured in a pass of its own";
      record.not_measured["source_lines"] = kLinesApart;
      measure_counters(launch, record);
    } else {
      record.not_measured["time"] = "time is measured in a pass of its own";
      record.not_measured["counters"] = "counters are read in a pass of their own";
      count_lines(launch, record);
    }
  }

  void profile(const std::function<void()>& launch, Record& record) override {
    for (const char* what : {"time", "counters", "source_lines", results::kLaunches}) {
      record.not_measured[what] = "it was run once, for a profiler";
    }
    require_success(cudaProfilerStart(), "cudaProfilerStart");
    {
      const cupti::NvtxRange range(record.id);
      run(launch);
    }
    require_success(cudaProfilerStop(), "cudaProfilerStop");
  }

 private:
  static void run(const std::function<void()>& launch) {
    launch();
    require_success(cudaGetLastError(), "launch");
    require_success(cudaDeviceSynchronize(), "cudaDeviceSynchronize after the launch");
  }

  static std::optional<std::string> attached_profiler() {
    return cupti::attached_profiler([](const char* name) {
      return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody changes the environment
    });
  }

  // Makes only the benchmark's own launches, so that the profiler sees nothing else.
  static void launch_for(const std::string& profiler, const std::function<void()>& launch,
                         Record& record) {
    const std::string reason = fmt::format(
        "{} is attached, and a process can have one profiler only: run without it", profiler);
    record.not_measured["time"] = reason;
    record.not_measured["counters"] = reason;
    record.not_measured["source_lines"] = reason;
    record.not_measured[results::kLaunches] = reason;
    for (int i = 0; i < kLaunchesUnderProfiler; ++i) run(launch);
  }

  // Creates the flush on first use: its buffer is many times the cache, and hot runs need none.
  cupti::SampleOpening opening_of(const Workload& workload) {
    if (workload.hot) return {cupti::hold_back, "caches as the last launch left them"};
    if (!flush_) flush_.emplace();
    return {[this] { (*flush_)(); }, "L2 flushed"};
  }

  void measure_time(const Workload& workload, Record& record) {
    const cupti::SampleOpening opening = opening_of(workload);
    const auto slowed = [this] { return watch().slowed(); };
    watch().begin();
    const cupti::SamplingLimits limits =
        record.pass == Pass::sentinel ? cupti::kSentinelLimits : time_limits_;
    cupti::Timing timing;
    try {
      timing = cupti::time_by_activity(workload, opening, slowed, limits);
    } catch (const cupti::CuptiError& error) {
      record.not_measured["cupti_activity"] = error.what();
      watch().begin();
      timing = cupti::time_by_events(workload, opening, slowed, limits);
    }
    watch().finish(timing, record);
    record.remarks.insert(record.remarks.end(), timing.remarks.begin(), timing.remarks.end());
    record.time_method = timing.method;
    for (const std::string& symbol : timing.kernel_symbols) {
      record.kernels.push_back(machine_code::demangled(symbol));
    }
    for (results::KernelLaunch& launch : timing.launches) {
      launch.kernel = machine_code::demangled(launch.kernel);
      results::add_launch(std::move(launch), record.launches);
    }
    if (timing.samples_ns.empty()) {
      record.not_measured["time"] = "the benchmark launched no kernel";
      return;
    }
    if (record.launches.empty()) {
      record.not_measured[results::kLaunches] = timing.kernel_symbols.empty()
                                                    ? "CUDA events do not say"
                                                    : "they differ from sample to sample";
    }
    record.sampling = timing.sampling;
    record.time_ns = results::process_figure(timing.samples_ns);
    record.samples_ns = std::move(timing.samples_ns);
    if (timing.host_calls) {
      record.counters.merge(results::host_metrics(*timing.host_calls, workload.memory_bytes));
    } else {
      record.not_measured["host_calls"] = "CUPTI does not say what the host asks of the driver";
    }
    if (!timing.spans_ns.empty()) {
      record.counters[results::kSpanMetric] = results::process_figure(timing.spans_ns);
    }
  }

  void measure_counters(const std::function<void()>& launch, Record& record) {
    try {
      if (!profiler_) profiler_.emplace(more_counters_);
      record.counter_passes = static_cast<int>(profiler_->passes());
      auto readings = profiler_->measure(launch);
      record.counters = std::move(readings.values);
      record.not_measured.merge(readings.not_measured);
      if (const auto found = record.counters.find("instructions"); found != record.counters.end()) {
        require_least_instructions(record.work, found->second);
      }
    } catch (const cupti::CuptiError& error) {
      record.not_measured["counters"] = error.what();
    }
  }

  // `warpgauge run`, which has the machine code, turns the counts into lines.
  void count_lines(const std::function<void()>& launch, Record& record) {
    try {
      if (!instruction_counter_) instruction_counter_.emplace();
      auto counts = instruction_counter_->count(launch);
      record.kernels = std::move(counts.kernels);
      record.instructions = std::move(counts.instructions);
      if (record.kernels.empty()) {
        record.not_measured["source_lines"] = "the benchmark launched no kernel";
      }
    } catch (const cupti::CuptiError& error) {
      record.not_measured["source_lines"] = error.what();
    }
  }

  // Starts NVML on first use.
  cupti::DeviceWatch& watch() {
    if (!watch_) watch_.emplace(cupti::current_pci_bus_id());
    return *watch_;
  }

  cupti::SamplingLimits time_limits_;
  std::optional<cupti::DeviceWatch> watch_;
  std::vector<std::string> more_counters_;
  std::optional<cupti::CacheFlush> flush_;
  std::optional<cupti::RangeProfiler> profiler_;
  std::optional<cupti::InstructionCounter> instruction_counter_;
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<GpuBackend>(); }

}  // namespace warpgauge
