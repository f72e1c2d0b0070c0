// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/approve/approve.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "ci/baselines/anchor.hpp"
#include "ci/baselines/approve/approve_collect.hpp"
#include "ci/baselines/approve/approve_merge.hpp"
#include "ci/baselines/approve/carry_over.hpp"
#include "ci/baselines/approve/session_retention.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/policy/known_metrics.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/folder_lock.hpp"
#include "ci/verdict/policy_coverage.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::Results;
using results::Session;

// Adds a session to those of the baseline, and returns its name in the baseline's files. One that
// is approved twice, by others or for other reasons, is listed twice.
std::string add_label(const ApprovalRequest& request, Session session,
                      std::map<std::string, ApprovedSession>& sessions) {
  session.filter.clear();  // of a run, not of what is kept of it
  session.turns.clear();
  const std::string plain =
      session.device.uuid.empty() ? session.created : session.created + " " + session.device.uuid;
  std::string label = plain;
  for (int i = 2;; ++i) {
    const auto [place, is_new] = sessions.try_emplace(
        label, ApprovedSession{session, request.now, request.by, request.reason});
    const ApprovedSession& known = place->second;
    if (is_new ||
        (known.session == session && known.by == request.by && known.reason == request.reason)) {
      return label;
    }
    label = fmt::format("{} ({})", plain, i);
  }
}

// One for each of the request's sessions.
std::vector<std::string> add_labels(const ApprovalRequest& request,
                                    std::map<std::string, ApprovedSession>& sessions) {
  std::vector<std::string> labels;
  for (const Results& results : request.sessions) {
    labels.push_back(add_label(request, *results.session, sessions));
  }
  return labels;
}

// A baseline's times are all hot or all cold, so that whatever is compared with it is compared with
// its like.
void check_caches(const ApprovalRequest& request, const Family& approved,
                  const Baseline& baseline) {
  const Session& now = *request.sessions.front().session;
  std::vector<std::string> others;
  for (const auto& [name, family] : baseline.families) {
    for (const auto& [id, old] : family) {
      if (request.new_environment && approved.contains(id)) continue;
      const bool is_other =
          std::any_of(old.statistical.begin(), old.statistical.end(), [&](const auto& metric) {
            return std::any_of(
                metric.second.begin(), metric.second.end(), [&](const SessionFigures& each) {
                  return hot_and_cold(baseline.sessions.at(each.session).session, now);
                });
          });
      if (is_other) others.push_back(id);
    }
  }
  if (others.empty()) return;
  const std::string folder = baseline.folder.string();
  const std::string caches = caches_of(now);
  const char* other = now.hot ? "cold" : "hot";
  if (!request.new_environment) {
    throw Error(kExitNoVerdict,
                fmt::format("{0} has {1} times and these are {2}, which cannot be compared: keep "
                            "{2} ones in a folder of their own with --baselines, or have them take "
                            "the place of the {1} ones with --new-environment",
                            folder, other, caches));
  }
  throw Error(kExitUsage,
              fmt::format("--new-environment: beside these {} times {} would keep the {} ones of "
                          "{}{}; approve results of the whole suite, or take the others out with "
                          "--remove",
                          caches, folder, other, others.front(),
                          others.size() > 1 ? fmt::format(" and {} more", others.size() - 1) : ""));
}

// half_saved: what is not there may have been taken out by an approval that did not come to its
// end.
void remove_benchmarks(const ApprovalRequest& request, const Family& approved, bool half_saved,
                       Baseline& baseline, Approval& approval) {
  for (const std::string& id : request.remove) {
    if (approved.contains(id)) {
      throw Error(
          kExitUsage,
          fmt::format("--remove {}: the results contain it; leave out one or the other", id));
    }
    const auto family = baseline.families.find(family_of(id));
    const bool was_there = family != baseline.families.end() && family->second.erase(id) > 0;
    if (!was_there && !half_saved) {
      throw Error(kExitUsage, fmt::format("--remove {}: {} has no such benchmark", id,
                                          baseline.folder.string()));
    }
    approval.removed.push_back(id);
  }
}

// What was not timed, since its code was the baseline's, has no time to give to another baseline.
void check_timed(const ApprovalRequest& request, const Family& approved, const Baseline& baseline,
                 const Policy& policy) {
  for (const Results& results : request.sessions) {
    for (const results::BenchmarkResult& each : results.benchmarks) {
      if (each.not_timed.empty() || !approved.contains(each.id) ||
          !policy.rule_for(each.id, results::kTimeMetric).gated()) {
        continue;
      }
      const Approved* old = find_approved(baseline, each.id);
      if (old != nullptr && old->statistical.contains(results::kTimeMetric)) continue;
      throw Error(
          kExitNotMeasured,
          fmt::format("{}: {} was not timed ({}), and {} has no time of it; measure with --all",
                      results.name, each.id, each.not_timed, baseline.folder.string()));
    }
  }
}

// Under a policy that speaks of something else, figures would be lost, or none be kept.
void check_policy(const ApprovalRequest& request, const fs::path& folder, const Policy& policy) {
  std::set<std::string> known;
  bool has_figures = false;
  bool gates_any = false;
  for (const Results& results : request.sessions) {
    known.merge(metric_names(results));
    has_figures =
        has_figures || std::any_of(results.benchmarks.begin(), results.benchmarks.end(),
                                   [](const auto& each) { return !each.metrics.empty(); });
    gates_any = gates_any || gates_anything(policy, results);
  }
  for (const std::string& device : devices_with_baseline(folder)) {
    if (const auto stored = load_baseline(folder, device)) {
      known.merge(metric_names(to_results(*stored)));
    }
  }
  refuse_unknown_metrics(policy, known);
  if (gates_any || !has_figures) return;
  throw Error(
      kExitNotMeasured,
      fmt::format("{} gates nothing of {}: the baseline would hold no figure; gate a metric "
                  "that was measured",
                  policy.name, request.sessions.front().name));
}

// Figures that the baseline has and what is approved in its place has not, since the policy does
// not gate them any more. Throws Error (not measured), which names them, unless the request lets
// them go; then they have moved.
void drop_figures(const ApprovalRequest& request, const Policy& policy, const Baseline& baseline,
                  const Family& approved, Approval& approval) {
  std::vector<Approval::Moved> dropped;
  for (const auto& [id, benchmark] : approved) {
    const Approved* old = find_approved(baseline, id);
    if (old == nullptr) continue;
    const auto is_dropped = [&, &id = id, &benchmark = benchmark](const std::string& metric) {
      return !benchmark.exact.contains(metric) && !benchmark.statistical.contains(metric) &&
             !policy.rule_for(id, metric).gated();
    };
    for (const auto& [metric, value] : old->exact) {
      if (is_dropped(metric)) dropped.push_back({id, metric, value, std::nullopt});
    }
    for (const auto& [metric, sessions] : old->statistical) {
      if (is_dropped(metric)) dropped.push_back({id, metric, mean_of_sessions(sessions), {}});
    }
  }
  if (dropped.empty()) return;
  if (!request.drop_figures) {
    std::vector<std::string> names;
    names.reserve(dropped.size());
    for (const Approval::Moved& each : dropped) {
      names.push_back(fmt::format("{}: {}", each.id, each.metric));
    }
    throw Error(
        kExitNotMeasured,
        fmt::format("{} would lose what {} does not gate: {}; gate it again, or let go of it with "
                    "--drop-figures",
                    baseline.folder.string(), policy.name.empty() ? "the policy" : policy.name,
                    fmt::join(names, ", ")));
  }
  approval.moved.insert(approval.moved.end(), dropped.begin(), dropped.end());
}

// Whether the results timed in full all that the baseline has times of: then it knows when.
bool note_timed(const ApprovalRequest& request, Baseline& baseline) {
  const auto is_timed = [&](const std::string& id) {
    return std::any_of(request.sessions.begin(), request.sessions.end(), [&](const Results& each) {
      const results::BenchmarkResult* const result = each.find(id);
      return result != nullptr && result->find(results::kTimeMetric) != nullptr;
    });
  };
  bool has_times = false;
  for (const auto& [name, family] : baseline.families) {
    for (const auto& [id, approved] : family) {
      if (!approved.statistical.contains(results::kTimeMetric)) continue;
      if (!is_timed(id)) return false;
      has_times = true;
    }
  }
  if (!has_times) return false;
  std::string newest = baseline.timed;
  for (const Results& each : request.sessions) newest = std::max(newest, each.session->created);
  return std::exchange(baseline.timed, newest) != newest;
}

// Benchmarks without a baseline get none by their code alone.
void keep_known(const Baseline& baseline, Family& approved) {
  std::erase_if(approved, [&](const auto& benchmark) {
    return find_approved(baseline, benchmark.first) == nullptr;
  });
  if (!approved.empty()) return;
  throw Error(kExitUsage,
              fmt::format("--code-only: {} has no baseline of these benchmarks; approve "
                          "without it",
                          baseline.folder.string()));
}

}  // namespace

Approval approve(const ApprovalRequest& request, const fs::path& folder, const Policy& policy) {
  check_sessions(request);
  const std::string& device_key = request.sessions.front().session->device.key;
  const FolderLock lock(folder, FolderLock::Kind::exclusive);
  check_policy(request, folder, policy);
  const std::optional<Baseline> found = load_baseline(folder, device_key);
  Baseline baseline = found.value_or(Baseline{folder / device_key, {}, {}, {}, {}});

  Approval approval;
  for (const Results& each : request.sessions) {
    if (each.session->source.modified) approval.of_modified_sources.push_back(each.name);
  }
  std::map<std::string, ApprovedSession> sessions = baseline.sessions;
  const std::vector<std::string> labels = add_labels(request, sessions);
  Family approved = collect(request, policy, labels);
  if (request.code_only) keep_known(baseline, approved);
  const bool half_saved = is_half_saved(baseline);
  remove_benchmarks(request, approved, half_saved, baseline, approval);
  check_caches(request, approved, baseline);
  Baseline compared = baseline;
  std::set<std::string> carried;
  if (request.new_environment) {
    check_one_environment(request);
    if (request.beside) {
      carried = carry_over(request, policy, approved, compared, sessions, approval);
    }
    begin_environment(request, approved, compared);
  }
  check_timed(request, approved, compared, policy);
  if (found) merge_with_baseline(request, policy, sessions, labels, compared, approved, approval);
  drop_figures(request, policy, baseline, approved, approval);
  join_ranges(request, policy, compared, approved);
  settle_anchors(request, policy, baseline, baseline.anchors, approved, approval);
  for (auto& [id, benchmark] : approved) {
    for (auto& [metric, figures] : benchmark.statistical) {
      keep_newest(kMostSessions, sessions, figures);
    }
  }
  if (request.beside) finish_carrying(request, carried, approved, approval);

  for (auto& [id, benchmark] : approved) {
    const Approved* old = find_approved(baseline, id);
    if (old != nullptr && to_text(id, *old) == to_text(id, benchmark)) continue;
    approval.changed.push_back(id);
    if (old == nullptr) {
      approval.added.push_back(id);
    } else if (request.new_environment) {
      note_replaced(id, *old, find_approved(compared, id), benchmark, approval);
    }
    baseline.families[family_of(id)][id] = std::move(benchmark);
  }
  const bool timed_all = request.code_only && note_timed(request, baseline);
  baseline.sessions = std::move(sessions);
  const bool names_all = !baseline.named || *baseline.named == names_of_families(baseline);
  if (!approval.changed.empty() || !approval.removed.empty() || timed_all || half_saved ||
      !names_all) {
    approval.written = save_baseline(std::move(baseline));
  }
  return approval;
}

}  // namespace warpgauge::ci
