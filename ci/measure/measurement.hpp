// SPDX-License-Identifier: Apache-2.0
// Starts a suite in fresh processes and merges what they observed into results.json.
//
// A benchmark that crashes, hangs or reports an error takes nothing along: a fresh process goes on
// with the rest.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/measure/device_lock.hpp"
#include "ci/measure/shards.hpp"
#include "ci/measure/suite/progress.hpp"
#include "ci/measure/suite/suite_process.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/process/interrupt.hpp"
#include "profiling/results/results.hpp"
#include "profiling/results/run_record.hpp"

namespace warpgauge::ci {

class SuiteObserver;

// The usual timeout of a suite.
inline constexpr std::chrono::milliseconds kSuiteTimeout{120'000};

struct RunOptions {
  std::filesystem::path suite;
  std::string filter;                 // regular expression on ids; empty: all
  std::string sizes = "gate";         // "large", "emulated": see SizeSet
  std::vector<std::string> counters;  // beyond the usual, by the device's own names for them
  int processes = 5;                  // that time
  bool launches_alone = false;        // where the suite can: Suite::ask_for_launches_alone()
  bool hot = false;                   // with the caches as the last launch left them, not emptied
  // A part of the benchmarks. Where there is a clock, what tells one die from another is timed as
  // well: the ceilings, and what the policy's patterns of controls match.
  std::optional<ShardOf> shard;
  std::vector<std::string> controls;
  // Without progress, before a process is ended; absent: as long as it is usual for what is run.
  std::optional<std::chrono::milliseconds> timeout;
  std::chrono::milliseconds lock_wait{600'000};  // for another run on the same device
  std::filesystem::path source_root = ".";
  // Of which source the suite was built; absent: as the suite says, and where it does not know, of
  // what is in the current folder.
  std::optional<results::Source> source;
  // Cubins or programs in which kernels and source lines are looked up. Empty: in the suite itself
  // where it is for a GPU, else nowhere.
  std::vector<std::filesystem::path> machine_code;
  std::function<void(const std::string&)> log = [](const std::string&) {};  // a line: what happened
  std::function<void(const Progress&)> progress = [](const Progress&) {};   // when it changes
};

// The suite has no benchmark that the filter matches.
class NothingMatches : public Error {
 public:
  explicit NothingMatches(const std::string& message) : Error(kExitUsage, message) {}
};

// One session on one device, which it holds as long as it lives, or has from another session that
// holds it. A suite without a clock, whose processes all count the same, is observed once.
//
// Members throw Error: usage, when the device has not the counters, or what is to be timed hot is
// not timed; not measured, when there is no device, the suite cannot be started or leaves without
// having done anything; CubinError when there is no machine code to read; Interrupted after SIGINT
// or SIGTERM, when all children are gone.
class Measurement {
 public:
  // Throws NothingMatches.
  explicit Measurement(RunOptions options);
  // On the device of `holder`, which must outlive it. Throws Error (not measured) when that is not
  // the device on which this suite runs.
  Measurement(RunOptions options, const Measurement& holder);
  ~Measurement();

  // Every pass but the sentinel, and in as many processes as the options say.
  void observe_all();

  // What tells code apart and a short look at the time: the sentinel and the counters, one process
  // each. Only for a suite that has_sentinel().
  void look();

  // Of these, those that the suite has.
  void count_lines(const std::set<std::string>& ids);

  // Why these are not timed, by id.
  void leave_untimed(std::map<std::string, std::string> reasons) { untimed_ = std::move(reasons); }

  // Every pass but the one that times, which is left to time_again().
  void observe_untimed();

  // In so many further processes; failed ones, and those that the suite has not, are left out.
  void time_again(const std::set<std::string>& ids, int processes);

  // Whether to, from now on, of each benchmark. A suite that cannot is of before Warpgauge took
  // fewer, and takes as many by itself.
  void take_more_samples(bool more) {
    if (description_.takes_more_samples) suite_.ask_for_more_samples(more);
  }

  [[nodiscard]] bool has_clock() const { return has_pass(results::Pass::time); }
  [[nodiscard]] bool has_sentinel() const { return has_pass(results::Pass::sentinel); }
  [[nodiscard]] const std::vector<std::string>& ids() const { return ids_; }
  [[nodiscard]] const results::Source& source() const { return session_.source; }
  // So far.
  [[nodiscard]] results::RunRecord result() const;

 private:
  Measurement(RunOptions options, const Measurement* holder);
  [[nodiscard]] bool has_pass(results::Pass pass) const;
  [[nodiscard]] std::set<std::string> known(const std::set<std::string>& ids) const;
  void hold_device(const Measurement* holder);
  void take_shard(const ShardOf& shard);
  void observe_passes(int timing_processes);
  void observe(const std::vector<std::pair<results::Pass, int>>& processes,
               const std::set<std::string>& wanted);

  InterruptGuard interrupts_;
  RunOptions options_;
  Suite suite_;
  SuiteDescription description_;
  std::vector<std::string> ids_;
  std::set<std::string> only_timed_;  // those of ids_ that belong to another shard
  results::Session session_;
  std::optional<DeviceLock> lock_;
  std::unique_ptr<SuiteObserver> observer_;
  std::map<std::string, std::string> untimed_;
  int counter_passes_ = 0;  // 0: not known
  int timed_ = 0;           // processes
};

// One measurement of everything, with nothing after it.
[[nodiscard]] results::RunRecord run(const RunOptions& options);

// Benchmarks that failed; where nothing ran, also those without machine code.
[[nodiscard]] std::size_t failed_in(const results::Results& results);

}  // namespace warpgauge::ci
