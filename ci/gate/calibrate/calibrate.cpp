// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/calibrate/calibrate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <thread>
#include <utility>

#include "ci/gate/calibrate/simulation.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

constexpr double kCertain = 0.99;
// Of identical code that is to get a verdict; 0.95 is aimed at.
constexpr double kVerdicts = 0.97;

std::size_t class_of(double time_ns) {
  const auto& classes = duration_classes();
  std::size_t of = 0;
  while (of + 1 < classes.size() && time_ns < classes[of].least_ns) ++of;
  return of;
}

// So that this share of the values is no greater; of at least one value.
double quantile(std::vector<double> values, double share) {
  const auto last = static_cast<double>(values.size() - 1);
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(std::ceil(share * last));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

// Sums over trials, which are the same in whatever order they are added.
struct Tally {
  explicit Tally(std::size_t rules, std::size_t benchmarks)
      : gates(rules),
        entries(rules),
        found(rules, std::vector(benchmarks, std::vector<Proportion>(slowdowns().size()))),
        open(benchmarks),
        reach(benchmarks),
        apart(benchmarks) {}

  std::vector<Proportion> gates;
  std::vector<Proportion> entries;
  std::vector<std::vector<std::vector<Proportion>>> found;  // by rule, benchmark, slowdown
  // Ours, by benchmark.
  std::vector<Proportion> open;
  std::vector<std::vector<double>> reach;  // of each trial, in any order
  std::vector<double> apart;               // the most

  void add_unslowed(const std::vector<RuleVerdicts>& verdicts) {
    for (std::size_t rule = 0; rule < verdicts.size(); ++rule) {
      const std::vector<bool>& slower = verdicts[rule].slower;
      gates[rule].add(std::find(slower.begin(), slower.end(), true) != slower.end());
      for (const bool each : slower) entries[rule].add(each);
    }
    for (std::size_t b = 0; b < open.size(); ++b) {
      open[b].add(verdicts.front().open[b]);
      reach[b].push_back(verdicts.front().reach[b]);
      apart[b] = std::max(apart[b], verdicts.front().apart[b]);
    }
  }

  void add_slowed(const std::vector<RuleVerdicts>& verdicts, const Injected& injected) {
    for (std::size_t rule = 0; rule < verdicts.size(); ++rule) {
      for (const auto& [benchmark, slowdown] : injected) {
        found[rule][benchmark][slowdown.value()].add(verdicts[rule].slower[benchmark]);
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
    for (std::size_t b = 0; b < open.size(); ++b) {
      open[b] += other.open[b];
      reach[b].insert(reach[b].end(), other.reach[b].begin(), other.reach[b].end());
      apart[b] = std::max(apart[b], other.apart[b]);
    }
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
SettingRates rates_of(Setting setting, const Recording& recording, const Tally& tally,
                      const std::vector<std::string>& names) {
  SettingRates rates;
  rates.design = setting.design;
  rates.then_in_turns = setting.then_in_turns;
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
    rates.benchmarks.push_back({recording.ids[b], recording.time_ns[b], tally.found[0][b],
                                tally.open[b],
                                std::max(quantile(tally.reach[b], kVerdicts), tally.apart[b])});
  }
  return rates;
}

std::vector<SlowedRates> slowed_rates(const Recording& recording, const Simulation& simulation,
                                      const CalibrationOptions& options) {
  const auto twin =
      std::find_if(recording.sessions.begin(), recording.sessions.end(), [&](const auto& each) {
        return each.untimed.session->device.uuid == recording.slowed->untimed.session->device.uuid;
      });
  if (twin == recording.sessions.end()) {
    throw Error(kExitUsage, fmt::format("the slowed suite was measured on {}, and no other session "
                                        "was; measure both on one device",
                                        recording.slowed->untimed.session->device.uuid));
  }
  const Design design = recording.never_in_turns ? Design::apart : Design::interleaved;
  const Tally empty(1, recording.ids.size());
  const Tally tally = over_trials(
      static_cast<std::size_t>(options.trials), empty, [&](std::size_t trial, Tally& sum) {
        Random random = random_for(options.seed, 3, trial);
        const auto verdicts = simulation.gate_pair(design, *twin, *recording.slowed, {}, random);
        for (std::size_t b = 0; b < recording.ids.size(); ++b) {
          sum.found[0][b][0].add(verdicts.front().slower[b]);
        }
      });
  std::vector<SlowedRates> rates;
  for (std::size_t b = 0; b < recording.ids.size(); ++b) {
    rates.push_back({recording.ids[b],
                     mean_of(recording.slowed->times[b]) / mean_of(twin->times[b]),
                     tally.found[0][b][0]});
  }
  return rates;
}

SettingRates rates_of(Setting setting, const Recording& recording, const Simulation& simulation,
                      const CalibrationOptions& options, const std::vector<std::string>& rules) {
  const auto trials = static_cast<std::size_t>(options.trials);
  // Those against a baseline are the same gates, which take turns or not.
  const std::uint64_t purpose = setting.design == Design::interleaved ? 0 : 1;
  const Tally empty(rules.size(), recording.ids.size());
  Tally tally = over_trials(trials, empty, [&](std::size_t trial, Tally& sum) {
    Random random = random_for(options.seed, 10 + purpose, trial);
    Injected changed = inject(recording, trial, random);
    for (auto& [benchmark, slowdown] : changed) slowdown.reset();
    sum.add_unslowed(simulation.gate(setting, changed, random));
  });
  // So many that each benchmark has each slowdown in a tenth as many trials.
  const std::size_t slowed = options.slowed ? trials * slowdowns().size() : 0;
  tally += over_trials(slowed, empty, [&](std::size_t trial, Tally& sum) {
    Random random = random_for(options.seed, 20 + purpose, trial);
    const Injected injected = inject(recording, trial, random);
    sum.add_slowed(simulation.gate(setting, injected, random), injected);
  });
  return rates_of(setting, recording, tally, rules);
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
  const Recording recording = recording_of(sessions, slowed, policy);
  Calibration calibration;
  calibration.options = options;
  calibration.left_out = recording.left_out;
  calibration.fewest_processes = recording.fewest_processes;
  for (const auto& each : recording.sessions) calibration.sessions.push_back(*each.untimed.session);
  // At most as many as decide, and those that confirm, on both sides; or as many in turns.
  const Effort& effort = options.effort;
  const int needed = options.in_turns
                         ? effort.processes + (1 + 2 * kMostTurns) * effort.most_processes
                         : 2 * (effort.most_processes + effort.processes);
  calibration.with_replacement = recording.fewest_processes < static_cast<std::size_t>(needed);
  calibration.with_samples = !options.competing_rules.empty() && recording.with_samples;

  std::vector<std::string> rules{"warpgauge"};
  if (calibration.with_samples) {
    for (const CompetingRule& rule : options.competing_rules) rules.emplace_back(rule.name);
  }
  const Simulation simulation(recording, policy, calibration);
  std::vector<Setting> settings;
  const bool several = recording.sessions.size() > 1;
  if (!recording.never_in_turns) settings.push_back({Design::interleaved});
  if (recording.never_in_turns || several) settings.push_back({Design::apart});
  if (options.in_turns && !recording.never_in_turns && several) {
    settings.push_back({Design::apart, true});
  }
  for (const Setting setting : settings) {
    calibration.settings.push_back(rates_of(setting, recording, simulation, options, rules));
  }
  if (recording.slowed) calibration.slowed = slowed_rates(recording, simulation, options);
  return calibration;
}

}  // namespace warpgauge::ci
