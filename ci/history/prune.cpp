// SPDX-License-Identifier: Apache-2.0
#include "ci/history/prune.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <set>

#include "ci/history/blobs.hpp"
#include "ci/history/connection/complaint.hpp"
#include "ci/history/connection/database.hpp"
#include "ci/history/history.hpp"
#include "ci/history/history_read.hpp"
#include "ci/history/migrations.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utc_time.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::chrono::hours kVacuumLimit{6};

constexpr std::size_t kAtOnce = 500;  // of the numbers that a statement holds

// Of a device, by what the request says; the oldest first.
std::vector<HistoryRun> to_remove(const std::vector<HistoryRun>& runs,
                                  const PruneRequest& request) {
  std::vector<HistoryRun> old(
      runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(std::min(request.keep, runs.size())));
  std::erase_if(old, [&](const HistoryRun& run) {
    const auto measured = utc_seconds(run.session.created);
    // What tells no time is not known to be old.
    return request.measured && (!measured || *measured >= *request.measured);
  });
  return old;
}

// Numbers of those runs that are still there: another may have pruned meanwhile, and have given a
// number to a new run.
std::vector<int> still_there(soci::session& sql, const std::vector<HistoryRun>& runs) {
  std::vector<int> numbers;
  int number = 0;
  int count = 0;
  std::string created;
  soci::statement find =
      (sql.prepare << "select count(*) from run where number = :number and created = :created",
       soci::use(number, "number"), soci::use(created, "created"), soci::into(count));
  for (const HistoryRun& run : runs) {
    number = run.number;
    created = run.session.created;
    find.execute(true);
    if (count > 0) numbers.push_back(number);
  }
  return numbers;
}

// As in "(1, 2, 3)", for a statement each.
std::vector<std::string> lists_of(const std::vector<int>& numbers) {
  std::vector<std::string> lists;
  for (std::size_t i = 0; i < numbers.size(); i += kAtOnce) {
    const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end =
        numbers.begin() + static_cast<std::ptrdiff_t>(std::min(i + kAtOnce, numbers.size()));
    lists.push_back(fmt::format("({})", fmt::join(begin, end, ", ")));
  }
  return lists;
}

std::vector<int> numbers_in(soci::session& sql, const std::string& table) {
  std::vector<int> numbers;
  int number = 0;
  soci::statement each = (sql.prepare << "select number from " + table, soci::into(number));
  each.execute();
  while (each.fetch()) numbers.push_back(number);
  return numbers;
}

// Their numbers are within the packed figures, where no query finds them. Mostly a few series have
// figures of all.
std::vector<int> metrics_without_figures(Database& database) {
  soci::session& sql = database.sql();
  const std::vector<int> all = numbers_in(sql, "metric");
  std::set<int> unused(all.begin(), all.end());
  try {
    for (const int series : numbers_in(sql, "series")) {
      if (unused.empty()) break;
      for_each_of_figures(database, series, [&](const std::string& data) {
        for (const auto& [metric, figures] : unpack_figures(data)) unused.erase(metric);
      });
    }
  } catch (const Error&) {
    return {};  // what is damaged may be of any
  }
  return {unused.begin(), unused.end()};
}

void remove(Database& database, const std::vector<int>& numbers) {
  soci::session& sql = database.sql();
  for (const std::string& list : lists_of(numbers)) {
    sql << "delete from figures where run in " + list;
    sql << "delete from results where run in " + list;
    sql << "delete from run where number in " + list;
  }
  sql << "delete from series where not exists "
         "(select 1 from figures where figures.series = series.number)";
  sql << "delete from environment where not exists "
         "(select 1 from run where run.environment = environment.number)";
  for (const std::string& list : lists_of(metrics_without_figures(database))) {
    sql << "delete from metric where number in " + list;
  }
}

void vacuum(Database& database) {
  soci::session& sql = database.sql();
  if (database.is_postgresql()) {
    database.allow(kVacuumLimit);
    sql << "vacuum environment, run, results, metric, series, figures";
    return;
  }
  const WritePermit permit(database);
  sql << "vacuum";
  // The room is given back with what was written beside the file.
  int busy = 0;
  int frames = 0;
  int done = 0;
  sql << "pragma wal_checkpoint(truncate)", soci::into(busy), soci::into(frames), soci::into(done);
}

std::map<std::string, Pruned> prune(const std::string& where, const PruneRequest& request) {
  std::map<std::string, Pruned> pruned;
  std::vector<HistoryRun> old;
  {
    History history(where, History::For::reading);
    for (const std::string& device : request.device_keys) {
      const auto runs = history.runs(device, std::numeric_limits<int>::max(), RunOrder::measuring);
      const auto of_device = to_remove(runs, request);
      pruned[device] = {of_device.size(), runs.size() - of_device.size()};
      old.insert(old.end(), of_device.begin(), of_device.end());
    }
  }
  Database database(where);
  database.migrate(kHistoryMigrations);
  if (!old.empty()) {
    WriteTransaction transaction(database);
    remove(database, still_there(database.sql(), old));
    transaction.commit();
  }
  vacuum(database);
  return pruned;
}

}  // namespace

std::map<std::string, Pruned> prune_history(const std::string& where, const PruneRequest& request) {
  try {
    return prune(where, request);
  } catch (const soci::soci_error& error) {
    throw complaint_as_error(error, where);
  }
}

}  // namespace warpgauge::ci
