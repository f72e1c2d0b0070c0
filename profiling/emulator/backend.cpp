// SPDX-License-Identifier: Apache-2.0
// The Backend for the emulator.
#include "profiling/harness/backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>

#include "profiling/emulator/emulator.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge {
namespace {

using results::Access;
using results::Record;
using results::SourceLine;

constexpr std::size_t kMostErrorsShown = 8;

std::string host_compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

struct Moved {
  const char* what;  // wavefronts or sectors
  std::uint64_t SourceLine::*count;
  std::uint64_t SourceLine::*ideal;
};

Moved moved_by(Access access) {
  switch (access) {
    case Access::shared_load:
    case Access::shared_store:
    case Access::shared_atomic:
      return {"wavefronts", &SourceLine::wavefronts, &SourceLine::ideal_wavefronts};
    case Access::global_load:
    case Access::global_store:
    case Access::global_atomic:
      break;
  }
  return {"sectors", &SourceLine::sectors, &SourceLine::ideal_sectors};
}

// Every counter is present; it is 0 if nothing occurred.
std::map<std::string, double> counters(const emulator::Observation& observation) {
  std::map<std::string, double> totals;
  const auto add = [&](const SourceLine& line) {
    const std::string access = to_string(line.access);
    const Moved moved = moved_by(line.access);
    totals[access + "_requests"] += static_cast<double>(line.requests);
    totals[fmt::format("{}_{}", access, moved.what)] += static_cast<double>(line.*moved.count);
    totals[fmt::format("{}_ideal_{}", access, moved.what)] +=
        static_cast<double>(line.*moved.ideal);
  };
  for (const Access access : {Access::shared_load, Access::shared_store, Access::shared_atomic,
                              Access::global_load, Access::global_store, Access::global_atomic}) {
    SourceLine nothing;
    nothing.access = access;
    add(nothing);
  }
  for (const SourceLine& line : observation.lines) add(line);
  totals["barriers"] = static_cast<double>(observation.barriers);
  return totals;
}

std::string error_text(const std::vector<std::string>& errors) {
  const std::size_t shown = std::min(errors.size(), kMostErrorsShown);
  std::string text = fmt::format("{}", fmt::join(std::span(errors).first(shown), "\n"));
  if (errors.size() > shown) text += fmt::format("\nand {} more", errors.size() - shown);
  return text;
}

class EmulatorBackend final : public Backend {
 public:
  [[nodiscard]] results::DeviceKind kind() const override { return results::DeviceKind::emulated; }

  [[nodiscard]] std::vector<results::Pass> passes() const override {
    return {results::Pass::counters};
  }

  [[nodiscard]] results::Toolchain toolchain() const override {
    return {.host_compiler = host_compiler(),
            .cuda = "",
            .build_type = WARPGAUGE_BUILD_TYPE,
            .version = WARPGAUGE_VERSION};
  }

  [[nodiscard]] results::Device device() override {
    results::Device device;
    device.kind = results::DeviceKind::emulated;
    device.name = "Warpgauge emulator";
    device.key = "emulated";
    return device;
  }

  void observe(results::Pass, const Workload& workload, Record& record) override {
    emulator::Observation observation = emulator::observe(workload.launch, options_);
    if (!observation.errors.empty()) throw DeviceError(error_text(observation.errors));
    record.remarks = std::move(observation.remarks);
    record.counters = counters(observation);
    record.lines = std::move(observation.lines);
    record.kernels = std::move(observation.kernels);
    record.launches = std::move(observation.launches);
    record.grid_fills_device = observation.grid_fills_device;
    record.not_measured["time"] = "the emulator has no clock";
  }

 private:
  emulator::Options options_ = emulator::options_of_environment();
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<EmulatorBackend>(); }

}  // namespace warpgauge
