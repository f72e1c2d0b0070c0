// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/suite/suite_process.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <exception>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "ci/measure/suite/journal.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/process/helper_query.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/json/google_benchmark_json.hpp"
#include "profiling/results/json/record_json.hpp"
#include "profiling/results/json/session_json.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::FormatError;
using results::Json;

constexpr const char* kHotFlag = "--warpgauge_hot";

void read_entries(const fs::path& path, ProcessReport& report) {
  try {
    results::read_google_benchmark_json(
        fs::exists(path) ? results::read_file(path, results::kResultsLimit) : std::string(),
        path.string(),
        {[&](Json&& context) { report.context = std::move(context); },
         [&](Json&& entry) { report.entries.push_back(std::move(entry)); }});
  } catch (const FormatError&) {
    // A process that died leaves a file that ends early; what was delivered is kept.
  }
}

}  // namespace

Suite::Suite(fs::path program, std::chrono::milliseconds timeout, std::string sizes,
             std::vector<std::string> counters, bool hot)
    : program_(std::move(program)),
      timeout_(timeout),
      sizes_(std::move(sizes)),
      counters_(std::move(counters)),
      hot_(hot) {
  if (!fs::is_regular_file(program_)) {
    throw Error(kExitNotMeasured,
                fmt::format("there is no suite {}; build it, or give its path with --suite",
                            program_.string()));
  }
  // Without a slash it would be looked for on the PATH.
  program_ = fs::absolute(program_);
}

Json Suite::ask(std::vector<std::string> arguments) const {
  arguments.push_back(sizes_flag());
  return ci::ask(program_, arguments, timeout_,
                 "is it a suite made with warpgauge_add_benchmark()?");
}

std::string Suite::counters_flag() const {
  return fmt::format("--warpgauge_counters={}", fmt::join(counters_, ","));
}

SuiteDescription Suite::describe() const {
  const Json json = ask({"--warpgauge_describe"});
  try {
    SuiteDescription description;
    description.backend = json.at("backend").get<std::string>();
    for (const Json& pass : json.at("passes")) {
      description.passes.push_back(results::pass_from(pass));
    }
    description.toolchain = results::toolchain_from(json.at("toolchain"));
    description.tells_launches_alone = json.value("tells_launches_alone", false);
    description.takes_more_samples = json.value("takes_more_samples", false);
    if (json.contains("source")) description.source = results::source_from(json.at("source"));
    for (const Json& benchmark : json.at("benchmarks")) {
      description.ids.push_back(benchmark.at("id").get<std::string>());
    }
    return description;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(kExitNotMeasured,
                fmt::format("{} --warpgauge_describe: {}; is it of the same version?",
                            program_.string(), one_line(error.what())));
  }
}

SuiteDevice Suite::device() const {
  std::vector<std::string> arguments{"--warpgauge_device"};
  if (!counters_.empty()) arguments.push_back(counters_flag());
  if (hot_) arguments.emplace_back(kHotFlag);
  const Json json = ask(std::move(arguments));
  try {
    SuiteDevice answer;
    answer.device = results::device_from(json);
    if (json.contains("settings")) {
      answer.settings = results::device_settings_from(json["settings"]);
    }
    const auto passes = json.find("counter_passes");
    if (passes != json.end() && passes->is_number_integer()) {
      answer.counter_passes = passes->get<int>();
    }
    return answer;
  } catch (const FormatError& error) {
    throw Error(kExitNotMeasured,
                fmt::format("{} --warpgauge_device: {}; is it of the same version?",
                            program_.string(), error.what()));
  }
}

ProcessReport Suite::observe(results::Pass pass, const std::vector<std::string>& ids,
                             const std::function<void(std::size_t)>& finished) const {
  const TemporaryFolder folder;
  const fs::path selection = folder.path() / "selection";
  const fs::path record = folder.path() / "record";
  const fs::path entries = folder.path() / "entries.json";
  results::write_file_atomically(selection, fmt::format("{}\n", fmt::join(ids, "\n")));

  ChildOptions options;
  options.program = program_;
  options.arguments = {"--warpgauge_pass=" + to_string(pass), sizes_flag(),
                       "--warpgauge_select=" + selection.string(),
                       "--warpgauge_record=" + record.string(),
                       "--benchmark_out=" + entries.string(), "--benchmark_out_format=json",
                       // Google Benchmark takes flags that are not given from the environment.
                       "--benchmark_filter=all", "--benchmark_repetitions=1"};
  if (pass == results::Pass::counters && !counters_.empty()) {
    options.arguments.push_back(counters_flag());
  }
  const bool times = pass == results::Pass::time || pass == results::Pass::sentinel;
  if (launches_alone_) options.arguments.emplace_back("--warpgauge_launches");
  if (more_samples_ && pass == results::Pass::time) {
    options.arguments.emplace_back("--warpgauge_more_samples");
  }
  if (times && hot_) options.arguments.emplace_back(kHotFlag);
  options.output = "/dev/null";
  options.errors = folder.path() / "errors";
  options.timeout = timeout_;
  Journal journal(record);
  options.progressed = [&] {
    if (!journal.has_grown(ids.size())) return false;
    finished(journal.finished());
    return true;
  };

  ProcessReport report;
  report.end = run_child(options);
  (void)journal.has_grown();
  JournalText read = journal.read();
  report.finished = std::move(read.finished);
  report.unfinished = std::move(read.unfinished);
  read_entries(entries, report);
  report.last_words = last_line(options.errors);
  // What Google Benchmark says as it starts is no reason for anything.
  if (report.last_words.starts_with("***WARNING***")) report.last_words.clear();
  report.full_disk = note_of_full_disk(folder.path());
  return report;
}

}  // namespace warpgauge::ci
