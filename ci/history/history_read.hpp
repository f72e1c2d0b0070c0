// SPDX-License-Identifier: Apache-2.0
// What the tables of a history hold, read as what anyone may have written: how much it is is asked
// before any of it is read. Throws soci::soci_error, and Error (not measured) for more than that.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ci/history/connection/database.hpp"
#include "ci/history/history.hpp"

namespace warpgauge::ci {

[[nodiscard]] std::vector<std::string> device_keys(Database& database);

// Numbers of names, all at once: there are few.
[[nodiscard]] std::map<std::string, int> numbers_of_metrics(Database& database);
[[nodiscard]] std::map<std::string, int> numbers_of_benchmarks(Database& database,
                                                               const std::string& device_key);

// As History::runs().
[[nodiscard]] std::vector<HistoryRun> runs_of(Database& database, const std::string& device_key,
                                              std::size_t most, RunOrder order);

// Hands the data of each run's figures to `take`, with the run's index in `runs`, in their order.
void for_each_of_figures(Database& database, int series, const std::vector<HistoryRun>& runs,
                         const std::function<void(std::size_t, const std::string&)>& take);

// Data of all runs' figures of a series.
void for_each_of_figures(Database& database, int series,
                         const std::function<void(const std::string&)>& take);

// Nothing: there is no such run.
[[nodiscard]] std::optional<std::string> compressed_results(Database& database, int run);

}  // namespace warpgauge::ci
