// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/approve/carry_over.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/estimate.hpp"
#include "ci/verdict/identity/approved_build.hpp"
#include "ci/verdict/metrics/clock.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::EnvironmentRow;
using results::Results;
using results::Session;

// Of the floor: what all sessions are off by together must not come near what a gate finds.
constexpr double kMostOfFloor = 0.25;
// Of freedom: a few processes agree by chance. Five a side, as a gate starts, have as many.
constexpr std::size_t kFewestDegrees = 8;
constexpr std::size_t kMostTold = 3;
constexpr std::size_t kCharactersOfDate = 10;  // of a time in UTC, its date

// Digits that mean nothing make a file hard to read.
double rounded(double value, int digits) {
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

double scaled(double value, double ratio) { return rounded(value * ratio, 9); }

// The errors are independent, and relative.
Carried joined(const std::optional<Carried>& before, const Carried& now) {
  const Carried first = before.value_or(Carried());
  return {rounded(first.ratio * now.ratio, 7),
          rounded(std::hypot(first.standard_error, now.standard_error), 3)};
}

// Of the spread between processes.
std::size_t degrees_of(const BenchmarkResult* benchmark, const std::string& metric) {
  const results::Metric* const found = benchmark == nullptr ? nullptr : benchmark->find(metric);
  std::size_t degrees = 0;
  if (found == nullptr) return degrees;
  for (const auto& figures : found->sessions)
    degrees += std::max(figures.size(), std::size_t{1}) - 1;
  return degrees;
}

// Half of the interval that is certain by Student's t. The last turns say how many times the error
// that is: earlier ones had as many degrees of freedom as are asked for, too.
double half_width(const Carried& whole, const Uncertainty& last) {
  if (!(last.standard_error > 0)) return whole.standard_error;
  return whole.standard_error * last.half_width / last.standard_error;
}

[[noreturn]] void refuse(const ApprovalRequest& request, int exit_status, const std::string& what) {
  throw Error(exit_status, fmt::format("--beside {}: {}", request.beside->name, what));
}

[[noreturn]] void refuse_all(const ApprovalRequest& request, const Approval& approval) {
  const std::string why = approval.begun_anew.empty()
                              ? "the baseline has no times of these benchmarks"
                              : some_of(approval.begun_anew, kMostTold);
  refuse(request, kExitNoVerdict,
         fmt::format("nothing can be carried over: {}; leave out --beside to start over", why));
}

template <class Predicate>
std::vector<EnvironmentRow> rows_where(const Session& before, const Session& after,
                                       Predicate is_wanted) {
  std::vector<EnvironmentRow> rows = results::differences(before, after);
  std::erase_if(rows, [&](const EnvironmentRow& row) { return !is_wanted(*row.field); });
  return rows;
}

void check_sides(const ApprovalRequest& request) {
  const Results& old = *request.beside;
  const Results& fresh = request.sessions.front();
  if (request.sessions.size() > 1) {
    refuse(request, kExitUsage,
           fmt::format("it was measured in turns with one RESULTS, and {} are given; approve that "
                       "one alone",
                       request.sessions.size()));
  }
  if (!old.session || !are_in_turns(*old.session, *fresh.session)) {
    refuse(request, kExitUsage,
           fmt::format("{} and {} were not measured in turns; measure both with gate "
                       "--against-build",
                       old.name, fresh.name));
  }
  if (fresh.session->turns.front() == 'A') {
    refuse(request, kExitUsage,
           fmt::format("{} is the build before, and {} the one after; exchange them", fresh.name,
                       old.name));
  }
  if (!results::comparability(*old.session, *fresh.session, true).no_verdict_on_time.empty()) {
    const auto rows = rows_where(*old.session, *fresh.session, [](const auto& field) {
      return field.moves_clocks && !field.of_build;
    });
    refuse(request, kExitNoVerdict,
           fmt::format("measured with another {}; only what a build was made with can be carried "
                       "over",
                       results::listed(rows)));
  }
  if (!environments_differ(*old.session, *fresh.session)) {
    refuse(request, kExitUsage,
           fmt::format("{} and {} are of one environment, so that sessions of either count as they "
                       "are; approve without it",
                       old.name, fresh.name));
  }
}

class Carrier {
 public:
  Carrier(const ApprovalRequest& request, const Policy& policy, Baseline& baseline,
          std::map<std::string, ApprovedSession>& sessions, Approval& approval)
      : request_(request),
        policy_(policy),
        old_(*request.beside),
        new_(request.sessions.front()),
        approved_(to_results(baseline)),
        estimates_(estimate(
            old_, new_, policy,
            {.design = Design::interleaved, .treat_as_changed = true, .compares_builds = true})),
        origin_(origin_of(old_, new_, policy)),
        baseline_(baseline),
        sessions_(sessions),
        approval_(approval) {
    builds_ = results::listed(
        rows_where(*old_.session, *new_.session, [](const auto& field) { return field.of_build; }));
  }

  void carry(const std::string& id, Approved& approved) {
    const std::string other =
        why_not_approved(approved_.find(id), old_.find(id), policy_, old_.name);
    for (auto& [metric, figures] : approved.statistical) {
      const bool of_new_environment =
          std::none_of(figures.begin(), figures.end(), [&](const SessionFigures& each) {
            return environments_differ(session_of(each), *new_.session);
          });
      if (of_new_environment) continue;
      const std::string why = other.empty() ? carry_metric(id, metric, figures) : other;
      if (!why.empty()) approval_.begun_anew.push_back(fmt::format("{}: {}: {}", id, metric, why));
    }
  }

  // Their labels from now on.
  [[nodiscard]] std::set<std::string> sessions() const {
    std::set<std::string> labels;
    for (const auto& [before, now] : labels_) labels.insert(now);
    return labels;
  }

 private:
  [[nodiscard]] const Session& session_of(const SessionFigures& figures) const {
    return baseline_.sessions.at(figures.session).session;
  }

  // Returns why nothing of it was carried over; empty: it was.
  std::string carry_metric(const std::string& id, const std::string& metric,
                           std::vector<SessionFigures>& all) {
    std::string why;
    const MetricEstimate* const found = find_estimate(id, metric, why);
    if (found == nullptr) return why;
    const Estimate& ratio = found->evidence->estimate;
    if (degrees_of(old_.find(id), metric) + degrees_of(new_.find(id), metric) < kFewestDegrees) {
      return "its ratio is of too few processes: measure both with five or more --processes";
    }
    const Carried by{rounded(ratio.ratio, 7), ratio.of_processes.standard_error};
    const double most = kMostOfFloor * floor_of(id, metric, ratio);
    double least_error = 0;
    bool any = false;
    for (SessionFigures& each : all) {
      const Session& session = session_of(each);
      const bool is_of_old = environments_differ(session, *new_.session) &&
                             !environments_differ(session, *old_.session);
      if (!is_of_old) continue;
      const Carried whole = joined(each.carried, by);
      const double error = half_width(whole, ratio.of_processes);
      if (error > most) {
        least_error = least_error > 0 ? std::min(least_error, error) : error;
        continue;
      }
      for (double& figure : each.figures) figure = scaled(figure, by.ratio);
      each.session = carried_label(each.session);
      each.carried = whole;
      any = true;
    }
    if (any) {
      approval_.carried.push_back({id, metric, by});
      return {};
    }
    if (least_error == 0) {
      return fmt::format("none of its sessions is of the environment of {}", old_.name);
    }
    return fmt::format(
        "its ratio is known to {:.2g} % only, and a quarter of the floor is {:.2g} %: measure both "
        "with more --processes",
        100 * least_error, 100 * most);
  }

  // nullptr: there is none to carry by, and `why` says why.
  const MetricEstimate* find_estimate(const std::string& id, const std::string& metric,
                                      std::string& why) const {
    why = "not measured on both sides";
    for (const BenchmarkEstimate& benchmark : estimates_.benchmarks) {
      if (benchmark.id != id) continue;
      if (!benchmark.message.empty()) why = benchmark.message;
      for (const MetricEstimate& each : benchmark.metrics) {
        if (each.metric != metric) continue;
        if (!benchmark.no_verdict_on_time.empty()) {
          why = benchmark.no_verdict_on_time;
          return nullptr;
        }
        if (each.evidence) return &each;
        if (!each.why_no_figures.empty()) why = each.why_no_figures;
      }
    }
    return nullptr;
  }

  // The one that these sessions will be judged by: a gate against a baseline, not one in turns.
  [[nodiscard]] double floor_of(const std::string& id, const std::string& metric,
                                const Estimate& ratio) const {
    const Rule rule = rule_for(id, metric, policy_, origin_, Design::apart);
    return std::max(rule.relative_floor, rule.absolute_floor / std::min(ratio.before, ratio.after));
  }

  // Of that session as it counts from now on; the same one for all benchmarks.
  std::string carried_label(const std::string& label) {
    const auto known = labels_.find(label);
    if (known != labels_.end()) return known->second;
    ApprovedSession session = baseline_.sessions.at(label);
    session.session.toolchain = new_.session->toolchain;
    session.approved = request_.now;
    session.by = request_.by;
    session.reason = request_.reason;
    session.carried += session.carried.empty() ? builds_ : ", " + builds_;
    const std::string plain = fmt::format("{} (carried {})", label.substr(0, label.find(" (carr")),
                                          request_.now.substr(0, kCharactersOfDate));
    std::string carried = plain;
    for (int i = 2; !sessions_.try_emplace(carried, session).second; ++i) {
      carried = fmt::format("{} ({})", plain, i);
    }
    baseline_.sessions[carried] = session;
    labels_[label] = carried;
    return carried;
  }

  const ApprovalRequest& request_;
  const Policy& policy_;
  const Results& old_;
  const Results& new_;
  Results approved_;
  Estimates estimates_;
  Origin origin_;
  std::string builds_;  // how they differ
  Baseline& baseline_;
  std::map<std::string, ApprovedSession>& sessions_;
  Approval& approval_;
  std::map<std::string, std::string> labels_;  // of carried sessions, by what they were
};

}  // namespace

std::set<std::string> carry_over(const ApprovalRequest& request, const Policy& policy,
                                 const Family& approved, Baseline& baseline,
                                 std::map<std::string, ApprovedSession>& sessions,
                                 Approval& approval) {
  check_sides(request);
  Carrier carrier(request, policy, baseline, sessions, approval);
  for (const auto& [id, ignored] : approved) {
    if (Approved* const old = find_approved(baseline, id)) carrier.carry(id, *old);
  }
  if (approval.carried.empty()) refuse_all(request, approval);
  return carrier.sessions();
}

bool is_carried(const Approval& approval, const std::string& id, const std::string& metric) {
  return std::any_of(approval.carried.begin(), approval.carried.end(),
                     [&](const auto& each) { return each.id == id && each.metric == metric; });
}

void take_code_of(const Results& now, const Policy& policy, const Approval& approval,
                  Results& before) {
  for (BenchmarkResult& old : before.benchmarks) {
    const BenchmarkResult* const fresh = now.find(old.id);
    const bool carried =
        std::any_of(approval.carried.begin(), approval.carried.end(),
                    [&](const Approval::CarriedOver& each) { return each.id == old.id; });
    if (!carried || fresh == nullptr) continue;
    old.machine_code = fresh->machine_code;
    old.launches = fresh->launches;
    old.input_digest = fresh->input_digest;
    for (const auto& [name, metric] : fresh->metrics) {
      if (policy.rule_for(old.id, name).metric_class == MetricClass::exact) {
        old.metrics[name] = metric;
      }
    }
  }
}

void finish_carrying(const ApprovalRequest& request, const std::set<std::string>& carried,
                     Family& approved, Approval& approval) {
  std::set<std::string> kept;
  std::erase_if(approval.carried, [&](const Approval::CarriedOver& each) {
    Approved& benchmark = approved.at(each.id);
    const auto sessions = benchmark.statistical.find(each.metric);
    bool is_left = false;
    if (sessions != benchmark.statistical.end()) {
      for (const SessionFigures& figures : sessions->second) {
        if (!carried.contains(figures.session)) continue;
        kept.insert(figures.session);
        is_left = true;
      }
    }
    if (!is_left) {
      approval.begun_anew.push_back(
          fmt::format("{}: {}: {} is shown to be another than what was carried over", each.id,
                      each.metric, request.sessions.front().name));
    } else if (each.metric == results::kTimeMetric && benchmark.anchored) {
      Anchored& anchored = *benchmark.anchored;
      for (double& time : anchored.times) time = scaled(time, each.by.ratio);
      anchored.carried = rounded(anchored.carried.value_or(1) * each.by.ratio, 7);
    }
    return !is_left;
  });
  approval.carried_sessions = kept.size();
  if (approval.carried.empty()) refuse_all(request, approval);
}

}  // namespace warpgauge::ci
