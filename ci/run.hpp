// SPDX-License-Identifier: Apache-2.0
// Starts a suite in fresh processes and merges what they observed into results.json.
//
// A benchmark that crashes, hangs or reports an error takes nothing along: a fresh process goes on
// with the rest.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpgauge::ci {

struct RunOptions {
  std::filesystem::path suite;
  std::string filter;                 // regular expression on ids; empty: all
  std::string sizes = "gate";         // "large", "emulated": see SizeSet
  std::vector<std::string> counters;  // beyond the usual, by the device's own names for them
  int processes = 5;                  // that time
  std::chrono::milliseconds timeout{120'000};    // without progress, before a process is ended
  std::chrono::milliseconds lock_wait{600'000};  // for another run on the same device
  std::filesystem::path source_root = ".";
  // Cubin or program in which source lines are looked up; absent: they are not.
  std::optional<std::filesystem::path> machine_code;
  std::function<void(const std::string&)> progress;  // one line on what is being done
};

struct RunResult {
  std::string text;  // of results.json
  std::size_t benchmarks = 0;
  std::size_t failed = 0;
};

// Throws Error: usage, when the device has not the counters; not measured, when there is no device,
// the suite cannot be started or leaves without having done anything; CubinError when there is no
// machine code to read; Interrupted after SIGINT or SIGTERM, when all children are gone.
[[nodiscard]] RunResult run(const RunOptions& options);

}  // namespace warpgauge::ci
