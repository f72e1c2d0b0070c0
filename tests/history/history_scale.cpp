// SPDX-License-Identifier: Apache-2.0
// How large a history grows and how fast it answers. No test: what it prints stands in
// docs/guide/history.md.
//
//   history_scale WHERE RUNS BENCHMARKS SAMPLES
//
// WHERE is an SQLite file, or "postgresql" for a server that is started for it and then gone. Fills
// a new history with made-up runs of 5 processes, each benchmark with its time and 11 counters, and
// times `warpgauge` on it as its users call it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ci/history/connection/address.hpp"
#include "ci/history/history.hpp"
#include "profiling/results/files/files.hpp"
#include "tests/helpers/process.hpp"
#include "tests/history/postgresql_server.hpp"

namespace {

namespace ci = warpgauge::ci;
using Clock = std::chrono::steady_clock;

constexpr int kProcesses = 5;
constexpr int kCounters = 11;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

std::string benchmark_name(int benchmark) {
  return fmt::format("family_{}/variant_{}/4096x4096", benchmark / 8, benchmark % 8);
}

// As suites write them, but for what is the same in all runs. Times are a trimmed mean of samples
// in steps of 32 ns, each run a little off; a counter changes once in a while.
class Runs {
 public:
  Runs(int benchmarks, int samples) : benchmarks_(benchmarks), samples_(samples) {
    for (int i = 0; i < benchmarks * kCounters; ++i) {
      counters_.push_back(std::uint64_t{1} << (10 + random_() % 16));
    }
  }

  std::string next() {
    const std::string created = ci::utc_of(kFirst + run_++ * 1800);
    std::string text = fmt::format(
        R"({{"context": {{"date": "", "host_name": "h", "warpgauge": {{"schema": 1,
"created": "{}", "device": {{"kind": "gpu", "name": "NVIDIA H200", "key": "nvidia-h200",
"uuid": "GPU-{:08x}", "compute_capability": "9.0", "multiprocessors": 132, "l2_bytes": 62914560,
"memory_bytes": 150109880320, "driver": "580.159.04"}}, "toolchain": {{"host_compiler": "GNU 12.2.0",
"cuda": "13.0", "build_type": "Release", "version": "0.1.0"}}, "source": {{"revision": "{:040x}",
"modified": false}}, "processes": {}}}}},
"benchmarks": [)",
        created, random_() % 8, run_, kProcesses);
    for (int benchmark = 0; benchmark < benchmarks_; ++benchmark) {
      const double run_factor = 1 + 0.003 * normal_(random_);
      for (int process = 0; process < kProcesses; ++process) {
        add_entry(text, benchmark, process, run_factor);
      }
    }
    text.back() = ']';
    return text + "}\n";
  }

 private:
  static constexpr std::int64_t kFirst = 1'700'000'000;

  void add_entry(std::string& text, int benchmark, int process, double run_factor) {
    const std::string name = benchmark_name(benchmark);
    const double level = 2000.0 * (1 + benchmark);
    std::string samples;
    double sum = 0;
    for (int i = 0; i < samples_; ++i) {
      const double sample =
          32 * std::round(level * run_factor * (1 + 0.002 * normal_(random_)) / 32);
      sum += sample;
      samples += fmt::format("{}{:.1f}", i == 0 ? "" : ",", sample);
    }
    const double time = sum / samples_;
    std::string counters;
    if (process == 0) {
      for (int counter = 0; counter < kCounters; ++counter) {
        std::uint64_t& value = counters_[static_cast<std::size_t>(benchmark * kCounters + counter)];
        if (random_() % 5000 == 0) value += 32;
        counters += fmt::format("\"counter_{}\":{}.0,", counter, value);
      }
    }
    text += fmt::format(
        R"(
{{"name":"{0}/iterations:1/manual_time","run_name":"{0}/iterations:1/manual_time","run_type":"iteration","repetitions":{1},"repetition_index":{2},"threads":1,"iterations":1,"real_time":{3},"cpu_time":166199.85,"time_unit":"ns",{4}"warpgauge":{{"id":"{0}","pass":"time","outcome":{{"status":"ok","message":""}},"work":{{"bytes_read":1073741824.0,"bytes_written":1073741824.0,"operations":268435456.0}},"samples_ns":[{5}],"time_ns":{3},"time_method":"cupti_activity, L2 flushed","lines":[],"not_measured":{{}},"remarks":[]}}}},)",
        name, kProcesses, process, time, counters, samples);
  }

  int benchmarks_;
  int samples_;
  std::int64_t run_ = 0;
  std::mt19937_64 random_{1};
  std::normal_distribution<> normal_;
  std::vector<std::uint64_t> counters_;
};

// How long the calls take: the median, and the fastest, which says what it takes where nothing else
// runs.
std::string times_of(const std::vector<std::string>& commands) {
  std::vector<double> times;
  for (const std::string& command : commands) {
    const auto start = Clock::now();
    const warpgauge::Finished finished = warpgauge::shell(command + " > /dev/null");
    times.push_back(milliseconds_since(start));
    if (finished.status != 0) throw std::runtime_error(command + ": " + finished.output);
  }
  std::sort(times.begin(), times.end());
  return fmt::format("median {:.0f} ms, fastest {:.0f} ms", times[times.size() / 2], times.front());
}

// As a file, or as PostgreSQL counts it, with all that it keeps beside.
double megabytes(const std::string& where) {
  if (!ci::is_postgresql(where)) {
    return static_cast<double>(std::filesystem::file_size(where)) / 1e6;
  }
  long long bytes = 0;
  ci::Database(where).sql() << "select pg_database_size(current_database())", soci::into(bytes);
  return static_cast<double>(bytes) / 1e6;
}

int measure(const std::string& where, int runs, int benchmarks, int samples) {
  // Each line at once: this takes its time.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  Runs generator(benchmarks, samples);
  const auto start = Clock::now();
  std::size_t bytes = 0;
  double recording = 0;
  {
    ci::History history(where, ci::History::For::recording);
    for (int run = 0; run < runs; ++run) {
      const std::string text = generator.next();
      bytes += text.size();
      const auto before = Clock::now();
      (void)history.record(
          {text, warpgauge::results::parse_results(text, "made up"), std::nullopt, ""});
      recording += milliseconds_since(before);
    }
  }
  fmt::print(
      "{} runs of {} benchmarks, {} samples a process: {:.0f} s, of which {:.1f} ms a run in "
      "reading and recording it; {:.0f} kB a results file\n",
      runs, benchmarks, samples, milliseconds_since(start) / 1000, recording / runs,
      static_cast<double>(bytes) / runs / 1000);

  fmt::print("size: {:.0f} MB\n", megabytes(where));

  const std::string program = fmt::format("{} history ", warpgauge::quoted(WARPGAUGE));
  const std::string at = " --history " + warpgauge::quoted(where);
  std::vector<std::string> commands;
  const std::string last = std::filesystem::temp_directory_path() / "warpgauge_scale";
  for (int i = 0; i < 9; ++i) {
    const std::string path = fmt::format("{}_{}.json", last, i);
    warpgauge::results::write_file_atomically(path, generator.next());
    commands.push_back(program + "record " + path + at);
  }
  fmt::print("record: {}\n", times_of(commands));
  for (int i = 0; i < 9; ++i) std::filesystem::remove(fmt::format("{}_{}.json", last, i));

  for (const char* of : {"500", "1000000"}) {
    for (const char* metric : {"time", "counter_3"}) {
      commands.clear();
      for (int i = 0; i < 9; ++i) {
        commands.push_back(fmt::format("{}trend {} {} --last {}{}", program,
                                       benchmark_name(i * 7 % benchmarks), metric, of, at));
      }
      fmt::print("trend of {}, --last {}: {}\n", metric, of, times_of(commands));
    }
  }
  fmt::print("changes: {}\n", times_of(std::vector<std::string>(3, program + "changes" + at)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 5) throw std::runtime_error("usage: history_scale WHERE RUNS BENCHMARKS SAMPLES");
    const std::string where = argv[1];
    const bool postgresql = where == "postgresql";
    std::optional<warpgauge::PostgresqlServer> server;
    if (postgresql) server.emplace(true);
    return measure(postgresql ? server->new_database() : where, std::atoi(argv[2]),
                   std::atoi(argv[3]), std::atoi(argv[4]));
  } catch (const std::exception& error) {
    fmt::print(stderr, "history_scale: {}\n", error.what());
    return 1;
  }
}
