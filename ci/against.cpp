// SPDX-License-Identifier: Apache-2.0
#include "ci/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include "ci/compare.hpp"
#include "ci/errors.hpp"
#include "ci/id_filter.hpp"
#include "ci/interrupt.hpp"
#include "ci/revision.hpp"
#include "ci/source.hpp"
#include "ci/suite.hpp"
#include "ci/turns.hpp"
#include "profiling/results/files.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

RunOptions of_revision(RunOptions run, const Revision& revision) {
  run.suite = revision.suite();
  run.machine_code = revision.machine_code();
  run.source_root = revision.source_root();
  run.source = results::Source{revision.sha(), false};
  return run;
}

void check_filter(const RunOptions& run, const std::string& name) {
  if (run.filter.empty()) return;
  const IdFilter wanted(run.filter);
  const auto ids = Suite(run.suite, run.timeout, run.sizes).describe().ids;
  if (std::any_of(ids.begin(), ids.end(), [&](const auto& id) { return wanted.matches(id); })) {
    return;
  }
  throw Error(kExitNoVerdict, fmt::format("--filter '{}' matches no benchmark of {}: there is "
                                          "nothing to compare with",
                                          run.filter, name));
}

Results kept(const RunResult& result, const std::filesystem::path& path) {
  results::write_file_atomically(path, result.text);
  return results::parse_results(result.text, path.string());
}

// What a reader of the report must know of how the two sides came about.
std::vector<std::string> notes(const AgainstOptions& options, const Revision& revision,
                               const Turns& turns, std::uint64_t seed) {
  std::vector<std::string> notes;
  notes.push_back(
      turns.order().empty()
          ? fmt::format("{} was measured beside this, on the same device; its results: {}",
                        revision.name(), options.out_revision.string())
          : fmt::format("{} was measured in turns with this, on the same device; its results: {}; "
                        "processes in the order {} (A: {}, B: this; seed {})",
                        revision.name(), options.out_revision.string(), turns.order(),
                        revision.name(), seed));
  const results::Source source = current_source();
  if (source.modified) {
    notes.push_back(
        fmt::format("this checkout, of {:.12}, has changes that are not committed: what is "
                    "measured beside {} is not what that commit says",
                    source.revision, revision.name()));
  }
  return notes;
}

}  // namespace

GateVerdict gate_against(const AgainstOptions& options, RunOptions run, Effort effort,
                         Policy policy) {
  policy.in_turns = true;
  const InterruptGuard interrupts;
  RevisionRequest request;
  request.revision = options.revision;
  request.suite = run.suite;
  request.machine_code = run.machine_code;
  request.source_root = run.source_root;
  request.build = options.build;
  request.tell = run.tell;
  const Revision revision(request);
  const RunOptions run_revision = of_revision(run, revision);
  check_filter(run_revision, revision.name());

  const std::uint64_t seed = options.seed ? *options.seed : std::random_device{}();
  Turns turns(run_revision, revision.name(), std::move(run), seed);
  Measuring measuring;
  measuring.has_clock = turns.has_clock();
  measuring.observe_all = [&] { turns.observe_all(); };
  measuring.time_again = [&](const std::set<std::string>& ids, int processes) {
    turns.time_again(ids, processes);
  };
  measuring.kept = [&] {
    return Sides{kept(turns.before(), options.out_revision), kept(turns.after(), options.out)};
  };
  GateVerdict verdict = measure_and_judge(measuring, effort, [&](const Sides& sides) {
    return compare(*sides.before, sides.after, policy, std::nullopt, Sessions::in_turns);
  });
  verdict.before = revision.name();
  const auto more = notes(options, revision, turns, seed);
  verdict.notes.insert(verdict.notes.end(), more.begin(), more.end());
  return verdict;
}

}  // namespace warpgauge::ci
