// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/decide.hpp"
#include "ci/verdict/estimate.hpp"
#include "ci/verdict/identity/approved_build.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Results;
using Ids = std::set<std::string>;
using Time = std::chrono::steady_clock::time_point;
using TimeAgain = std::function<void(const Ids&, int)>;

template <class Predicate>
Ids with_metric(const GateVerdict& verdict, Predicate is_meant) {
  Ids ids;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (std::any_of(benchmark.metrics.begin(), benchmark.metrics.end(), is_meant)) {
      ids.insert(benchmark.id);
    }
  }
  return ids;
}

bool can_become_clear(const MetricVerdict& metric) {
  return metric.verdict == Verdict::inconclusive && metric.more_processes_help;
}

// On both sides, and no metric that moved or that is open.
bool is_all_the_same(const GateVerdict& verdict) {
  const auto passes = [](const auto& each) {
    return each.verdict == Verdict::same || each.verdict == Verdict::not_worse;
  };
  return verdict.exit_status == kExitPass && verdict.no_baseline.empty() &&
         std::all_of(verdict.benchmarks.begin(), verdict.benchmarks.end(),
                     [&](const BenchmarkVerdict& each) {
                       return passes(each) && each.message.empty() &&
                              std::all_of(each.metrics.begin(), each.metrics.end(), passes);
                     });
}

// Of these benchmarks only what the newest processes timed.
void keep_newest(results::Results& all, const Ids& ids, std::size_t processes) {
  for (results::BenchmarkResult& benchmark : all.benchmarks) {
    if (!ids.contains(benchmark.id)) continue;
    for (auto& [name, metric] : benchmark.metrics) {
      for (auto& figures : metric.sessions) {
        if (figures.size() > processes)
          figures.erase(figures.begin(), figures.end() - static_cast<std::ptrdiff_t>(processes));
      }
    }
  }
}

void observe(const Measuring& measuring, Effort effort) {
  if (!measuring.plan) return measuring.observe_all();
  measuring.look();
  TimingPlan plan = measuring.plan(measuring.measured());
  measuring.leave_untimed(plan.untimed);
  if (plan.to_time.empty()) return;
  measuring.count_lines(plan.to_time);
  plan.controls.merge(plan.to_time);
  measuring.time_again(plan.controls, effort.processes);
}

// What comes after the first look, within the budget.
class FurtherSteps {
 public:
  FurtherSteps(const Measuring& measuring, Effort effort, const Judge& judge)
      : measuring_(measuring),
        effort_(effort),
        judge_(judge),
        end_(measuring.now() + effort.budget),
        shares_(shares_of(measuring, effort)) {}

  [[nodiscard]] GateVerdict first_look() {
    more_may_follow_ = effort_.most_processes > effort_.processes;
    if (effort_.early == 0) return judge_all();
    MeasuredSides early = so_far();
    early.early = true;
    early.more_may_follow = true;
    GateVerdict verdict = judge_(early);
    if (is_all_the_same(verdict)) return verdict;
    const Ids all = with_metric(verdict, [](const MetricVerdict&) { return true; });
    measuring_.time_again(all, effort_.processes - effort_.early);
    end_ = measuring_.now() + effort_.budget;
    return judge_all();
  }

  GateVerdict after(GateVerdict verdict) {
    measure_more(verdict);
    confirm(verdict);
    take_turns(verdict);
    return verdict;
  }

 private:
  void measure_more(GateVerdict& verdict) {
    const int more = effort_.most_processes - effort_.processes;
    const Ids unclear = with_metric(verdict, can_become_clear);
    more_may_follow_ = false;
    if (more <= 0 || unclear.empty()) return;
    (void)time_again(measuring_.time_again, unclear, more, 0);
    verdict = judge_all();
  }

  void confirm(GateVerdict& verdict) {
    const Ids slowed = with_metric(verdict, has_slowed);
    if (slowed.empty()) return;
    const int processes =
        time_again(measuring_.time_again, slowed, effort_.processes, kFewestThatConfirm);
    Sides newest = measuring_.measured();
    keep_newest(newest.after, slowed, static_cast<std::size_t>(processes));
    if (newest.before) keep_newest(*newest.before, slowed, static_cast<std::size_t>(processes));
    again_ = MeasuredSides::Again{std::move(verdict.benchmarks), std::move(newest), processes};
    verdict = judge_all();
  }

  void take_turns(GateVerdict& verdict) {
    const Ids open = with_metric(verdict, is_for_turns);
    if (!measuring_.take_turns || open.empty()) return;
    MeasuredSides::InTurns in_turns;
    in_turns.ids = open;
    std::string cut_short;
    try {
      const TurnTaking taking = measuring_.take_turns();
      in_turns.with = taking.with;
      const int pairs = time_again(taking.time_again, open, effort_.most_processes, 0);
      if (pairs > 0) {
        in_turns.sides = taking.measured();
        in_turns_ = in_turns;
        if (pairs >= effort_.most_processes)
          take_more_turns(taking, metrics_for_turns(verdict), pairs);
      }
    } catch (const Error& error) {
      if (in_turns_) {
        cut_short = error.what();
      } else {
        in_turns.went_wrong = error.what();
        in_turns_ = std::move(in_turns);
      }
    }
    verdict = judge_all();
    if (!cut_short.empty()) {
      verdict.notes.push_back("fewer turns were taken than their spread asks for: " + cut_short);
    }
  }

  // By benchmark and name.
  using MetricNames = std::set<std::pair<std::string, std::string>>;
  static MetricNames metrics_for_turns(const GateVerdict& verdict) {
    MetricNames names;
    for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
      for (const MetricVerdict& metric : benchmark.metrics) {
        if (is_for_turns(metric)) names.emplace(benchmark.id, metric.metric);
      }
    }
    return names;
  }

  // Of each benchmark as many pairs as their spread asks for, whatever their means say: so what
  // they come to is looked at once. Few need more than most do.
  void take_more_turns(const TurnTaking& taking, const MetricNames& for_turns, int pairs) {
    std::map<std::string, int> asked;
    for (const BenchmarkVerdict& each : judge_all().benchmarks) {
      if (in_turns_->ids.contains(each.id)) asked[each.id] = pairs_asked(each, for_turns, pairs);
    }
    while (true) {
      std::erase_if(asked, [&](const auto& each) { return each.second <= pairs; });
      if (asked.empty()) return;
      Ids ids;
      for (const auto& [id, count] : asked) ids.insert(id);
      const int timed = time_again(taking.time_again, ids, kPairsAtOnce, 0);
      if (timed > 0) in_turns_->sides = taking.measured();
      if (timed < kPairsAtOnce) return;
      pairs += timed;
    }
  }

  // So many that a change of nothing is shown to be within the floor in all but one of about a
  // thousand cases, if they go on to differ as they do. None of what turns do not decide.
  [[nodiscard]] int pairs_asked(const BenchmarkVerdict& benchmark, const MetricNames& for_turns,
                                int pairs) const {
    constexpr double kSurely = 3;  // standard errors
    const auto is_of_turns = [pairs](const std::vector<LabelledFigures>& sessions) {
      return sessions.size() == 1 &&
             sessions.front().figures.size() == static_cast<std::size_t>(pairs);
    };
    double asked = 0;
    for (const MetricVerdict& metric : benchmark.metrics) {
      if (!metric.evidence || !for_turns.contains({benchmark.id, metric.metric})) continue;
      if (!is_of_turns(metric.before_sessions) || !is_of_turns(metric.after_sessions)) continue;
      const Uncertainty& by_turns = metric.evidence->estimate.of_processes;
      const double reach = by_turns.half_width + kSurely * by_turns.standard_error;
      // Not the floor that decided, which follows what these pairs show.
      const double floor = metric.rule.usual_floor.value_or(metric.evidence->estimate.floor);
      asked = std::max(asked, pairs * std::pow(reach / std::log1p(floor), 2));
    }
    const double most = kMostTurns * effort_.most_processes;
    return static_cast<int>(std::ceil(std::min(asked, most)));
  }

  [[nodiscard]] MeasuredSides so_far() const {
    MeasuredSides measured{measuring_.measured(), again_, in_turns_, budget_end_, shares_};
    measured.more_may_follow = more_may_follow_;
    return measured;
  }

  [[nodiscard]] GateVerdict judge_all() const { return judge_(so_far()); }

  // Of all looks that there may be, which is known before the first one.
  static LookShares shares_of(const Measuring& measuring, Effort effort) {
    const int growing = effort.most_processes > effort.processes ? 2 : 1;
    return look_shares(growing, static_cast<bool>(measuring.take_turns), effort.early > 0);
  }

  // As many of these processes as the budget allows, and at least so many. The first ones tell how
  // long the others take.
  int time_again(const TimeAgain& time, const Ids& ids, int wanted, int least) {
    const auto begin = measuring_.now();
    int timed = 0;
    while (timed < wanted) {
      const int next = std::max(std::min(least, wanted) - timed,
                                std::min(wanted - timed, affordable(timed, begin)));
      if (next <= 0) break;
      time(ids, next);
      timed += next;
    }
    if (timed < wanted) {
      if (!budget_end_) budget_end_ = BudgetEnd{effort_.budget, {}};
      budget_end_->ids.insert(ids.begin(), ids.end());
    }
    return timed;
  }

  // How many processes the rest of the budget is enough for, if they take as long as those that
  // were timed since `begin`. At first a pair, so that both sides of a pair of suites have their
  // turns.
  [[nodiscard]] int affordable(int timed, Time begin) const {
    constexpr int kAtFirst = 2;
    constexpr int kAny = 1000;
    const auto now = measuring_.now();
    if (now >= end_) return 0;
    if (timed == 0) return kAtFirst;
    const auto one = (now - begin) / timed;
    return one > one.zero() ? static_cast<int>(std::min<Time::rep>((end_ - now) / one, kAny))
                            : kAny;
  }

  static constexpr int kFewestThatConfirm = 2;
  static constexpr int kPairsAtOnce = 5;

  const Measuring& measuring_;
  Effort effort_;
  const Judge& judge_;
  Time end_;
  LookShares shares_;
  bool more_may_follow_ = false;
  std::optional<MeasuredSides::Again> again_;
  std::optional<MeasuredSides::InTurns> in_turns_;
  std::optional<BudgetEnd> budget_end_;
};

// Once everything was observed.
GateVerdict judge_in_steps(const Measuring& measuring, Effort effort, const Judge& judge) {
  FurtherSteps further(measuring, effort, judge);
  GateVerdict verdict = further.first_look();
  return measuring.has_clock ? further.after(std::move(verdict)) : verdict;
}

Policy with_shares(Policy policy, double of_alpha, double of_beta) {
  policy.alpha *= of_alpha;
  policy.beta *= of_beta;
  return policy;
}

Turns turns_of(const MeasuredSides::InTurns& measured, const Results& approved,
               const Policy& policy, const ComparisonTerms& terms) {
  Turns turns{measured.with, {}, {}};
  if (!measured.went_wrong.empty()) {
    for (const std::string& id : measured.ids) {
      turns.why_not[id] = "could not be measured in turns: " + measured.went_wrong;
    }
    return turns;
  }
  Results before = *measured.sides.before;
  Results after = measured.sides.after;
  for (const std::string& id : measured.ids) {
    std::string why = why_not_approved(approved.find(id), before.find(id), policy, turns.with);
    if (!why.empty()) turns.why_not[id] = std::move(why);
  }
  for (Results* side : {&before, &after}) {
    std::erase_if(side->benchmarks, [&](const BenchmarkResult& each) {
      return turns.why_not.contains(each.id) || !measured.ids.contains(each.id);
    });
  }
  if (before.benchmarks.empty()) return turns;
  try {
    turns.estimates = estimate(before, after, policy,
                               {.design = Design::interleaved,
                                .treat_as_changed = true,
                                .known_metrics = terms.known_metrics});
  } catch (const Error& error) {
    for (const BenchmarkResult& each : before.benchmarks) turns.why_not[each.id] = error.what();
  }
  return turns;
}

}  // namespace

GateVerdict judge(const MeasuredSides& measured, const results::Results* stored,
                  const Policy& policy, const ComparisonTerms& terms,
                  const std::set<Verdict>& allowed) {
  const auto before = [&](const Sides& sides) -> const results::Results& {
    return sides.before ? *sides.before : *stored;
  };
  FurtherLooks further{.budget_end = measured.budget_end,
                       .more_may_follow = measured.more_may_follow};
  if (measured.again) {
    const MeasuredSides::Again& again = *measured.again;
    further.confirmation =
        Confirmation{again.first, estimate(before(again.newest), again.newest.after, policy, terms),
                     again.processes};
  }
  if (measured.in_turns) {
    further.turns =
        turns_of(*measured.in_turns, before(measured.all),
                 with_shares(policy, measured.shares.in_turns, measured.shares.in_turns), terms);
  }
  const LookShares& shares = measured.shares;
  const double of_beta = measured.early ? shares.beta_of_early : shares.beta_of_each;
  return compare(before(measured.all), measured.all.after,
                 with_shares(policy, shares.of_each, of_beta), terms, allowed, further);
}

GateVerdict measure_and_judge(const Measuring& measuring, Effort effort, const Judge& judge) {
  observe(measuring, effort);
  std::optional<GateVerdict> verdict;
  try {
    verdict = judge_in_steps(measuring, effort, judge);
  } catch (...) {
    measuring.keep();
    throw;
  }
  measuring.keep();
  return *std::move(verdict);
}

}  // namespace warpgauge::ci
