// SPDX-License-Identifier: Apache-2.0
#include "ci/report/page/page_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/report/brief_block.hpp"
#include "ci/verdict/metrics/roofs.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "profiling/results/json/json_writer.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;
using results::put;

constexpr int kDigits = 6;
constexpr std::size_t kFewestSamples = 16;  // of a process

double rounded(double figure) {
  if (figure == 0 || !std::isfinite(figure)) return figure;
  const int decimals = kDigits - 1 - static_cast<int>(std::floor(std::log10(std::abs(figure))));
  if (decimals <= 0) return std::round(figure);
  const double scale = std::pow(10.0, decimals);
  return std::isfinite(scale) ? std::round(figure * scale) / scale : figure;
}

// Whole numbers without a decimal point, which doubles them in length.
Json shortened_number(double figure) {
  constexpr double kExact = 9e15;
  const double value = rounded(figure);
  if (value == std::floor(value) && std::abs(value) < kExact) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

void shorten_numbers(Json& list) {
  for (Json& each : list) {
    if (each.is_array()) shorten_numbers(each);
    if (each.is_number_float()) each = shortened_number(each.get<double>());
  }
}

bool says_nothing(const Json& value) {
  return value.is_null() || (value.is_structured() && value.empty()) ||
         (value.is_string() && value.get_ref<const std::string&>().empty());
}

void drop_empty(Json& object) {
  std::vector<std::string> empty;
  for (const auto& [key, value] : object.items()) {
    if (says_nothing(value)) empty.push_back(key);
  }
  for (const std::string& key : empty) object.erase(key);
}

void drop(Json& object, std::initializer_list<const char*> keys) {
  for (const char* const key : keys) object.erase(key);
}

// As many as a plot can show, from the least to the greatest, evenly by rank.
Json thinned(const Json& samples, std::size_t most) {
  std::vector<double> figures;
  for (const Json& each : samples) {
    if (each.is_number()) figures.push_back(each.get<double>());
  }
  std::sort(figures.begin(), figures.end());
  Json kept = Json::array();
  const std::size_t count = std::min(most, figures.size());
  for (std::size_t i = 0; i < count; ++i) {
    kept.push_back(
        figures[count == 1 ? figures.size() / 2 : i * (figures.size() - 1) / (count - 1)]);
  }
  shorten_numbers(kept);
  return kept;
}

void thin_samples(Json& benchmark) {
  std::size_t processes = 0;
  for (const char* const side : {"samples_before", "samples_after"}) {
    if (benchmark.contains(side)) processes += benchmark[side].size();
  }
  if (processes == 0) return;
  const std::size_t most = std::max(kFewestSamples, kMostPageSamples / processes);
  for (const char* const side : {"samples_before", "samples_after"}) {
    if (!benchmark.contains(side)) continue;
    Json counts = Json::array();
    for (Json& process : benchmark[side]) {
      counts.push_back(process.size());
      process = thinned(process, most);
    }
    benchmark[std::string("launches") + (side + std::string("samples").size())] = std::move(counts);
  }
}

bool has_one_figure(const Json& metric) {
  std::set<double> figures;
  for (const char* const side : {"before_sessions", "after_sessions"}) {
    for (const Json& session : metric.value(side, Json::array())) {
      for (const Json& each : session["figures"]) {
        if (each.is_number()) figures.insert(each.get<double>());
      }
    }
  }
  return figures.size() <= 1;
}

// What did not change is a name and a figure, or two of what is shown only.
bool is_plain(const Json& metric) {
  if (metric["verdict"] != "same") return false;
  for (const char* const key : {"reason", "cause", "limits", "low", "high", "p", "floor"}) {
    if (metric.contains(key) && !says_nothing(metric[key])) return false;
  }
  return metric["class"] == "shown" ||
         (metric["class"] == "exact" && metric.contains("before") && metric.contains("after") &&
          metric["before"] == metric["after"]);
}

void shorten_metric(Json& metric) {
  if (has_one_figure(metric) || (metric["verdict"] == "same" && metric["metric"] != "time")) {
    drop(metric, {"before_sessions", "after_sessions"});
  }
  for (const char* const side : {"before_sessions", "after_sessions"}) {
    if (!metric.contains(side)) continue;
    for (Json& session : metric[side]) shorten_numbers(session["figures"]);
  }
  for (auto& [key, value] : metric.items()) {
    if (value.is_number_float()) value = shortened_number(value.get<double>());
  }
  drop_empty(metric);
}

void shorten_metrics(Json& benchmark) {
  Json kept = Json::array();
  Json same = Json::object();
  Json shown = Json::object();
  for (Json& metric : benchmark["metrics"]) {
    if (!is_plain(metric)) {
      shorten_metric(metric);
      kept.push_back(std::move(metric));
      continue;
    }
    const auto figure = [&](const char* side) {
      const Json value = metric.value(side, Json());
      return value.is_number() ? shortened_number(value.get<double>()) : value;
    };
    const std::string name = metric["metric"];
    if (metric["class"] == "shown") {
      shown[name] = Json::array({figure("before"), figure("after")});
    } else {
      same[name] = figure("after");
    }
  }
  benchmark["metrics"] = std::move(kept);
  if (!same.empty()) benchmark["unchanged"] = std::move(same);
  if (!shown.empty()) benchmark["shown"] = std::move(shown);
}

void shorten_lines(Json& benchmark) {
  for (const char* const side : {"lines_before", "lines_after"}) {
    for (Json& line : benchmark[side]) drop(line, {"compiled", "instructions"});
  }
  if (!benchmark["lines_after"].empty() && benchmark["lines_before"] == benchmark["lines_after"]) {
    benchmark.erase("lines_before");
    benchmark["same_lines"] = true;
  }
}

void shorten_kernels(Json& benchmark) {
  if (!benchmark.contains("kernels")) return;
  for (Json& kernel : benchmark["kernels"]) {
    for (const char* const side : {"before", "after"}) {
      if (kernel.contains(side)) drop(kernel[side], {"name", "compiler"});
    }
    if (kernel.contains("before") && kernel.contains("after") &&
        kernel["before"] == kernel["after"]) {
      kernel.erase("before");
      kernel["same"] = true;
    }
  }
}

void add_reached(const BenchmarkVerdict& verdict, const Roofs& roofs, Json& benchmark) {
  const Reached is = reached(verdict);
  Json json = Json::object();
  put(json, "shared_bytes_per_second", is.shared_bytes_per_second);
  put(json, "operations_per_second", is.operations_per_second);
  if (is.shared_bytes_per_second && roofs.shared_memory) {
    json["share_of_shared_memory"] = *is.shared_bytes_per_second / roofs.shared_memory->per_second;
  }
  if (is.operations_per_second && roofs.arithmetic) {
    json["share_of_arithmetic"] = *is.operations_per_second / roofs.arithmetic->per_second;
  }
  for (auto& [key, value] : json.items()) value = shortened_number(value.get<double>());
  if (!json.empty()) benchmark["reached"] = std::move(json);
}

Json roofs_json(const Roofs& roofs) {
  Json json = Json::object();
  const auto add = [&](const char* name, const std::optional<Roof>& roof) {
    if (roof) json[name] = {{"per_second", roof->per_second}, {"from", roof->from}};
  };
  add("shared_memory", roofs.shared_memory);
  add("arithmetic", roofs.arithmetic);
  return json;
}

// Of a history's trends (ci/history/trends_page.hpp) the newest runs' times.
Json history_json(const std::string& trends, const GateVerdict& verdict) {
  const Json all = Json::parse(trends);
  const std::size_t runs = all.at("runs").size();
  const std::size_t first = runs - std::min(runs, kMostPageRuns);
  std::set<std::string> wanted;
  for (const BenchmarkVerdict& each : verdict.benchmarks) wanted.insert(each.id);
  Json names = Json::array();
  for (std::size_t i = first; i < runs; ++i) {
    const Json& run = all["runs"][i];
    names.push_back(Json::array({run.at("revision"), run.at("created")}));
  }
  Json times = Json::object();
  for (const Json& benchmark : all.at("trends")) {
    const std::string id = benchmark.at("id");
    if (!wanted.contains(id)) continue;
    for (const Json& metric : benchmark.at("metrics")) {
      if (metric.at("metric") != "time") continue;
      Json points = Json::array();
      for (const Json& point : metric.at("points")) {
        const auto run = point.at(0).get<std::size_t>();
        if (run < first) continue;
        points.push_back(Json::array({run - first, shortened_number(point.at(1).get<double>())}));
      }
      if (!points.empty()) times[id] = std::move(points);
    }
  }
  return {{"runs", std::move(names)}, {"time", std::move(times)}};
}

}  // namespace

std::string page_data(const GateVerdict& verdict, const ReportLinks& links) {
  Json page = Json::parse(to_json_text(verdict));
  const SideNames sides = names_of_sides(verdict);
  page["before"]["name"] = sides.before;
  page["after"]["name"] = sides.after;
  const Roofs roofs = verdict.after_session ? roofs_of(*verdict.after_session) : Roofs();
  std::vector<const BenchmarkVerdict*> order;
  for (const BenchmarkVerdict& each : verdict.benchmarks) order.push_back(&each);
  Json benchmarks = Json::array();
  for (const BenchmarkVerdict* const each : furthest_first(std::move(order))) {
    Json benchmark =
        std::move(page["benchmarks"][static_cast<std::size_t>(each - verdict.benchmarks.data())]);
    add_reached(*each, roofs, benchmark);
    thin_samples(benchmark);
    shorten_metrics(benchmark);
    shorten_lines(benchmark);
    shorten_kernels(benchmark);
    drop_empty(benchmark);
    benchmarks.push_back(std::move(benchmark));
  }
  page["benchmarks"] = std::move(benchmarks);
  if (Json json = roofs_json(roofs); !json.empty()) page["roofs"] = std::move(json);
  if (!links.references.empty()) page["references"] = links.references;
  if (!links.trends.empty()) page["history"] = history_json(links.trends, verdict);
  return page.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace warpgauge::ci
