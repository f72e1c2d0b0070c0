// SPDX-License-Identifier: Apache-2.0
// Starts a program that is not ours in fresh processes, unchanged, and makes benchmarks of the
// kernels that it launches.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ci/measure/device_lock.hpp"
#include "ci/measure/program/gpu_facts.hpp"
#include "ci/measure/program/program_entries.hpp"
#include "ci/support/process/interrupt.hpp"
#include "profiling/results/launches/record_reader.hpp"
#include "profiling/results/run_record.hpp"
#include "profiling/results/session.hpp"

namespace warpgauge::ci {

struct ProgramOptions {
  std::vector<std::string> command;  // the program and its arguments
  // libwarpgauge_inject.so, which CUDA and NVTX load into it.
  std::filesystem::path injection;
  // The folder of the Python package of that name, which Python programs then find. Empty: none.
  std::filesystem::path python;
  // warpgauge_doctor, which knows how the GPUs are set up and who else computes on them. Empty:
  // nobody is asked.
  std::filesystem::path doctor;
  std::string skip_until;  // an NVTX range, before which nothing counts; empty: nothing is skipped
  // Whether one more start counts the usual counters of each kernel, and these.
  bool counters = false;
  std::vector<std::string> more_counters;
  // Kernels, by their ids or names, of which one more start each counts the source lines, of files
  // below the root.
  std::vector<std::string> lines;
  std::filesystem::path source_root = ".";
  int processes = 5;
  EntryTerms terms;
  std::chrono::milliseconds timeout{600'000};    // without a word or a record
  std::chrono::milliseconds lock_wait{600'000};  // for another run on the same device
  std::function<void(const std::string&)> log = [](const std::string&) {};
};

// The fewest that tell how far processes differ.
inline constexpr int kFewestStarts = 3;

// After how many of so many starts a gate looks early; 0: it does not.
[[nodiscard]] constexpr int early_look(int starts) {
  return starts > kFewestStarts ? kFewestStarts : 0;
}

// Members throw Error: usage, for a command that cannot be measured so, such as one of another
// profiler's; not measured, when the program cannot be started, fails, launches nothing or leaves
// too little of what it launched; Interrupted.
class ProgramMeasurement {
 public:
  explicit ProgramMeasurement(ProgramOptions options);

  // In so many further processes. Before the first of all, one is started that fills the caches of
  // compilers and of what is tuned at run time: it counts only if it found them full (see
  // first_start.hpp). After these, once, follow those that read counters and count lines, where
  // they are asked for.
  void observe(int processes);

  [[nodiscard]] results::RunRecord result() const;

 private:
  [[nodiscard]] ProgramStart start(const std::string& which);
  [[nodiscard]] std::uint64_t require_whole(
      const std::vector<launches::ProcessRecords>& start) const;
  [[nodiscard]] ProgramStart read(const std::filesystem::path& folder,
                                  std::vector<launches::ProcessRecords> processes);
  void read_code(const std::filesystem::path& folder, const launches::ModuleRecord& module,
                 ProgramStart& start);
  struct OtherProcesses {
    std::set<std::string> names;  // that computed on a GPU of the program from begin to end
    std::string unknown;          // why; empty: they are known
  };

  void begin();
  void take_first();
  void count();
  void count_counters();
  void count_lines(const std::string& symbol);
  void lock(const std::set<std::string>& uuids);
  [[nodiscard]] std::optional<GpuFacts> ask(const std::string& uuid) const;
  [[nodiscard]] OtherProcesses others() const;
  void know_devices(const ProgramStart& start);
  void know_ranks(const ProgramStart& start);

  InterruptGuard interrupts_;
  ProgramOptions options_;
  std::filesystem::path program_;
  results::Session session_;
  std::list<DeviceLock> locks_;
  std::set<std::string> locked_;  // UUIDs
  std::set<std::string> used_;    // those of the GPUs that it launches on
  std::map<std::string, std::vector<results::KernelCode>> modules_;  // by the names of their files
  std::optional<ProgramStart> first_;                                // until there is another one
  std::vector<ProgramStart> starts_;
  std::vector<OtherProcesses> others_;  // by start
  std::set<std::string> with_lines_;    // symbols of kernels
  FurtherStarts further_;
};

// One measurement with nothing after it.
[[nodiscard]] results::RunRecord run(const ProgramOptions& options);

}  // namespace warpgauge::ci
