// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/program_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "ci/measure/program/kernel_label.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/loaded_driver.hpp"
#include "ci/support/process/helper_query.hpp"
#include "ci/support/process/process.hpp"
#include "ci/support/text.hpp"
#include "profiling/machine_code/names/symbol_names.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/nearest.hpp"
#include "profiling/results/program_id.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using launches::ProcessRecords;

constexpr const char* kNoDriver =
    "no NVIDIA driver is seen here; install it, or start the container with --gpus all";

// Grows whenever the program says something or records.
std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code ignored;
  for (const auto& each : fs::directory_iterator(folder, ignored)) {
    const std::uintmax_t size = each.file_size(ignored);
    if (!ignored) bytes += size;
  }
  return bytes;
}

// The variable with one more at its end.
std::string with_one_more(const char* variable, const std::string& value, char separator) {
  const char* const before = std::getenv(variable);
  const bool is_set = before != nullptr && *before != '\0';
  return fmt::format("{}={}{}", variable, is_set ? std::string(before) + separator : "", value);
}

// "python3.12", as distributions call them.
bool is_python(const std::string& name) {
  constexpr std::string_view kName = "python";
  return name.starts_with(kName) &&
         name.find_first_not_of("0123456789.", kName.size()) == name.npos;
}

// Whether the command is a Python that is told to heed no variable (-I, -E): it would not find the
// plugin, and pytest ends where a plugin that it is told of is not found.
bool is_isolated_python(const std::vector<std::string>& command) {
  if (!is_python(fs::path(command.front()).filename().string())) return false;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string_view word = command[i];
    const bool is_option = word.size() > 1 && word.front() == '-';
    if (!is_option || word == "--") return false;
    if (word == "--check-hash-based-pycs") ++i;
    if (word.starts_with("--")) continue;
    // -m and -c end the options; -W and -X take the rest of the word, or the next one.
    const std::size_t takes = std::min(word.find_first_of("mcWX"), word.size());
    if (word.substr(0, takes).find_first_of("IE") != word.npos) return true;
    if (takes == word.size()) continue;
    if (word[takes] == 'm' || word[takes] == 'c') return false;
    if (takes + 1 == word.size()) ++i;
  }
  return false;
}

std::vector<std::string> environment_of(const ProgramOptions& options, const fs::path& records) {
  const std::string injection = fs::absolute(options.injection).string();
  std::vector<std::string> variables{
      "CUDA_INJECTION64_PATH=" + injection, "NVTX_INJECTION64_PATH=" + injection,
      fmt::format("{}={}", launches::kFolderVariable, records.string()),
      fmt::format("{}={}", launches::kSkipUntilVariable, options.skip_until)};
  if (fs::is_directory(options.python) && !is_isolated_python(options.command)) {
    const std::string folder = fs::absolute(options.python).string();
    variables.push_back(with_one_more("PYTHONPATH", folder, ':'));
    variables.push_back(with_one_more("PYTEST_PLUGINS", "warpgauge.pytest_plugin", ','));
  }
  return variables;
}

// Nothing of it where it has fewer lines than this.
void show_end_of(const fs::path& file, const char* did, std::size_t fewest,
                 const ProgramOptions& options) {
  constexpr std::size_t kMost = 15;
  std::istringstream text(last_lines(file, kMost));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(one_line(line));
  std::erase(lines, "");
  if (lines.size() < fewest) return;
  options.log(fmt::format("the last that it {}:", did));
  for (const std::string& each : lines) options.log("  " + each);
}

// Of as many processes as the program likes to start.
std::vector<ProcessRecords> records_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& each : fs::directory_iterator(folder)) {
    if (each.path().extension() == launches::kRecordSuffix) files.push_back(each.path());
  }
  results::check_sizes(files, results::kAllLaunchesLimit,
                       fmt::format("what {} processes recorded", files.size()));
  std::vector<ProcessRecords> processes;
  processes.reserve(files.size());
  for (const fs::path& file : files) processes.push_back(launches::read_records(file));
  // In an order that does not depend on the folder's.
  std::sort(processes.begin(), processes.end(),
            [](const auto& a, const auto& b) { return a.header.started_ns < b.header.started_ns; });
  return processes;
}

std::string how_it_ended(const ChildEnd& end, const ProgramOptions& options) {
  if (end.kind != ChildEnd::Kind::timed_out) return describe(end);
  return fmt::format("{} for {:g} s, and must end by itself (--timeout gives it longer)",
                     describe(end), std::chrono::duration<double>(options.timeout).count());
}

}  // namespace

std::string shell_text(const std::vector<std::string>& command) {
  // In whose folder of which machine the checkout lies makes it no other command.
  std::error_code unknown;
  const std::string here = fs::current_path(unknown).string() + "/";
  std::vector<std::string> words;
  words.reserve(command.size());
  for (const std::string& each : command) {
    words.push_back(shell_word(each.starts_with(here) ? each.substr(here.size()) : each));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<ProcessRecords> start_program(const ProgramOptions& options, const fs::path& program,
                                          const fs::path& folder,
                                          const std::vector<std::string>& variables) {
  const TemporaryFolder said;
  ChildOptions child;
  child.program = program;
  child.arguments.assign(options.command.begin() + 1, options.command.end());
  child.environment = environment_of(options, folder);
  child.environment.insert(child.environment.end(), variables.begin(), variables.end());
  child.output = said.path() / "output";
  child.errors = said.path() / "errors";
  child.timeout = options.timeout;
  std::uintmax_t bytes = 0;
  child.progressed = [&] {
    const std::uintmax_t now = bytes_in(said.path()) + bytes_in(folder);
    return std::exchange(bytes, now) != now;
  };
  const ChildEnd end = run_child(child);
  std::vector<ProcessRecords> records;
  if (end.succeeded()) records = records_in(folder);
  const bool launched_nothing = std::all_of(records.begin(), records.end(),
                                            [](const auto& each) { return each.entries.empty(); });
  // A start that counts may record nothing of its own.
  if (launched_nothing && variables.empty()) {
    // The last line alone, which the error has, may be no more than how many tests failed.
    const std::size_t fewest = end.succeeded() ? 1 : 2;
    show_end_of(child.output, "printed", fewest, options);
    show_end_of(child.errors, "wrote to standard error", fewest, options);
  }
  if (!end.succeeded()) {
    std::string words = last_line(child.errors);
    if (words.empty()) words = last_line(child.output);
    const std::string driver = loaded_driver() ? "" : fmt::format("; {}", kNoDriver);
    throw Error(kExitNotMeasured,
                fmt::format("{} {}{}{}", shell_text(options.command), how_it_ended(end, options),
                            words.empty() ? "" : ": " + words, driver));
  }
  return records;
}

std::vector<std::string> variables_of_counters(const ProgramOptions& options) {
  return {
      fmt::format("{}={}", launches::kCountVariable, launches::kCountCounters),
      fmt::format("{}={}", launches::kMoreCountersVariable, fmt::join(options.more_counters, ","))};
}

std::vector<std::string> variables_of_lines(const std::string& symbol) {
  return {fmt::format("{}={}", launches::kCountVariable, launches::kCountLines),
          fmt::format("{}={}", launches::kKernelVariable, symbol)};
}

std::set<std::string> symbols_of(const std::string& kernel, const ProgramStart& start) {
  const auto id = results::program_kernel(kernel);
  const std::string wanted = id ? std::string(id->kernel) : kernel;
  std::set<std::string> symbols;
  std::set<std::string> labels;
  for (const ProcessRecords& process : start.processes) {
    for (const launches::RecordedEntry& each : process.entries) {
      const std::string name = machine_code::demangled(each.kernel);
      const std::string label = short_kernel_name(name);
      labels.insert(label);
      const bool is_it = wanted == label || wanted == name || wanted == each.kernel ||
                         wanted == label.substr(0, label.find('<')) ||
                         wanted == told_apart(label, name);
      if (is_it) symbols.insert(each.kernel);
    }
  }
  if (!symbols.empty()) return symbols;
  throw Error(
      kExitUsage,
      fmt::format("--lines {}: the program launches no such kernel; did you mean {}?", kernel,
                  fmt::join(results::nearest(wanted, {labels.begin(), labels.end()}, 3), ", ")));
}

std::string why_no_cuda() {
  if (!loaded_driver()) return fmt::format("could not use CUDA: {}", kNoDriver);
  return "did not use CUDA, or another profiler within it took Warpgauge's place; warpgauge doctor "
         "says whether there is a GPU to use";
}

std::string why_not_counted(const std::vector<ProcessRecords>& processes) {
  bool any = false;
  for (const ProcessRecords& process : processes) {
    if (!process.problems.empty()) return process.problems.front();
    any = any || !process.entries.empty();
  }
  return any ? "" : "the start that counts launched no kernel on its own";
}

}  // namespace warpgauge::ci
