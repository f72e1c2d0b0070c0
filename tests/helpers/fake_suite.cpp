// SPDX-License-Identifier: Apache-2.0
// Obeys the contract between `warpgauge run` and a suite, and behaves as the plan in the file
// $FAKE_SUITE_PLAN says:
//
//   {"passes": ["time", "counters", "lines"], "device": {…} or null,
//    "benchmarks": {"ID": {"time_ns": 1000 or a list, "counters": {…}, "lines": […],
//                          "device_state": {…}, "launches": […], "machine_code": […],
//                          "input_digest": "…", "sentinel_ns": 1000,
//                          "fate": "crash", "in": "time"}}}
//
// "lines" are counted in the pass of that name, in the counters pass where there is none. There,
// "no_lines" is the reason why there are none, and "instructions" are told as if they were counted.
//
// Fates: crash, hang, babble (writes lines without end), dribble (writes a line without end),
// error, wrong_result, leave (ends with 0 in the middle), torn (dies while it writes its record),
// late_crash and late_hang (once its record is written). "in": the pass in which it strikes;
// absent: any. At the top of the plan, "fate" strikes before the first benchmark, "log" names a
// file that gets a line a process, with its --warpgauge_counters, "hot" for
// --warpgauge_hot, which a suite that is "old" refuses, and "more" for --warpgauge_more_samples, in
// brackets; by it, a list of times has one for each process that timed the benchmark, the last for
// all that follow. "cuda" is the toolkit that it was built with. "counter_passes" is what the
// counters need. Those with "unknown" in their names are refused.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "profiling/results/files/files.hpp"
#include "profiling/results/json/record_json.hpp"
#include "profiling/results/json/session_json.hpp"

namespace {

using namespace warpgauge::results;

constexpr int kExitAfterError = 70;

class Journal {
 public:
  explicit Journal(const std::string& path) : path_(path), file_(path, std::ios::app) {}
  void write(const Json& line) { file_ << line.dump() << std::endl; }
  void dribble() { file_ << ' ' << std::flush; }
  void tear() { file_ << R"({"finished": {"id": "a/to)" << std::flush; }
  // Whoever reads it with trust waits forever.
  void become_a_pipe() const {
    (void)::unlink(path_.c_str());
    if (::mkfifo(path_.c_str(), 0600) != 0) ::_exit(1);
  }
  void lead_to(const char* path) const {
    (void)::unlink(path_.c_str());
    if (::symlink(path, path_.c_str()) != 0) ::_exit(1);
  }

 private:
  std::string path_;
  std::ofstream file_;
};

// A child of the suite, which must not outlive it.
void bear_child() {
  if (::fork() != 0) return;
  for (;;) ::pause();
}

void strike(const std::string& fate, Journal& journal) {
  if (fate == "crash" || fate == "hang") bear_child();
  if (fate == "crash") {
    ::signal(SIGSEGV, SIG_DFL);  // a sanitizer would turn it into an exit status
    ::raise(SIGSEGV);
  }
  if (fate == "pipe") journal.become_a_pipe();
  if (fate == "link") journal.lead_to("/dev/zero");
  while (fate == "hang" || fate == "pipe" || fate == "link") ::pause();
  for (; fate == "babble" || fate == "dribble"; ::usleep(20'000)) {
    if (fate == "babble") journal.write({{"started", "a/two/1"}});
    if (fate == "dribble") journal.dribble();
  }
  if (fate == "leave") ::_exit(0);
  if (fate == "torn") {
    journal.tear();
    ::raise(SIGKILL);
  }
}

// Google Benchmark's entry, with the suffixes that it gives to names; `place` among those that this
// process measures.
Json entry_of(const Record& record, bool timed, int place) {
  Json entry{{"name", record.id + "/iterations:1/manual_time"},
             {"family_index", place},
             {"per_family_instance_index", 0},
             {"run_name", record.id + "/iterations:1/manual_time"},
             {"run_type", "iteration"},
             {"repetitions", 1},
             {"repetition_index", 0},
             {"threads", 1},
             {"iterations", 1},
             {"real_time", timed ? *record.time_ns * 1e-3 : 123.0},
             {"cpu_time", 5.0},
             {"time_unit", "us"}};
  for (const auto& [name, value] : record.counters) entry[name] = value;
  return entry;
}

double time_of(const Json& plan, const std::string& id) {
  const Json& times = plan["benchmarks"][id]["time_ns"];
  if (!times.is_array()) return times.get<double>();
  std::size_t processes = 0;  // this one included
  std::ifstream log(plan["log"].get<std::string>());
  for (std::string line; std::getline(log, line);) {
    if (line.starts_with("time ") && (line + " ").find(" " + id + " ") != line.npos) ++processes;
  }
  return times[std::min(processes, times.size()) - 1].get<double>();
}

bool has_lines_pass(const Json& plan) {
  const Json& passes = plan["passes"];
  return std::find(passes.begin(), passes.end(), "lines") != passes.end();
}

std::vector<SourceLine> lines_of(const Json& benchmark) {
  std::vector<SourceLine> lines;
  for (const Json& line : benchmark.value("lines", Json::array())) {
    lines.push_back(source_line_from(line));
  }
  return lines;
}

int observe(const Json& plan, std::map<std::string, std::string>& arguments) {
  const std::string pass = arguments["--warpgauge_pass"];
  std::vector<std::string> ids;
  std::istringstream selection(read_file(arguments["--warpgauge_select"]));
  for (std::string id; std::getline(selection, id);) ids.push_back(id);
  if (plan.contains("log")) {
    std::ofstream log(plan["log"].get<std::string>(), std::ios::app);
    log << pass;
    if (arguments.contains("--warpgauge_counters")) {
      log << " [" << arguments["--warpgauge_counters"] << "]";
    }
    if (arguments.contains("--warpgauge_hot")) log << " [hot]";
    if (arguments.contains("--warpgauge_more_samples")) log << " [more]";
    for (const std::string& id : ids) log << " " << id;
    log << std::endl;
  }

  Journal journal(arguments["--warpgauge_record"]);
  if (plan.contains("fate") && plan.value("in", pass) == pass) {
    std::cerr << "the plan said so\n";
    strike(plan["fate"], journal);
    return 9;
  }
  std::ofstream out(arguments["--benchmark_out"]);
  out << R"({"context": {"date": "now", "host_name": "fake", "num_cpus": 2}, "benchmarks": [)";
  int place = 0;
  for (const std::string& id : ids) {
    const Json benchmark = plan["benchmarks"].value(id, Json::object());
    journal.write({{"started", id}});
    const bool strikes = benchmark.value("in", pass) == pass;
    const std::string fate = strikes ? benchmark.value("fate", "") : "";
    if (!fate.empty()) std::cerr << "about to " << fate << std::endl;
    strike(fate, journal);
    const bool late = fate.starts_with("late_");
    const bool measures = fate.empty() || late;

    Record record;
    record.id = id;
    record.pass = pass_from({Json(pass), "pass"});
    record.work = {.bytes_read = 64, .bytes_written = 32};
    if (fate == "error") record.outcome = {Status::error, "an illegal address"};
    if (fate == "wrong_result") record.outcome = {Status::wrong_result, "3 of 9 are wrong"};
    if (measures && pass == "time") {
      record.time_ns = time_of(plan, id);
      record.samples_ns = {*record.time_ns, *record.time_ns};
      record.time_method = "fake";
      record.not_measured["counters"] = "a pass of their own counts";
    }
    if (measures && pass == "sentinel") {
      record.time_ns = benchmark.value("sentinel_ns", benchmark["time_ns"].get<double>());
    }
    if (measures && pass == "counters") {
      for (const auto& [name, value] : benchmark["counters"].items()) {
        record.counters[name] = value.get<double>();
      }
      if (has_lines_pass(plan)) {
        record.not_measured["source_lines"] = "a pass of its own counts lines";
      } else {
        record.lines = lines_of(benchmark);
      }
      record.not_measured["time"] = "a pass of its own times";
      record.counter_passes = plan.value("counter_passes", 0);
    }
    if (measures && pass == "lines") {
      record.lines = lines_of(benchmark);
      if (benchmark.contains("no_lines")) {
        record.not_measured["source_lines"] = benchmark["no_lines"].get<std::string>();
      }
    }
    Json finished = to_json(record);
    if (pass == "lines" && benchmark.contains("instructions")) {
      finished["instructions"] = benchmark["instructions"];
    }
    for (const char* code : {"launches", "machine_code", "input_digest"}) {
      if ((pass == "time" || pass == "sentinel") && benchmark.contains(code)) {
        finished[code] = benchmark[code];
      }
    }
    if (pass == "time" && benchmark.contains("device_state")) {
      finished["device_state"] = benchmark["device_state"];
    }
    journal.write({{"finished", std::move(finished)}});
    if (fate == "error") ::_exit(kExitAfterError);
    if (late) strike(fate.substr(5), journal);
    Json entry = entry_of(record, record.time_ns.has_value(), place);
    if (!fate.empty()) {
      entry["error_occurred"] = true;
      entry["error_message"] = record.outcome.message;
    }
    out << (place == 0 ? "\n" : ",\n") << entry.dump() << std::flush;
    ++place;
  }
  out << "\n]}\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* plan_file = std::getenv("FAKE_SUITE_PLAN");
  if (plan_file == nullptr) return 64;
  const Json plan = Json::parse(read_file(plan_file));
  std::map<std::string, std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    arguments[argument.substr(0, equals)] =
        equals == argument.npos ? "" : argument.substr(equals + 1);
  }
  if (arguments.contains("--warpgauge_describe")) {
    Json benchmarks = Json::array();
    for (const auto& [id, benchmark] : plan["benchmarks"].items()) {
      benchmarks.push_back({{"id", id}});
    }
    const Toolchain toolchain{"g++ 12", plan.value("cuda", "13.0"), "Release", "0.1.0"};
    Json description{{"backend", plan.value("backend", "gpu")},
                     {"passes", plan["passes"]},
                     {"takes_more_samples", plan.value("takes_more_samples", false)},
                     {"toolchain", to_json(toolchain)},
                     {"benchmarks", benchmarks}};
    if (plan.contains("source")) description["source"] = plan["source"];
    std::cout << description.dump();
    return 0;
  }
  if (arguments.contains("--warpgauge_device")) {
    if (plan["device"].is_null()) {
      std::cerr << "no GPU was found; is the driver loaded?\n";
      return 4;
    }
    if (arguments.contains("--warpgauge_hot") && plan.value("old", false)) {
      std::cerr << "unknown argument --warpgauge_hot\n";
      return 64;
    }
    const std::string counters = arguments["--warpgauge_counters"];
    if (counters.find("unknown") != counters.npos) {
      std::cerr << "the chip has no metric " << counters << "\n";
      return 64;
    }
    Json device = plan["device"];
    if (!counters.empty()) device["counter_passes"] = plan.value("counter_passes", 0);
    std::cout << device.dump();
    return 0;
  }
  return observe(plan, arguments);
}
