// SPDX-License-Identifier: Apache-2.0
#include "ci/history/trends_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ci/support/text.hpp"
#include "profiling/results/ceilings.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;

constexpr int kTrendsSchemaVersion = 1;

bool is_address(const std::string& verdict) { return verdict.find("://") != verdict.npos; }

Json run_json(const HistoryRun& run, const std::filesystem::path& folder) {
  const results::Session& session = run.session;
  Json json{{"number", run.number},
            {"created", session.created},
            {"revision", session.source.revision},
            {"modified", session.source.modified},
            {"uuid", session.device.uuid},
            {"driver", session.device.driver},
            {"cuda", session.toolchain.cuda}};
  if (run.commit_time_known) json["committed"] = utc_of(run.commit_time);
  if (!run.verdict.empty()) {
    json["verdict"] = is_address(run.verdict)
                          ? run.verdict
                          : std::filesystem::path(run.verdict).lexically_proximate(folder).string();
  }
  return json;
}

// Whether the point's neighbours say the same.
bool is_between_equals(const std::vector<TrendPoint>& points, std::size_t i) {
  return i > 0 && i + 1 < points.size() && points[i - 1].figure == points[i].figure &&
         points[i + 1].figure == points[i].figure;
}

Json metric_json(const Trend& trend) {
  Json points = Json::array();
  const bool exact = trend.rule.metric_class == MetricClass::exact;
  for (std::size_t i = 0; i < trend.points.size(); ++i) {
    const TrendPoint& point = trend.points[i];
    if (exact && is_between_equals(trend.points, i)) continue;
    Json each = Json::array({point.run, point.figure});
    if (point.interval) {
      each.push_back(point.interval->low);
      each.push_back(point.interval->high);
    }
    points.push_back(std::move(each));
  }
  Json changes = Json::array();
  for (const TrendChange& change : trend.changes) {
    Json each{{"kind", to_string(change.kind)},
              {"first", trend.points[change.first].run},
              {"last", trend.points[change.last].run},
              {"before", change.before},
              {"after", change.after},
              {"worse", is_worse(trend, change)}};
    if (change.p) each["p"] = *change.p;
    changes.push_back(std::move(each));
  }
  return Json{{"metric", trend.metric},
              {"unit", results::unit_of(trend.metric)},
              {"class", to_string(trend.rule.metric_class)},
              {"points", std::move(points)},
              {"changes", std::move(changes)}};
}

}  // namespace

Json device_json(const std::string& device_key, const std::vector<HistoryRun>& runs,
                 const std::vector<Trend>& trends, const std::filesystem::path& folder) {
  Json json{{"key", device_key},
            {"device", runs.empty() ? device_key : runs.back().session.device.name}};
  Json& all_runs = json["runs"] = Json::array();
  for (const HistoryRun& run : runs) all_runs.push_back(run_json(run, folder));
  std::map<std::string, Json> benchmarks;
  for (const Trend& trend : trends) benchmarks[trend.benchmark].push_back(metric_json(trend));
  Json& all = json["trends"] = Json::array();
  for (auto& [id, metrics] : benchmarks) {
    all.push_back(Json{{"id", id}, {"metrics", std::move(metrics)}});
  }
  return json;
}

std::string trends_json(const std::string& device_key, const std::vector<HistoryRun>& runs,
                        const std::vector<Trend>& trends, const std::filesystem::path& folder) {
  Json json{{"schema", kTrendsSchemaVersion}, {"version", WARPGAUGE_VERSION}};
  json.update(device_json(device_key, runs, trends, folder));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string badge_svg(const std::vector<Trend>& trends) {
  std::set<std::string> benchmarks;
  // By benchmark: the run of its newest change, and whether that is for the worse.
  std::map<std::string, std::pair<std::size_t, bool>> newest;
  for (const Trend& trend : trends) {
    benchmarks.insert(trend.benchmark);
    for (const TrendChange& change : trend.changes) {
      const std::size_t run = trend.points[change.last].run;
      auto& [at, worse] = newest.try_emplace(trend.benchmark, 0, false).first->second;
      // At one run the worse counts.
      if (run > at || (run == at && !worse)) {
        at = run;
        worse = is_worse(trend, change);
      }
    }
  }
  const auto worse = static_cast<std::size_t>(std::count_if(
      newest.begin(), newest.end(), [](const auto& each) { return each.second.second; }));
  const std::string message =
      worse == 0 ? "steady"
                 : fmt::format("{} of {} worse", worse, counted(benchmarks.size(), "benchmark"));
  // Wide enough for the usual sans serif of 11 pixels; textLength makes it so for any other.
  constexpr std::size_t kCharacter = 7;
  constexpr std::size_t kMargin = 6;
  const std::string label = "performance";
  const std::size_t left = label.size() * kCharacter + 2 * kMargin;
  const std::size_t right = message.size() * kCharacter + 2 * kMargin;
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="20" role="img" aria-label="{1}: {2}">
<title>{1}: {2}</title>
<rect width="{3}" height="20" fill="#444b55"/>
<rect x="{3}" width="{4}" height="20" fill="{5}"/>
<g fill="#ffffff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">
<text x="{6}" y="14" textLength="{7}">{1}</text>
<text x="{8}" y="14" textLength="{9}">{2}</text>
</g>
</svg>
)",
      left + right, label, message, left, right, worse == 0 ? "#007a58" : "#b34700", kMargin,
      left - 2 * kMargin, left + kMargin, right - 2 * kMargin);
}

}  // namespace warpgauge::ci
