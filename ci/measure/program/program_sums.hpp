// SPDX-License-Identifier: Apache-2.0
// Sums up what each start of a program launched, by ids that are the same in all of them. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ci/measure/program/program_entries.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

struct LaunchSum {
  std::uint64_t launches = 0;
  std::uint64_t gpu_ns = 0;
};

// A kernel in a range and a launch shape.
struct KernelSum {
  std::string range;  // its id
  std::string name;   // demangled
  LaunchSum all;
  std::vector<double> samples_ns;  // warmed up
  std::vector<results::KernelLaunch> alike;
  std::vector<results::KernelCode> code;
  std::map<std::size_t, LaunchSum> by_process;           // of those of the start
  std::map<std::int32_t, LaunchSum> by_rank;             // of those that have one
  std::vector<const launches::RecordedEntry*> recorded;  // what it is the sum of
};

struct RangeSum {
  // Of each time that it was entered.
  std::vector<double> gpu_ns;
  std::vector<double> span_ns;
  std::vector<double> idle_ns;
  std::set<std::uint64_t> launches;  // each number of them that there was
  std::uint64_t entered = 0;
  LaunchSum all;
  std::uint64_t span_ns_of_all = 0;
  std::uint64_t busy_ns_of_all = 0;
};

// Of one start, without what was launched while something was compiled.
struct StartSum {
  std::map<std::string, KernelSum> kernels;  // by id
  std::map<std::string, RangeSum> ranges;    // by id, of the whole program, too
  std::uint64_t gpu_ns = 0;       // but for transfers, however long the host took for them
  std::uint64_t transfer_ns = 0;  // of these

  // Of the GPU's time; of a transfer, of that and all transfers.
  [[nodiscard]] double share_of(const KernelSum& kernel) const;
};

// They refer to the starts.
[[nodiscard]] std::vector<StartSum> summed_up(const std::vector<const ProgramStart*>& starts);

// Whether the range is of one that XLA opened, and is in each start all that there is in the range
// around it, which says the same.
[[nodiscard]] bool is_said_by_range_around(const std::vector<StartSum>& starts,
                                           const std::string& id);

// What is worth knowing of how the starts were recorded: what could not be told apart, and which
// processes did not end by themselves.
[[nodiscard]] std::vector<std::string> remarks_on_records(const std::vector<ProgramStart>& starts);

// "over 8 ranks from 10.1 µs (3) to 11.0 µs (0) (9 %)", where processes have ranks; else "over 8
// processes of a start from 10.1 µs to 11.0 µs (9 %)". Empty: there is one.
[[nodiscard]] std::string spread_over_processes(const KernelSum& kernel);

}  // namespace warpgauge::ci
