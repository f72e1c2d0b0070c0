// SPDX-License-Identifier: Apache-2.0
// What can be measured on a machine, and what prevents the rest. Judges facts, and gathers none.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {

// A suite that was asked about.
struct SuiteFacts {
  std::string path;
  std::string backend;         // "gpu", "emulated"; empty: it does not start
  std::size_t benchmarks = 0;  // that it has
  std::string problem;         // why it does not start
};

struct DoctorFacts {
  // What warpgauge_doctor answers (see profiling/cupti/doctor_main.cpp), or why it does not.
  std::optional<results::Json> gpu;
  std::string why_no_gpu_answer;
  // Its trial of counters; tried only where there is a GPU.
  std::optional<results::Json> counters;
  std::string why_no_counters_answer;
  // What the loaded driver says of itself, and of who may count; absent: none is loaded.
  std::optional<std::string> loaded_driver;
  std::optional<bool> counters_for_root_only;
  // Where programs are, by name: g++, nvcc, ncu, nsys, suite_emulated, suite_gpu. Absent: nowhere.
  std::map<std::string, std::string> programs;
  std::map<std::string, std::string> why_not_started;  // of suites that are there but do not start
  // Instead of the suites among the programs, where one was asked about.
  std::vector<SuiteFacts> suites;
  bool has_suites_of_its_own = true;  // as a build from the source, and no release
  std::string why_not_any_program;    // why no launch of a program can be watched; empty: it can be
};

enum class Health { fine, limited, missing };

struct Check {
  std::string what;
  Health health = Health::fine;
  std::string found;
  std::string remedy;  // empty where it is fine
};

struct Ability {
  std::string name;  // "time", "counters", "emulator": of a suite; "program"
  bool given = false;
  std::string why_not;  // empty where it is given
};

struct Diagnosis {
  std::vector<Ability> abilities;
  std::vector<Check> checks;
};

[[nodiscard]] Diagnosis diagnose(const DoctorFacts& facts);

// A text: abilities first, then the checks, with each remedy below the problem.
[[nodiscard]] std::string diagnosis_text(const Diagnosis& diagnosis);
[[nodiscard]] results::Json to_json(const Diagnosis& diagnosis);

}  // namespace warpgauge::ci
