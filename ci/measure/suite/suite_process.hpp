// SPDX-License-Identifier: Apache-2.0
// A suite as seen from outside: what it says of itself, and one process of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ci/support/process/process.hpp"
#include "profiling/results/json/record_json.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

struct SuiteDescription {
  std::string backend;  // "gpu" or "emulated"
  std::vector<results::Pass> passes;
  results::Toolchain toolchain;
  results::Source source;             // of which it was built; empty: not known
  bool tells_launches_alone = false;  // see Suite::ask_for_launches_alone()
  bool takes_more_samples = false;    // see Suite::ask_for_more_samples()
  std::vector<std::string> ids;       // of all benchmarks, in the suite's order
};

struct SuiteDevice {
  results::Device device;
  std::optional<results::DeviceSettings> settings;
  // How often each kernel runs to count what was asked for; absent: not said.
  std::optional<int> counter_passes;
};

// What one process left behind.
// NOLINTNEXTLINE(bugprone-exception-escape): nlohmann's moves only assert.
struct ProcessReport {
  ChildEnd end;
  std::vector<results::Record> finished;  // in order
  std::string unfinished;                 // id that was started last and not finished; or empty
  results::Json context;                  // Google Benchmark's; null: none was written
  std::vector<results::Json> entries;     // Google Benchmark's, as far as they were written
  std::string last_words;                 // last line on standard error
  std::string full_disk;                  // what to do where its files had no room, or empty
};

// All members throw Error (not measured) when the suite cannot be started or answers nonsense, and
// Interrupted.
class Suite {
 public:
  // sizes: which of each family's, "gate", "large" or "emulated". counters: to be counted beyond
  // the usual, by the device's own names. hot: see RunOptions.
  Suite(std::filesystem::path program, std::chrono::milliseconds timeout,
        std::string sizes = "gate", std::vector<std::string> counters = {}, bool hot = false);

  [[nodiscard]] SuiteDescription describe() const;

  // Throws Error with the suite's reason: when there is no device, and (usage) when it has not the
  // counters, or times nothing that could be hot.
  [[nodiscard]] SuiteDevice device() const;

  // From now on each benchmark is launched once, without the checks for cheats. Recorded is how its
  // kernels are launched, on what input, and what they count, without source lines. Only for a
  // suite that describes itself so.
  void ask_for_launches_alone() { launches_alone_ = true; }

  // Whether from now on more samples are taken of each benchmark where it is timed. Only for a
  // suite that describes itself so.
  void ask_for_more_samples(bool more) { more_samples_ = more; }

  // Runs these benchmarks in one process, and calls `finished` with how many it is done with, when
  // that changes.
  [[nodiscard]] ProcessReport observe(
      results::Pass pass, const std::vector<std::string>& ids,
      const std::function<void(std::size_t)>& finished = [](std::size_t) {}) const;

 private:
  [[nodiscard]] results::Json ask(std::vector<std::string> arguments) const;
  [[nodiscard]] std::string counters_flag() const;
  [[nodiscard]] std::string sizes_flag() const { return "--warpgauge_sizes=" + sizes_; }

  std::filesystem::path program_;
  std::chrono::milliseconds timeout_;
  std::string sizes_;
  std::vector<std::string> counters_;
  bool hot_;
  bool launches_alone_ = false;
  bool more_samples_ = false;
};

}  // namespace warpgauge::ci
