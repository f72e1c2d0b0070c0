// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/verdict_json.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "ci/support/errors.hpp"
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

// With keys, as they are counted when it is read.
std::size_t values_of(const Json& json) {
  std::size_t values = 1 + (json.is_object() ? json.size() : 0);
  if (json.is_structured()) {
    for (const Json& each : json) values += values_of(each);
  }
  return values;
}

// Who writes it would find out only when he wants to read it.
void refuse_unreadable(std::size_t benchmarks, std::size_t bytes, std::size_t values) {
  if (bytes <= results::kVerdictLimit.bytes && values <= results::kMostValues) return;
  throw Error(
      kExitNotMeasured,
      fmt::format("the verdict on {} benchmarks has {} MiB and {} values, and no report is made of "
                  "more than {} MiB and {}; take fewer at a time, as with --filter",
                  benchmarks, bytes / results::kMebibyte, values,
                  results::kVerdictLimit.bytes / results::kMebibyte, results::kMostValues));
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
  refuse_unreadable(verdict.benchmarks.size(), text.size(), values_of(json));
  return text;
}

}  // namespace warpgauge::ci
