// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/baseline_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "ci/baselines/anchor.hpp"
#include "ci/support/utc_time.hpp"
#include "ci/verdict/metrics/counter_range.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/json/record_json.hpp"
#include "profiling/results/json/session_json.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::FormatError;
using results::Json;
using results::JsonReader;
using results::SourceLine;

// Of the files of a baseline, which change apart from results.json.
constexpr int kSchema = 2;
constexpr std::size_t kLongestDevice = 16'384;  // as text; each session has a copy

// A whole number without a decimal point, so that counters read as such in a diff.
std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 9e15) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

// What is not UTF-8 must not keep a baseline from being written.
std::string in_one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string quoted(const std::string& text) { return in_one_line(Json(text)); }

// "key": {…} or [ … ] with one element a line.
std::string block(const std::string& key, char open, char close,
                  const std::vector<std::string>& elements, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  if (elements.empty()) return fmt::format("{}{}: {}{}", margin, quoted(key), open, close);
  return fmt::format("{}{}: {}\n{}  {}\n{}{}", margin, quoted(key), open, margin,
                     fmt::join(elements, ",\n  " + margin), margin, close);
}

// What `whole` has otherwise than `common`, such that common.merge_patch() of it makes it whole.
Json difference(const Json& common, const Json& whole) {
  Json difference = Json::object();
  for (const auto& [key, value] : whole.items()) {
    if (!common.contains(key) || common[key] != value) difference[key] = value;
  }
  for (const auto& [key, value] : common.items()) {
    if (!whole.contains(key)) difference[key] = nullptr;
  }
  return difference;
}

// A file of a baseline. Errors name it and the place in it.
class BaselineFile {
 public:
  explicit BaselineFile(fs::path path) : path_(std::move(path)) {
    try {
      json_ = results::parse_json(results::read_file(path_, results::kBaselineLimit));
    } catch (const Json::exception&) {
      fail("is not JSON");
    } catch (const FormatError& error) {
      fail(error.what());
    }
    if (!json_.is_object() || json_.value("schema", Json()) != kSchema) {
      fail(fmt::format("schema is not {}", kSchema));
    }
  }

  // What `read` makes of the file.
  template <class Read>
  auto read_by(Read read) const {
    try {
      return read(JsonReader(json_));
    } catch (const FormatError& error) {
      fail(error.what());
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(
        fmt::format("{}: {}; restore it from version control, delete it if git does not know it, "
                    "or approve again",
                    path_.string(), what));
  }

  fs::path path_;
  Json json_;
};

Anchor anchor_from(const JsonReader& reader) {
  Anchor anchor;
  anchor.revision = reader.at("revision").text();
  if (!is_whole_sha(anchor.revision)) {
    reader.at("revision").fail("must be the full SHA of a commit");
  }
  anchor.set = reader.at("set").text();
  const std::string why = why_no_time(anchor.set);
  if (!why.empty()) reader.at("set").fail(why);
  anchor.by = reader.at("by").text();
  anchor.reason = reader.at("reason").text();
  return anchor;
}

Baseline device_from(const JsonReader& document) {
  Baseline baseline;
  const JsonReader device = document.at("device");
  device.require_object();
  baseline.device = device.json().dump();
  if (baseline.device.size() > kLongestDevice) {
    device.fail(fmt::format("has {} bytes, and at most {} are read", baseline.device.size(),
                            kLongestDevice));
  }
  for (const auto& [label, line] : document.at("sessions").members()) {
    ApprovedSession& session = baseline.sessions[label];
    session.approved = line.at("approved").text();
    session.by = line.at("by").text();
    session.reason = line.at("reason").text();
    session.carried = line.optional("carried", &JsonReader::text).value_or("");
    const JsonReader own = line.at("device");
    own.require_object();
    Json whole = line.json();
    whole["schema"] = results::kSchemaVersion;
    whole["device"] = device.json();
    whole["device"].merge_patch(own.json());
    session.session = results::session_from({whole, line.path()});
    for (const char* key : {"created", "approved"}) {
      const std::string why = why_no_time(line.at(key).text());
      if (!why.empty()) line.at(key).fail(why);
    }
  }
  if (const auto timed = document.optional("timed")) {
    baseline.timed = timed->text();
    const std::string why = why_no_time(baseline.timed);
    if (!why.empty()) timed->fail(why);
  }
  if (const auto families = document.optional("families")) {
    const std::vector<std::string> names = families->list_of(&JsonReader::text);
    baseline.named.emplace(names.begin(), names.end());
  }
  if (const auto anchors = document.optional("anchors")) {
    for (const auto& [label, anchor] : anchors->members()) {
      baseline.anchors[label] = anchor_from(anchor);
    }
  }
  return baseline;
}

double figure_from(const JsonReader& reader) {
  const double value = reader.number();
  if (value < 0) reader.fail(fmt::format("must be a number of at least 0, is {}", value));
  return value;
}

double positive_from(const JsonReader& reader) {
  const double value = reader.number();
  if (value <= 0) reader.fail(fmt::format("must be a positive number, is {}", value));
  return value;
}

// A session without figures, or a metric without sessions, would be a baseline of nothing.
template <class Read>
auto filled_list_from(const JsonReader& reader, Read read) {
  auto all = reader.list_of(read);
  if (all.empty()) reader.fail("must be a list that is not empty");
  return all;
}

results::CounterRange range_from(const JsonReader& reader) {
  results::CounterRange range;
  range.least = figure_from(reader.at("least"));
  range.greatest = figure_from(reader.at("greatest"));
  const JsonReader sessions = reader.at("sessions");
  range.sessions = sessions.small_count();
  if (range.sessions < 1 || range.sessions > kSessionsOfARange) {
    sessions.fail(fmt::format("must be 1 to {}", kSessionsOfARange));
  }
  if (range.least > range.greatest) reader.fail("least is more than greatest");
  // Written for those who read it; who edits the figures must not leave another class.
  const JsonReader repeats_as = reader.at("class");
  if (repeats_as.text() != to_string(repeats(range))) {
    repeats_as.fail(fmt::format("must be {} by its figures", to_string(repeats(range))));
  }
  return range;
}

Carried carried_from(const JsonReader& reader) {
  return {positive_from(reader.at("ratio")), figure_from(reader.at("standard_error"))};
}

SessionFigures session_figures_from(const JsonReader& reader) {
  return {reader.at("session").text(), filled_list_from(reader.at("processes"), positive_from),
          reader.optional("carried", carried_from)};
}

Anchored anchored_from(const JsonReader& reader) {
  return {reader.at("label").text(), filled_list_from(reader.at("time"), positive_from),
          reader.optional("carried", positive_from)};
}

Approved approved_from(const JsonReader& reader) {
  Approved approved;
  approved.counted = reader.at("counted").text();
  approved.anchored = reader.optional("anchor", anchored_from);
  if (const auto statistical = reader.optional("statistical")) {
    for (const auto& [metric, sessions] : statistical->members()) {
      approved.statistical[metric] = filled_list_from(sessions, session_figures_from);
    }
  }
  for (const auto& [metric, value] : reader.at("exact").members()) {
    approved.exact[metric] = figure_from(value);
  }
  if (const auto ranges = reader.optional("ranges")) {
    for (const auto& [metric, range] : ranges->members()) {
      approved.ranges[metric] = range_from(range);
    }
  }
  approved.lines = reader.at("lines").list_of(results::source_line_from);
  approved.input_digest = reader.optional("input_digest", &JsonReader::text).value_or("");
  if (const auto launches = reader.optional("launches")) {
    approved.launches = results::kernel_launches_from(*launches);
    if (approved.launches.empty()) launches->fail("must be a list that is not empty");
  }
  if (const auto codes = reader.optional("machine_code")) {
    approved.machine_code = filled_list_from(*codes, results::kernel_code_from);
  }
  return approved;
}

// name: of the family, which the file has its name from.
Family family_from(const JsonReader& document, const std::string& name, const Baseline& baseline) {
  Family family;
  const JsonReader benchmarks = document.at("benchmarks");
  if (benchmarks.members().empty()) benchmarks.fail("holds no benchmark");
  for (const auto& [id, benchmark] : benchmarks.members()) {
    if (family_of(id) != name) {
      benchmark.fail(fmt::format("belongs in {}.json", family_of(id)));
    }
    const Approved& read = family[id] = approved_from(benchmark);
    for (const std::string& label : sessions_of(read)) {
      if (baseline.sessions.contains(label)) continue;
      benchmark.fail(fmt::format("session '{}' is not in {}", label, kDeviceFile));
    }
    if (read.anchored && !baseline.anchors.contains(read.anchored->anchor)) {
      benchmark.fail(fmt::format("anchor '{}' is not in {}", read.anchored->anchor, kDeviceFile));
    }
  }
  return family;
}

std::string listed(const std::vector<double>& figures) {
  std::vector<std::string> texts;
  texts.reserve(figures.size());
  for (const double figure : figures) texts.push_back(number(figure));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

// A block a metric.
std::vector<std::string> statistical_texts(const Approved& approved) {
  std::vector<std::string> parts;
  for (const auto& [metric, sessions] : approved.statistical) {
    std::vector<std::string> elements;
    for (const auto& session : sessions) {
      const std::string carried =
          session.carried ? fmt::format(R"(, "carried": {{"ratio": {}, "standard_error": {}}})",
                                        session.carried->ratio, session.carried->standard_error)
                          : "";
      elements.push_back(fmt::format(R"({{"session": {}, "processes": {}{}}})",
                                     quoted(session.session), listed(session.figures), carried));
    }
    parts.push_back(block(metric, '[', ']', elements, 8));
  }
  return parts;
}

}  // namespace

std::string to_text(const std::string& id, const Approved& approved) {
  std::vector<std::string> counters;
  for (const auto& [metric, value] : approved.exact) {
    counters.push_back(fmt::format("{}: {}", quoted(metric), number(value)));
  }
  std::vector<std::string> lines;
  for (const SourceLine& line : approved.lines) lines.push_back(in_one_line(to_json(line)));
  std::string text = fmt::format("    {}: {{\n", quoted(id));
  if (!approved.counted.empty()) {
    text += fmt::format("      \"counted\": {},\n", quoted(approved.counted));
  }
  if (approved.anchored) {
    const Anchored& anchored = *approved.anchored;
    const std::string carried =
        anchored.carried ? fmt::format(", \"carried\": {}", *anchored.carried) : "";
    text += fmt::format("      \"anchor\": {{\"label\": {}, \"time\": {}{}}},\n",
                        quoted(anchored.anchor), listed(anchored.times), carried);
  }
  if (!approved.statistical.empty()) {
    text += fmt::format("      \"statistical\": {{\n{}\n      }},\n",
                        fmt::join(statistical_texts(approved), ",\n"));
  }
  text += block("exact", '{', '}', counters, 6) + ",\n";
  if (!approved.ranges.empty()) {
    std::vector<std::string> ranges;
    for (const auto& [metric, range] : approved.ranges) {
      ranges.push_back(fmt::format(
          R"({}: {{"least": {}, "greatest": {}, "sessions": {}, "class": "{}"}})", quoted(metric),
          number(range.least), number(range.greatest), range.sessions, to_string(repeats(range))));
    }
    text += block("ranges", '{', '}', ranges, 6) + ",\n";
  }
  text += block("lines", '[', ']', lines, 6);
  if (!approved.input_digest.empty()) {
    text += ",\n      \"input_digest\": " + quoted(approved.input_digest);
  }
  if (!approved.launches.empty()) {
    std::vector<std::string> launches;
    for (const auto& launch : approved.launches) launches.push_back(in_one_line(to_json(launch)));
    text += ",\n" + block("launches", '[', ']', launches, 6);
  }
  if (!approved.machine_code.empty()) {
    std::vector<std::string> codes;
    for (const auto& code : approved.machine_code) codes.push_back(in_one_line(to_json(code)));
    text += ",\n" + block("machine_code", '[', ']', codes, 6);
  }
  return text + "\n    }";
}

std::string to_text(const Family& family) {
  std::vector<std::string> benchmarks;
  for (const auto& [id, approved] : family) benchmarks.push_back(to_text(id, approved));
  return fmt::format("{{\n  \"schema\": {},\n  \"benchmarks\": {{\n{}\n  }}\n}}\n", kSchema,
                     fmt::join(benchmarks, ",\n"));
}

std::string device_text(const Baseline& baseline) {
  const Json common = Json::parse(baseline.device);
  std::vector<std::string> sessions;
  for (const auto& [label, approved] : baseline.sessions) {
    Json line{{"approved", approved.approved}, {"by", approved.by}, {"reason", approved.reason}};
    if (!approved.carried.empty()) line["carried"] = approved.carried;
    line.update(to_json(approved.session));
    results::erase_member(line, "schema");
    line["device"] = difference(common, line["device"]);
    sessions.push_back(fmt::format("{}: {}", quoted(label), in_one_line(line)));
  }
  std::vector<std::string> device;
  for (const auto& [key, value] : common.items()) {
    device.push_back(fmt::format("{}: {}", quoted(key), in_one_line(value)));
  }
  std::vector<std::string> anchors;
  for (const auto& [label, anchor] : baseline.anchors) {
    const Json line{{"revision", anchor.revision},
                    {"set", anchor.set},
                    {"by", anchor.by},
                    {"reason", anchor.reason}};
    anchors.push_back(fmt::format("{}: {}", quoted(label), in_one_line(line)));
  }
  const std::string timed =
      baseline.timed.empty() ? "" : fmt::format("  \"timed\": {},\n", quoted(baseline.timed));
  std::vector<std::string> names;
  if (baseline.named) {
    for (const std::string& name : *baseline.named) names.push_back(quoted(name));
  }
  const std::string families =
      baseline.named ? block("families", '[', ']', names, 2) + ",\n" : std::string();
  return fmt::format("{{\n  \"schema\": {},\n{},\n{}{}{}{}\n}}\n", kSchema,
                     block("device", '{', '}', device, 2), families, timed,
                     block("sessions", '{', '}', sessions, 2),
                     anchors.empty() ? "" : ",\n" + block("anchors", '{', '}', anchors, 2));
}

Baseline read_device(const fs::path& file) { return BaselineFile(file).read_by(device_from); }

Family read_family(const fs::path& file, const Baseline& baseline) {
  return BaselineFile(file).read_by([&](const JsonReader& document) {
    return family_from(document, file.stem().string(), baseline);
  });
}

}  // namespace warpgauge::ci
