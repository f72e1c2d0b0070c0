// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/verdict_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/metrics/limit_check.hpp"
#include "ci/verdict/sass_json.hpp"
#include "ci/verdict/text/verdict_text.hpp"
#include "profiling/results/json/json_writer.hpp"
#include "profiling/results/json/record_json.hpp"
#include "profiling/results/json/session_json.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;
using results::put;

Json lines_json(const std::vector<results::SourceLine>& lines) {
  Json json = Json::array();
  for (const results::SourceLine& line : lines) json.push_back(to_json(line));
  return json;
}

Json to_json(const Cause& cause) {
  Json json = Json::object();
  put(json, "before_a_request", cause.before_a_request);
  put(json, "after_a_request", cause.after_a_request);
  Json lines = Json::array();
  for (const LineGrowth& growth : cause.lines) {
    lines.push_back({{"line", results::to_json(growth.line)},
                     {"before", growth.before},
                     {"after", growth.after}});
  }
  json["lines"] = std::move(lines);
  json["no_lines_because"] = cause.no_lines_because;
  return json;
}

Json to_json(const std::vector<LabelledFigures>& sessions) {
  Json json = Json::array();
  for (const LabelledFigures& session : sessions) {
    json.push_back({{"label", session.label}, {"figures", session.figures}});
  }
  return json;
}

Json to_json(const LimitEstimate& limit) {
  Json json{{"bound", limit.bound == Policy::Bound::most ? "most" : "least"},
            {"value", limit.value},
            {"by", limit.by},
            {"verdict", to_string(verdict_of(limit))}};
  put(json, "low", limit.low);
  put(json, "high", limit.high);
  if (!limit.against.empty()) json["against"] = limit.against;
  if (!limit.reason.empty()) json["reason"] = limit.reason;
  if (!limit.unclear_because.empty()) json["unclear_because"] = limit.unclear_because;
  if (!limit.not_measured.empty()) json["not_measured"] = limit.not_measured;
  return json;
}

Json to_json(const MetricVerdict& metric) {
  Json json{{"metric", metric.metric},
            {"unit", results::unit_of(metric.metric)},
            {"class", to_string(metric.metric_class)},
            {"verdict", to_string(metric.verdict)}};
  put(json, "before", metric.before);
  put(json, "after", metric.after);
  put(json, "low", metric.low);
  put(json, "high", metric.high);
  put(json, "p", metric.p);
  put(json, "floor", metric.floor);
  json["reason"] = metric.reason;
  if (metric.cause) json["cause"] = to_json(*metric.cause);
  for (const LimitEstimate& limit : metric.limits) json["limits"].push_back(to_json(limit));
  if (metric.by_limit) json["by_limit"] = true;
  json["before_sessions"] = to_json(metric.before_sessions);
  json["after_sessions"] = to_json(metric.after_sessions);
  return json;
}

Json to_json(const KernelVersions& kernel) {
  Json json{{"name", kernel.name}};
  if (kernel.before) json["before"] = to_json(*kernel.before);
  if (kernel.after) json["after"] = to_json(*kernel.after);
  add_sass(kernel.sass, json);
  return json;
}

Json to_json(const Achieved& achieved) {
  Json json{{"bytes_per_second", achieved.bytes_per_second}};
  if (achieved.share) {
    json["ceiling"] = achieved.ceiling;
    json["share_of_ceiling"] = *achieved.share;
  } else {
    json["no_share_because"] = achieved.no_share_because;
  }
  return json;
}

Json to_json(const BenchmarkVerdict& benchmark) {
  Json json{{"id", benchmark.id},
            {"verdict", to_string(benchmark.verdict)},
            {"message", benchmark.message},
            {"work", results::to_json(benchmark.work)}};
  if (benchmark.achieved) json["achieved"] = to_json(*benchmark.achieved);
  Json metrics = Json::array();
  for (const MetricVerdict& metric : benchmark.metrics) metrics.push_back(to_json(metric));
  json["metrics"] = std::move(metrics);
  if (!benchmark.samples_before.empty()) json["samples_before"] = benchmark.samples_before;
  if (!benchmark.samples_after.empty()) json["samples_after"] = benchmark.samples_after;
  json["lines_before"] = lines_json(benchmark.lines_before);
  json["lines_after"] = lines_json(benchmark.lines_after);
  if (!benchmark.kernels.empty()) {
    Json kernels = Json::array();
    for (const KernelVersions& kernel : benchmark.kernels) kernels.push_back(to_json(kernel));
    json["kernels"] = std::move(kernels);
  }
  json["not_measured"] = benchmark.not_measured;
  json["remarks"] = benchmark.remarks;
  return json;
}

Json to_json(const BaselineEdit& edit) {
  Json figures = Json::array();
  for (const FigureEdit& figure : edit.figures) {
    Json json{{"metric", figure.metric}};
    put(json, "before", figure.before);
    put(json, "after", figure.after);
    figures.push_back(std::move(json));
  }
  Json json{{"edit", to_string(edit.kind)},
            {"what", describe(edit)},
            {"device", edit.device},
            {"benchmark", edit.benchmark},
            {"figures", std::move(figures)},
            {"reason", edit.reason},
            {"by", edit.by}};
  if (!edit.also.empty()) json["also"] = edit.also;
  return json;
}

Json to_json(const Edits& edits) {
  Json baselines = Json::array();
  for (const BaselineEdit& edit : edits.baselines) baselines.push_back(to_json(edit));
  Json policy = Json::array();
  for (const PolicyEdit& edit : edits.policy) {
    policy.push_back({{"edit", to_string(edit.kind)}, {"what", edit.what}});
  }
  return {{"since", edits.since},
          {"headline", headline(edits)},
          {"baselines", std::move(baselines)},
          {"policy", std::move(policy)},
          {"unclear", edits.unclear}};
}

Json side_json(const std::string& name, const std::optional<results::Session>& session) {
  Json json{{"name", name}};
  if (session) json["session"] = results::to_json(*session);
  return json;
}

Json counts_json(const GateVerdict& verdict) {
  Json json = Json::object();
  for (auto each = kVerdicts.rbegin(); each != kVerdicts.rend(); ++each) {
    if (const std::size_t count = verdict.count(*each); count > 0) json[to_string(*each)] = count;
  }
  return json;
}

// As it is counted when it is read.
struct Extent {
  std::size_t values = 0;   // with keys
  std::size_t members = 0;  // of the largest object
  std::size_t longest = 0;  // of all texts, keys too
};

void measure(const Json& json, Extent& extent) {
  ++extent.values;
  if (json.is_string()) {
    extent.longest = std::max(extent.longest, json.get_ref<const std::string&>().size());
  }
  if (json.is_object()) {
    extent.values += json.size();
    extent.members = std::max(extent.members, json.size());
    for (const auto& [key, value] : json.items()) {
      extent.longest = std::max(extent.longest, key.size());
      measure(value, extent);
    }
  }
  if (json.is_array()) {
    for (const Json& each : json) measure(each, extent);
  }
}

// The longest of the lists of which a benchmark has hundreds at most.
std::size_t longest_list(const GateVerdict& verdict) {
  std::size_t longest = 0;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    longest = std::max(longest, benchmark.metrics.size());
    for (const MetricVerdict& metric : benchmark.metrics) {
      longest = std::max(longest, metric.limits.size());
      if (metric.cause) longest = std::max(longest, metric.cause->lines.size());
    }
  }
  return longest;
}

// Empty: it is read.
std::string why_unreadable(const GateVerdict& verdict, const Json& json, std::size_t bytes) {
  Extent extent;
  measure(json, extent);
  const auto refusal = [](const char* what, std::size_t count, const char* unit, std::size_t most) {
    return count <= most ? "" : fmt::format("{} {} {}, at most {}", what, count, unit, most);
  };
  for (const std::string& why :
       {refusal("it has", bytes, "bytes", results::kVerdictLimit.bytes),
        refusal("it has", extent.values, "values", results::kMostValues),
        refusal("an object has", extent.members, "members", results::kMostMembers),
        refusal("a text has", extent.longest, "bytes", results::kLongestText),
        refusal("a benchmark has", longest_list(verdict), "metrics, or lines of one",
                results::kMostMembers)}) {
    if (!why.empty()) return why;
  }
  return "";
}

// Who writes it would find out only when he wants to read it.
void refuse_unreadable(const GateVerdict& verdict, const Json& json, std::size_t bytes) {
  const std::string why = why_unreadable(verdict, json, bytes);
  if (why.empty()) return;
  throw Error(kExitNotMeasured,
              fmt::format("the verdict on {} would not be read again: {}; take fewer at a time, "
                          "as with --filter",
                          counted(verdict.benchmarks.size(), "benchmark"), why));
}

}  // namespace

std::string to_json_text(const GateVerdict& verdict) {
  Json json{{"schema", kVerdictSchemaVersion},
            {"version", verdict.version},
            {"before", side_json(verdict.before, verdict.before_session)},
            {"after", side_json(verdict.after, verdict.after_session)},
            {"device", verdict.device},
            {"exit_status", verdict.exit_status},
            {"outcome", outcome(verdict)},
            {"conclusion", conclusion(verdict)},
            {"no_baseline", verdict.no_baseline},
            {"approve_command", verdict.approve_command}};
  if (!verdict.approved_revision.empty()) json["approved_revision"] = verdict.approved_revision;
  for (const Shortfall& each : verdict.shortfalls) {
    json["shortfalls"].push_back({{"exit_status", each.exit_status}, {"what", each.what}});
  }
  Json allowed = Json::array();
  for (const Verdict each : verdict.allowed) allowed.push_back(to_string(each));
  json["allowed"] = std::move(allowed);
  json["notes"] = verdict.notes;
  if (verdict.edits) json["edits"] = to_json(*verdict.edits);
  json["counts"] = counts_json(verdict);
  if (!verdict.ceilings.empty()) json["ceilings"] = verdict.ceilings;
  Json benchmarks = Json::array();
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    benchmarks.push_back(to_json(benchmark));
  }
  json["benchmarks"] = std::move(benchmarks);
  json["sources"] = verdict.sources;
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  refuse_unreadable(verdict, json, text.size());
  return text;
}

}  // namespace warpgauge::ci
