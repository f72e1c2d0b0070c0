// SPDX-License-Identifier: Apache-2.0
// Makes benchmarks of what a program launched: a kernel in a range and a launch shape is one, and a
// range is one. Pure: records in, records out.
//
// The process is the replicate. How often a range is entered within a process lowers only how much
// the processes' figures vary within.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/machine_code/suite_code.hpp"
#include "profiling/results/launches/record_reader.hpp"
#include "profiling/results/merge.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// One start of the program: what its processes left, and the machine code of their modules by the
// kernels' demangled names, each with all that has this name.
struct ProgramStart {
  std::chrono::duration<double> took{};
  std::vector<launches::ProcessRecords> processes;
  std::map<std::string, std::vector<results::KernelCode>> code;
  // The same by the file of a module and the kernel's name.
  std::map<std::pair<std::string, std::string>, std::vector<results::KernelCode>> code_of_modules;
};

// One more start, in which the kernels were not timed but counted.
struct CountingStart {
  ProgramStart start;
  std::string why_not;  // what is not counted has no count; empty: its kernels say it
};

// One more start, in which the instructions of one kernel were counted.
struct LinesStart {
  std::string kernel;  // demangled
  ProgramStart start;
  std::string why_not;                      // nothing is counted; empty: its launches say it
  std::map<std::string, MachineCode> code;  // of the modules that have the kernel, by their files
};

// Starts after those that are timed.
struct FurtherStarts {
  std::optional<CountingStart> counting;
  std::vector<LinesStart> lines;
  std::filesystem::path source_root = ".";
};

struct EntryTerms {
  // What takes a smaller share of the program's GPU time is no benchmark of its own.
  double least_share = 0.001;
  // Whether a benchmark's counter is judged as one that is the same in every launch. One that is
  // not the same is then shown as NAME_mean. Absent: no counter is.
  std::function<bool(const std::string& id, const std::string& counter)> is_exact = {};
};

// Benchmarks of all starts, each with an observation a start, those of one together. A kernel that
// is not launched in every start, or not always of the same machine code, is an unstable choice:
// its time counts with its range's, and a remark there names it. From four starts on it may be so
// in a quarter of them, which then have no observation of it. Nothing: no kernel was launched.
// What the further starts counted joins the first start.
[[nodiscard]] std::vector<results::Observation> program_observations(
    const std::vector<ProgramStart>& starts, const EntryTerms& terms = {},
    const FurtherStarts& further = {});

}  // namespace warpgauge::ci
