// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/calibrate/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <set>
#include <utility>

#include "ci/statistics/mean.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_glob.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/metrics/clock.hpp"
#include "ci/verdict/program/program_match.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;

constexpr std::size_t kSlowedShare = 10;  // each tenth benchmark

// Null: it has none that can be used.
const std::vector<double>* times_of(const BenchmarkResult* benchmark) {
  if (benchmark == nullptr || benchmark->outcome.status != results::Status::ok) return nullptr;
  const Metric* const time = benchmark->find(results::kTimeMetric);
  const bool is_usable = time != nullptr && time->problem.empty() && time->sessions.size() == 1;
  return is_usable ? &time->sessions.front() : nullptr;
}

std::vector<std::vector<double>> first_samples(std::vector<std::vector<double>> processes) {
  for (auto& samples : processes) samples.resize(std::min(samples.size(), kReadingsForGrid));
  return processes;
}

RecordedSession recorded_of(const Results& results, const std::vector<std::string>& ids) {
  RecordedSession recorded;
  recorded.untimed.name = "drawn";
  recorded.untimed.session = results.session;
  for (const std::string& id : ids) {
    const BenchmarkResult* const benchmark = results.find(id);
    recorded.times.push_back(*times_of(benchmark));
    recorded.samples.push_back(benchmark->samples_ns);
    recorded.processes = std::min(recorded.processes, recorded.times.back().size());
    BenchmarkResult& untimed = recorded.untimed.benchmarks.emplace_back();
    untimed.id = id;
    untimed.machine_code = benchmark->machine_code;
    untimed.metrics = benchmark->metrics;
    // Of another program's clock, the samples may tell the step.
    if (results.session->imported) untimed.samples_ns = first_samples(benchmark->samples_ns);
    std::erase_if(untimed.metrics, [](const auto& each) { return !each.second.problem.empty(); });
    Metric& time = untimed.metrics[results::kTimeMetric];
    time.sessions.assign(1, {});
    time.labels = {label(*results.session)};
  }
  return recorded;
}

bool has_samples(const RecordedSession& session) {
  return std::all_of(session.samples.begin(), session.samples.end(), [&](const auto& processes) {
    return processes.size() >= session.processes &&
           std::all_of(processes.begin(), processes.end(),
                       [](const auto& each) { return each.size() >= kFewestSamples; });
  });
}

std::vector<std::string> shared_ids(const std::vector<const Results*>& sessions,
                                    const Policy& policy, std::size_t& left_out) {
  std::vector<std::string> ids;
  ProgramSides sides;
  const Results& first = *sessions.front();
  if (is_of_program(first)) sides = {first, first, policy};
  for (const BenchmarkResult& benchmark : first.benchmarks) {
    if (!policy.rule_for(benchmark.id, results::kTimeMetric).gated()) continue;
    // What a program's gate only shows is called neither slower nor unclear.
    if (sides.only_shows(benchmark.id, results::kTimeMetric)) continue;
    const bool everywhere = std::all_of(sessions.begin(), sessions.end(), [&](const Results* each) {
      return times_of(each->find(benchmark.id)) != nullptr;
    });
    if (everywhere) ids.push_back(benchmark.id);
    left_out += everywhere ? 0 : 1;
  }
  return ids;
}

void check(const Results& session, const Results& first) {
  if (!session.session) {
    throw Error(kExitUsage, fmt::format("{} does not name its device; calibrate with what "
                                        "warpgauge run or warpgauge import wrote",
                                        session.name));
  }
  std::string other = different_devices(*first.session, *session.session);
  if (other.empty()) other = different_programs(*first.session, *session.session);
  if (hot_and_cold(*first.session, *session.session)) other = "one was timed hot, the other cold";
  if (other.empty()) return;
  throw Error(kExitUsage, fmt::format("{} and {}: {}; calibrate each by itself", first.name,
                                      session.name, other));
}

void check_processes(const RecordedSession& recorded, const std::string& name) {
  if (recorded.processes >= 2) return;
  throw Error(kExitUsage, fmt::format("{} has fewer than two processes of some benchmark; record "
                                      "two or more, better forty (--processes 40)",
                                      name));
}

RuleVerdicts verdicts_by_gate(const GateVerdict& verdict, const Recording& recording) {
  std::map<std::string, const MetricVerdict*> times;
  for (const BenchmarkVerdict& each : verdict.benchmarks) {
    for (const MetricVerdict& metric : each.metrics) {
      if (metric.metric == results::kTimeMetric) times[each.id] = &metric;
    }
  }
  RuleVerdicts verdicts;
  for (const std::string& id : recording.ids) {
    const MetricVerdict& time = *times.at(id);
    verdicts.slower.push_back(time.verdict == Verdict::regressed);
    verdicts.open.push_back(time.verdict == Verdict::inconclusive);
    const double low = time.low.value_or(1);
    const double high = time.high.value_or(1);
    verdicts.reach.push_back(std::max(high, 1 / low) - 1);
    verdicts.apart.push_back(std::max({low, 1 / high, 1.0}) - 1);
  }
  return verdicts;
}

}  // namespace

// Draws processes of a session: each once if there are enough, else as if there were any number.
class Sampler {
 public:
  Sampler(std::size_t processes, bool with_replacement, Random& random)
      : order_(processes), with_replacement_(with_replacement), random_(random) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    // As std::shuffle, whose numbers differ from library to library.
    for (std::size_t i = processes; i > 1; --i) std::swap(order_[i - 1], order_[random_() % i]);
  }

  std::size_t next() { return with_replacement_ ? random_() % order_.size() : order_.at(next_++); }

 private:
  std::vector<std::size_t> order_;
  bool with_replacement_;
  Random& random_;
  std::size_t next_ = 0;
};

Recording recording_of(const std::vector<Results>& sessions, const std::optional<Results>& slowed,
                       const Policy& policy) {
  std::vector<const Results*> all;
  all.reserve(sessions.size() + 1);
  for (const Results& each : sessions) all.push_back(&each);
  if (slowed) all.push_back(&*slowed);
  for (const Results* each : all) check(*each, *all.front());

  Recording recording;
  recording.ids = shared_ids(all, policy, recording.left_out);
  if (recording.ids.empty()) {
    throw Error(kExitUsage, fmt::format("{}: no benchmark has a gated time in all files; the "
                                        "emulator has no clock",
                                        all.front()->name));
  }
  for (const Results* each : all) {
    RecordedSession recorded = recorded_of(*each, recording.ids);
    check_processes(recorded, each->name);
    recording.fewest_processes = std::min(recording.fewest_processes, recorded.processes);
    recording.sessions.push_back(std::move(recorded));
  }
  if (slowed) {
    recording.slowed = std::move(recording.sessions.back());
    recording.sessions.pop_back();
  }
  for (std::size_t b = 0; b < recording.ids.size(); ++b) {
    recording.is_control.push_back(matches_any(policy.controls, recording.ids[b]));
    recording.time_ns.push_back(mean_of(recording.sessions.front().times[b]));
  }
  recording.imported = sessions.front().session->imported.has_value();
  recording.never_in_turns = recording.imported || is_of_program(sessions.front());
  recording.with_samples = std::all_of(recording.sessions.begin(), recording.sessions.end(),
                                       [](const auto& each) { return has_samples(each); });
  return recording;
}

Injected inject(const Recording& recording, std::size_t trial, Random& random) {
  std::vector<std::size_t> candidates;
  for (std::size_t b = 0; b < recording.ids.size(); ++b) {
    if (!recording.is_control[b]) candidates.push_back(b);
  }
  const std::size_t wanted = (candidates.size() + kSlowedShare - 1) / kSlowedShare;
  Injected injected;
  for (std::size_t i = 0; i < wanted; ++i) {
    std::swap(candidates[i], candidates[i + random() % (candidates.size() - i)]);
    injected[candidates[i]] = (trial + i) % slowdowns().size();
  }
  return injected;
}

// One side of a gate: what it would have been given, had these processes been its own.
class Simulation::Draw {
 public:
  // The sampler is of `from`, perhaps shared with the other side.
  Draw(const RecordedSession& from, Sampler& sampler)
      : from_(from), sampler_(sampler), results_(from.untimed), factors_(from.times.size(), 1) {}

  void change(const Injected& injected) {
    for (const auto& [benchmark, slowdown] : injected) {
      factors_[benchmark] = 1 + (slowdown ? slowdowns()[*slowdown] : 0);
      for (results::KernelCode& code : results_.benchmarks[benchmark].machine_code) {
        code.sass_hash = "changed";
      }
    }
  }

  void add(const std::set<std::string>& ids, int processes) {
    for (int i = 0; i < processes; ++i) {
      const std::size_t process = sampler_.next();
      if (!first_) first_ = process;
      for (std::size_t b = 0; b < factors_.size(); ++b) {
        BenchmarkResult& benchmark = results_.benchmarks[b];
        if (!ids.contains(benchmark.id)) continue;
        benchmark.metrics[results::kTimeMetric].sessions[0].push_back(factors_[b] *
                                                                      from_.times[b][process]);
      }
    }
  }

  [[nodiscard]] const Results& results() const { return results_; }

  // Of as many processes as a gate starts with.
  [[nodiscard]] std::vector<double> times(std::size_t benchmark, int processes) const {
    std::vector<double> times =
        results_.benchmarks[benchmark].metrics.at(results::kTimeMetric).sessions[0];
    times.resize(std::min(times.size(), static_cast<std::size_t>(processes)));
    return times;
  }

  // Of the first process that was drawn: all that other tools' rules look at.
  [[nodiscard]] std::vector<double> samples(std::size_t benchmark) const {
    std::vector<double> samples = from_.samples[benchmark][*first_];
    for (double& each : samples) each *= factors_[benchmark];
    return samples;
  }

 private:
  const RecordedSession& from_;
  Sampler& sampler_;
  Results results_;
  std::vector<double> factors_;
  std::optional<std::size_t> first_;
};

// All other sessions, each with as many processes as it has, drawn.
Results Simulation::draw_baseline(std::size_t without, Random& random) const {
  Results baseline;
  for (std::size_t s = 0; s < recording_.sessions.size(); ++s) {
    if (s == without) continue;
    const RecordedSession& from = recording_.sessions[s];
    Sampler sampler(from.processes, true, random);
    Draw draw(from, sampler);
    draw.add({recording_.ids.begin(), recording_.ids.end()}, static_cast<int>(from.processes));
    if (!baseline.session) {
      baseline = draw.results();
      continue;
    }
    for (std::size_t b = 0; b < recording_.ids.size(); ++b) {
      Metric& all = baseline.benchmarks[b].metrics[results::kTimeMetric];
      const Metric& more = draw.results().benchmarks[b].metrics.at(results::kTimeMetric);
      all.sessions.push_back(more.sessions.front());
      all.labels.push_back(more.labels.front());
    }
  }
  baseline.name = "drawn baseline";
  baseline.is_baseline = true;
  return baseline;
}

std::vector<RuleVerdicts> Simulation::gate(Setting setting, const Injected& injected,
                                           Random& random) const {
  const std::size_t s = random() % recording_.sessions.size();
  const RecordedSession& session = recording_.sessions[s];
  if (setting.design == Design::interleaved || recording_.sessions.size() < 2) {
    return gate_pair(setting.design, session, session, injected, random);
  }
  const Results baseline = draw_baseline(s, random);
  Sampler sampler(session.processes, about_.with_replacement, random);
  Draw after(session, sampler);
  after.change(injected);
  // What was approved, measured on the machine and in the hour of the new side.
  Draw approved(session, sampler);
  Draw beside_it(session, sampler);
  beside_it.change(injected);
  const auto take_turns = [&] {
    return TurnTaking{"what was approved",
                      [&](const std::set<std::string>& ids, int processes) {
                        approved.add(ids, processes);
                        beside_it.add(ids, processes);
                      },
                      [&] {
                        return Sides{approved.results(), beside_it.results()};
                      }};
  };
  const auto judge_apart = [&](const MeasuredSides& measured) {
    return judge(measured, &baseline, policy_, {});
  };
  std::vector<RuleVerdicts> verdicts{
      judged(nullptr, after, judge_apart,
             setting.then_in_turns ? std::function<TurnTaking()>(take_turns) : nullptr)};
  if (!about_.with_samples) return verdicts;
  // Competing rules know no baseline of several sessions: one of them is what they are given.
  std::size_t other = random() % (recording_.sessions.size() - 1);
  other += other >= s ? 1 : 0;
  Sampler other_sampler(recording_.sessions[other].processes, true, random);
  Draw before(recording_.sessions[other], other_sampler);
  before.add({recording_.ids.begin(), recording_.ids.end()}, about_.options.effort.at_once());
  add_competing(before, after, verdicts);
  return verdicts;
}

std::vector<RuleVerdicts> Simulation::gate_pair(Design design, const RecordedSession& from_before,
                                                const RecordedSession& from_after,
                                                const Injected& injected, Random& random) const {
  Sampler sampler(from_before.processes, about_.with_replacement, random);
  Sampler own_sampler(from_after.processes, about_.with_replacement, random);
  Draw before(from_before, sampler);
  // Of one session, no process may stand on both sides.
  Draw after(from_after, &from_before == &from_after ? sampler : own_sampler);
  after.change(injected);
  std::vector<RuleVerdicts> verdicts{judged(&before, after, [&](const MeasuredSides& measured) {
    return judge(measured, nullptr, policy_, {.design = design});
  })};
  add_competing(before, after, verdicts);
  return verdicts;
}

RuleVerdicts Simulation::judged(Draw* before, Draw& after, const Judge& judge,
                                const std::function<TurnTaking()>& take_turns) const {
  const Effort& effort = about_.options.effort;
  Measuring measuring;
  measuring.has_clock = !recording_.imported;
  measuring.take_turns = take_turns;
  measuring.time_again = [&](const std::set<std::string>& ids, int processes) {
    if (before != nullptr) before->add(ids, processes);
    after.add(ids, processes);
  };
  measuring.observe_all = [&] {
    measuring.time_again({recording_.ids.begin(), recording_.ids.end()}, effort.at_once());
  };
  measuring.keep = [] {};
  measuring.now = [] { return std::chrono::steady_clock::time_point(); };  // drawing takes no time
  measuring.measured = [&] {
    return Sides{before == nullptr ? std::nullopt : std::optional(before->results()),
                 after.results()};
  };
  return verdicts_by_gate(measure_and_judge(measuring, effort, judge), recording_);
}

void Simulation::add_competing(const Draw& before, const Draw& after,
                               std::vector<RuleVerdicts>& verdicts) const {
  if (!about_.with_samples) return;
  const int processes = about_.options.effort.at_once();
  for (const CompetingRule& rule : about_.options.competing_rules) {
    RuleVerdicts& of_rule = verdicts.emplace_back();
    for (std::size_t b = 0; b < recording_.ids.size(); ++b) {
      of_rule.slower.push_back(
          rule.of_processes ? rule.is_slower(before.times(b, processes), after.times(b, processes))
                            : rule.is_slower(before.samples(b), after.samples(b)));
    }
  }
}

}  // namespace warpgauge::ci
