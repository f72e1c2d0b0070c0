// SPDX-License-Identifier: Apache-2.0
// What was measured over time: runs in a database, each figure of each by benchmark and metric.
// Draws no conclusions: see trend.hpp. Its layout: docs/guide/history.md.
//
// All members throw Error (not measured) with the database's words when it cannot be read or
// written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/results/results.hpp"

namespace warpgauge::ci {

struct HistoryRun {
  int number = 0;  // counted from 1
  // Of its session `created`, `source`, the device's key and the environment's fields that have a
  // column; all else is in its results().
  results::Session session;
  // Seconds since 1970, UTC. A commit cannot be younger than what was
  // measured of it, whatever its date says, or it would be the newest for years.
  std::int64_t commit_time = 0;
  bool commit_time_known = true;  // otherwise commit_time is that of session.created
  std::string verdict;            // address or path of what was said of it; empty: none is known
};

// A benchmark on one model of device.
struct HistorySeries {
  int number = 0;
  std::string device_key;
  std::string benchmark;
};

// Figures of one metric of one series in one run, one a process.
struct HistoryFigures {
  std::size_t run = 0;  // index in the runs that were asked for
  std::vector<double> figures;
};

struct NewRun {
  std::string text;          // of the results file
  results::Results results;  // the same, read
  std::optional<std::int64_t> commit_time;
  std::string verdict;
};

// By commit, then by measuring: as code went on. By measuring alone: no date of a commit can hide
// what was measured last.
enum class RunOrder { commits, measuring };

struct RecordedRun {
  int number = 0;
  bool was_there = false;          // the very same results: nothing was changed
  bool commit_time_known = false;  // given, and no later than the results
};

class History {
 public:
  // `where`: an SQLite file, or a connection string of PostgreSQL's. record() makes what is not
  // there yet; reading of nothing is an error.
  enum class For { reading, recording };
  History(const std::string& where, For purpose);
  ~History();
  History(const History&) = delete;
  History& operator=(const History&) = delete;

  // A run is what its results file holds, byte for byte: recording it again changes nothing. Throws
  // Error for a plain Google Benchmark file, and for results of a day to come.
  RecordedRun record(const NewRun& run);

  // The newest `most` of a device's key, the oldest first.
  [[nodiscard]] std::vector<HistoryRun> runs(const std::string& device_key, std::size_t most,
                                             RunOrder order = RunOrder::commits);

  // Keys of the devices that there are runs of.
  [[nodiscard]] std::vector<std::string> devices();

  // Of one device, by name.
  [[nodiscard]] std::vector<HistorySeries> series(const std::string& device_key);

  [[nodiscard]] std::vector<std::string> metrics();

  // By metric, of those `runs` in which it was measured, in their order.
  [[nodiscard]] std::map<std::string, std::vector<HistoryFigures>> figures(
      const HistorySeries& series, const std::vector<HistoryRun>& runs);
  // Of one metric alone.
  [[nodiscard]] std::vector<HistoryFigures> figures(const HistorySeries& series,
                                                    const std::string& metric,
                                                    const std::vector<HistoryRun>& runs);

  // The results file of a run, byte for byte. Throws Error (usage) when there is no such run.
  [[nodiscard]] std::string results(int run);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A time like 2026-11-21T04:19:54Z.
[[nodiscard]] std::string utc_of(std::int64_t seconds);

}  // namespace warpgauge::ci
