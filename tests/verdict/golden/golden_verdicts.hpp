// SPDX-License-Identifier: Apache-2.0
// What the golden tests of verdicts share: they run the program as its users do and keep what it
// decided, but none of its prose, so that words may change and decisions may not.
//
// A test names its cases; all of them stand in tests/verdict/golden_verdicts/SUITE.TEST.json. With
// WARPGAUGE_UPDATE_GOLDEN=1 in the environment the files are written instead, for a look at their
// diff.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "profiling/results/files/files.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge::golden {

using results::Json;

// What of a verdict is kept: all metrics whose figures differ or rest on statistics; these with the
// number of processes that timed them; or only what is not the same, of a whole suite.
enum class Keep { figures, figures_and_processes, what_is_not_same };

// Sums in another order differ in digits that nobody sees.
inline double six_digits(double value) { return std::stod(fmt::format("{:.6g}", value)) + 0.0; }

inline double six_decimals(double value) { return std::round(value * 1e6) / 1e6 + 0.0; }

inline std::size_t processes_of(const Json& sessions) {
  std::size_t count = 0;
  for (const Json& session : sessions) count += session.at("figures").size();
  return count;
}

// Logarithm of what the machine alone was taken to change: the figure before is told as the new
// machine would have had it.
inline double machine_shift(const Json& metric) {
  double sum = 0;
  for (const Json& session : metric.at("before_sessions")) {
    const auto figures = session.at("figures").get<std::vector<double>>();
    double of_session = 0;
    for (const double figure : figures) of_session += figure;
    sum += of_session / static_cast<double>(figures.size());
  }
  const auto sessions = static_cast<double>(metric.at("before_sessions").size());
  return six_decimals(std::log(metric.at("before").get<double>() * sessions / sum));
}

inline Json decision_on_cause(const Json& cause) {
  Json decision = Json::object();
  for (const char* key : {"before_a_request", "after_a_request"}) {
    if (cause.contains(key)) decision[key] = six_digits(cause.at(key).get<double>());
  }
  decision["lines"] = Json::array();
  for (const Json& growth : cause.at("lines")) {
    decision["lines"].push_back(fmt::format("{}:{} {} -> {}",
                                            growth.at("line").at("file").get<std::string>(),
                                            growth.at("line").at("line").dump(),
                                            growth.at("before").dump(), growth.at("after").dump()));
  }
  return decision;
}

inline Json decision_on_metric(const Json& metric, Keep keep) {
  Json decision{{"metric", metric.at("metric")}, {"verdict", metric.at("verdict")}};
  if (keep != Keep::what_is_not_same) decision["class"] = metric.at("class");
  const bool is_exact = metric.at("class") == "exact";
  for (const char* key : {"before", "after", "low", "high", "p", "floor"}) {
    if (!metric.contains(key)) continue;
    const double value = metric.at(key).get<double>();
    decision[key] = is_exact ? value : six_digits(value);
  }
  if (metric.contains("low") && machine_shift(metric) != 0) {
    decision["machine_shift"] = machine_shift(metric);
  }
  if (metric.contains("more_processes_help")) {
    decision["more_processes_help"] = metric.at("more_processes_help");
  }
  if (keep == Keep::figures_and_processes && metric.at("class") == "statistical") {
    decision["processes"] = processes_of(metric.at("after_sessions"));
  }
  if (!metric.at("reason").get<std::string>().empty()) decision["says_why"] = true;
  if (metric.contains("cause")) decision["cause"] = decision_on_cause(metric.at("cause"));
  return decision;
}

inline bool is_kept(const Json& metric, Keep keep) {
  if (metric.at("verdict") != "same") return true;
  if (keep == Keep::what_is_not_same) return false;
  return metric.at("class") == "statistical" ||
         metric.value("before", Json()) != metric.value("after", Json());
}

inline Json decision_on_benchmark(const Json& benchmark, Keep keep) {
  Json decision{{"id", benchmark.at("id")}, {"verdict", benchmark.at("verdict")}};
  Json metrics = Json::array();
  for (const Json& metric : benchmark.at("metrics")) {
    if (is_kept(metric, keep)) metrics.push_back(decision_on_metric(metric, keep));
  }
  if (!metrics.empty()) decision["metrics"] = std::move(metrics);
  return decision;
}

// Whether a note is of when the sides were measured: here both sides often have one date.
inline bool is_on_dates(const Json& note) {
  const auto& text = note.get_ref<const std::string&>();
  return text.find("it cannot differ from itself") != std::string::npos ||
         text.find("it cannot say what changed since") != std::string::npos;
}

// Of verdict.json. Notes are counted, but for those on dates: that something is noted is a
// decision, what it says is prose.
inline Json decisions_of(const Json& verdict, Keep keep) {
  Json decisions{{"exit_status", verdict.at("exit_status")}, {"device", verdict.at("device")}};
  if (verdict.at("no_baseline") != "") decisions["without_baseline"] = true;
  const Json& notes = verdict.at("notes");
  decisions["notes"] = std::count_if(notes.begin(), notes.end(),
                                     [](const Json& note) { return !is_on_dates(note); });
  decisions["counts"] = verdict.at("counts");
  decisions["benchmarks"] = Json::array();
  for (const Json& benchmark : verdict.at("benchmarks")) {
    if (keep == Keep::what_is_not_same && benchmark.at("verdict") == "same") continue;
    decisions["benchmarks"].push_back(decision_on_benchmark(benchmark, keep));
  }
  return decisions;
}

inline bool is_list_of_objects(const Json& json) {
  return json.is_array() &&
         std::any_of(json.begin(), json.end(), [](const Json& each) { return each.is_object(); });
}

// Each object of a list begins a line, so that a diff names what changed.
inline std::string laid_out(const Json& json, const std::string& margin) {
  const bool is_list = is_list_of_objects(json);
  if (!is_list && !json.is_object()) return json.dump();
  const std::string inner = is_list ? margin + " " : margin;
  std::string text;
  for (const auto& [key, value] : json.items()) {
    if (!text.empty()) text += is_list ? "," : ", ";
    text += is_list ? "\n" + inner : Json(key).dump() + ": ";
    text += laid_out(value, inner);
  }
  return is_list ? "[" + text + "]" : "{" + text + "}";
}

inline std::string laid_out(const Json& cases) {
  std::string text;
  for (const auto& [name, decisions] : cases.items()) {
    text += (text.empty() ? "{\n" : ",\n") + Json(name).dump() + ": " + laid_out(decisions, "");
  }
  return text + "\n}\n";
}

// The policy of the small cases: the project's may change its floors.
inline constexpr const char* kPolicy = R"(alpha = 0.01
beta = 0.05
controls = ["control/*"]
[[metric]]
names = ["time"]
class = "statistical"
relative_floor = 0.007
relative_floor_against = 0.005
absolute_floor = 64.0
resolution = 32.0
[[metric]]
names = ["shared_load_requests", "shared_load_wavefronts", "shared_store_requests",
         "shared_store_wavefronts", "global_load_requests", "global_load_sectors", "barriers"]
class = "exact"
[[metric]]
names = ["registers", "static_shared_bytes", "stack_bytes", "spill_store_bytes", "spill_load_bytes"]
class = "exact"
optional = true
[[metric]]
names = ["code_bytes", "code_instructions"]
class = "shown"
)";

// Where they are measured.
inline constexpr const char* kHits = R"([[metric]]
names = ["hits"]
class = "exact"
direction = "higher"
)";
inline constexpr const char* kRate = R"([[metric]]
names = ["rate"]
class = "statistical"
direction = "higher"
relative_floor = 0.01
)";

// Cases collect in `Base`, a fixture with a folder of its own, and are compared when a test ends.
template <class Base>
class Golden : public Base {
 protected:
  void SetUp() override {
    Base::SetUp();
    this->write("policy.toml", kPolicy);
  }

  void TearDown() override {
    if (!cases_.empty()) compare_with_file();
    Base::TearDown();
  }

  // Compares two sides that are in the folder, or anywhere.
  void compare(const std::string& name, const std::string& before, const std::string& after,
               const std::string& options = "", Keep keep = Keep::figures) {
    const bool has_policy = options.find("--policy") != options.npos;
    const Finished finished =
        this->warpgauge("compare " + before + " " + after + " --json verdict.json " + options +
                        (has_policy ? "" : " --policy policy.toml"));
    keep_verdict(name, finished, "verdict.json", keep);
  }

  // Of a command that wrote a verdict, unless it could come to none.
  void keep_verdict(const std::string& name, const Finished& finished, const std::string& file,
                    Keep keep) {
    const auto path = this->folder_ / file;
    if (std::filesystem::exists(path)) {
      cases_[name] = decisions_of(Json::parse(results::read_file(path)), keep);
      EXPECT_EQ(cases_[name]["exit_status"], finished.status) << name;
      std::filesystem::remove(path);
    } else {
      cases_[name] = {{"exit_status", finished.status}, {"verdict", nullptr}};
    }
    ASSERT_NE(finished.status, 64) << name << ": " << finished.output;
  }

  Json cases_ = Json::object();

 private:
  void compare_with_file() const {
    const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
    const auto golden = std::filesystem::path(SOURCE_ROOT) / "tests/verdict/golden_verdicts" /
                        fmt::format("{}.{}.json", test.test_suite_name(), test.name());
    const std::string text = laid_out(cases_);
    if (std::getenv("WARPGAUGE_UPDATE_GOLDEN") != nullptr) {
      results::write_file_atomically(golden, text);
      return;
    }
    const auto now = this->write("now.json", text);
    const Finished diff =
        shell("diff -U 2 " + quoted(golden.string()) + " " + quoted(now.string()));
    EXPECT_EQ(diff.status, 0) << "other decisions than in " << golden.string() << ":\n"
                              << diff.output
                              << "if they are meant to change, write the file again with "
                                 "WARPGAUGE_UPDATE_GOLDEN=1";
  }
};

// How processes of one session scatter.
inline std::vector<double> steady_ns(double time_ns, int session = 0) {
  const double of_session = time_ns * (1 + 0.0003 * ((session * 7) % 5 - 2));
  std::vector<double> times;
  for (const double noise : {0.0001, 0.0005, -0.0004, 0.0002, -0.0003}) {
    times.push_back(of_session * (1 + noise));
  }
  return times;
}

inline std::string hour(int session) { return fmt::format("2026-11-21T{:02}:00:00Z", session); }

// Each process of a benchmark in its session; its time is the first figure.
inline Measured in_session(Measured benchmark, int session) {
  if (!benchmark.times_ns.empty()) benchmark.times_ns = steady_ns(benchmark.times_ns[0], session);
  return benchmark;
}

inline std::vector<Measured> in_session(std::vector<Measured> benchmarks, int session) {
  for (Measured& each : benchmarks) each = in_session(std::move(each), session);
  return benchmarks;
}

}  // namespace warpgauge::golden
