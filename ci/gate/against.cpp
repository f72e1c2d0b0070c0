// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/against.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <utility>
#include <vector>

#include "ci/measure/interleaved.hpp"
#include "ci/measure/revision_build.hpp"
#include "ci/measure/source.hpp"
#include "ci/measure/suite_process.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/interrupt.hpp"
#include "profiling/results/files.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

RunOptions of_revision(RunOptions run, const Revision& revision) {
  run.suite = revision.built().suite;
  run.machine_code = revision.built().machine_code;
  run.source_root = revision.built().source_root;
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
std::string order_note(const Interleaved& sides, const Turns& turns, std::uint64_t seed) {
  const std::string& name = sides.name_before;
  return turns.order().empty()
             ? fmt::format("{} was measured beside this, on the same device; its results: {}", name,
                           sides.out_before.string())
             : fmt::format(
                   "{} was measured in turns with this, on the same device; its results: "
                   "{}; processes in the order {} (A: {}, B: this; seed {})",
                   name, sides.out_before.string(), turns.order(), name, seed);
}

}  // namespace

GateVerdict gate_interleaved(Interleaved sides, Effort effort, const Policy& policy,
                             const std::set<Verdict>& allowed) {
  check_filter(sides.before, sides.name_before);
  const std::uint64_t seed = sides.seed ? *sides.seed : std::random_device{}();
  Turns turns(sides.before, sides.name_before, sides.after, seed);
  Measuring measuring;
  measuring.has_clock = turns.has_clock();
  measuring.observe_all = [&] { turns.observe_all(); };
  measuring.time_again = [&](const std::set<std::string>& ids, int processes) {
    turns.time_again(ids, processes);
  };
  measuring.kept = [&] {
    return Sides{kept(turns.before(), sides.out_before), kept(turns.after(), sides.out)};
  };
  GateVerdict verdict = measure_and_judge(measuring, effort, [&](const MeasuredSides& measured) {
    return judge(measured, nullptr, policy, {.design = Design::interleaved, .allowed = allowed});
  });
  verdict.before = sides.name_before;
  verdict.notes.push_back(order_note(sides, turns, seed));
  return verdict;
}

GateVerdict gate_against(const AgainstOptions& options, RunOptions run, Effort effort,
                         const Policy& policy, const std::set<Verdict>& allowed) {
  const InterruptGuard interrupts;
  RevisionRequest request;
  request.revision = options.revision;
  request.suite = run.suite;
  request.machine_code = run.machine_code;
  request.source_root = run.source_root;
  request.build = options.build;
  request.tell = run.tell;
  const Revision revision(request);
  Interleaved sides{of_revision(run, revision),
                    revision.name(),
                    options.out_revision,
                    std::move(run),
                    options.out,
                    options.seed};
  GateVerdict verdict = gate_interleaved(std::move(sides), effort, policy, allowed);
  if (verdict.after_session) {
    const std::string other = other_revision_here(verdict.after_session->source);
    if (!other.empty()) verdict.notes.push_back(other);
  }
  const results::Source source = current_source();
  if (source.modified) {
    verdict.notes.push_back(
        fmt::format("this checkout, of {:.12}, has changes that are not committed: what is "
                    "measured beside {} is not what that commit says",
                    source.revision, revision.name()));
  }
  return verdict;
}

}  // namespace warpgauge::ci
