// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/approve/approve_merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>

#include "ci/baselines/approve/approve_collect.hpp"
#include "ci/baselines/approve/carry_over.hpp"
#include "ci/support/errors.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/decide.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "ci/verdict/metrics/counter_range.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/machine_code/resource_metrics.hpp"
#include "profiling/results/environment.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::Metric;
using results::Results;
using results::Session;

// Whatever its label: one that was approved for two reasons has two.
bool is_same_session(const Session& a, const Session& b) {
  return a.created == b.created && a.device.uuid == b.device.uuid;
}

// The same figures of the same session: approved before.
bool is_known(const Baseline& before, const std::vector<SessionFigures>& old,
              const SessionFigures& figures, const ApprovedSession& session) {
  return std::any_of(old.begin(), old.end(), [&](const SessionFigures& each) {
    return each.figures == figures.figures &&
           is_same_session(before.sessions.at(each.session).session, session.session);
  });
}

void forget_known(const Baseline& before, const std::map<std::string, ApprovedSession>& sessions,
                  const Approved& old, Approved& approved) {
  for (auto& [metric, figures] : approved.statistical) {
    const auto known = old.statistical.find(metric);
    if (known == old.statistical.end()) continue;
    std::erase_if(figures, [&](const SessionFigures& each) {
      return is_known(before, known->second, each, sessions.at(each.session));
    });
  }
}

// All results as one, to be held against the baseline as the gate does, with the whole suite. Of
// what is approved, only the sessions that are not in the baseline yet.
Results merged(const ApprovalRequest& request, const std::vector<std::string>& labels,
               const Family& approved, const Policy& policy) {
  Results merged;
  merged.name = request.sessions.front().name;
  merged.session = request.sessions.front().session;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const BenchmarkResult& benchmark : request.sessions[i].benchmarks) {
      const bool usable =
          std::all_of(benchmark.metrics.begin(), benchmark.metrics.end(), [&](const auto& metric) {
            return metric.second.problem.empty() ||
                   !policy.rule_for(benchmark.id, metric.first).gated();
          });
      if (!usable) continue;  // only what is not to be approved
      const auto [place, is_new] = places.try_emplace(benchmark.id, merged.benchmarks.size());
      if (is_new) {
        merged.benchmarks.push_back(benchmark);
        for (auto& [name, metric] : merged.benchmarks.back().metrics) {
          metric.labels.assign(metric.sessions.size(), labels[i]);
        }
        continue;
      }
      for (const auto& [name, metric] : benchmark.metrics) {
        Metric& all = merged.benchmarks[place->second].metrics[name];
        all.sessions.insert(all.sessions.end(), metric.sessions.begin(), metric.sessions.end());
        all.labels.insert(all.labels.end(), metric.sessions.size(), labels[i]);
      }
    }
  }
  for (BenchmarkResult& benchmark : merged.benchmarks) {
    const auto wanted = approved.find(benchmark.id);
    if (wanted == approved.end()) continue;
    benchmark.launches = wanted->second.launches;
    for (const auto& [metric, sessions] : wanted->second.statistical) {
      Metric& all = benchmark.metrics[metric];
      all.sessions.clear();
      all.labels.clear();
      for (const SessionFigures& session : sessions) {
        all.sessions.push_back(session.figures);
        all.labels.push_back(session.session);
      }
    }
  }
  return merged;
}

std::size_t count_figures(const std::vector<SessionFigures>& sessions) {
  std::size_t count = 0;
  for (const SessionFigures& session : sessions) count += session.figures.size();
  return count;
}

CodeIdentity identity_of(const Approved& old, const Approved& approved) {
  return code_identity(
      {old.machine_code, old.launches, old.input_digest, {old.exact.begin(), old.exact.end()}},
      {approved.machine_code,
       approved.launches,
       approved.input_digest,
       {approved.exact.begin(), approved.exact.end()}});
}

// Joins what is approved with what the baseline has of the same benchmarks.
class Merger {
 public:
  Merger(const Policy& policy, const std::map<std::string, ApprovedSession>& known, bool code_only,
         Approval& approval)
      : policy_(policy), known_(known), code_only_(code_only), approval_(approval) {}

  void join(const std::string& id, const Approved& old, const BenchmarkVerdict& verdict,
            Approved& approved) {
    if (code_only_ && is_left_out(verdict)) {
      approval_.left_out.push_back(id);
      approved = old;
      return;
    }
    const std::size_t moved_before = approval_.moved.size();
    const CodeIdentity identity = identity_of(old, approved);
    // Lines are counted where code differs.
    if (approved.lines.empty() && identity.same_instructions_and_counters()) {
      approved.lines = old.lines;
    }
    const bool gated = !old.exact.empty() || !old.statistical.empty();
    if (gated && verdict.metrics.empty() && verdict.verdict == Verdict::not_measured) {
      lacking_.push_back(fmt::format("{}: {}", id, verdict.message));
    }
    for (const MetricVerdict& metric : verdict.metrics) {
      if (metric.metric_class == MetricClass::statistical) {
        join_sessions(id, old, metric, identity, approved);
      } else if (metric.metric_class == MetricClass::exact) {
        join_exact(id, old, metric, identity, approved);
      }
    }
    const bool stays = approval_.moved.size() == moved_before && keeps_sessions(old, approved) &&
                       approved.lines == old.lines &&
                       identity.machine_code.is != Identity::different;
    if (approved.launches.empty() && stays) approved.launches = old.launches;
    if (identity.launches.is == Identity::different) {
      approval_.relaunched.push_back(fmt::format("{}: {}", id, identity.launches.difference));
    }
    join_machine_code(id, old, approved);
    if (approved.exact == old.exact && approved.lines == old.lines) approved.counted = old.counted;
  }

  // Complains of all that cannot be approved at once.
  void finish(const fs::path& baseline, bool imported) const {
    throw_refused(lacking_, kExitNotMeasured,
                  fmt::format("not measured, though {} has it", baseline.string()),
                  "Measure it, or declare it optional in the policy");
    throw_refused(moved_, kExitNoVerdict, "worse",
                  "--code-only is for results that a gate passed: approve without it");
    throw_refused(
        inconclusive_, kExitNoVerdict, fmt::format("inconclusive against {}", baseline.string()),
        imported ? "Measure again while the machine is quiet, leave these out with --filter, or "
                   "delete that folder and approve several new sessions together"
                 : "Measure again with more processes, approve several sessions together, or leave "
                   "these out with --filter");
  }

 private:
  // A time that is better or unclear has to be approved or measured again: until then the next
  // gates are to time it, too.
  static bool is_left_out(const BenchmarkVerdict& verdict) {
    return std::any_of(verdict.metrics.begin(), verdict.metrics.end(), [](const auto& metric) {
      return metric.metric_class == MetricClass::statistical &&
             (metric.verdict == Verdict::improved || metric.verdict == Verdict::inconclusive);
    });
  }

  void join_sessions(const std::string& id, const Approved& old, const MetricVerdict& metric,
                     const CodeIdentity& identity, Approved& approved) {
    const auto found = old.statistical.find(metric.metric);
    if (found == old.statistical.end()) {
      if (code_only_) approved.statistical.erase(metric.metric);
      return;
    }
    const std::vector<SessionFigures>& before = found->second;
    const auto place = approved.statistical.find(metric.metric);
    if (place == approved.statistical.end()) {
      if (metric.basis != Basis::same_code) keep_or_refuse(id, metric);
      approved.statistical[metric.metric] = before;
      return;
    }
    if (code_only_) {
      if (metric.verdict == Verdict::regressed) {
        moved_.push_back(fmt::format("{}: {}", id, metric.metric));
      }
      place->second = before;
      return;
    }
    std::vector<SessionFigures>& now = place->second;
    if (now.empty()) {  // all of its sessions are in the baseline already
      now = before;
      return;
    }
    // Of one figure nothing can be told: better ones take its place.
    const bool comparable = count_figures(before) > 1;
    const bool inconclusive = comparable && metric.verdict == Verdict::inconclusive;
    const bool of_the_machine = inconclusive && may_be_of_the_machine(metric) &&
                                identity.same_instructions_and_counters() &&
                                in_one_environment(before, now);
    // By both builds in turns they are of one code, unless they are shown not to be.
    const bool carried = is_carried(approval_, id, metric.metric) && !has_slowed(metric) &&
                         metric.verdict != Verdict::improved;
    if (inconclusive && !of_the_machine && !carried) {
      inconclusive_.push_back(fmt::format("{}: {}: {}", id, metric.metric, metric.reason));
      return;
    }
    // Other code that is no worse, but has moved, is not another session of the old.
    const bool may_be_equal = metric.low.value_or(1) <= 1 && metric.high.value_or(1) >= 1;
    const bool alike = metric.verdict == Verdict::same ||
                       (metric.verdict == Verdict::not_worse &&
                        (identity.same_instructions_and_counters() || may_be_equal));
    if (of_the_machine || carried || (comparable && alike)) {
      now.insert(now.end(), before.begin(), before.end());
      ++approval_.extended;
      if (of_the_machine) ++approval_.of_the_machine;
      return;
    }
    approval_.moved.push_back({id, metric.metric, mean_of_sessions(before), mean_of_sessions(now)});
    ++approval_.replaced;
  }

  void join_exact(const std::string& id, const Approved& old, const MetricVerdict& metric,
                  const CodeIdentity& identity, Approved& approved) {
    if (code_only_ && metric.verdict == Verdict::regressed) {
      moved_.push_back(fmt::format("{}: {}", id, metric.metric));
    }
    const auto before = old.exact.find(metric.metric);
    const auto now = approved.exact.find(metric.metric);
    if (before != old.exact.end() && now == approved.exact.end()) {
      keep_or_refuse(id, metric);
      approved.exact.insert(*before);
      return;
    }
    if (now == approved.exact.end()) return;
    if (before != old.exact.end() && before->second == now->second) return;
    approval_.moved.push_back(
        {id, metric.metric,
         before == old.exact.end() ? std::nullopt : std::optional(before->second), now->second});
    const bool is_counter = before != old.exact.end() && !is_resource_metric(metric.metric);
    if (is_counter && identity.same_instructions()) {
      approval_.not_repeated.push_back(fmt::format("{}: {}", id, metric.metric));
    }
  }

  [[nodiscard]] bool in_one_environment(const std::vector<SessionFigures>& before,
                                        const std::vector<SessionFigures>& now) const {
    return std::none_of(before.begin(), before.end(), [&](const SessionFigures& old) {
      return std::any_of(now.begin(), now.end(), [&](const SessionFigures& each) {
        return environments_differ(known_.at(old.session).session, known_.at(each.session).session);
      });
    });
  }

  // Whether all that is approved stands beside what there was.
  static bool keeps_sessions(const Approved& old, const Approved& approved) {
    return std::all_of(approved.statistical.begin(), approved.statistical.end(),
                       [&](const auto& metric) {
                         const auto before = old.statistical.find(metric.first);
                         return before != old.statistical.end() && !before->second.empty();
                       });
  }

  // Of a machine without nvcc, results leave the machine code alone that they confirm otherwise;
  // that of kernels which count otherwise now is not theirs, and is said to be gone.
  void join_machine_code(const std::string& id, const Approved& old, Approved& approved) {
    if (!approved.machine_code.empty() || old.machine_code.empty()) return;
    if (approved.exact == old.exact && approved.lines == old.lines) {
      approved.machine_code = old.machine_code;
      return;
    }
    std::erase_if(approved.exact, [&](const auto& each) {
      if (!is_resource_metric(each.first)) return false;
      approval_.moved.push_back({id, each.first, each.second, std::nullopt});
      return true;
    });
  }

  // What may be absent from a measurement is not lost by approving one without it.
  void keep_or_refuse(const std::string& id, const MetricVerdict& metric) {
    if (policy_.rule_for(id, metric.metric).optional) return;
    lacking_.push_back(fmt::format("{}: {}: {}", id, metric.metric, metric.reason));
  }

  static void throw_refused(const std::vector<std::string>& refused, int exit_status,
                            const std::string& what, const char* remedy) {
    if (refused.empty()) return;
    constexpr std::size_t kShown = 5;
    const auto shown = std::min(refused.size(), kShown);
    throw Error(
        exit_status,
        fmt::format(
            "{}: {}{}. {}", what,
            fmt::join(refused.begin(), refused.begin() + static_cast<std::ptrdiff_t>(shown), "; "),
            refused.size() > shown ? fmt::format("; and {} more", refused.size() - shown) : "",
            remedy));
  }

  const Policy& policy_;
  const std::map<std::string, ApprovedSession>& known_;
  bool code_only_;
  Approval& approval_;
  std::vector<std::string> moved_;
  std::vector<std::string> inconclusive_;
  std::vector<std::string> lacking_;
};

bool has_session(const Baseline& baseline, const Approved& approved, const Session& session) {
  const std::vector<std::string> labels = sessions_of(approved);
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
    const auto known = baseline.sessions.find(label);
    return known != baseline.sessions.end() && is_same_session(known->second.session, session);
  });
}

}  // namespace

void merge_with_baseline(const ApprovalRequest& request, const Policy& policy,
                         const std::map<std::string, ApprovedSession>& sessions,
                         const std::vector<std::string>& labels, const Baseline& baseline,
                         Family& approved, Approval& approval) {
  for (auto& [id, benchmark] : approved) {
    if (const Approved* old = find_approved(baseline, id)) {
      forget_known(baseline, sessions, *old, benchmark);
    }
  }
  const Results now = merged(request, labels, approved, policy);
  Results before = to_results(baseline);
  // What was of another program has been dropped, and of whose sessions it was is said no more.
  if (request.new_environment && before.session) before.session->program = now.session->program;
  take_code_of(now, policy, approval, before);
  refuse_bad_machine(before, request, policy);
  const GateVerdict verdict = compare(before, now, policy);
  Merger merger(policy, sessions, request.code_only, approval);
  for (const BenchmarkVerdict& each : verdict.benchmarks) {
    const auto place = approved.find(each.id);
    const Approved* old = find_approved(baseline, each.id);
    if (place != approved.end() && old != nullptr) {
      merger.join(each.id, *old, each, place->second);
    }
  }
  merger.finish(baseline.folder, now.session && now.session->imported);
}

void join_ranges(const ApprovalRequest& request, const Policy& policy, const Baseline& baseline,
                 Family& approved) {
  for (auto& [id, benchmark] : approved) {
    const Approved* old = find_approved(baseline, id);
    if (old == nullptr || !identity_of(*old, benchmark).may_be_same()) continue;
    benchmark.ranges = old->ranges;
    std::erase_if(benchmark.ranges, [&, &id = id](const auto& range) {
      return policy.rule_for(id, range.first).gated();
    });
  }
  for (const Results& results : request.sessions) {
    const Session& session = *results.session;
    if (session.device.kind != results::DeviceKind::gpu || session.imported) continue;
    for (const BenchmarkResult& counted : results.benchmarks) {
      const auto place = approved.find(counted.id);
      if (place == approved.end()) continue;
      const Approved* old = find_approved(baseline, counted.id);
      const bool is_known = old != nullptr && !old->ranges.empty() &&
                            identity_of(*old, place->second).may_be_same() &&
                            has_session(baseline, *old, session);
      if (!is_known) take_in(counted, policy, place->second.ranges);
    }
  }
}

void note_replaced(const std::string& id, const Approved& old, const Approved* compared,
                   const Approved& approved, Approval& approval) {
  for (const auto& [metric, sessions] : approved.statistical) {
    const auto before = old.statistical.find(metric);
    if (before == old.statistical.end() || compared->statistical.contains(metric)) continue;
    approval.moved.push_back(
        {id, metric, mean_of_sessions(before->second), mean_of_sessions(sessions)});
    ++approval.replaced;
  }
}

}  // namespace warpgauge::ci
