// SPDX-License-Identifier: Apache-2.0
#include "ci/history/history_read.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ci/history/blobs.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/utc_time.hpp"
#include "profiling/results/environment.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

using results::kMebibyte;
using results::Limit;

// Of a million runs, and more than any suite has benchmarks.
constexpr Limit kRunsLimit{"what a history says of its runs", 256 * kMebibyte};
constexpr Limit kHistoryNamesLimit{"a history's names", 256 * kMebibyte};
// Unpacked they are up to eight times as large.
constexpr Limit kSeriesLimit{"a benchmark's figures over runs", 128 * kMebibyte};

// Seconds, as for results (see utc_time.hpp).
constexpr long long kClocksDiffer = 86'400;

constexpr long long kAll = std::numeric_limits<int>::max();

void refuse_beyond(const Database& database, const Limit& limit, long long bytes) {
  if (bytes >= 0 && static_cast<unsigned long long>(bytes) <= limit.bytes) return;
  throw Error(kExitNotMeasured,
              fmt::format("{} holds more than {} MiB of {}, the most that is read of them: prune "
                          "it, or restore it from a copy",
                          database.name(), limit.bytes / kMebibyte, limit.of));
}

// Bytes of these columns together, as a query has them by row.
std::string bytes_of(const Database& database, const std::vector<std::string>& columns) {
  std::string all;
  for (const std::string& column : columns) {
    all += fmt::format("{}coalesce({}, 0)", all.empty() ? "" : " + ", database.bytes_of(column));
  }
  return all;
}

// A query that says how many bytes the columns of these rows are together.
std::string bytes_of_rows(const Database& database, const std::vector<std::string>& columns,
                          const std::string& rows) {
  return fmt::format("select coalesce(sum(bytes), 0) from (select {} as bytes from {}) as counted",
                     bytes_of(database, columns), rows);
}

std::map<int, results::Session> environments_of(Database& database, const std::string& device_key) {
  soci::session& sql = database.sql();
  std::map<int, results::Session> environments;
  int number = 0;
  results::Session found;
  found.device.key = device_key;
  std::vector<std::string> columns;
  soci::statement each(sql);
  each.exchange(soci::into(number));
  for (const results::EnvironmentField& field : results::environment_fields()) {
    if (field.stored == nullptr) continue;
    columns.emplace_back(field.column);
    each.exchange(soci::into(field.stored(found)));
  }
  const std::string rows = "environment where device_key = :device_key";
  long long bytes = 0;
  sql << bytes_of_rows(database, columns, rows), soci::use(device_key, "device_key"),
      soci::into(bytes);
  refuse_beyond(database, kRunsLimit, bytes);
  each.exchange(soci::use(device_key, "device_key"));
  each.alloc();
  each.prepare(fmt::format("select number, {} from {}", fmt::join(columns, ", "), rows));
  each.define_and_bind();
  each.execute();
  while (each.fetch()) environments[number] = found;
  return environments;
}

// Of a run whose commit cannot have the date that it has: earlier versions took any.
std::int64_t time_of_measuring(const std::string& created, const std::string& recorded) {
  const auto measured = utc_seconds(created);
  const auto kept = utc_seconds(recorded);
  if (!measured || !kept) return measured.value_or(kept.value_or(0));
  return std::min(*measured, *kept);
}

// Of a device's runs those that `condition` says; it names :latest, the last second that a commit
// may be of, and :most.
std::vector<HistoryRun> runs_where(Database& database, const std::string& condition,
                                   const std::string& device_key, long long latest, long long most,
                                   const std::map<int, results::Session>& environments) {
  soci::session& sql = database.sql();
  const std::string rows =
      "run where environment in (select number from environment where device_key = :device_key) "
      "and " +
      condition;
  long long bytes = 0;
  sql << bytes_of_rows(database, {"created", "recorded", "revision", "verdict"}, rows),
      soci::use(device_key, "device_key"), soci::use(latest, "latest"), soci::use(most, "most"),
      soci::into(bytes);
  refuse_beyond(database, kRunsLimit, bytes);

  std::vector<HistoryRun> runs;
  HistoryRun run;
  int environment = 0;
  std::string created;
  std::string recorded;
  std::string revision;
  int modified = 0;
  int known = 0;
  long long commit_time = 0;
  soci::statement each =
      (sql.prepare << "select number, environment, created, recorded, revision, modified, "
                      "commit_time, commit_time_known, verdict from " +
                          rows,
       soci::use(device_key, "device_key"), soci::use(latest, "latest"), soci::use(most, "most"),
       soci::into(run.number), soci::into(environment), soci::into(created), soci::into(recorded),
       soci::into(revision), soci::into(modified), soci::into(commit_time), soci::into(known),
       soci::into(run.verdict));
  each.execute();
  while (each.fetch()) {
    const auto measured_in = environments.find(environment);
    run.session = measured_in == environments.end() ? results::Session() : measured_in->second;
    run.session.created = created;
    run.session.source = {revision, modified != 0};
    const bool possible = commit_time >= 0 && commit_time <= latest;
    run.commit_time = possible ? commit_time : time_of_measuring(created, recorded);
    run.commit_time_known = known != 0 && possible;
    runs.push_back(run);
  }
  return runs;
}

// Of a series, from a run on.
long long bytes_of_figures(Database& database, int series, int first) {
  long long bytes = 0;
  database.sql() << bytes_of_rows(database, {"data"},
                                  "figures where series = :series and run >= :first"),
      soci::use(series, "series"), soci::use(first, "first"), soci::into(bytes);
  return bytes;
}

}  // namespace

std::vector<std::string> device_keys(Database& database) {
  soci::session& sql = database.sql();
  long long bytes = 0;
  sql << bytes_of_rows(database, {"device_key"}, "environment"), soci::into(bytes);
  refuse_beyond(database, kHistoryNamesLimit, bytes);
  std::vector<std::string> keys;
  std::string key;
  soci::statement each =
      (sql.prepare << "select distinct device_key from environment", soci::into(key));
  each.execute();
  while (each.fetch()) keys.push_back(key);
  // Here, not by the database, whose order is its locale's.
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::map<std::string, int> numbers_of_metrics(Database& database) {
  soci::session& sql = database.sql();
  long long bytes = 0;
  sql << bytes_of_rows(database, {"name"}, "metric"), soci::into(bytes);
  refuse_beyond(database, kHistoryNamesLimit, bytes);
  std::map<std::string, int> numbers;
  int number = 0;
  std::string metric;
  soci::statement each =
      (sql.prepare << "select number, name from metric", soci::into(number), soci::into(metric));
  each.execute();
  while (each.fetch()) numbers[metric] = number;
  return numbers;
}

std::map<std::string, int> numbers_of_benchmarks(Database& database,
                                                 const std::string& device_key) {
  soci::session& sql = database.sql();
  const std::string rows = "series where device_key = :device_key";
  long long bytes = 0;
  sql << bytes_of_rows(database, {"benchmark"}, rows), soci::use(device_key, "device_key"),
      soci::into(bytes);
  refuse_beyond(database, kHistoryNamesLimit, bytes);
  std::map<std::string, int> numbers;
  int number = 0;
  std::string benchmark;
  soci::statement each =
      (sql.prepare << "select number, benchmark from " + rows, soci::use(device_key, "device_key"),
       soci::into(number), soci::into(benchmark));
  each.execute();
  while (each.fetch()) numbers[benchmark] = number;
  return numbers;
}

std::vector<HistoryRun> runs_of(Database& database, const std::string& device_key, std::size_t most,
                                RunOrder order) {
  const auto environments = environments_of(database, device_key);
  const long long latest = std::time(nullptr) + kClocksDiffer;
  const auto where = [&](const std::string& condition, long long limit) {
    return runs_where(database, condition + " limit :most", device_key, latest, limit,
                      environments);
  };
  std::vector<HistoryRun> runs;
  if (order == RunOrder::measuring) {
    // Whatever is said of the commit.
    runs = where(
        "(commit_time <= :latest or commit_time > :latest) order by created desc, "
        "number desc",
        static_cast<long long>(most));
    std::reverse(runs.begin(), runs.end());
    return runs;
  }
  runs = where(
      "commit_time between 0 and :latest order by commit_time desc, created desc, number desc",
      static_cast<long long>(most));
  for (HistoryRun& run : where("(commit_time > :latest or commit_time < 0)", kAll)) {
    runs.push_back(std::move(run));
  }
  const auto place = [](const HistoryRun& run) {
    return std::tie(run.commit_time, run.session.created, run.number);
  };
  std::sort(runs.begin(), runs.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  if (runs.size() > most) runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(most));
  return runs;
}

void for_each_of_figures(Database& database, int series, const std::vector<HistoryRun>& runs,
                         const std::function<void(std::size_t, const std::string&)>& take) {
  if (runs.empty()) return;
  std::unordered_map<int, std::size_t> index;
  for (std::size_t i = 0; i < runs.size(); ++i) index[runs[i].number] = i;
  std::vector<std::string> found(runs.size());
  // The newest runs are mostly the last recorded, which stand together.
  const int first = std::min_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
                      return a.number < b.number;
                    })->number;
  refuse_beyond(database, kSeriesLimit, bytes_of_figures(database, series, first));
  int run = 0;
  std::string data;
  soci::statement each =
      (database.sql().prepare
           << "select run, data from figures where series = :series and run >= :first",
       soci::use(series, "series"), soci::use(first, "first"), soci::into(run), soci::into(data));
  each.execute();
  while (each.fetch()) {
    const auto at = index.find(run);
    if (at != index.end()) found[at->second] = database.from_column(data);
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!found[i].empty()) take(i, found[i]);
  }
}

void for_each_of_figures(Database& database, int series,
                         const std::function<void(const std::string&)>& take) {
  constexpr int kFirst = std::numeric_limits<int>::min();
  refuse_beyond(database, kSeriesLimit, bytes_of_figures(database, series, kFirst));
  std::string data;
  soci::statement each =
      (database.sql().prepare << "select data from figures where series = :series",
       soci::use(series, "series"), soci::into(data));
  each.execute();
  while (each.fetch()) take(database.from_column(data));
}

std::optional<std::string> compressed_results(Database& database, int run) {
  soci::session& sql = database.sql();
  long long bytes = 0;
  sql << "select " + bytes_of(database, {"data"}) + " from results where run = :run",
      soci::use(run, "run"), soci::into(bytes);
  if (!sql.got_data()) return std::nullopt;
  if (bytes < 0 || static_cast<unsigned long long>(bytes) > kLargestCompressed) {
    throw too_large_results();
  }
  std::string data;
  sql << "select data from results where run = :run", soci::use(run, "run"), soci::into(data);
  if (!sql.got_data()) return std::nullopt;
  return database.from_column(std::move(data));
}

}  // namespace warpgauge::ci
