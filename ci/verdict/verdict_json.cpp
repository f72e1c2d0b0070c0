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
#include "profiling/results/record_json.hpp"

namespace warpgauge::ci {
namespace {

using results::FormatError;
using results::Json;

constexpr std::array<std::pair<MetricClass, const char*>, 3> kClasses{
    {{MetricClass::exact, "exact"},
     {MetricClass::statistical, "statistical"},
     {MetricClass::shown, "shown"}}};

constexpr std::array kVerdicts{Verdict::same,         Verdict::improved,  Verdict::added,
                               Verdict::inconclusive, Verdict::regressed, Verdict::not_measured,
                               Verdict::missing,      Verdict::failed};

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
            {"work",
             {{"bytes_read", benchmark.work.bytes_read},
              {"bytes_written", benchmark.work.bytes_written},
              {"operations", benchmark.work.operations}}}};
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

// A value of the document and where it stands, for messages.
class Value {
 public:
  Value(const Json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(path_.empty() ? what : fmt::format("{}: {}", path_, what));
  }

  // An object with nothing but these keys.
  void require_object(std::initializer_list<std::string_view> known) const {
    require_object();
    for (const auto& [key, value] : json_->items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      fail(fmt::format("'{}' is not known in schema {}", key, kVerdictSchemaVersion));
    }
  }
  void require_object() const {
    if (!json_->is_object()) {
      fail(fmt::format("must be an object, is {}", json_->type_name()));
    }
  }

  [[nodiscard]] std::optional<Value> optional(const char* key) const {
    const auto found = json_->find(key);
    if (found == json_->end()) return std::nullopt;
    return Value(*found, inside(key));
  }
  [[nodiscard]] Value at(const char* key) const {
    auto member = optional(key);
    if (!member) fail(fmt::format("'{}' is missing", key));
    return *std::move(member);
  }

  [[nodiscard]] std::vector<Value> elements() const {
    if (!json_->is_array()) fail(fmt::format("must be a list, is {}", json_->type_name()));
    std::vector<Value> all;
    for (std::size_t i = 0; i < json_->size(); ++i) {
      all.emplace_back((*json_)[i], fmt::format("{}[{}]", path_, i));
    }
    return all;
  }
  [[nodiscard]] std::vector<std::pair<std::string, Value>> members() const {
    require_object();
    std::vector<std::pair<std::string, Value>> all;
    for (const auto& [key, value] : json_->items()) {
      all.emplace_back(key, Value(value, inside(key)));
    }
    return all;
  }

  [[nodiscard]] std::string text() const {
    if (!json_->is_string()) fail(fmt::format("must be a string, is {}", json_->type_name()));
    return json_->get<std::string>();
  }
  [[nodiscard]] double number() const {
    if (!json_->is_number()) fail(fmt::format("must be a number, is {}", json_->type_name()));
    const double number = json_->get<double>();
    if (!std::isfinite(number)) fail("is not finite");
    return number;
  }
  [[nodiscard]] std::uint64_t count() const {
    if (!json_->is_number_unsigned() &&
        !(json_->is_number_integer() && json_->get<std::int64_t>() >= 0)) {
      fail(fmt::format("must be a whole number of at least 0, is {}", beginning()));
    }
    return json_->get<std::uint64_t>();
  }

  // By a reader that names fields within the value itself.
  template <class Read>
  auto read_by(Read read) const {
    try {
      return read(*json_);
    } catch (const FormatError& error) {
      fail(error.what());
    }
  }

  [[nodiscard]] std::string beginning() const {
    constexpr std::size_t kLongest = 40;
    return json_->dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, kLongest);
  }

 private:
  [[nodiscard]] std::string inside(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
  }

  const Json* json_;
  std::string path_;
};

Verdict verdict_from(const Value& place) {
  const std::string name = place.text();
  for (const Verdict each : kVerdicts) {
    if (name == to_string(each)) return each;
  }
  place.fail(fmt::format("'{}' is no verdict", name));
}

MetricClass class_from(const Value& place) {
  const std::string name = place.text();
  for (const auto& [known, known_name] : kClasses) {
    if (name == known_name) return known;
  }
  place.fail(fmt::format("'{}' is not one of exact, statistical, shown", name));
}

std::optional<double> optional_number(const Value& place, const char* key) {
  const auto member = place.optional(key);
  return member ? std::optional(member->number()) : std::nullopt;
}

std::vector<std::string> texts(const Value& list) {
  std::vector<std::string> all;
  for (const Value& element : list.elements()) all.push_back(element.text());
  return all;
}

std::vector<double> numbers(const Value& list) {
  std::vector<double> all;
  for (const Value& element : list.elements()) all.push_back(element.number());
  return all;
}

std::vector<results::SourceLine> source_lines(const Value& list) {
  std::vector<results::SourceLine> lines;
  for (const Value& element : list.elements()) {
    lines.push_back(element.read_by(results::source_line_from));
  }
  return lines;
}

Cause cause_from(const Value& place) {
  place.require_object({"before_a_request", "after_a_request", "lines", "no_lines_because"});
  Cause cause;
  cause.before_a_request = optional_number(place, "before_a_request");
  cause.after_a_request = optional_number(place, "after_a_request");
  for (const Value& element : place.at("lines").elements()) {
    element.require_object({"line", "before", "after"});
    cause.lines.push_back({element.at("line").read_by(results::source_line_from),
                           element.at("before").count(), element.at("after").count()});
  }
  cause.no_lines_because = place.at("no_lines_because").text();
  return cause;
}

std::vector<LabelledFigures> sessions_from(const Value& list) {
  std::vector<LabelledFigures> sessions;
  for (const Value& element : list.elements()) {
    element.require_object({"label", "figures"});
    sessions.push_back({element.at("label").text(), numbers(element.at("figures"))});
  }
  return sessions;
}

MetricVerdict metric_from(const Value& place) {
  place.require_object({"metric", "unit", "class", "verdict", "before", "after", "low", "high", "p",
                        "floor", "reason", "cause", "before_sessions", "after_sessions"});
  MetricVerdict metric;
  metric.metric = place.at("metric").text();
  (void)place.at("unit").text();  // follows from the metric
  metric.metric_class = class_from(place.at("class"));
  metric.verdict = verdict_from(place.at("verdict"));
  metric.before = optional_number(place, "before");
  metric.after = optional_number(place, "after");
  metric.low = optional_number(place, "low");
  metric.high = optional_number(place, "high");
  metric.p = optional_number(place, "p");
  metric.floor = optional_number(place, "floor");
  metric.reason = place.at("reason").text();
  if (const auto cause = place.optional("cause")) metric.cause = cause_from(*cause);
  metric.before_sessions = sessions_from(place.at("before_sessions"));
  metric.after_sessions = sessions_from(place.at("after_sessions"));
  return metric;
}

KernelVersions kernel_from(const Value& place) {
  place.require_object({"name", "before", "after"});
  KernelVersions kernel;
  kernel.name = place.at("name").text();
  if (const auto before = place.optional("before"))
    kernel.before = before->read_by(results::kernel_code_from);
  if (const auto after = place.optional("after"))
    kernel.after = after->read_by(results::kernel_code_from);
  return kernel;
}

results::Work work_from(const Value& place) {
  place.require_object({"bytes_read", "bytes_written", "operations"});
  return {place.at("bytes_read").number(), place.at("bytes_written").number(),
          place.at("operations").number()};
}

Achieved achieved_from(const Value& place) {
  place.require_object({"bytes_per_second", "ceiling", "share_of_ceiling", "no_share_because"});
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

std::vector<std::vector<double>> samples_from(const std::optional<Value>& list) {
  std::vector<std::vector<double>> samples;
  if (!list) return samples;
  for (const Value& process : list->elements()) samples.push_back(numbers(process));
  return samples;
}

BenchmarkVerdict benchmark_from(const Value& place) {
  place.require_object({"id", "verdict", "message", "work", "achieved", "metrics", "samples_before",
                        "samples_after", "lines_before", "lines_after", "kernels", "not_measured",
                        "remarks"});
  BenchmarkVerdict benchmark;
  benchmark.id = place.at("id").text();
  benchmark.verdict = verdict_from(place.at("verdict"));
  benchmark.message = place.at("message").text();
  benchmark.work = work_from(place.at("work"));
  if (const auto achieved = place.optional("achieved")) {
    benchmark.achieved = achieved_from(*achieved);
  }
  for (const Value& metric : place.at("metrics").elements()) {
    benchmark.metrics.push_back(metric_from(metric));
  }
  benchmark.samples_before = samples_from(place.optional("samples_before"));
  benchmark.samples_after = samples_from(place.optional("samples_after"));
  benchmark.lines_before = source_lines(place.at("lines_before"));
  benchmark.lines_after = source_lines(place.at("lines_after"));
  if (const auto kernels = place.optional("kernels")) {
    for (const Value& kernel : kernels->elements()) {
      benchmark.kernels.push_back(kernel_from(kernel));
    }
  }
  for (const auto& [what, why] : place.at("not_measured").members()) {
    benchmark.not_measured[what] = why.text();
  }
  benchmark.remarks = texts(place.at("remarks"));
  return benchmark;
}

template <class Kind>
Kind kind_from(const Value& place, std::initializer_list<Kind> kinds) {
  const std::string name = place.text();
  for (const Kind kind : kinds) {
    if (name == to_string(kind)) return kind;
  }
  place.fail(fmt::format("'{}' is no kind of edit", name));
}

BaselineEdit baseline_edit_from(const Value& place) {
  using Kind = BaselineEdit::Kind;
  place.require_object({"edit", "what", "device", "benchmark", "figures", "reason", "by"});
  BaselineEdit edit;
  edit.kind = kind_from(place.at("edit"), {Kind::approves, Kind::adds, Kind::removes});
  (void)place.at("what").text();  // follows from the rest
  edit.device = place.at("device").text();
  edit.benchmark = place.at("benchmark").text();
  for (const Value& figure : place.at("figures").elements()) {
    figure.require_object({"metric", "before", "after"});
    edit.figures.push_back({figure.at("metric").text(), optional_number(figure, "before"),
                            optional_number(figure, "after")});
  }
  edit.reason = place.at("reason").text();
  edit.by = place.at("by").text();
  return edit;
}

Edits edits_from(const Value& place) {
  using Kind = PolicyEdit::Kind;
  place.require_object({"since", "headline", "baselines", "policy", "unclear"});
  Edits edits;
  edits.since = place.at("since").text();
  (void)place.at("headline").text();  // follows from the rest
  for (const Value& edit : place.at("baselines").elements()) {
    edits.baselines.push_back(baseline_edit_from(edit));
  }
  for (const Value& edit : place.at("policy").elements()) {
    edit.require_object({"edit", "what"});
    edits.policy.push_back(
        {kind_from(edit.at("edit"), {Kind::loosens, Kind::tightens, Kind::changes}),
         edit.at("what").text()});
  }
  edits.unclear = texts(place.at("unclear"));
  return edits;
}

void read_side(const Value& place, std::string& name, std::optional<results::Session>& session) {
  place.require_object({"name", "session"});
  name = place.at("name").text();
  if (const auto recorded = place.optional("session")) {
    session = recorded->read_by(results::session_from);
  }
}

void check_version(const Value& document) {
  const Value schema = document.at("schema");
  if (schema.beginning() == fmt::format("{}", kVerdictSchemaVersion)) return;
  schema.fail(fmt::format("is {}, not {}; read it with the version of Warpgauge that wrote it",
                          schema.beginning(), kVerdictSchemaVersion));
}

// A count that does not fit its benchmarks would make reports contradict each other.
void check_counts(const Value& counts, const GateVerdict& verdict) {
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

GateVerdict gate_verdict_from(const Value& document) {
  document.require_object();
  check_version(document);
  document.require_object({"schema", "version", "before", "after", "device", "exit_status",
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
  for (const Value& allowed : document.at("allowed").elements()) {
    verdict.allowed.insert(verdict_from(allowed));
  }
  verdict.notes = texts(document.at("notes"));
  if (const auto edits = document.optional("edits")) verdict.edits = edits_from(*edits);
  if (const auto ceilings = document.optional("ceilings")) {
    ceilings->require_object({"read", "write", "copy", "triad"});
    for (const auto& [name, rate] : ceilings->members()) verdict.ceilings[name] = rate.number();
  }
  for (const Value& benchmark : document.at("benchmarks").elements()) {
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
    return gate_verdict_from(Value(json, ""));
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", name, error.what()));
  }
}

GateVerdict read_verdict(const std::filesystem::path& path) {
  return verdict_from_json_text(results::read_file(path), path.string());
}

}  // namespace warpgauge::ci
