// SPDX-License-Identifier: Apache-2.0
// The reading half of verdict_json.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string_view>

#include "ci/verdict/exit_status.hpp"
#include "ci/verdict/sass_json.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "profiling/results/files/file_kind.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/json/json_reader.hpp"
#include "profiling/results/json/record_json.hpp"
#include "profiling/results/json/session_json.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

using results::FormatError;
using results::Json;
using results::JsonReader;

constexpr results::EnumNames<MetricClass, 3> kClasses{{{MetricClass::exact, "exact"},
                                                       {MetricClass::statistical, "statistical"},
                                                       {MetricClass::shown, "shown"}}};

constexpr results::EnumNames<Policy::Bound, 2> kBounds{
    {{Policy::Bound::most, "most"}, {Policy::Bound::least, "least"}}};

// An object with nothing but these keys.
void require_keys(const JsonReader& place, std::initializer_list<std::string_view> known) {
  place.require_object();
  for (const auto& [key, value] : place.json().items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    place.fail(fmt::format("'{}' is not known in schema {}", key, kVerdictSchemaVersion));
  }
}

// What a benchmark has hundreds of at most: reports compare each with the others.
std::vector<JsonReader> few(const JsonReader& list) {
  auto elements = list.elements();
  if (elements.size() <= results::kMostMembers) return elements;
  list.fail(fmt::format("has {} entries, and at most {} are read", elements.size(),
                        results::kMostMembers));
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
  for (const JsonReader& element : few(place.at("lines"))) {
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

LimitEstimate limit_from(const JsonReader& place) {
  require_keys(place, {"bound", "value", "by", "verdict", "low", "high", "reason",
                       "unclear_because", "not_measured", "against"});
  LimitEstimate limit;
  limit.bound = place.at("bound").one_of(kBounds);
  limit.value = place.at("value").number();
  limit.by = place.at("by").text();
  (void)verdict_from(place.at("verdict"));  // follows from the rest
  limit.low = place.optional("low", &JsonReader::number);
  limit.high = place.optional("high", &JsonReader::number);
  limit.against = place.optional("against", &JsonReader::text).value_or("");
  limit.reason = place.optional("reason", &JsonReader::text).value_or("");
  limit.unclear_because = place.optional("unclear_because", &JsonReader::text).value_or("");
  limit.not_measured = place.optional("not_measured", &JsonReader::text).value_or("");
  return limit;
}

MetricVerdict metric_from(const JsonReader& place) {
  require_keys(
      place, {"metric", "unit", "class", "verdict", "before", "after", "low", "high", "p", "floor",
              "reason", "cause", "limits", "by_limit", "before_sessions", "after_sessions"});
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
  if (const auto limits = place.optional("limits")) {
    for (const JsonReader& limit : few(*limits)) metric.limits.push_back(limit_from(limit));
  }
  metric.by_limit = place.optional("by_limit", &JsonReader::flag).value_or(false);
  metric.before_sessions = sessions_from(place.at("before_sessions"));
  metric.after_sessions = sessions_from(place.at("after_sessions"));
  return metric;
}

KernelVersions kernel_from(const JsonReader& place) {
  require_keys(place, {"name", "before", "after", "sass", "more_sass"});
  KernelVersions kernel;
  kernel.name = place.at("name").text();
  kernel.before = place.optional("before", results::kernel_code_from);
  kernel.after = place.optional("after", results::kernel_code_from);
  kernel.sass = sass_from(place);
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
  for (const JsonReader& metric : few(place.at("metrics"))) {
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
  require_keys(place, {"edit", "what", "device", "benchmark", "figures", "also", "reason", "by"});
  BaselineEdit edit;
  edit.kind =
      kind_from(place.at("edit"), {Kind::anchors, Kind::approves, Kind::adds, Kind::removes});
  (void)place.at("what").text();  // follows from the rest
  edit.device = place.at("device").text();
  edit.benchmark = place.at("benchmark").text();
  for (const JsonReader& figure : place.at("figures").elements()) {
    require_keys(figure, {"metric", "before", "after"});
    edit.figures.push_back({figure.at("metric").text(),
                            figure.optional("before", &JsonReader::number),
                            figure.optional("after", &JsonReader::number)});
  }
  edit.also = place.optional("also", &JsonReader::texts).value_or(std::vector<std::string>());
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

// What a benchmark says must be no less grave than what its metrics say.
void check_gravity(const JsonReader& place, const BenchmarkVerdict& benchmark) {
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (metric.verdict <= benchmark.verdict) continue;
    place.at("verdict").fail(fmt::format("is '{}', but that of {} is '{}'",
                                         to_string(benchmark.verdict), metric.metric,
                                         to_string(metric.verdict)));
  }
}

// Which benchmarks are critical, so that --allow does not soften them, is not in the file.
void check_exit_status(const JsonReader& place, const GateVerdict& verdict) {
  const int softest = exit_status(verdict);
  const int hardest = exit_status(verdict, {});
  if (verdict.exit_status == softest || verdict.exit_status == hardest) return;
  place.fail(fmt::format(
      "is {}, but what the file holds comes to {}", verdict.exit_status,
      softest == hardest ? fmt::format("{}", softest) : fmt::format("{} or {}", softest, hardest)));
}

Verdict allowed_from(const JsonReader& place) {
  const Verdict allowed = verdict_from(place);
  if (allowed == Verdict::added || allowed == Verdict::inconclusive) return allowed;
  place.fail(fmt::format("'{}' cannot be allowed, only '{}' and '{}'", to_string(allowed),
                         to_string(Verdict::added), to_string(Verdict::inconclusive)));
}

int exit_status_from(const JsonReader& place) {
  constexpr std::uint64_t kGreatestStatus = 255;
  const std::uint64_t status = place.count();
  if (status > kGreatestStatus) place.fail("is no exit status");
  return static_cast<int>(status);
}

GateVerdict gate_verdict_from(const JsonReader& document) {
  document.require_object();
  check_version(document);
  require_keys(document,
               {"schema", "version", "before", "after", "device", "exit_status", "outcome",
                "conclusion", "no_baseline", "shortfalls", "approve_command", "approved_revision",
                "allowed", "notes", "edits", "counts", "ceilings", "benchmarks", "sources"});
  GateVerdict verdict;
  verdict.version = document.at("version").text();
  read_side(document.at("before"), verdict.before, verdict.before_session);
  read_side(document.at("after"), verdict.after, verdict.after_session);
  verdict.device = document.at("device").text();
  verdict.exit_status = exit_status_from(document.at("exit_status"));
  // Both follow from the rest.
  (void)document.at("outcome").text();
  (void)document.at("conclusion").text();
  verdict.no_baseline = document.at("no_baseline").text();
  if (const auto shortfalls = document.optional("shortfalls")) {
    for (const JsonReader& each : shortfalls->elements()) {
      require_keys(each, {"exit_status", "what"});
      verdict.shortfalls.push_back(
          {exit_status_from(each.at("exit_status")), each.at("what").text()});
    }
  }
  verdict.approve_command = document.at("approve_command").text();
  verdict.approved_revision =
      document.optional("approved_revision", &JsonReader::text).value_or("");
  for (const JsonReader& allowed : document.at("allowed").elements()) {
    verdict.allowed.insert(allowed_from(allowed));
  }
  verdict.notes = document.at("notes").texts();
  if (const auto edits = document.optional("edits")) verdict.edits = edits_from(*edits);
  if (const auto ceilings = document.optional("ceilings")) {
    require_keys(*ceilings, {"read", "write", "copy", "triad"});
    for (const auto& [name, rate] : ceilings->members()) verdict.ceilings[name] = rate.number();
  }
  for (const JsonReader& benchmark : document.at("benchmarks").elements()) {
    verdict.benchmarks.push_back(benchmark_from(benchmark));
    check_gravity(benchmark, verdict.benchmarks.back());
  }
  check_exit_status(document.at("exit_status"), verdict);
  check_counts(document.at("counts"), verdict);
  for (const auto& [file, text] : document.at("sources").members()) {
    verdict.sources[file] = text.text();
  }
  return verdict;
}

}  // namespace

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
  try {
    return verdict_from_json_text(results::read_file(path, results::kVerdictLimit), path.string());
  } catch (const FormatError&) {
    const std::string kind = results::kind_of_file(path);
    if (kind.empty() || kind == "a verdict") throw;
    throw FormatError(
        fmt::format("{}: is {}, not a verdict; name the verdict.json of 'warpgauge "
                    "gate', or what 'warpgauge compare --json' wrote",
                    path.string(), kind));
  }
}

}  // namespace warpgauge::ci
