// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "ci/statistics/mean.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_pattern.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/control_benchmarks.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;
using Random = std::mt19937_64;

constexpr std::size_t kSlowedShare = 10;  // each tenth benchmark
constexpr double kCertain = 0.99;

// Of one session the times, and what tells whether the code is the same.
struct Recorded {
  results::Session session;
  std::vector<std::vector<double>> times;                      // by benchmark, by process
  std::vector<std::vector<std::vector<double>>> samples;       // the same, of each process
  std::vector<std::vector<results::KernelCode>> machine_code;  // by benchmark
  std::vector<std::map<std::string, Metric>> counters;         // the same: all but the time
  std::size_t processes = 0;                                   // that all benchmarks have
};

struct Recording {
  std::vector<std::string> ids;
  std::vector<bool> is_control;
  std::vector<double> time_ns;
  std::vector<Recorded> sessions;
};

const std::vector<double>* times_of(const Results& results, const std::string& id,
                                    const BenchmarkResult** found = nullptr) {
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    if (benchmark.id != id) continue;
    const auto time = benchmark.metrics.find(results::kTimeMetric);
    const bool is_usable = benchmark.outcome.status == results::Status::ok &&
                           time != benchmark.metrics.end() && time->second.problem.empty() &&
                           time->second.sessions.size() == 1;
    if (found != nullptr) *found = &benchmark;
    return is_usable ? &time->second.sessions.front() : nullptr;
  }
  return nullptr;
}

Recorded recorded_of(const Results& results, const std::vector<std::string>& ids) {
  Recorded recorded;
  recorded.session = *results.session;
  recorded.processes = std::numeric_limits<std::size_t>::max();
  for (const std::string& id : ids) {
    const BenchmarkResult* benchmark = nullptr;
    recorded.times.push_back(*times_of(results, id, &benchmark));
    recorded.samples.push_back(benchmark->samples_ns);
    recorded.machine_code.push_back(benchmark->machine_code);
    recorded.counters.push_back(benchmark->metrics);
    std::erase_if(recorded.counters.back(), [](const auto& each) {
      return each.first == results::kTimeMetric || !each.second.problem.empty();
    });
    recorded.processes = std::min(recorded.processes, recorded.times.back().size());
  }
  return recorded;
}

std::vector<std::string> shared_ids(const std::vector<const Results*>& sessions,
                                    const Policy& policy, std::size_t& left_out) {
  std::vector<std::string> ids;
  for (const BenchmarkResult& benchmark : sessions.front()->benchmarks) {
    if (!policy.rule_for(benchmark.id, results::kTimeMetric).gated()) continue;
    const bool everywhere = std::all_of(sessions.begin(), sessions.end(), [&](const Results* each) {
      return times_of(*each, benchmark.id) != nullptr;
    });
    if (everywhere) ids.push_back(benchmark.id);
    left_out += everywhere ? 0 : 1;
  }
  return ids;
}

void check(const Results& session, const Results& first) {
  if (!session.session) {
    throw Error(kExitUsage, fmt::format("{} does not say on what device; calibrate by what "
                                        "warpgauge run has recorded",
                                        session.name));
  }
  std::string other = different_devices(*first.session, *session.session);
  if (hot_and_cold(*first.session, *session.session)) other = "one was timed hot, the other cold";
  if (other.empty()) return;
  throw Error(kExitUsage, fmt::format("{} and {}: {}; calibrate each by itself", first.name,
                                      session.name, other));
}

void check_processes(const Recorded& recorded, const std::string& name) {
  if (recorded.processes >= 2) return;
  throw Error(kExitUsage, fmt::format("{} has {} processes of some benchmark; record at least two, "
                                      "better forty (--processes 40)",
                                      name, recorded.processes));
}

std::size_t class_of(double time_ns) {
  const auto& classes = duration_classes();
  std::size_t of = 0;
  while (of + 1 < classes.size() && time_ns < classes[of].least_ns) ++of;
  return of;
}

// Deals processes of a session: each once if there are enough, else as if there were any number.
class Deck {
 public:
  Deck(std::size_t processes, bool with_replacement, Random& random)
      : order_(processes), with_replacement_(with_replacement), random_(random) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    // As std::shuffle, whose numbers differ from library to library.
    for (std::size_t i = processes; i > 1; --i) std::swap(order_[i - 1], order_[random_() % i]);
  }

  std::size_t deal() { return with_replacement_ ? random_() % order_.size() : order_.at(next_++); }

 private:
  std::vector<std::size_t> order_;
  bool with_replacement_;
  Random& random_;
  std::size_t next_ = 0;
};

// What a gate would have been given, had these processes been its own.
class Draw {
 public:
  // The deck is of `from`, perhaps shared with the other side.
  Draw(const Recording& recording, const Recorded& from, Deck& deck) : from_(from), deck_(deck) {
    results_.name = "drawn";
    results_.session = from.session;
    for (const std::string& id : recording.ids) {
      const std::size_t at = results_.benchmarks.size();
      places_[id] = at;
      BenchmarkResult& benchmark = results_.benchmarks.emplace_back();
      benchmark.id = id;
      benchmark.machine_code = from.machine_code[at];
      benchmark.metrics = from.counters[at];
      Metric& time = benchmark.metrics[results::kTimeMetric];
      time.sessions.resize(1);
      time.labels = {label(from.session)};
    }
  }

  // The code of a benchmark, which is slower by that.
  void change(std::size_t benchmark, double slower) {
    factors_[benchmark] = 1 + slower;
    for (results::KernelCode& code : results_.benchmarks[benchmark].machine_code) {
      code.sass_hash = "changed";
    }
  }

  void add(const std::set<std::string>& ids, int processes) {
    for (int i = 0; i < processes; ++i) {
      const std::size_t process = deck_.deal();
      if (!first_) first_ = process;
      for (const std::string& id : ids) {
        const std::size_t at = places_.at(id);
        results_.benchmarks[at].metrics[results::kTimeMetric].sessions[0].push_back(
            factor(at) * from_.times[at][process]);
      }
    }
  }

  [[nodiscard]] const Results& results() const { return results_; }

  // Of the first process that was dealt: all that other rules look at.
  [[nodiscard]] std::vector<double> samples(std::size_t benchmark) const {
    std::vector<double> samples = from_.samples[benchmark][*first_];
    for (double& each : samples) each *= factor(benchmark);
    return samples;
  }

 private:
  [[nodiscard]] double factor(std::size_t benchmark) const {
    const auto found = factors_.find(benchmark);
    return found == factors_.end() ? 1 : found->second;
  }

  const Recorded& from_;
  Deck& deck_;
  Results results_;
  std::map<std::string, std::size_t> places_;
  std::map<std::size_t, double> factors_;
  std::optional<std::size_t> first_;
};

// What a rule said of each benchmark.
struct Said {
  std::vector<bool> slower;
  std::vector<bool> open;
};

Said said_by(const GateVerdict& verdict, const Recording& recording) {
  std::map<std::string, Verdict> verdicts;
  for (const BenchmarkVerdict& each : verdict.benchmarks) {
    for (const MetricVerdict& metric : each.metrics) {
      if (metric.metric == results::kTimeMetric) verdicts[each.id] = metric.verdict;
    }
  }
  Said said;
  for (const std::string& id : recording.ids) {
    said.slower.push_back(verdicts.at(id) == Verdict::regressed);
    said.open.push_back(verdicts.at(id) == Verdict::inconclusive);
  }
  return said;
}

std::set<std::string> all_ids(const Recording& recording) {
  return {recording.ids.begin(), recording.ids.end()};
}

// All other sessions, each with as many processes as it has, drawn.
Results baseline_of(const Recording& recording, std::size_t without, Random& random) {
  Results baseline;
  baseline.name = "drawn baseline";
  baseline.is_baseline = true;
  for (std::size_t s = 0; s < recording.sessions.size(); ++s) {
    if (s == without) continue;
    const Recorded& from = recording.sessions[s];
    Deck deck(from.processes, true, random);
    Draw draw(recording, from, deck);
    draw.add(all_ids(recording), static_cast<int>(from.processes));
    if (!baseline.session) {
      baseline.session = from.session;
      baseline.benchmarks = draw.results().benchmarks;
      continue;
    }
    for (std::size_t b = 0; b < recording.ids.size(); ++b) {
      Metric& all = baseline.benchmarks[b].metrics[results::kTimeMetric];
      const Metric& more = draw.results().benchmarks[b].metrics.at(results::kTimeMetric);
      all.sessions.push_back(more.sessions.front());
      all.labels.push_back(more.labels.front());
    }
  }
  return baseline;
}

// Benchmark and slowdown, or none: code that was changed and takes as long.
using Injected = std::map<std::size_t, std::optional<std::size_t>>;

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

Injected change_only(const Recording& recording, std::size_t trial, Random& random) {
  Injected changed = inject(recording, trial, random);
  for (auto& [benchmark, slowdown] : changed) slowdown.reset();
  return changed;
}

class Simulation {
 public:
  Simulation(const Recording& recording, const Policy& policy, const Calibration& about)
      : recording_(recording), policy_(policy), about_(about) {}

  // What each rule says, ours first.
  std::vector<Said> gate(Design design, const Injected& injected, Random& random) const {
    const std::size_t s = random() % recording_.sessions.size();
    const Recorded& session = recording_.sessions[s];
    if (design == Design::interleaved) {
      return gate_interleaved(session, session, injected, random);
    }
    const Results baseline = baseline_of(recording_, s, random);
    Deck deck(session.processes, about_.with_replacement, random);
    Draw after(recording_, session, deck);
    change(after, injected);
    std::vector<Said> said{judged(nullptr, after, [&](const MeasuredSides& measured) {
      return judge(measured, &baseline, policy_, {});
    })};
    if (!about_.with_samples) return said;
    // Other rules know no baseline of several sessions: one of them is what they are given.
    std::size_t other = random() % (recording_.sessions.size() - 1);
    other += other >= s ? 1 : 0;
    Deck other_deck(recording_.sessions[other].processes, true, random);
    Draw before(recording_, recording_.sessions[other], other_deck);
    before.add({}, 1);
    add_others(before, after, said);
    return said;
  }

  std::vector<Said> gate_interleaved(const Recorded& from_before, const Recorded& from_after,
                                     const Injected& injected, Random& random) const {
    Deck deck(from_before.processes, about_.with_replacement, random);
    Deck own_deck(from_after.processes, about_.with_replacement, random);
    Draw before(recording_, from_before, deck);
    // Of one session, no process may stand on both sides.
    Draw after(recording_, from_after, &from_before == &from_after ? deck : own_deck);
    change(after, injected);
    std::vector<Said> said{judged(&before, after, [&](const MeasuredSides& measured) {
      return judge(measured, nullptr, policy_, {.design = Design::interleaved});
    })};
    add_others(before, after, said);
    return said;
  }

 private:
  static void change(Draw& draw, const Injected& injected) {
    for (const auto& [benchmark, slowdown] : injected) {
      draw.change(benchmark, slowdown ? slowdowns()[*slowdown] : 0);
    }
  }

  Said judged(Draw* before, Draw& after, const Judge& judge) const {
    const Effort& effort = about_.options.effort;
    Measuring measuring;
    measuring.has_clock = true;
    measuring.time_again = [&](const std::set<std::string>& ids, int processes) {
      if (before != nullptr) before->add(ids, processes);
      after.add(ids, processes);
    };
    measuring.observe_all = [&] { measuring.time_again(all_ids(recording_), effort.processes); };
    measuring.keep = [] {};
    measuring.measured = [&] {
      return Sides{before == nullptr ? std::nullopt : std::optional(before->results()),
                   after.results()};
    };
    return said_by(measure_and_judge(measuring, effort, judge), recording_);
  }

  void add_others(const Draw& before, const Draw& after, std::vector<Said>& said) const {
    if (!about_.with_samples) return;
    for (const OtherRule& rule : about_.options.other_rules) {
      Said& of_rule = said.emplace_back();
      for (std::size_t b = 0; b < recording_.ids.size(); ++b) {
        of_rule.slower.push_back(rule.is_slower(before.samples(b), after.samples(b)));
      }
    }
  }

  const Recording& recording_;
  const Policy& policy_;
  const Calibration& about_;
};

// Sums over trials, which are the same in whatever order they are added.
struct Tally {
  explicit Tally(std::size_t rules, std::size_t benchmarks)
      : gates(rules),
        entries(rules),
        found(rules, std::vector(benchmarks, std::vector<Proportion>(slowdowns().size()))),
        open(benchmarks) {}

  std::vector<Proportion> gates;
  std::vector<Proportion> entries;
  std::vector<std::vector<std::vector<Proportion>>> found;  // by rule, benchmark, slowdown
  std::vector<Proportion> open;                             // by benchmark; ours

  void add_unslowed(const std::vector<Said>& said) {
    for (std::size_t rule = 0; rule < said.size(); ++rule) {
      const std::vector<bool>& slower = said[rule].slower;
      gates[rule].add(std::find(slower.begin(), slower.end(), true) != slower.end());
      for (const bool each : slower) entries[rule].add(each);
    }
    for (std::size_t b = 0; b < open.size(); ++b) open[b].add(said.front().open[b]);
  }

  void add_slowed(const std::vector<Said>& said, const Injected& injected) {
    for (std::size_t rule = 0; rule < said.size(); ++rule) {
      for (const auto& [benchmark, slowdown] : injected) {
        found[rule][benchmark][slowdown.value()].add(said[rule].slower[benchmark]);
      }
    }
  }

  Tally& operator+=(const Tally& other) {
    for (std::size_t rule = 0; rule < gates.size(); ++rule) {
      gates[rule] += other.gates[rule];
      entries[rule] += other.entries[rule];
      for (std::size_t b = 0; b < open.size(); ++b) {
        for (std::size_t i = 0; i < slowdowns().size(); ++i) {
          found[rule][b][i] += other.found[rule][b][i];
        }
      }
    }
    for (std::size_t b = 0; b < open.size(); ++b) open[b] += other.open[b];
    return *this;
  }
};

// Sum of what `work` adds for each trial. A trial's numbers are its own, whichever thread runs it.
template <class Work>
Tally over_trials(std::size_t trials, const Tally& empty, Work work) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::future<Tally>> parts;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    parts.push_back(std::async(std::launch::async, [&, thread] {
      Tally tally = empty;
      for (std::size_t trial = thread; trial < trials; trial += threads) work(trial, tally);
      return tally;
    }));
  }
  Tally sum = empty;
  for (auto& part : parts) sum += part.get();
  return sum;
}

Random random_for(std::uint64_t seed, std::uint64_t purpose, std::uint64_t trial) {
  const auto low = [](std::uint64_t number) { return static_cast<std::uint32_t>(number); };
  const auto high = [&](std::uint64_t number) { return low(number >> 32U); };
  std::seed_seq sequence{low(seed), high(seed), low(purpose), low(trial), high(trial)};
  return Random(sequence);
}

// names: of the rules, ours first.
SettingRates rates_of(Design design, const Recording& recording, const Tally& tally,
                      const std::vector<std::string>& names) {
  SettingRates rates;
  rates.design = design;
  for (std::size_t rule = 0; rule < names.size(); ++rule) {
    RuleRates& of_rule = rates.rules.emplace_back();
    of_rule.name = names[rule];
    of_rule.gates_wrong = tally.gates[rule];
    of_rule.entries_wrong = tally.entries[rule];
    of_rule.found.assign(duration_classes().size(), std::vector<Proportion>(slowdowns().size()));
    for (std::size_t b = 0; b < recording.ids.size(); ++b) {
      if (rule == 0) of_rule.entries_open += tally.open[b];
      auto& of_class = of_rule.found[class_of(recording.time_ns[b])];
      for (std::size_t i = 0; i < of_class.size(); ++i) of_class[i] += tally.found[rule][b][i];
    }
  }
  for (std::size_t b = 0; b < recording.ids.size(); ++b) {
    rates.benchmarks.push_back(
        {recording.ids[b], recording.time_ns[b], tally.found[0][b], tally.open[b]});
  }
  return rates;
}

double mean_time(const Recorded& recorded, std::size_t benchmark) {
  return mean_of(recorded.times[benchmark]);
}

std::vector<SlowedRates> slowed_rates(const Recording& recording, const Recorded& slowed,
                                      const Simulation& simulation,
                                      const CalibrationOptions& options) {
  const auto twin = std::find_if(
      recording.sessions.begin(), recording.sessions.end(),
      [&](const auto& each) { return each.session.device.uuid == slowed.session.device.uuid; });
  if (twin == recording.sessions.end()) {
    throw Error(kExitUsage, fmt::format("the slowed suite was measured on {}, on which none of the "
                                        "other sessions was; measure both on one device",
                                        slowed.session.device.uuid));
  }
  const Tally empty(1, recording.ids.size());
  const Tally tally = over_trials(
      static_cast<std::size_t>(options.trials), empty, [&](std::size_t trial, Tally& sum) {
        Random random = random_for(options.seed, 3, trial);
        const auto said = simulation.gate_interleaved(*twin, slowed, {}, random);
        for (std::size_t b = 0; b < recording.ids.size(); ++b) {
          sum.found[0][b][0].add(said.front().slower[b]);
        }
      });
  std::vector<SlowedRates> rates;
  for (std::size_t b = 0; b < recording.ids.size(); ++b) {
    rates.push_back(
        {recording.ids[b], mean_time(slowed, b) / mean_time(*twin, b), tally.found[0][b][0]});
  }
  return rates;
}

bool all_have_samples(const Recording& recording) {
  for (const Recorded& session : recording.sessions) {
    for (std::size_t b = 0; b < recording.ids.size(); ++b) {
      const auto& samples = session.samples[b];
      if (samples.size() < session.processes) return false;
      for (const auto& each : samples) {
        if (each.size() < kFewestSamples) return false;
      }
    }
  }
  return true;
}

}  // namespace

const std::vector<DurationClass>& duration_classes() {
  static const std::vector<DurationClass> kClasses{{30'000, "30 µs and more"},
                                                   {5'000, "5 to 30 µs"},
                                                   {2'500, "2.5 to 5 µs"},
                                                   {0, "less than 2.5 µs"}};
  return kClasses;
}

const std::vector<double>& slowdowns() {
  static const std::vector<double> kSlowdowns{0.005, 0.01, 0.015, 0.02, 0.03, 0.04,
                                              0.05,  0.07, 0.1,   0.15, 0.2,  0.3};
  return kSlowdowns;
}

std::optional<double> BenchmarkRates::smallest_found() const {
  std::optional<double> smallest;
  for (std::size_t i = slowdowns().size(); i-- > 0;) {
    if (found[i].of == 0 || found[i].share() < kCertain) break;
    smallest = slowdowns()[i];
  }
  return smallest;
}

Calibration calibrate(const std::vector<Results>& sessions, const std::optional<Results>& slowed,
                      const Policy& policy, const CalibrationOptions& options) {
  Calibration calibration;
  calibration.options = options;
  std::vector<const Results*> all;
  all.reserve(sessions.size() + 1);
  for (const Results& each : sessions) all.push_back(&each);
  if (slowed) all.push_back(&*slowed);
  for (const Results* each : all) check(*each, *all.front());

  Recording recording;
  recording.ids = shared_ids(all, policy, calibration.left_out);
  if (recording.ids.empty()) {
    throw Error(kExitUsage, fmt::format("{}: no benchmark has a gated time in all files; the "
                                        "emulator has no clock",
                                        all.front()->name));
  }
  calibration.fewest_processes = std::numeric_limits<std::size_t>::max();
  for (const Results* each : all) {
    Recorded recorded = recorded_of(*each, recording.ids);
    check_processes(recorded, each->name);
    calibration.fewest_processes = std::min(calibration.fewest_processes, recorded.processes);
    recording.sessions.push_back(std::move(recorded));
  }
  std::optional<Recorded> slowed_session;
  if (slowed) {
    slowed_session = std::move(recording.sessions.back());
    recording.sessions.pop_back();
  }
  for (const Recorded& each : recording.sessions) calibration.sessions.push_back(each.session);
  for (std::size_t b = 0; b < recording.ids.size(); ++b) {
    recording.is_control.push_back(matches_any(policy.controls, recording.ids[b]));
    recording.time_ns.push_back(mean_time(recording.sessions.front(), b));
  }
  // At most as many as decide, and those that confirm, on both sides.
  const int needed = 2 * (options.effort.most_processes + options.effort.processes);
  calibration.with_replacement = calibration.fewest_processes < static_cast<std::size_t>(needed);
  calibration.with_samples = !options.other_rules.empty() && all_have_samples(recording);

  std::vector<std::string> rules{"warpgauge"};
  if (calibration.with_samples) {
    for (const OtherRule& rule : options.other_rules) rules.emplace_back(rule.name);
  }
  const Simulation simulation(recording, policy, calibration);
  const Tally empty(rules.size(), recording.ids.size());
  const auto trials = static_cast<std::size_t>(options.trials);
  for (const Design design : {Design::interleaved, Design::apart}) {
    if (design == Design::apart && recording.sessions.size() < 2) continue;
    const std::uint64_t purpose = design == Design::interleaved ? 0 : 1;
    Tally tally = over_trials(trials, empty, [&](std::size_t trial, Tally& sum) {
      Random random = random_for(options.seed, 10 + purpose, trial);
      const Injected changed = change_only(recording, trial, random);
      sum.add_unslowed(simulation.gate(design, changed, random));
    });
    // So many that each benchmark has each slowdown in a tenth as many trials.
    tally += over_trials(trials * slowdowns().size(), empty, [&](std::size_t trial, Tally& sum) {
      Random random = random_for(options.seed, 20 + purpose, trial);
      const Injected injected = inject(recording, trial, random);
      sum.add_slowed(simulation.gate(design, injected, random), injected);
    });
    calibration.settings.push_back(rates_of(design, recording, tally, rules));
  }
  if (slowed_session) {
    calibration.slowed = slowed_rates(recording, *slowed_session, simulation, options);
  }
  return calibration;
}

}  // namespace warpgauge::ci
