// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/against.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "ci/gate/other_build.hpp"
#include "ci/gate/sass.hpp"
#include "ci/measure/interleaved.hpp"
#include "ci/measure/revision/cmake_cache.hpp"
#include "ci/measure/revision/revision_build.hpp"
#include "ci/measure/source.hpp"
#include "ci/support/process/interrupt.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/run_record.hpp"

namespace warpgauge::ci {
namespace {

// What a reader of the report must know of how the two sides came about.
std::string order_note(const InterleavedSides& sides, const std::string& order,
                       std::uint64_t seed) {
  const std::string& name = sides.name_before;
  return order.empty()
             ? fmt::format("{} was measured beside this, on the same device; its results: {}", name,
                           sides.out_before.string())
             : fmt::format(
                   "{} was measured in turns with this, on the same device; its results: "
                   "{}; processes in the order {} (A: {}, B: this; seed {})",
                   name, sides.out_before.string(), order, name, seed);
}

// The one before and this one, each of which says that it belongs to the other.
std::pair<results::RunRecord, results::RunRecord> records_in_turns(const Interleaved& suites,
                                                                   std::uint64_t seed) {
  std::pair<results::RunRecord, results::RunRecord> records{suites.before(), suites.after()};
  if (suites.order().empty()) return records;
  const std::string turns = fmt::format("of {} by seed {}, begun {}", suites.order(), seed,
                                        records.second.session.created);
  records.first.session.turns = "A " + turns;
  records.second.session.turns = "B " + turns;
  return records;
}

void keep_these(const std::set<std::string>& ids, results::Results& results) {
  std::erase_if(results.benchmarks, [&](const auto& each) { return !ids.contains(each.id); });
}

// Why the rest of what was looked at is not timed.
void add_reasons(const results::RunRecord& run, const std::set<std::string>& timed,
                 std::map<std::string, std::string>& reasons) {
  for (const results::Entry& entry : run.entries) {
    if (!timed.contains(entry.record.id)) reasons[entry.record.id] = "it is not compared with this";
  }
}

// "build/nvcc12 (1b2c3d4e5f60 with changes)": two builds may be of one revision.
std::string name_of_build(const std::filesystem::path& build, const results::Source& source) {
  if (source.revision.empty()) return build.string();
  return fmt::format("{} ({})", build.string(), label(source));
}

// As far as CMake made both; empty: alike, or not known.
std::string note_on_settings(const std::filesystem::path& before,
                             const std::filesystem::path& after) {
  const auto old_cache = cmake_cache_of(before);
  const auto new_cache = cmake_cache_of(after);
  if (!old_cache || !new_cache) return {};
  constexpr std::size_t kMostNamed = 12;
  const std::vector<std::string> differ = settings_that_differ(*old_cache, *new_cache);
  if (differ.empty()) return {};
  return fmt::format("the builds are configured differently: {}", some_of(differ, kMostNamed));
}

// Where times were taken in turns, of two environments.
std::string note_on_carrying(const AgainstOptions& options, const GateVerdict& verdict) {
  if (!verdict.before_session || verdict.after_session->turns.empty() ||
      verdict.before_session->toolchain.cuda == verdict.after_session->toolchain.cuda) {
    return {};
  }
  return fmt::format("the other build's baseline is carried over to this one by: {}",
                     options.carry_command);
}

}  // namespace

GateVerdict gate_interleaved(const InterleavedSides& sides, Effort effort, const Policy& policy,
                             const std::set<Verdict>& allowed) {
  const std::uint64_t seed = sides.seed ? *sides.seed : std::random_device{}();
  Interleaved suites(sides.before, sides.name_before, sides.after, seed);
  const ComparisonTerms terms{.design = Design::interleaved,
                              .treat_as_changed = sides.scope == TimingScope::everything_as_changed,
                              .known_metrics = sides.known_metrics,
                              .time_alone = sides.time_alone.has_value(),
                              .compares_builds = sides.compares_builds};
  Measuring measuring;
  measuring.has_clock = suites.has_clock();
  if (suites.has_sentinel() && sides.scope == TimingScope::changed) {
    measuring.plan = [&](const Sides& seen) {
      return timing_plan(&*seen.before, seen.after, policy, terms);
    };
    measuring.look = [&] { suites.look(); };
    measuring.count_lines = [&](const std::set<std::string>& ids) {
      if (!sides.time_alone) suites.count_lines(ids);
    };
    measuring.leave_untimed = [&](std::map<std::string, std::string> reasons) {
      if (sides.time_alone) add_reasons(suites.after(), *sides.time_alone, reasons);
      suites.leave_untimed(reasons);
    };
  }
  measuring.observe_all = [&] {
    return sides.time_alone ? suites.observe_all(*sides.time_alone) : suites.observe_all();
  };
  measuring.time_again = [&](const std::set<std::string>& ids, int processes) {
    suites.time_again(ids, processes);
  };
  const auto records = [&] { return records_in_turns(suites, seed); };
  measuring.measured = [&] {
    const auto [before, after] = records();
    Sides measured{results_from(before, sides.out_before.string()),
                   results_from(after, sides.out.string())};
    if (sides.time_alone) {
      keep_these(*sides.time_alone, *measured.before);
      keep_these(*sides.time_alone, measured.after);
    }
    return measured;
  };
  measuring.keep = [&] {
    results::NewFiles files;
    const auto [before, after] = records();
    files.add(sides.out, to_json_text(after));
    files.add(sides.out_before, to_json_text(before));
    sides.replace(files);
  };
  GateVerdict verdict = measure_and_judge(measuring, effort, [&](const MeasuredSides& measured) {
    return judge(measured, nullptr, policy, terms, allowed);
  });
  verdict.before = sides.name_before;
  add_side_by_side(sides.before, sides.after, verdict);
  verdict.notes.push_back(order_note(sides, suites.order(), seed));
  return verdict;
}

std::vector<std::string> notes_on_checkout(const GateVerdict& verdict, const std::string& other) {
  std::vector<std::string> notes;
  if (verdict.after_session) {
    std::string elsewhere = other_revision_here(verdict.after_session->source);
    if (!elsewhere.empty()) notes.push_back(std::move(elsewhere));
  }
  const results::Source source = current_source();
  if (source.modified) {
    notes.push_back(
        fmt::format("this checkout, of {:.12}, has uncommitted changes: what is compared with {} "
                    "is not that commit",
                    source.revision, other));
  }
  return notes;
}

GateVerdict gate_against_build(const AgainstOptions& options, RunOptions run, Effort effort,
                               const Policy& policy, const std::set<Verdict>& allowed) {
  RunOptions other = run_of_build(run, options.other_build, "--against-build");
  other.source = source_of_build(other);
  const std::string name = name_of_build(options.other_build, *other.source);
  InterleavedSides sides{
      std::move(other), name,          options.out_revision,  std::move(run), options.out,
      options.seed,     options.scope, options.known_metrics, options.replace};
  sides.compares_builds = true;
  std::string settings = note_on_settings(sides.before.suite, sides.after.suite);
  GateVerdict verdict = gate_interleaved(sides, effort, policy, allowed);
  if (!settings.empty()) verdict.notes.push_back(std::move(settings));
  if (!verdict.after_session) return verdict;
  std::string next = note_on_carrying(options, verdict);
  if (!next.empty()) verdict.notes.push_back(std::move(next));
  std::string elsewhere = other_revision_here(verdict.after_session->source);
  if (!elsewhere.empty()) verdict.notes.push_back(std::move(elsewhere));
  return verdict;
}

GateVerdict gate_against(const AgainstOptions& options, RunOptions run, Effort effort,
                         const Policy& policy, const std::set<Verdict>& allowed) {
  const InterruptGuard interrupts;
  const Revision revision({options.revision, "--against", run, options.build});
  const InterleavedSides sides{revision.run(), revision.name(),       options.out_revision,
                               std::move(run), options.out,           options.seed,
                               options.scope,  options.known_metrics, options.replace};
  GateVerdict verdict = gate_interleaved(sides, effort, policy, allowed);
  for (std::string& note : notes_on_checkout(verdict, revision.name())) {
    verdict.notes.push_back(std::move(note));
  }
  return verdict;
}

}  // namespace warpgauge::ci
