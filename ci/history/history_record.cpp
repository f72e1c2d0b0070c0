// SPDX-License-Identifier: Apache-2.0
#include "ci/history/history_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/history/blobs.hpp"
#include "ci/history/history_read.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/utc_time.hpp"
#include "profiling/machine_code/resource_metrics.hpp"
#include "profiling/results/environment.hpp"
#include "profiling/results/json/session_json.hpp"

#define XXH_INLINE_ALL  // `warpgauge` starts on machines that lack the library
#include <xxhash.h>

namespace warpgauge::ci {
namespace {

using results::Results;

std::string identity_of(const std::string& text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

// Of the architecture that the device runs, or of the only one.
std::vector<results::KernelCode> kernels_of(const results::BenchmarkResult& benchmark,
                                            const results::Device& device) {
  std::set<std::string> architectures;
  for (const auto& kernel : benchmark.machine_code) architectures.insert(kernel.architecture);
  if (architectures.size() == 1) return benchmark.machine_code;
  std::string own = "sm_" + device.compute_capability;
  std::erase(own, '.');
  return of_architecture(benchmark.machine_code, own);
}

// Only what a verdict might rest on; the whole is kept as text.
std::map<std::string, std::vector<double>> figures_of(const results::BenchmarkResult& benchmark,
                                                      const results::Device& device) {
  std::map<std::string, std::vector<double>> figures;
  if (benchmark.outcome.status != results::Status::ok) return figures;
  for (const auto& [name, metric] : benchmark.metrics) {
    if (!metric.problem.empty() || metric.sessions.empty()) continue;
    if (!metric.sessions.front().empty()) figures[name] = metric.sessions.front();
  }
  for (const auto& [name, value] : resource_metrics(kernels_of(benchmark, device))) {
    figures[name] = {value};
  }
  return figures;
}

// Columns of a row, and their values.
std::vector<std::pair<std::string, std::string>> environment_of(results::Session session) {
  std::vector<std::pair<std::string, std::string>> environment{
      {"device_kind", to_string(session.device.kind)}, {"device_key", session.device.key}};
  for (const results::EnvironmentField& field : results::environment_fields()) {
    if (field.stored != nullptr) environment.emplace_back(field.column, field.stored(session));
  }
  return environment;
}

// Seconds since 1970. Throws for what is no time, or one after `now`.
std::int64_t time_of_measuring(const Results& results, const std::string& now) {
  const std::string why = why_no_time_until(now, results.session->created);
  if (why.empty()) return *utc_seconds(results.session->created);
  throw Error(kExitNotMeasured,
              fmt::format("{}: context.warpgauge.created: {}", results.name, why));
}

void insert_figures(Database& database, const Results& results, int run) {
  soci::session& sql = database.sql();
  const results::Device& device = results.session->device;
  std::map<std::string, int> metrics = numbers_of_metrics(database);
  std::map<std::string, int> series = numbers_of_benchmarks(database, device.key);
  int number = 0;
  std::string data;
  soci::statement insert =
      (sql.prepare << "insert into figures (series, run, data) "
                      "values (:series, :run, cast(:data as blob))",
       soci::use(number, "series"), soci::use(run, "run"), soci::use(data, "data"));
  for (const results::BenchmarkResult& benchmark : results.benchmarks) {
    PackedFigures packed;
    for (auto& [metric_name, values] : figures_of(benchmark, device)) {
      int& metric = metrics[metric_name];
      if (metric == 0) metric = database.number_of("metric", {{"name", metric_name}});
      packed[metric] = values;
    }
    int& known = series[benchmark.id];
    if (known == 0) {
      known =
          database.number_of("series", {{"device_key", device.key}, {"benchmark", benchmark.id}});
    }
    number = known;
    data = database.to_column(pack_figures(packed));
    insert.execute(true);
  }
}

}  // namespace

RecordedRun record_run(Database& database, const NewRun& run) {
  const Results& results = run.results;
  if (!results.session) {
    throw Error(kExitNotMeasured,
                fmt::format("{} does not say on what device and when; make a results file of it "
                            "with warpgauge import",
                            results.name));
  }
  const results::Session& session = *results.session;
  if (session.hot) {
    throw Error(kExitUsage, fmt::format("{} was timed hot, and the history compares times that are "
                                        "cold; measure without --hot",
                                        results.name));
  }
  const std::string identity = identity_of(run.text);
  const std::string compressed = database.to_column(compress(run.text));
  const auto environment = environment_of(session);
  const std::string recorded = utc_of(std::time(nullptr));
  const long long created = time_of_measuring(results, recorded);
  const long long commit_time = std::min<long long>(run.commit_time.value_or(created), created);
  const bool is_known = run.commit_time && *run.commit_time <= created;
  const int known = is_known ? 1 : 0;
  const int modified = session.source.modified ? 1 : 0;

  soci::session& sql = database.sql();
  WriteTransaction transaction(database);
  int number = 0;
  sql << "select number from run where identity = :identity", soci::use(identity, "identity"),
      soci::into(number);
  if (sql.got_data()) return {number, true, false};
  const int where = database.number_of("environment", environment);
  number = database.next_number("run");
  sql << "insert into run (number, identity, environment, created, recorded, revision, modified, "
         "commit_time, commit_time_known, verdict) values (:number, :identity, :environment, "
         ":created, :recorded, :revision, :modified, :commit_time, :known, :verdict)",
      soci::use(number, "number"), soci::use(identity, "identity"), soci::use(where, "environment"),
      soci::use(session.created, "created"), soci::use(recorded, "recorded"),
      soci::use(session.source.revision, "revision"), soci::use(modified, "modified"),
      soci::use(commit_time, "commit_time"), soci::use(known, "known"),
      soci::use(run.verdict, "verdict");
  sql << "insert into results (run, data) values (:run, cast(:data as blob))",
      soci::use(number, "run"), soci::use(compressed, "data");
  insert_figures(database, results, number);
  transaction.commit();
  return {number, false, is_known};
}

}  // namespace warpgauge::ci
