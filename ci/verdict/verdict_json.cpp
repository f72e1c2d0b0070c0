// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/verdict_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "ci/verdict/verdict_text.hpp"
#include "profiling/results/files.hpp"
#include "profiling/results/json_reader.hpp"
#include "profiling/results/record_json.hpp"
#include "profiling/results/session_json.hpp"

namespace warpgauge::ci {
namespace {

using results::FormatError;
using results::Json;
using results::JsonReader;

constexpr std::array<std::pair<MetricClass, const char*>, 3> kClasses{
    {{MetricClass::exact, "exact"},
     {MetricClass::statistical, "statistical"},
     {MetricClass::shown, "shown"}}};

constexpr std::array kVerdicts{Verdict::same,         Verdict::not_worse,    Verdict::improved,
                               Verdict::added,        Verdict::inconclusive, Verdict::regressed,
                               Verdict::not_measured, Verdict::missing,      Verdict::failed};

// The figures of a kernel's code that are whole numbers.
void add_if_known(Json& json, const char* key, const std::optional<double>& value) {
  if (value && std::isfinite(*value)) json[key] = *value;
}

Json lines_json(const std::vector<results::SourceLine>& lines) {
  Json json = Json::array();
  for (const results::SourceLine& line : lines) json.push_back(to_json(line));
  return json;
}

Json to_json(const Cause& cause) {
  Json json = Json::object();
  add_if_known(json, "before_a_request", cause.before_a_request);
  add_if_known(json, "after_a_request", cause.after_a_request);
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

Json to_json(const MetricVerdict& metric) {
  Json json{{"metric", metric.metric},
            {"unit", results::unit_of(metric.metric)},
            {"class", to_string(metric.metric_class)},
            {"verdict", to_string(metric.verdict)}};
  add_if_known(json, "before", metric.before);
  add_if_known(json, "after", metric.after);
  add_if_known(json, "low", metric.low);
  add_if_known(json, "high", metric.high);
  add_if_known(json, "p", metric.p);
  add_if_known(json, "floor", metric.floor);
  json["reason"] = metric.reason;
  if (metric.cause) json["cause"] = to_json(*metric.cause);
  json["before_sessions"] = to_json(metric.before_sessions);
  json["after_sessions"] = to_json(metric.after_sessions);
  return json;
}

Json to_json(const KernelVersions& kernel) {
  Json json{{"name", kernel.name}};
  if (kernel.before) json["before"] = to_json(*kernel.before);
  if (kernel.after) json["after"] = to_json(*kernel.after);
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
    add_if_known(json, "before", figure.before);
    add_if_known(json, "after", figure.after);
    figures.push_back(std::move(json));
  }
  return {{"edit", to_string(edit.kind)},
          {"what", describe(edit)},
          {"device", edit.device},
          {"benchmark", edit.benchmark},
          {"figures", std::move(figures)},
          {"reason", edit.reason},
          {"by", edit.by}};
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

// An object with nothing but these keys.
void require_keys(const JsonReader& place, std::initializer_list<std::string_view> known) {
  place.require_object();
  for (const auto& [key, value] : place.json().items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    place.fail(fmt::format("'{}' is not known in schema {}", key, kVerdictSchemaVersion));
  }
}

Verdict verdict_from(const JsonReader& place) {
  const std::string name = place.text();
  for (const Verdict each : kVerdicts) {
    if (name == to_string(each)) return each;
  }
  place.fail(fmt::format("'{}' is no verdict", name));
}

Cause cause_from(const JsonReader& place) {
  require_keys(place, {"before_a_request", "after_a_request", "lines", "no_lines_because"});
  Cause cause;
  cause.before_a_request = place.optional("before_a_request", &JsonReader::number);
  cause.after_a_request = place.optional("after_a_request", &JsonReader::number);
  for (const JsonReader& element : place.at("lines").elements()) {
    require_keys(element, {"line", "before", "after"});
    cause.lines.push_back({results::source_line_from(element.at("line")),
                           element.at("before").count(), element.at("after").count()});
  }
  cause.no_lines_because = place.at("no_lines_because").text();
  return cause;
}

std::vector<LabelledFigures> sessions_from(const JsonReader& list) {
  std::vector<LabelledFigures> sessions;
  for (const JsonReader& element : list.elements()) {
    require_keys(element, {"label", "figures"});
    sessions.push_back({element.at("label").text(), element.at("figures").numbers()});
  }
  return sessions;
}

MetricVerdict metric_from(const JsonReader& place) {
  require_keys(place, {"metric", "unit", "class", "verdict", "before", "after", "low", "high", "p",
                       "floor", "reason", "cause", "before_sessions", "after_sessions"});
  MetricVerdict metric;
  metric.metric = place.at("metric").text();
  (void)place.at("unit").text();  // follows from the metric
  metric.metric_class = place.at("class").one_of(kClasses);
  metric.verdict = verdict_from(place.at("verdict"));
  metric.before = place.optional("before", &JsonReader::number);
  metric.after = place.optional("after", &JsonReader::number);
  metric.low = place.optional("low", &JsonReader::number);
  metric.high = place.optional("high", &JsonReader::number);
  metric.p = place.optional("p", &JsonReader::number);
  metric.floor = place.optional("floor", &JsonReader::number);
  metric.reason = place.at("reason").text();
  if (const auto cause = place.optional("cause")) metric.cause = cause_from(*cause);
  metric.before_sessions = sessions_from(place.at("before_sessions"));
  metric.after_sessions = sessions_from(place.at("after_sessions"));
  return metric;
}

KernelVersions kernel_from(const JsonReader& place) {
  require_keys(place, {"name", "before", "after"});
  KernelVersions kernel;
  kernel.name = place.at("name").text();
  kernel.before = place.optional("before", results::kernel_code_from);
  kernel.after = place.optional("after", results::kernel_code_from);
  return kernel;
}

Achieved achieved_from(const JsonReader& place) {
  require_keys(place, {"bytes_per_second", "ceiling", "share_of_ceiling", "no_share_because"});
  Achieved achieved;
  achieved.bytes_per_second = place.at("bytes_per_second").number();
  if (const auto why = place.optional("no_share_because")) {
    if (place.optional("ceiling") || place.optional("share_of_ceiling")) {
      place.fail("has a share of a ceiling, and 'no_share_because'; one of them is wrong");
    }
    achieved.no_share_because = why->text();
    return achieved;
  }
  achieved.ceiling = place.at("ceiling").text();
  achieved.share = place.at("share_of_ceiling").number();
  return achieved;
}

std::vector<std::vector<double>> samples_from(const std::optional<JsonReader>& list) {
  std::vector<std::vector<double>> samples;
  if (!list) return samples;
  for (const JsonReader& process : list->elements()) samples.push_back(process.numbers());
  return samples;
}

BenchmarkVerdict benchmark_from(const JsonReader& place) {
  require_keys(place, {"id", "verdict", "message", "work", "achieved", "metrics", "samples_before",
                       "samples_after", "lines_before", "lines_after", "kernels", "not_measured",
                       "remarks"});
  BenchmarkVerdict benchmark;
  benchmark.id = place.at("id").text();
  benchmark.verdict = verdict_from(place.at("verdict"));
  benchmark.message = place.at("message").text();
  require_keys(place.at("work"), {"bytes_read", "bytes_written", "operations"});
  benchmark.work = results::work_from(place.at("work"));
  if (const auto achieved = place.optional("achieved")) {
    benchmark.achieved = achieved_from(*achieved);
  }
  for (const JsonReader& metric : place.at("metrics").elements()) {
    benchmark.metrics.push_back(metric_from(metric));
  }
  benchmark.samples_before = samples_from(place.optional("samples_before"));
  benchmark.samples_after = samples_from(place.optional("samples_after"));
  benchmark.lines_before = place.at("lines_before").list_of(results::source_line_from);
  benchmark.lines_after = place.at("lines_after").list_of(results::source_line_from);
  if (const auto kernels = place.optional("kernels")) {
    for (const JsonReader& kernel : kernels->elements()) {
      benchmark.kernels.push_back(kernel_from(kernel));
    }
  }
  for (const auto& [what, why] : place.at("not_measured").members()) {
    benchmark.not_measured[what] = why.text();
  }
  benchmark.remarks = place.at("remarks").texts();
  return benchmark;
}

template <class Kind>
Kind kind_from(const JsonReader& place, std::initializer_list<Kind> kinds) {
  const std::string name = place.text();
  for (const Kind kind : kinds) {
    if (name == to_string(kind)) return kind;
  }
  place.fail(fmt::format("'{}' is no kind of edit", name));
}

BaselineEdit baseline_edit_from(const JsonReader& place) {
  using Kind = BaselineEdit::Kind;
  require_keys(place, {"edit", "what", "device", "benchmark", "figures", "reason", "by"});
  BaselineEdit edit;
  edit.kind = kind_from(place.at("edit"), {Kind::approves, Kind::adds, Kind::removes});
  (void)place.at("what").text();  // follows from the rest
  edit.device = place.at("device").text();
  edit.benchmark = place.at("benchmark").text();
  for (const JsonReader& figure : place.at("figures").elements()) {
    require_keys(figure, {"metric", "before", "after"});
    edit.figures.push_back({figure.at("metric").text(),
                            figure.optional("before", &JsonReader::number),
                            figure.optional("after", &JsonReader::number)});
  }
  edit.reason = place.at("reason").text();
  edit.by = place.at("by").text();
  return edit;
}

Edits edits_from(const JsonReader& place) {
  using Kind = PolicyEdit::Kind;
  require_keys(place, {"since", "headline", "baselines", "policy", "unclear"});
  Edits edits;
  edits.since = place.at("since").text();
  (void)place.at("headline").text();  // follows from the rest
  for (const JsonReader& edit : place.at("baselines").elements()) {
    edits.baselines.push_back(baseline_edit_from(edit));
  }
  for (const JsonReader& edit : place.at("policy").elements()) {
    require_keys(edit, {"edit", "what"});
    edits.policy.push_back(
        {kind_from(edit.at("edit"), {Kind::loosens, Kind::tightens, Kind::changes}),
         edit.at("what").text()});
  }
  edits.unclear = place.at("unclear").texts();
  return edits;
}

void read_side(const JsonReader& place, std::string& name,
               std::optional<results::Session>& session) {
  require_keys(place, {"name", "session"});
  name = place.at("name").text();
  session = place.optional("session", results::session_from);
}

void check_version(const JsonReader& document) {
  const JsonReader schema = document.at("schema");
  for (int known = kOldestVerdictSchema; known <= kVerdictSchemaVersion; ++known) {
    if (schema.beginning() == fmt::format("{}", known)) return;
  }
  schema.fail(
      fmt::format("is {}, not {} to {}; read it with the version of Warpgauge that wrote it",
                  schema.beginning(), kOldestVerdictSchema, kVerdictSchemaVersion));
}

// A count that does not fit its benchmarks would make reports contradict each other.
void check_counts(const JsonReader& counts, const GateVerdict& verdict) {
  counts.require_object();
  for (const Verdict each : kVerdicts) {
    const std::string name = to_string(each);
    const auto count = counts.optional(name.c_str());
    const std::uint64_t said = count ? count->count() : 0;
    if (said == verdict.count(each)) continue;
    counts.fail(
        fmt::format("says {} '{}', but 'benchmarks' holds {}", said, name, verdict.count(each)));
  }
  for (const auto& [name, count] : counts.members()) {
    const bool known = std::any_of(kVerdicts.begin(), kVerdicts.end(),
                                   [&, &key = name](Verdict v) { return to_string(v) == key; });
    if (!known) counts.fail(fmt::format("'{}' is no verdict", name));
  }
}

GateVerdict gate_verdict_from(const JsonReader& document) {
  document.require_object();
  check_version(document);
  require_keys(document, {"schema", "version", "before", "after", "device", "exit_status",
                          "outcome", "conclusion", "no_baseline", "approve_command", "allowed",
                          "notes", "edits", "counts", "ceilings", "benchmarks", "sources"});
  GateVerdict verdict;
  verdict.version = document.at("version").text();
  read_side(document.at("before"), verdict.before, verdict.before_session);
  read_side(document.at("after"), verdict.after, verdict.after_session);
  verdict.device = document.at("device").text();
  constexpr std::uint64_t kGreatestStatus = 255;
  const std::uint64_t status = document.at("exit_status").count();
  if (status > kGreatestStatus) document.at("exit_status").fail("is no exit status");
  verdict.exit_status = static_cast<int>(status);
  // Both follow from the rest.
  (void)document.at("outcome").text();
  (void)document.at("conclusion").text();
  verdict.no_baseline = document.at("no_baseline").text();
  verdict.approve_command = document.at("approve_command").text();
  for (const JsonReader& allowed : document.at("allowed").elements()) {
    verdict.allowed.insert(verdict_from(allowed));
  }
  verdict.notes = document.at("notes").texts();
  if (const auto edits = document.optional("edits")) verdict.edits = edits_from(*edits);
  if (const auto ceilings = document.optional("ceilings")) {
    require_keys(*ceilings, {"read", "write", "copy", "triad"});
    for (const auto& [name, rate] : ceilings->members()) verdict.ceilings[name] = rate.number();
  }
  for (const JsonReader& benchmark : document.at("benchmarks").elements()) {
    verdict.benchmarks.push_back(benchmark_from(benchmark));
  }
  check_counts(document.at("counts"), verdict);
  for (const auto& [file, text] : document.at("sources").members()) {
    verdict.sources[file] = text.text();
  }
  return verdict;
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
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

GateVerdict verdict_from_json_text(const std::string& text, const std::string& name) {
  Json json;
  try {
    json = results::parse_json(text);
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", name, error.what()));
  } catch (const Json::exception& error) {
    throw FormatError(
        fmt::format("{}: is not JSON ({}); write it again with 'warpgauge gate' or "
                    "'warpgauge compare --json'",
                    name, error.what()));
  }
  try {
    return gate_verdict_from(json);
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", name, error.what()));
  }
}

GateVerdict read_verdict(const std::filesystem::path& path) {
  return verdict_from_json_text(results::read_file(path), path.string());
}

}  // namespace warpgauge::ci
