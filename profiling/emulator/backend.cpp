// SPDX-License-Identifier: Apache-2.0
// The Backend for the emulator.
#include "profiling/harness/backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>

#include "profiling/emulator/emulator.hpp"
#include "profiling/harness/device_state.hpp"
#include "profiling/harness/random_input.hpp"
#include "profiling/harness/trust.hpp"
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

// Without a clock, these are what a launch costs.
std::map<Access, double> requests(const emulator::Observation& observation) {
  std::map<Access, double> of_kind;
  for (const SourceLine& line : observation.lines) {
    of_kind[line.access] += static_cast<double>(line.requests);
  }
  return of_kind;
}

void require_usual_requests(const std::map<Access, double>& unseen,
                            const std::map<Access, double>& usual) {
  constexpr double kLeast = 64;
  for (const auto& [access, count] : unseen) {
    const auto found = usual.find(access);
    require_usual_cost(count, found == usual.end() ? 0 : found->second, kLeast,
                       to_string(access) + " requests");
  }
}

// Whole sectors, also where few of their bytes were asked for. Atomics read and write.
double moved_bytes(const Record& record, const char* way) {
  constexpr double kSectorBytes = 32;
  return kSectorBytes * (record.counters.at(fmt::format("global_{}_sectors", way)) +
                         record.counters.at("global_atomic_sectors"));
}

// As on a GPU: of each word and its place.
std::uint64_t digest_of(std::span<const DeviceBlock> blocks) {
  std::uint64_t digest = 0;
  for (const DeviceBlock& block : blocks) {
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < block.bytes; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, static_cast<const unsigned char*>(block.data) + at,
                  std::min(sizeof word, block.bytes - at));
      sum += split_mix(split_mix(word) ^ at);
    }
    digest = split_mix(digest ^ sum) ^ block.bytes;
  }
  return split_mix(digest);
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

  [[nodiscard]] std::map<std::string, std::string> state() override { return device_state(); }

  [[nodiscard]] std::string digest(std::span<const DeviceBlock> blocks) override {
    return blocks.empty() ? "" : fmt::format("{:016x}", digest_of(blocks));
  }

  void observe(results::Pass, const Workload& workload, Record& record) override {
    emulator::Observation observation = observed(workload.launch, workload.lines);
    const auto first = requests(observation);
    record.remarks = std::move(observation.remarks);
    record.counters = counters(observation);
    if (workload.lines) record.lines = std::move(observation.lines);
    record.kernels = std::move(observation.kernels);
    record.launches = std::move(observation.launches);
    record.grid_fills_device = observation.grid_fills_device;
    record.not_measured["time"] = "the emulator has no clock";
    if (workload.surprise) check_other_launches(workload, first);
    require_least_traffic(record.work, moved_bytes(record, "load"), moved_bytes(record, "store"));
  }

 private:
  emulator::Observation observed(const std::function<void()>& launch, bool places) const {
    emulator::Options options = options_;
    options.places = places;
    emulator::Observation observation = emulator::observe(launch, options);
    if (!observation.errors.empty()) throw DeviceError(error_text(observation.errors));
    return observation;
  }

  // On the same input again, and on another.
  void check_other_launches(const Workload& workload, const std::map<Access, double>& first) const {
    const auto again = requests(observed(workload.launch, false));
    require_usual_requests(first, again);
    workload.surprise();
    const auto unseen = requests(observed(workload.launch, false));
    workload.settle();
    require_usual_requests(unseen, again);
  }

  emulator::Options options_ = emulator::options_of_environment();
};

}  // namespace

std::unique_ptr<Backend> make_backend() { return std::make_unique<EmulatorBackend>(); }

}  // namespace warpgauge
