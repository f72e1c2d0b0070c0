// SPDX-License-Identifier: Apache-2.0
// `warpgauge history record`.
#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <system_error>

#include "ci/cli/commands/history/history.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/process/git.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utc_time.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

struct HistoryRecordOptions {
  HistoryOptions history;
  std::vector<fs::path> results;
  // UTC, as in 2026-11-21T04:19:54Z; empty: what git says of the results' revision.
  std::string commit_time;
  std::string verdict;  // address or file; empty: not known
};

// Of what comes from a file and is handed to git as an argument.
bool is_commit(const std::string& text) {
  return text.size() >= 7 && text.size() <= 64 &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

// When it was committed, by the repository around the current folder. Nothing where that does not
// know it.
std::optional<std::int64_t> commit_time_of(const std::string& revision) {
  if (!is_commit(revision)) return std::nullopt;
  const GitAnswer answer = git({"show", "--no-patch", "--format=%ct", revision});
  if (!answer.output) return std::nullopt;
  std::int64_t seconds = 0;
  const char* const end = answer.output->data() + answer.output->size();
  const auto [rest, error] = std::from_chars(answer.output->data(), end, seconds);
  if (error != std::errc()) return std::nullopt;
  return seconds;
}

std::optional<std::int64_t> wanted_commit_time(const HistoryRecordOptions& options) {
  if (options.commit_time.empty()) return std::nullopt;
  const auto seconds = utc_seconds(options.commit_time);
  if (seconds) return seconds;
  throw Error(kExitUsage,
              fmt::format("--commit-time {}: give the time in UTC as in 2026-11-21T04:19:54Z",
                          options.commit_time));
}

// A file's path as it is found from anywhere on this machine; an address as it is.
std::string verdict_link(const std::string& verdict) {
  if (verdict.empty() || verdict.find("://") != verdict.npos) return verdict;
  return fs::absolute(verdict).lexically_normal().string();
}

// Why a run is not in the order of commits.
std::string why_by_measuring(std::optional<std::int64_t> commit_time) {
  constexpr const char* kOrder = ", in order by when it was measured: ";
  if (!commit_time) {
    return fmt::format(
        "{}no repository here tells when its source was committed (see --commit-time)", kOrder);
  }
  return fmt::format("{}its source is said to be committed only later", kOrder);
}

int record_runs(const HistoryRecordOptions& options) {
  const auto given_time = wanted_commit_time(options);
  History history(options.history.history, History::For::recording);
  for (const fs::path& path : options.results) {
    NewRun run;
    run.text = results::read_file(path, results::kResultsLimit);
    run.results = results::parse_results(run.text, path.string());
    run.commit_time = given_time;
    run.verdict = verdict_link(options.verdict);
    if (!run.commit_time && run.results.session) {
      run.commit_time = commit_time_of(run.results.session->source.revision);
    }
    const RecordedRun recorded = history.record(run);
    const std::string name = one_line(path.string());
    if (recorded.was_there) {
      (void)print(
          log_text(fmt::format("{}: is there already, as run {}\n", name, recorded.number)));
      continue;
    }
    (void)print(
        log_text(fmt::format("{}: recorded as run {}{}\n", name, recorded.number,
                             recorded.commit_time_known ? "" : why_by_measuring(run.commit_time))));
  }
  if (options.history.history == kEarlierHistory) {
    fmt::print(stderr,
               "note: {} lies among results, which come and go; move it to where it is now looked "
               "for: mv {}* .\n",
               kEarlierHistory, kEarlierHistory);
  }
  return kExitPass;
}

}  // namespace

void add_history_record(CLI::App& history, Context& context) {
  CLI::App& command = *history.add_subcommand(
      "record", "Adds results to the history, and leaves earlier ones as they are");
  const auto options = std::make_shared<HistoryRecordOptions>();
  command.add_option("RESULTS", options->results, "Results files, each a run")->required();
  command.add_option("--commit-time", options->commit_time,
                     "When the source was committed, in UTC, such as 2026-11-21T04:19:54Z "
                     "(default: what git says here about the results' revision)");
  command.add_option(
      "--verdict", options->verdict,
      "Address or file of the report on these results, to which the trends page links");
  add_history_option(command, options->history);
  context.on_call(command, [options] { return record_runs(*options); });
}

}  // namespace warpgauge::ci
