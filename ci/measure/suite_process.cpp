// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/suite_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/helper_query.hpp"
#include "ci/support/temporary_folder.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files.hpp"
#include "profiling/results/google_benchmark_json.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/record_json.hpp"
#include "profiling/results/session_json.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::FormatError;
using results::Json;

constexpr const char* kHotFlag = "--warpgauge_hot";

// What a suite writes of its benchmarks: a line when one starts, and one when it is finished.
class Journal {
 public:
  explicit Journal(fs::path path) : path_(std::move(path)) {}

  // Reads what was written since it was asked last; whether there was any. Throws Error (not
  // measured) for what is no regular file, or too large.
  bool has_grown() {
    const int descriptor = ::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status {};
    const bool is_there = descriptor >= 0 && ::fstat(descriptor, &status) == 0;
    const std::size_t before = text_.size();
    if (is_there && S_ISREG(status.st_mode)) append_rest(descriptor);
    if (descriptor >= 0) ::close(descriptor);
    if (is_there ? !S_ISREG(status.st_mode) : errno == ELOOP) fail("is no regular file");
    if (text_.size() > results::kJournalLimit.bytes) fail(results::beyond(results::kJournalLimit));
    lines_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(before), text_.end(), '\n');
    return text_.size() > before;
  }

  [[nodiscard]] std::size_t finished() const { return static_cast<std::size_t>(lines_) / 2; }

  // A line without its newline was being written when the process ended and counts as not written.
  void read_into(ProcessReport& report) const {
    const std::string_view text = text_;
    std::size_t begin = 0;
    int number = 1;
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
      try {
        const Json line = Json::parse(text.substr(begin, end - begin));
        if (line.contains("started")) {
          report.unfinished = line["started"].get<std::string>();
        } else if (line.contains("finished")) {
          report.finished.push_back(results::record_from(line["finished"]));
          report.unfinished.clear();
        }
      } catch (const std::exception& error) {
        throw Error(
            kExitNotMeasured,
            fmt::format("the suite's record, line {}: {}; is the suite of the same version?",
                        number, one_line(error.what())));
      }
      begin = end + 1;
      ++number;
    }
  }

 private:
  [[noreturn]] static void fail(const std::string& what) {
    throw Error(kExitNotMeasured,
                fmt::format("the suite's record {}; is the suite of the same version?", what));
  }

  void append_rest(int descriptor) {
    std::array<char, 65'536> buffer;
    while (text_.size() <= results::kJournalLimit.bytes) {
      const ssize_t got =
          ::pread(descriptor, buffer.data(), buffer.size(), static_cast<off_t>(text_.size()));
      if (got <= 0) return;
      text_.append(buffer.data(), static_cast<std::size_t>(got));
    }
  }

  fs::path path_;
  std::string text_;
  std::ptrdiff_t lines_ = 0;
};

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
    if (json.contains("source")) description.source = results::source_from(json.at("source"));
    for (const Json& benchmark : json.at("benchmarks")) {
      description.ids.push_back(benchmark.at("id").get<std::string>());
    }
    return description;
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
  if (times && hot_) options.arguments.emplace_back(kHotFlag);
  options.output = "/dev/null";
  options.errors = folder.path() / "errors";
  options.timeout = timeout_;
  Journal journal(record);
  options.progressed = [&] {
    if (!journal.has_grown()) return false;
    finished(journal.finished());
    return true;
  };

  ProcessReport report;
  report.end = run_child(options);
  (void)journal.has_grown();
  journal.read_into(report);
  read_entries(entries, report);
  report.last_words = last_line(options.errors);
  // What Google Benchmark says as it starts is no reason for anything.
  if (report.last_words.starts_with("***WARNING***")) report.last_words.clear();
  return report;
}

}  // namespace warpgauge::ci
