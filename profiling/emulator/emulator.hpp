// SPDX-License-Identifier: Apache-2.0
// The emulator's interface for the harness: observes the kernels that a piece of host code runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::emulator {

struct Options {
  // At most so many host threads run blocks; 0: one per hardware thread. Affects only the
  // emulator's speed. A cooperative launch always uses one thread per block.
  unsigned threads = 0;
  // Most steps (accesses and branches) of a block's threads without any thread finishing. Beyond
  // that, the emulator assumes that the block waits for something that never happens.
  std::uint64_t spin_budget = std::uint64_t{1} << 30;
  // Makes errors of remarks, or remarks of errors: "same-value=error,race=remark" (see
  // severity.hpp).
  std::string severities{};
  // An error ends only the block that made it. Other blocks and the program continue, and CUDA's
  // calls return no error. The report still names it.
  bool continue_after_errors = false;
  // Whether it is looked up where in the source accesses are, which takes longer than the usual
  // kernel of a test. If not, lines have no places: there is one for each kind and width of access.
  bool places = true;
};

// From the environment variables WARPGAUGE_SEVERITY and WARPGAUGE_ON_ERROR. Throws
// std::invalid_argument if one of them has an unknown value.
[[nodiscard]] Options options_of_environment();

// A mistake. The text describes where it was made first.
struct Finding {
  bool is_error = false;  // or a remark
  std::string text;
  std::uint64_t times = 0;     // how many threads, or pairs of threads, made it
  std::uint64_t launches = 0;  // in how many launches
};

struct Observation {
  // One for each file, line, column, kind and width of access; `text` is empty.
  std::vector<results::SourceLine> lines;
  std::vector<std::string> kernels;  // demangled, each once, in order of their first launch
  std::vector<results::KernelLaunch> launches;
  // A grid had as many blocks as the device holds, after the host had queried that number.
  bool grid_fills_device = false;
  std::uint64_t barriers = 0;       // of blocks
  std::vector<std::string> errors;  // in the order of launches and blocks
  // Code that is legal in CUDA but often a mistake, each place once. Remarks do not fail a kernel.
  std::vector<std::string> remarks;
};

// Calls `launch` and observes all kernels that it runs. Kernel errors end with the call:
// cudaGetLastError does not return them afterwards. Do not call from several threads at once.
[[nodiscard]] Observation observe(const std::function<void()>& launch, const Options& options = {});

// The first launch of a kernel, to compare with the same launch on a GPU.
struct FirstLaunch {
  results::KernelLaunch launch;
  bool completed = false;
  std::vector<results::SourceLine> lines;
};

// The observations of all launches of one kernel.
struct KernelObservation {
  std::string name;
  std::uint64_t launches = 0;
  std::uint64_t unfinished = 0;  // launches that an error or a signal ended early
  Observation did;
  std::vector<Finding> findings;  // did.errors and did.remarks with their counts
  FirstLaunch first;
};

// From now on keeps the observations of launches outside of observe(), until the program ends.
void keep_observations(const Options& options = {});

// Ends the launch that is running, if there is one, and waits some seconds for its end; its
// observation is kept, too. No launch starts afterwards: a thread that asks for one waits forever.
void end_launches();

// The kept observations by kernel, in order of first launch.
[[nodiscard]] std::vector<KernelObservation> kept_observations();

}  // namespace warpgauge::emulator
