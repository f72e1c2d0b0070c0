// SPDX-License-Identifier: Apache-2.0
// Google Benchmark's JSON, of any version since 1.5.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ci/import/readers.hpp"
#include "ci/statistics/mean.hpp"
#include "profiling/results/json/google_benchmark_json.hpp"
#include "profiling/results/trimmed_mean.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::FormatError;
using results::Json;
using results::Record;

std::string text_in(const Json& object, const char* field) {
  const auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

// "2026-11-21T05:19:54+01:00" in UTC; empty for other forms, as versions before 1.5.1 wrote.
std::string in_utc(const std::string& date) {
  std::tm local{};
  const char* rest = ::strptime(date.c_str(), "%Y-%m-%dT%H:%M:%S", &local);
  if (rest == nullptr) return "";
  if (std::string_view(rest) == "Z") rest = "+00:00";
  std::tm offset{};
  const char sign = *rest;
  if ((sign != '+' && sign != '-') || ::strptime(rest + 1, "%H:%M", &offset) == nullptr) return "";
  const std::time_t seconds = 60 * std::time_t{offset.tm_hour * 60 + offset.tm_min};
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(::timegm(&local) - (sign == '+' ? seconds : -seconds)));
}

// Two files of a program may register the same name; only the index of the family tells them apart.
void give_own_name(Json& row, std::map<std::string, std::vector<std::int64_t>>& families) {
  const auto index = row.find("family_index");
  const std::string name = text_in(row, "run_name");
  if (name.empty() || index == row.end() || !index->is_number_integer()) return;
  std::vector<std::int64_t>& known = families[name];
  const auto found = std::find(known.begin(), known.end(), index->get<std::int64_t>());
  const auto place = found - known.begin();
  if (found == known.end()) known.push_back(index->get<std::int64_t>());
  const std::string own = name_in_family(name, static_cast<std::size_t>(place));
  for (const char* field : {"name", "run_name"}) {
    const std::string text = text_in(row, field);
    if (text.starts_with(name)) row[field] = own + text.substr(name.size());
  }
}

// Whether the benchmark asks for a time other than the processor's, or has several threads:
// "BM_f/8/real_time", "BM_f/manual_time", "BM_f/threads:4". What other threads work, the CPU time
// of a benchmark does not have.
bool is_by_wall_clock(std::string_view name) {
  for (std::size_t at = name.find('/'); at != name.npos; at = name.find('/', at + 1)) {
    const std::string_view part = name.substr(at + 1, name.find('/', at + 1) - at - 1);
    if (part == "real_time" || part == "manual_time") return true;
    if (part.starts_with("threads:") && part != "threads:1") return true;
  }
  return false;
}

// How busy the machine was when the program began: programs that ran, this one too.
bool had_a_free_processor(const Json& context) {
  const auto load = context.find("load_avg");
  const auto processors = context.find("num_cpus");
  return load != context.end() && load->is_array() && !load->empty() && load->front().is_number() &&
         processors != context.end() && processors->is_number() &&
         load->front().get<double>() <= processors->get<double>();
}

// Of a suite on a CPU the fastest repetition is the time: the one that others slowed down least
// (see statistics/fastest_quarter.hpp).
void take_fastest(const char* clock, Record& record) {
  record.time_ns = std::ranges::min(record.samples_ns);
  record.time_method = fmt::format("{} of Google Benchmark's fastest repetition", clock);
}

// Makes CPU time the time, and wall clock one that is only shown.
void take_cpu_time(const BenchmarkResult& benchmark, const fs::path& path, Record& record) {
  const results::Metric* const cpu_time = benchmark.find(results::kCpuTimeMetric);
  if (!record.time_ns) return;
  if (is_by_wall_clock(benchmark.id)) return take_fastest("real_time", record);
  if (cpu_time == nullptr || !cpu_time->problem.empty() || cpu_time->sessions.empty()) {
    throw FormatError(
        fmt::format("{}: {}: has no CPU time; leave out --time cpu", path.string(), benchmark.id));
  }
  record.counters[kWallTime] = mean_of(record.samples_ns);
  record.counters.erase(kCpuTime);
  record.samples_ns = cpu_time->sessions.front();
  take_fastest("cpu_time", record);
  check_time(*record.time_ns, path, benchmark.id);
}

Record record_of(const BenchmarkResult& benchmark, const fs::path& path, bool by_cpu_time) {
  Record record;
  record.id = id_of_google_benchmark(benchmark.id);
  record.outcome = benchmark.outcome;
  record.not_measured = benchmark.not_measured;
  for (const auto& [name, metric] : benchmark.metrics) {
    const bool is_time = name == results::kTimeMetric;
    if (!metric.problem.empty()) {
      if (is_time && record.outcome.status == results::Status::ok) {
        throw FormatError(fmt::format("{}: {}: time {}; measure again", path.string(), benchmark.id,
                                      metric.problem));
      }
      record.not_measured[name] = metric.problem;
    } else if (!metric.sessions.empty()) {
      const std::vector<double>& repetitions = metric.sessions.front();
      if (is_time) {
        record.samples_ns = repetitions;
        record.time_ns = results::trimmed_mean(repetitions);
        record.time_method = "real_time of Google Benchmark's repetitions";
      } else {
        const bool of_processor = name == results::kCpuTimeMetric;
        record.counters[of_processor ? kCpuTime : name] = mean_of(repetitions);
      }
    }
  }
  if (by_cpu_time) take_cpu_time(benchmark, path, record);
  return record;
}

}  // namespace

std::string id_of_google_benchmark(const std::string& name) {
  const std::size_t slash = std::min(name.find('/'), name.size());
  return family_name(name.substr(0, slash)) + name.substr(slash);
}

std::string name_in_family(const std::string& name, std::size_t earlier) {
  if (earlier == 0) return name;
  std::string own = name;
  return own.insert(std::min(name.find('/'), name.size()), fmt::format(" {}", earlier + 1));
}

ImportedFile import_google_benchmark(const std::string& text, const fs::path& path,
                                     const ImportOptions& options) {
  Json context = Json::object();
  Json rows = Json::array();
  std::map<std::string, std::vector<std::int64_t>> families;
  results::read_google_benchmark_json(text, path.string(),
                                      {[&](Json&& read) { context = std::move(read); },
                                       [&](Json&& row) {
                                         give_own_name(row, families);
                                         rows.push_back(std::move(row));
                                       }});
  const bool twice = std::any_of(families.begin(), families.end(),
                                 [](const auto& each) { return each.second.size() > 1; });
  const std::string own =
      twice ? Json{{"context", context}, {"benchmarks", std::move(rows)}}.dump() : "";
  const results::Results plain = results::parse_results(twice ? own : text, path.string());
  if (plain.session) {
    throw FormatError(
        fmt::format("{}: is a results file of Warpgauge already; compare or approve it as it is",
                    path.string()));
  }
  ImportedFile file;
  const std::string version = text_in(context, "library_version");
  file.origin.program = version.empty() ? "Google Benchmark" : "Google Benchmark " + version;
  file.origin.cpu_time = file.origin.fastest = options.cpu_time;
  file.had_a_free_processor = had_a_free_processor(context);
  file.created = in_utc(text_in(context, "date"));
  for (const BenchmarkResult& benchmark : plain.benchmarks) {
    file.records.push_back(record_of(benchmark, path, options.cpu_time));
  }
  return file;
}

}  // namespace warpgauge::ci
