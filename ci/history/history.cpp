// SPDX-License-Identifier: Apache-2.0
#include "ci/history/history.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <set>
#include <sstream>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "ci/history/address.hpp"
#include "ci/history/blobs.hpp"
#include "ci/history/database.hpp"
#include "ci/history/migrations.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "profiling/machine_code/resource_metrics.hpp"
#include "profiling/results/environment.hpp"
#include "profiling/results/session_json.hpp"

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

}  // namespace

struct History::Impl {
  explicit Impl(const std::string& at) : where(at), name(name_of(at)), database(at) {}

  // Runs the body and tells what the database complains of as our own error.
  template <typename Body>
  auto guarded(const Body& body) -> std::invoke_result_t<Body> {
    return told_as_error(where, body);
  }

  template <typename Body>
  static auto told_as_error(const std::string& where, const Body& body)
      -> std::invoke_result_t<Body> {
    try {
      return body();
    } catch (const soci::soci_error& error) {
      throw Error(kExitNotMeasured,
                  fmt::format("history {}: {}; see docs/guide/history.md", name_of(where),
                              one_line(without_password(error.what(), where))));
    }
  }

  // Numbers of names, all at once: there are few.
  std::map<std::string, int> numbers_of_metrics() {
    std::map<std::string, int> numbers;
    int number = 0;
    std::string metric;
    soci::statement each = (database.sql().prepare << "select number, name from metric",
                            soci::into(number), soci::into(metric));
    each.execute();
    while (each.fetch()) numbers[metric] = number;
    return numbers;
  }

  std::map<std::string, int> numbers_of_benchmarks(const std::string& device_key) {
    std::map<std::string, int> numbers;
    int number = 0;
    std::string benchmark;
    soci::statement each =
        (database.sql().prepare
             << "select number, benchmark from series where device_key = :device_key",
         soci::use(device_key, "device_key"), soci::into(number), soci::into(benchmark));
    each.execute();
    while (each.fetch()) numbers[benchmark] = number;
    return numbers;
  }

  void insert_figures(const Results& results, int run) {
    soci::session& sql = database.sql();
    const results::Device& device = results.session->device;
    std::map<std::string, int> metrics = numbers_of_metrics();
    std::map<std::string, int> series = numbers_of_benchmarks(device.key);
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

  // Hands the data of each run's figures to `take`, with the run's index in `runs`, in their order.
  void for_each(const HistorySeries& series, const std::vector<HistoryRun>& runs,
                const std::function<void(std::size_t, const std::string&)>& take) {
    if (runs.empty()) return;
    std::unordered_map<int, std::size_t> index;
    for (std::size_t i = 0; i < runs.size(); ++i) index[runs[i].number] = i;
    std::vector<std::string> found(runs.size());
    // The newest runs are mostly the last recorded, which stand together.
    const int first = std::min_element(runs.begin(), runs.end(), [](const auto& a, const auto& b) {
                        return a.number < b.number;
                      })->number;
    int run = 0;
    std::string data;
    soci::statement each =
        (database.sql().prepare
             << "select run, data from figures where series = :series and run >= :first",
         soci::use(series.number, "series"), soci::use(first, "first"), soci::into(run),
         soci::into(data));
    each.execute();
    while (each.fetch()) {
      const auto at = index.find(run);
      if (at != index.end()) found[at->second] = database.from_column(data);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (!found[i].empty()) take(i, found[i]);
    }
  }

  std::string where;
  std::string name;
  Database database;
};

History::History(const std::string& where, For purpose) {
  if (!is_postgresql(where)) check_file_name(where);
  if (purpose == For::reading && !is_postgresql(where) && !std::filesystem::exists(where)) {
    throw Error(kExitNotMeasured,
                fmt::format("there is no history at {} yet: name another with --history, or begin "
                            "one with warpgauge history record",
                            name_of(where)));
  }
  Impl::told_as_error(where, [&] {
    impl_ = std::make_unique<Impl>(where);
    if (purpose == For::reading && impl_->database.version() == 0) {
      throw Error(kExitNotMeasured,
                  fmt::format("{} holds no history yet: begin one with warpgauge history record",
                              impl_->name));
    }
    impl_->database.migrate(kHistoryMigrations);
  });
}

History::~History() = default;

RecordedRun History::record(const NewRun& run) {
  const Results& results = run.results;
  if (!results.session) {
    throw Error(kExitNotMeasured,
                fmt::format("{} does not say on what device and when; make a results file of it "
                            "with warpgauge import",
                            results.name));
  }
  results::Session session = *results.session;
  if (session.hot) {
    throw Error(kExitUsage, fmt::format("{} was timed hot, and the history compares times that are "
                                        "cold; measure without --hot",
                                        results.name));
  }
  const std::string identity = identity_of(run.text);
  const std::string compressed = impl_->database.to_column(compress(run.text));
  std::vector<std::pair<std::string, std::string>> environment{
      {"device_kind", to_string(session.device.kind)}, {"device_key", session.device.key}};
  for (const results::EnvironmentField& field : results::environment_fields()) {
    if (field.stored != nullptr) environment.emplace_back(field.column, field.stored(session));
  }
  const auto created = seconds_of(session.created);
  if (!created) {
    throw Error(kExitNotMeasured,
                fmt::format("{}: context.warpgauge.created: '{}' is no time in UTC", results.name,
                            one_line(session.created)));
  }
  const long long commit_time = run.commit_time.value_or(*created);
  const int known = run.commit_time ? 1 : 0;
  const int modified = session.source.modified ? 1 : 0;
  const std::string recorded = utc_of(std::time(nullptr));

  return impl_->guarded([&]() -> RecordedRun {
    soci::session& sql = impl_->database.sql();
    WriteTransaction transaction(impl_->database);
    int number = 0;
    sql << "select number from run where identity = :identity", soci::use(identity, "identity"),
        soci::into(number);
    if (sql.got_data()) return {number, true};
    const int where = impl_->database.number_of("environment", environment);
    sql << "select coalesce(max(number), 0) + 1 from run", soci::into(number);
    sql << "insert into run (number, identity, environment, created, recorded, revision, modified, "
           "commit_time, commit_time_known, verdict) values (:number, :identity, :environment, "
           ":created, :recorded, :revision, :modified, :commit_time, :known, :verdict)",
        soci::use(number, "number"), soci::use(identity, "identity"),
        soci::use(where, "environment"), soci::use(session.created, "created"),
        soci::use(recorded, "recorded"), soci::use(session.source.revision, "revision"),
        soci::use(modified, "modified"), soci::use(commit_time, "commit_time"),
        soci::use(known, "known"), soci::use(run.verdict, "verdict");
    sql << "insert into results (run, data) values (:run, cast(:data as blob))",
        soci::use(number, "run"), soci::use(compressed, "data");
    impl_->insert_figures(results, number);
    transaction.commit();
    return {number, false};
  });
}

std::vector<HistoryRun> History::runs(const std::string& device_key, std::size_t most) {
  return impl_->guarded([&] {
    soci::session& sql = impl_->database.sql();
    std::map<int, results::Session> environments;
    {
      int number = 0;
      results::Session found;
      found.device.key = device_key;
      std::string columns = "number";
      soci::statement each(sql);
      each.exchange(soci::into(number));
      for (const results::EnvironmentField& field : results::environment_fields()) {
        if (field.stored == nullptr) continue;
        columns += fmt::format(", {}", field.column);
        each.exchange(soci::into(field.stored(found)));
      }
      each.exchange(soci::use(device_key, "device_key"));
      each.alloc();
      each.prepare("select " + columns + " from environment where device_key = :device_key");
      each.define_and_bind();
      each.execute();
      while (each.fetch()) environments[number] = found;
    }
    std::vector<HistoryRun> runs;
    HistoryRun run;
    int environment = 0;
    std::string created;
    std::string revision;
    int modified = 0;
    int known = 0;
    long long commit_time = 0;
    const auto limit = static_cast<long long>(most);
    soci::statement each =
        (sql.prepare << "select number, environment, created, revision, modified, commit_time, "
                        "commit_time_known, verdict from run where environment in (select number "
                        "from environment where device_key = :device_key) "
                        "order by commit_time desc, created desc, number desc limit :most",
         soci::use(device_key, "device_key"), soci::use(limit, "most"), soci::into(run.number),
         soci::into(environment), soci::into(created), soci::into(revision), soci::into(modified),
         soci::into(commit_time), soci::into(known), soci::into(run.verdict));
    each.execute();
    while (each.fetch()) {
      run.session = environments[environment];
      run.session.created = created;
      run.session.source = {revision, modified != 0};
      run.commit_time = commit_time;
      run.commit_time_known = known != 0;
      runs.push_back(run);
    }
    std::reverse(runs.begin(), runs.end());
    return runs;
  });
}

std::vector<std::string> History::devices() {
  return impl_->guarded([&] {
    std::vector<std::string> keys;
    std::string key;
    soci::statement each =
        (impl_->database.sql().prepare << "select distinct device_key from environment",
         soci::into(key));
    each.execute();
    while (each.fetch()) keys.push_back(key);
    // Here, not by the database, whose order is its locale's.
    std::sort(keys.begin(), keys.end());
    return keys;
  });
}

std::vector<HistorySeries> History::series(const std::string& device_key) {
  return impl_->guarded([&] {
    std::vector<HistorySeries> all;
    for (const auto& [benchmark, number] : impl_->numbers_of_benchmarks(device_key)) {
      all.push_back({number, device_key, benchmark});
    }
    return all;
  });
}

std::vector<std::string> History::metrics() {
  return impl_->guarded([&] {
    std::vector<std::string> names;
    for (const auto& [name, number] : impl_->numbers_of_metrics()) names.push_back(name);
    return names;
  });
}

std::map<std::string, std::vector<HistoryFigures>> History::figures(
    const HistorySeries& series, const std::vector<HistoryRun>& runs) {
  return impl_->guarded([&] {
    std::map<int, std::vector<HistoryFigures>> by_number;
    impl_->for_each(series, runs, [&](std::size_t run, const std::string& data) {
      for (auto& [metric, values] : unpack_figures(data)) {
        by_number[metric].push_back({run, std::move(values)});
      }
    });
    std::map<std::string, std::vector<HistoryFigures>> all;
    for (const auto& [name, number] : impl_->numbers_of_metrics()) {
      const auto found = by_number.find(number);
      if (found != by_number.end()) all[name] = std::move(found->second);
    }
    return all;
  });
}

std::vector<HistoryFigures> History::figures(const HistorySeries& series, const std::string& metric,
                                             const std::vector<HistoryRun>& runs) {
  return impl_->guarded([&] {
    std::vector<HistoryFigures> found;
    const std::map<std::string, int> numbers = impl_->numbers_of_metrics();
    const auto number = numbers.find(metric);
    if (number == numbers.end()) return found;
    impl_->for_each(series, runs, [&](std::size_t run, const std::string& data) {
      if (auto values = unpack_figures_of(number->second, data)) {
        found.push_back({run, std::move(*values)});
      }
    });
    return found;
  });
}

std::string History::results(int run) {
  return impl_->guarded([&] {
    std::string data;
    impl_->database.sql() << "select data from results where run = :run", soci::use(run, "run"),
        soci::into(data);
    if (!impl_->database.sql().got_data()) {
      throw Error(kExitUsage, fmt::format("there is no run {} in {}; see warpgauge history list",
                                          run, impl_->name));
    }
    return decompress(impl_->database.from_column(std::move(data)));
  });
}

std::optional<std::int64_t> seconds_of(const std::string& utc) {
  std::tm parts{};
  const char* const end = ::strptime(utc.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return ::timegm(&parts);
}

std::string utc_of(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

}  // namespace warpgauge::ci
