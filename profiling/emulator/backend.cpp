// SPDX-License-Identifier: Apache-2.0
// The emulator as a device of the harness.
#include "profiling/backend.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string_view>

#include "profiling/emulator/emulator.hpp"

namespace warpgauge {
namespace {

using results::Access;
using results::Record;
using results::SourceLine;

constexpr std::size_t kMostErrorsTold = 8;

std::string host_compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

struct CounterNames {
  std::string_view access;
  std::string_view moved;  // wavefronts or sectors
  std::uint64_t SourceLine::*count;
  std::uint64_t SourceLine::*ideal;
};

CounterNames counter_names(Access access) {
  const auto shared = [](std::string_view name) {
    return CounterNames{name, "wavefronts", &SourceLine::wavefronts, &SourceLine::ideal_wavefronts};
  };
  const auto global = [](std::string_view name) {
    return CounterNames{name, "sectors", &SourceLine::sectors, &SourceLine::ideal_sectors};
  };
  switch (access) {
    case Access::shared_load:
      return shared("shared_load");
    case Access::shared_store:
      return shared("shared_store");
    case Access::shared_atomic:
      return shared("shared_atomic");
    case Access::global_load:
      return global("global_load");
    case Access::global_store:
      return global("global_store");
    case Access::global_atomic:
      return global("global_atomic");
  }
  return {};
}

// Every counter is present: what did not occur was counted, and is 0.
std::map<std::string, double> counters(const emulator::Observation& observation) {
  std::map<std::string, double> totals;
  const auto add = [&](const CounterNames& names, const SourceLine& line) {
    totals[fmt::format("{}_requests", names.access)] += static_cast<double>(line.requests);
    totals[fmt::format("{}_{}", names.access, names.moved)] +=
        static_cast<double>(line.*names.count);
    totals[fmt::format("{}_ideal_{}", names.access, names.moved)] +=
        static_cast<double>(line.*names.ideal);
  };
  for (const Access access : {Access::shared_load, Access::shared_store, Access::shared_atomic,
                              Access::global_load, Access::global_store, Access::global_atomic}) {
    add(counter_names(access), SourceLine{});
  }
  for (const SourceLine& line : observation.lines) add(counter_names(line.access), line);
  totals["barriers"] = static_cast<double>(observation.barriers);
  return totals;
}

std::vector<std::string> read_lines(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

std::string without_indentation(const std::string& line) {
  const auto first = line.find_first_not_of(" \t");
  return first == line.npos ? "" : line.substr(first);
}

void add_text(std::vector<SourceLine>& lines, const std::filesystem::path& source_root) {
  std::map<std::string, std::vector<std::string>> files;
  for (SourceLine& line : lines) {
    const auto [file, added] = files.try_emplace(line.file);
    if (added) file->second = read_lines(source_root / line.file);
    const auto index = static_cast<std::size_t>(line.line) - 1;
    if (line.line > 0 && index < file->second.size()) {
      line.text = without_indentation(file->second[index]);
    }
  }
}

std::string error_text(const std::vector<std::string>& errors) {
  const std::size_t told = std::min(errors.size(), kMostErrorsTold);
  std::string text = fmt::format("{}", fmt::join(errors.begin(), errors.begin() + told, "\n"));
  if (errors.size() > told) text += fmt::format("\nand {} more", errors.size() - told);
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

  void observe(results::Pass, const std::function<void()>& launch, Record& record) override {
    emulator::Observation observation = emulator::observe(launch);
    if (!observation.errors.empty()) throw DeviceError(error_text(observation.errors));
    record.counters = counters(observation);
    record.lines = std::move(observation.lines);
    add_text(record.lines, WARPGAUGE_SOURCE_ROOT);
    record.not_measured["time"] = "the emulator has no clock";
  }
};

}  // namespace

std::unique_ptr<Backend> make_backend() {
  return std::make_unique<EmulatorBackend>();
}

}  // namespace warpgauge
