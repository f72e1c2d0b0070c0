// SPDX-License-Identifier: Apache-2.0
// Simulates gates with processes drawn from the recorded sessions of one suite.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ci/gate/calibrate/calibrate.hpp"
#include "ci/gate/gate.hpp"
#include "ci/policy/policy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// One session; times and samples by benchmark.
struct RecordedSession {
  results::Results untimed;                               // what tells whether the code is the same
  std::vector<std::vector<double>> times;                 // by process
  std::vector<std::vector<std::vector<double>>> samples;  // of each process
  std::size_t processes = std::numeric_limits<std::size_t>::max();  // that all benchmarks have
};

struct Recording {
  std::vector<std::string> ids;  // with a gated time in all sessions
  std::vector<bool> is_control;
  std::vector<double> time_ns;
  std::vector<RecordedSession> sessions;
  std::optional<RecordedSession> slowed;  // of the same suite with slower kernels
  std::size_t left_out = 0;               // benchmarks that some session has no time of
  std::size_t fewest_processes = std::numeric_limits<std::size_t>::max();  // of a session
  bool with_samples = false;    // each process has enough for competing rules
  bool imported = false;        // nobody measures again what is unclear
  bool never_in_turns = false;  // imported, or of a program that is not a suite
};

// Throws as calibrate().
[[nodiscard]] Recording recording_of(const std::vector<results::Results>& sessions,
                                     const std::optional<results::Results>& slowed,
                                     const Policy& policy);

using Random = std::mt19937_64;

// Benchmark and slowdown; no slowdown: changed code that takes as long as before.
using Injected = std::map<std::size_t, std::optional<std::size_t>>;

// Every tenth benchmark but no control, with another slowdown in each trial.
[[nodiscard]] Injected inject(const Recording& recording, std::size_t trial, Random& random);

// How the sides of a gate come about; see SettingRates.
struct Setting {
  Design design = Design::interleaved;
  bool then_in_turns = false;
};

// What a rule says of each benchmark.
struct RuleVerdicts {
  std::vector<bool> slower;
  std::vector<bool> open;
  // Of our rule, as shares: how far from 1 the interval reaches, and how far from 1 its nearer end
  // is.
  std::vector<double> reach;
  std::vector<double> apart;
};

// All parameters must outlive it.
class Simulation {
 public:
  Simulation(const Recording& recording, const Policy& policy, const Calibration& about)
      : recording_(recording), policy_(policy), about_(about) {}

  // What each rule says, ours first.
  [[nodiscard]] std::vector<RuleVerdicts> gate(Setting setting, const Injected& injected,
                                               Random& random) const;
  // Both sides of one session each, or of the same.
  [[nodiscard]] std::vector<RuleVerdicts> gate_pair(Design design,
                                                    const RecordedSession& from_before,
                                                    const RecordedSession& from_after,
                                                    const Injected& injected, Random& random) const;

 private:
  class Draw;

  [[nodiscard]] results::Results draw_baseline(std::size_t without, Random& random) const;
  [[nodiscard]] RuleVerdicts judged(Draw* before, Draw& after, const Judge& judge,
                                    const std::function<TurnTaking()>& take_turns = {}) const;
  void add_competing(const Draw& before, const Draw& after,
                     std::vector<RuleVerdicts>& verdicts) const;

  const Recording& recording_;
  const Policy& policy_;
  const Calibration& about_;
};

}  // namespace warpgauge::ci
