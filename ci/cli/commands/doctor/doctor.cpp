// SPDX-License-Identifier: Apache-2.0
// `warpgauge doctor`: finds out what doctor_report.hpp judges.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include "ci/cli/abilities.hpp"
#include "ci/cli/commands/doctor/doctor_report.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/measure/resource_spec.hpp"
#include "ci/measure/suite/suite_process.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/loaded_driver.hpp"
#include "ci/support/process/helper_query.hpp"
#include "ci/support/process/process.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::Json;

constexpr const char* kDoctorExamples =
    "Examples:\n"
    "  warpgauge doctor\n"
    "  warpgauge doctor --suite build/suite_gpu\n"
    "  warpgauge doctor --json --require time,counters\n"
    "  warpgauge doctor --resource-spec gpus.json";
constexpr const char* kDoctorStatuses =
    "Exit status:\n   0  whatever is found\n   4  what --require names cannot be measured, or "
    "--resource-spec finds no GPU\n  64  wrong usage";

// Made by profiling/cupti.
constexpr const char* kDoctorProgram = "warpgauge_doctor";
constexpr const char* kDriverFolder = "/proc/driver/nvidia";

struct DoctorOptions {
  std::optional<fs::path> program;   // warpgauge_doctor; absent: the one beside this program
  std::vector<fs::path> suites;      // empty: those beside this program
  std::vector<std::string> require;  // abilities without which the exit status is 4
  bool json = false;
  std::optional<fs::path> resource_spec;  // file for CTest, of the GPUs
};

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// Where the shell would find it; empty: nowhere.
std::string in_path(const std::string& name) {
  const char* const variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty() && is_program(fs::path(folder) / name)) {
      return (fs::path(folder) / name).string();
    }
  }
  return "";
}

// " It lacks the libraries …", all of them: the loader's own message names the first.
std::string lacking_libraries(const fs::path& program) {
  const std::string ldd = in_path("ldd");
  if (ldd.empty()) return "";
  const TemporaryFolder folder;
  ChildOptions options;
  options.program = ldd;
  options.arguments = {program.string()};
  options.output = folder.path() / "output";
  options.errors = folder.path() / "errors";
  options.timeout = kQuestionTimeout;
  static_cast<void>(run_child(options));
  std::istringstream lines(results::read_file(options.output, results::kAnswerLimit));
  std::vector<std::string> lacking;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    if (line.ends_with("=> not found") && words >> name) lacking.push_back(name);
  }
  if (lacking.empty()) return "";
  return fmt::format(
      ". Of its libraries {} are not found: install them, or name their folder in LD_LIBRARY_PATH",
      fmt::join(lacking, ", "));
}

SuiteFacts look_at(const fs::path& path) {
  SuiteFacts facts;
  facts.path = path.string();
  try {
    const SuiteDescription description = Suite(path, kQuestionTimeout, "gate").describe();
    facts.backend = description.backend;
    facts.benchmarks = description.ids.size();
  } catch (const Error& error) {
    facts.problem = error.what() + lacking_libraries(path);
  }
  return facts;
}

void find_programs(DoctorFacts& facts) {
  for (const char* name : {"g++", "nvcc", "ncu", "nsys"}) {
    if (const std::string path = in_path(name); !path.empty()) facts.programs[name] = path;
  }
  // Where the toolkit puts it, which is seldom in PATH.
  const fs::path usual_nvcc = "/usr/local/cuda/bin/nvcc";
  if (is_program(usual_nvcc)) facts.programs.try_emplace("nvcc", usual_nvcc.string());
  for (const char* name : {"suite_emulated", "suite_gpu"}) {
    const fs::path suite = own_folder() / name;
    if (!is_program(suite)) continue;
    facts.programs[name] = suite.string();
    const SuiteFacts found = look_at(suite);
    if (!found.problem.empty()) facts.why_not_started[name] = found.problem;
  }
}

// A file of the driver's, as text; nothing when it cannot be read.
std::optional<std::string> driver_file(const char* name) {
  try {
    return results::read_file(fs::path(kDriverFolder) / name, results::kAnswerLimit);
  } catch (const results::FileError&) {
    return std::nullopt;
  }
}

void ask_driver(DoctorFacts& facts) {
  facts.loaded_driver = loaded_driver();
  if (const auto parameters = driver_file("params")) {
    constexpr std::string_view kRootOnly = "RmProfilingAdminOnly: ";
    const std::size_t at = parameters->find(kRootOnly);
    if (at != parameters->npos) {
      facts.counters_for_root_only = parameters->compare(at + kRootOnly.size(), 1, "1") == 0;
    }
  }
}

void ask_gpu(const DoctorOptions& options, DoctorFacts& facts) {
  const fs::path program = options.program.value_or(own_folder() / kDoctorProgram);
  if (!is_program(program)) {
    facts.why_no_gpu_answer =
        facts.loaded_driver || options.program
            ? fmt::format("there is no {}: {}", program.string(), how_to_build(kDoctorProgram))
            : "there is no driver to ask";
    return;
  }
  const std::string hint = fmt::format("is it {}?", kDoctorProgram);
  try {
    facts.gpu = ask(fs::absolute(program), {}, kQuestionTimeout, hint);
  } catch (const Error& error) {
    facts.why_no_gpu_answer = error.what();
  }
  if (!facts.gpu || !facts.gpu->contains("device")) return;
  // In a process of its own: it may crash, and profilers are in each other's way.
  try {
    facts.counters = ask(fs::absolute(program), {"counters"}, kQuestionTimeout, hint);
  } catch (const Error& error) {
    facts.why_no_counters_answer = error.what();
  }
}

DoctorFacts facts_here(const DoctorOptions& options) {
  DoctorFacts facts;
  find_programs(facts);
  facts.has_suites_of_its_own = has_suites_of_its_own();
  if (const AbilityHere any = any_program_here(); !any.given) facts.why_not_any_program = any.why;
  for (const fs::path& suite : options.suites) facts.suites.push_back(look_at(suite));
  ask_driver(facts);
  ask_gpu(options, facts);
  return facts;
}

// What `work` makes of the facts, whose layout may be that of another version.
template <class Work>
auto understood(Work work) {
  const auto misunderstood = [](const std::exception& error) {
    return Error(kExitNotMeasured, fmt::format("{}: {}; is it of the same version?", kDoctorProgram,
                                               one_line(error.what())));
  };
  try {
    return work();
  } catch (const Json::exception& error) {
    throw misunderstood(error);
  } catch (const results::FormatError& error) {
    throw misunderstood(error);
  }
}

int examine(const DoctorOptions& options) {
  const DoctorFacts facts = facts_here(options);
  const Diagnosis diagnosis = understood([&] { return diagnose(facts); });
  fmt::print("{}",
             options.json ? json_text(to_json(diagnosis)) : log_text(diagnosis_text(diagnosis)));
  if (options.resource_spec) {
    if (!facts.gpu) throw Error(kExitNotMeasured, "no GPU was asked: " + facts.why_no_gpu_answer);
    results::write_file_atomically(*options.resource_spec,
                                   understood([&] { return resource_spec(*facts.gpu); }));
  }
  const bool all_given = std::all_of(
      diagnosis.abilities.begin(), diagnosis.abilities.end(), [&](const Ability& ability) {
        const auto& required = options.require;
        return ability.given ||
               std::find(required.begin(), required.end(), ability.name) == required.end();
      });
  return all_given ? kExitPass : kExitNotMeasured;
}

}  // namespace

void add_doctor(CLI::App& program, Context& context) {
  CLI::App& command = *program.add_subcommand(
      "doctor", "Tells what can be measured on this machine, and what prevents the rest");
  const auto options = std::make_shared<DoctorOptions>();
  command
      .add_option(
          "--require", options->require,
          "Ends with 4 unless this is possible: program, which is any that launches kernels, "
          "and of a suite time, counters, emulator")
      ->delimiter(',')
      ->check(CLI::IsMember({"program", "time", "counters", "emulator"}));
  command
      .add_option("--suite", options->suites,
                  "A suite to look at, such as your own: whether it starts, and if not, why "
                  "(default: suite_emulated and suite_gpu beside this program)")
      ->allow_extra_args(false);
  add_json(command, options->json);
  command.add_option("--program", options->program,
                     "The executable that asks CUDA (default: warpgauge_doctor beside this one)");
  command.add_option("--resource-spec", options->resource_spec,
                     "File for CTest's resource specification, with one slot for each GPU, for "
                     "tests that run through ci/scripts/with_gpu.sh");
  command.footer(with_statuses(kDoctorExamples, kDoctorStatuses));
  context.on_call(command, [options] { return examine(*options); });
}

}  // namespace warpgauge::ci
