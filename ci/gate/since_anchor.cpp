// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/since_anchor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <map>
#include <utility>

#include "ci/baselines/anchor.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/gate/against.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/folder_lock.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/process/interrupt.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/aggregate.hpp"
#include "ci/verdict/policy_coverage.hpp"
#include "ci/verdict/text/verdict_text.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNamed = 3;

// What a device's baseline says of the benchmarks whose time is gated.
struct Anchorage {
  Baseline baseline;
  std::map<std::string, std::set<std::string>> by_revision;  // ids
  std::vector<std::string> without;                          // ids without an anchor
};

std::string device_of(const RunOptions& run) {
  const Measurement described(run);
  if (!described.has_clock()) {
    throw Error(kExitUsage, fmt::format("--since-anchor: {} has no clock, and only time is "
                                        "compared with an anchor; name the suite for a GPU",
                                        run.suite.string()));
  }
  return described.result().session.device.key;
}

Anchorage anchorage_of(const fs::path& folder, const std::string& device, const std::string& filter,
                       const Policy& policy) {
  auto baseline = read_locked(folder, [&] { return load_baseline(folder, device); });
  Anchorage all;
  if (baseline) all.baseline = *std::move(baseline);
  const IdFilter wanted(filter);
  for (const auto& [name, family] : all.baseline.families) {
    for (const auto& [id, approved] : family) {
      if (!wanted.matches(id) || !policy.rule_for(id, results::kTimeMetric).gated()) continue;
      if (approved.anchored) {
        all.by_revision[anchor_of(all.baseline, approved).revision].insert(id);
      } else {
        all.without.push_back(id);
      }
    }
  }
  if (!all.by_revision.empty()) return all;
  throw Error(
      kExitNoVerdict,
      fmt::format("--since-anchor: no benchmark in {} has an anchor; measure a clean commit "
                  "with --all and set it: warpgauge approve RESULTS --anchor --reason '…'",
                  (folder / device).string()));
}

// By when the first of these benchmarks got it.
std::string name_of_anchor(const Anchorage& all, const std::set<std::string>& ids) {
  const Anchor* first = nullptr;
  for (const std::string& id : ids) {
    const Anchor& anchor = anchor_of(all.baseline, *find_approved(all.baseline, id));
    if (first == nullptr || anchor.set < first->set) first = &anchor;
  }
  return name_of(*first);
}

fs::path file_of(const SinceAnchorOptions& options, const char* side, const std::string& revision) {
  return options.out / fmt::format("{}-{:.12}.json", side, revision);
}

// Says of what regressed since when, and what was approved meanwhile. It decides nothing.
void say_since_when(const Anchorage& all, GateVerdict& verdict) {
  bool any = false;
  for (BenchmarkVerdict& benchmark : verdict.benchmarks) {
    for (MetricVerdict& metric : benchmark.metrics) {
      if (metric.verdict != Verdict::regressed) continue;
      any = true;
      const Approved& approved = *find_approved(all.baseline, benchmark.id);
      const Anchor& anchor = anchor_of(all.baseline, approved);
      const std::string since = approvals_since_anchor(all.baseline, approved);
      std::string text = fmt::format(
          "regressed since the anchor {} ({}): {}; {}", name_of(anchor), anchor.reason,
          readable_change(metric.before, metric.after),
          since.empty() ? "no approval since then is still kept" : "approved since: " + since);
      if (!metric.reason.empty()) text += "; " + metric.reason;
      metric.reason = std::move(text);
    }
  }
  if (!any) return;
  verdict.notes.emplace_back(
      "what was lost since the anchor stays red until it is won back, or somebody accepts it: "
      "measure with gate --all, and approve the results with --anchor and a reason");
}

Shortfall shortfall(const std::string& name, std::size_t benchmarks, const std::string& why) {
  return {kExitNotMeasured, fmt::format("the anchor {} of {} was not measured: {}", name,
                                        counted(benchmarks, "benchmark"), why)};
}

// names: of the anchors that were measured.
void say_of_the_whole(const Anchorage& all, const std::vector<std::string>& names,
                      const fs::path& out, GateVerdict& verdict) {
  if (names.size() > 1) {
    verdict.before = fmt::format("anchors {}", fmt::join(names, ", "));
    verdict.after = out.string();
    verdict.before_session.reset();
  }
  say_since_when(all, verdict);
  if (const std::string gain = gain_text(verdict, "their anchor"); !gain.empty()) {
    verdict.notes.push_back(gain +
                            ": as much, and the limit of creep, may be lost before this is "
                            "red; approve --anchor keeps the gain");
  }
  if (!all.without.empty()) {
    verdict.notes.push_back(fmt::format("{} without an anchor: {}; set one with approve --anchor",
                                        counted(all.without.size(), "benchmark"),
                                        some_of(all.without, kMostNamed)));
  }
}

}  // namespace

GateVerdict gate_since_anchor(const SinceAnchorOptions& options, const RunOptions& run,
                              Effort effort, const Policy& policy,
                              const std::set<Verdict>& allowed) {
  const InterruptGuard interrupts;
  const Anchorage all = anchorage_of(options.baselines, device_of(run), run.filter, policy);
  Policy of_creep = with_creep_limit(policy, results::kTimeMetric);
  // The chance of a false alarm is that of all anchors together.
  of_creep.alpha /= static_cast<double>(all.by_revision.size());
  const std::set<std::string> known_metrics = metric_names(to_results(all.baseline));

  std::vector<GateVerdict> parts;
  std::vector<Shortfall> shortfalls;
  std::vector<std::string> names;
  for (const auto& [sha, ids] : all.by_revision) {
    const std::string name = name_of_anchor(all, ids);
    try {
      const Revision revision({sha, "--since-anchor:", run, options.build});
      const InterleavedSides sides{.before = revision.run(),
                                   .name_before = "anchor " + name,
                                   .out_before = file_of(options, "anchor", sha),
                                   .after = run,
                                   .out = file_of(options, "since", sha),
                                   .seed = options.seed,
                                   .scope = options.scope,
                                   .known_metrics = known_metrics,
                                   .replace = options.replace,
                                   .time_alone = ids};
      GateVerdict& part = parts.emplace_back(gate_interleaved(sides, effort, of_creep, allowed));
      for (std::string& note : notes_on_checkout(part, sides.name_before)) {
        part.notes.push_back(std::move(note));
      }
      names.push_back(name);
    } catch (const BuildError& error) {
      options.build_failed(error);
      shortfalls.push_back(shortfall(
          name, ids.size(),
          fmt::format("{}; move the anchor to a commit that builds here, with approve --anchor",
                      error.what())));
    } catch (const Error& error) {
      shortfalls.push_back(shortfall(name, ids.size(), error.what()));
    }
  }
  if (parts.empty()) throw Error(kExitNotMeasured, shortfalls.front().what);
  parts.front().shortfalls.insert(parts.front().shortfalls.end(), shortfalls.begin(),
                                  shortfalls.end());
  GateVerdict verdict = joined(std::move(parts));
  say_of_the_whole(all, names, options.out, verdict);
  return verdict;
}

}  // namespace warpgauge::ci
