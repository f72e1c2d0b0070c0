// SPDX-License-Identifier: Apache-2.0
#include "ci/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "ci/errors.hpp"
#include "ci/machine_cause.hpp"
#include "ci/resources.hpp"
#include "profiling/results/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::FormatError;
using results::Json;
using results::Metric;
using results::Results;
using results::SourceLine;
using results::Status;

constexpr const char* kDeviceFile = "device.json";

// A benchmark's place in the baseline.
struct Approved {
  // By metric and session; `label` says when and where a session was.
  struct SessionFigures {
    std::string label;
    std::vector<double> figures;
  };
  std::map<std::string, std::vector<SessionFigures>> statistical;
  std::map<std::string, double> exact;
  std::vector<SourceLine> lines;
  std::vector<results::KernelCode> machine_code;
};

using Family = std::map<std::string, Approved>;  // by id

std::string family_of(const std::string& id) { return id.substr(0, id.find('/')); }

// A whole number without a decimal point, so that counters read as such in a diff.
std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 9e15) return fmt::format("{:.0f}", value);
  return fmt::format("{}", value);
}

std::string quoted(const std::string& text) { return Json(text).dump(); }

// "key": {…} or [ … ] with one element a line.
std::string block(const std::string& key, char open, char close,
                  const std::vector<std::string>& elements, int indent) {
  const std::string margin(static_cast<std::size_t>(indent), ' ');
  if (elements.empty()) return fmt::format("{}{}: {}{}", margin, quoted(key), open, close);
  return fmt::format("{}{}: {}\n{}  {}\n{}{}", margin, quoted(key), open, margin,
                     fmt::join(elements, ",\n  " + margin), margin, close);
}

// Whether there was an nvcc to look at must not show in a baseline.
std::vector<SourceLine> without_machine_code(std::vector<SourceLine> lines) {
  for (SourceLine& line : lines) {
    line.compiled = results::Compiled::unknown;
    line.instructions.clear();
  }
  return lines;
}

std::string to_text(const std::string& id, const Approved& approved) {
  std::vector<std::string> parts;
  for (const auto& [metric, sessions] : approved.statistical) {
    std::vector<std::string> elements;
    for (const auto& session : sessions) {
      std::vector<std::string> figures;
      for (const double figure : session.figures) figures.push_back(number(figure));
      elements.push_back(fmt::format(R"({{"session": {}, "processes": [{}]}})",
                                     quoted(session.label), fmt::join(figures, ", ")));
    }
    parts.push_back(block(metric, '[', ']', elements, 8));
  }
  std::vector<std::string> counters;
  for (const auto& [metric, value] : approved.exact) {
    counters.push_back(fmt::format("{}: {}", quoted(metric), number(value)));
  }
  std::vector<std::string> lines;
  for (const SourceLine& line : approved.lines) lines.push_back(to_json(line).dump());
  std::string text = fmt::format("    {}: {{\n", quoted(id));
  if (!parts.empty()) {
    text += fmt::format("      \"statistical\": {{\n{}\n      }},\n", fmt::join(parts, ",\n"));
  }
  text += block("exact", '{', '}', counters, 6) + ",\n";
  text += block("lines", '[', ']', lines, 6);
  if (!approved.machine_code.empty()) {
    std::vector<std::string> codes;
    for (const auto& code : approved.machine_code) codes.push_back(to_json(code).dump());
    text += ",\n" + block("machine_code", '[', ']', codes, 6);
  }
  return text + "\n    }";
}

std::string to_text(const Family& family) {
  std::vector<std::string> benchmarks;
  for (const auto& [id, approved] : family) benchmarks.push_back(to_text(id, approved));
  return fmt::format("{{\n  \"schema\": {},\n  \"benchmarks\": {{\n{}\n  }}\n}}\n",
                     results::kSchemaVersion, fmt::join(benchmarks, ",\n"));
}

// Reads a baseline file, naming it and the field in errors.
class FamilyReader {
 public:
  explicit FamilyReader(const fs::path& path) : path_(path) {}

  Family read() {
    Json json;
    try {
      json = Json::parse(results::read_file(path_));
    } catch (const Json::exception&) {
      fail("is not JSON");
    }
    if (!json.is_object() || json.value("schema", Json()) != results::kSchemaVersion) {
      fail(fmt::format("schema is not {}", results::kSchemaVersion));
    }
    Family family;
    for (const auto& [id, benchmark] : object(json, "benchmarks", "").items()) {
      family[id] = approved(id, benchmark);
    }
    return family;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(fmt::format("{}: {}; restore it from version control, or approve anew",
                                  path_.string(), what));
  }

  const Json& member(const Json& json, const char* field, const std::string& where) const {
    const auto found = json.is_object() ? json.find(field) : json.end();
    if (!json.is_object() || found == json.end())
      fail(fmt::format("{}{} is missing", where, field));
    return *found;
  }
  const Json& object(const Json& json, const char* field, const std::string& where) const {
    const Json& value = member(json, field, where);
    if (!value.is_object()) fail(fmt::format("{}{} must be an object", where, field));
    return value;
  }
  // A session without figures, or a metric without sessions, would be a baseline of nothing.
  void require_list(const Json& json, const std::string& what) const {
    if (!json.is_array() || json.empty()) fail(what + " must be a list that is not empty");
  }
  double figure(const Json& json, const std::string& where, bool zero_allowed) const {
    const bool usable = json.is_number() && std::isfinite(json.get<double>()) &&
                        json.get<double>() >= 0 && (zero_allowed || json.get<double>() > 0);
    if (!usable) {
      fail(fmt::format("{} must be a {}number, is {}", where, zero_allowed ? "" : "positive ",
                       json.dump().substr(0, 40)));
    }
    return json.get<double>();
  }

  Approved approved(const std::string& id, const Json& json) const {
    Approved read;
    const std::string where = id + ": ";
    if (json.is_object() && json.contains("statistical")) {
      for (const auto& [metric, sessions] : object(json, "statistical", where).items()) {
        require_list(sessions, where + metric);
        for (const Json& session : sessions) {
          auto& read_session = read.statistical[metric].emplace_back();
          const Json& label = member(session, "session", where);
          if (!label.is_string()) fail(where + "session must be a string");
          read_session.label = label.get<std::string>();
          const Json& processes = member(session, "processes", where);
          require_list(processes, fmt::format("{}{}: processes", where, metric));
          for (const Json& value : processes) {
            read_session.figures.push_back(figure(value, where + metric, false));
          }
        }
      }
    }
    for (const auto& [metric, value] : object(json, "exact", where).items()) {
      read.exact[metric] = figure(value, where + metric, true);
    }
    const Json& lines = member(json, "lines", where);
    if (!lines.is_array()) fail(where + "lines must be a list");
    try {
      for (const Json& line : lines) {
        read.lines.push_back(results::source_line_from(line));
      }
    } catch (const FormatError& error) {
      fail(fmt::format("{}lines: {}", where, error.what()));
    }
    if (!json.contains("machine_code")) return read;
    require_list(json["machine_code"], where + "machine_code");
    try {
      for (const Json& code : json["machine_code"]) {
        read.machine_code.push_back(results::kernel_code_from(code));
      }
    } catch (const FormatError& error) {
      fail(fmt::format("{}machine_code: {}", where, error.what()));
    }
    return read;
  }

  const fs::path& path_;
};

std::vector<fs::path> family_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json" && entry.path().filename() != kDeviceFile) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

results::Session read_session(const fs::path& path) {
  Json json;
  try {
    json = Json::parse(results::read_file(path));
  } catch (const Json::exception&) {
    throw FormatError(path.string() +
                      ": is not JSON; restore it from version control, or approve anew");
  }
  try {
    return results::session_from(json);
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}", path.string(), error.what()));
  }
}

BenchmarkResult to_result(const std::string& id, const Approved& approved) {
  BenchmarkResult result;
  result.id = id;
  for (const auto& [metric, sessions] : approved.statistical) {
    for (const auto& session : sessions) {
      result.metrics[metric].sessions.push_back(session.figures);
    }
  }
  for (const auto& [metric, value] : approved.exact) result.metrics[metric].sessions = {{value}};
  result.lines = approved.lines;
  result.machine_code = approved.machine_code;
  return result;
}

// Whether it says nothing new: results without machine code, of a machine without nvcc, leave that
// of a baseline alone which they confirm otherwise.
bool confirms(const std::string& id, const Approved& fresh, Approved old) {
  if (fresh.machine_code.empty()) {
    old.machine_code.clear();
    std::erase_if(old.exact, [](const auto& each) { return is_resource_metric(each.first); });
  }
  return to_text(id, fresh) == to_text(id, old);
}

// Turns results into what is approved of them, or says why they cannot be.
class Approver {
 public:
  Approver(const std::vector<Results>& sessions, const Policy& policy)
      : sessions_(sessions), policy_(policy) {}

  std::map<std::string, Approved> approve() {
    for (const Results& results : sessions_) check_session(results);
    std::map<std::string, Approved> approved;
    for (const Results& results : sessions_) {
      for (const BenchmarkResult& benchmark : results.benchmarks) {
        add(results, benchmark, approved);
      }
    }
    return approved;
  }

 private:
  [[noreturn]] static void refuse(const Results& results, const std::string& what) {
    throw Error(kExitNotMeasured, fmt::format("{}: {}", results.name, what));
  }

  void check_session(const Results& results) const {
    if (!results.session) {
      refuse(results, "does not say on what device; approve what 'warpgauge run' wrote");
    }
    const auto& device = results.session->device;
    const auto& first = sessions_.front();
    if (device.key != first.session->device.key) {
      refuse(results, fmt::format("measured on '{}', but {} on '{}'; approve one device at a time",
                                  device.name, first.name, first.session->device.name));
    }
  }

  void add(const Results& results, const BenchmarkResult& benchmark,
           std::map<std::string, Approved>& all) const {
    const std::string& id = benchmark.id;
    if (benchmark.outcome.status != Status::ok) {
      refuse(results,
             fmt::format("{} failed ({}: {}); mend it, or measure without it (run --filter)", id,
                         to_string(benchmark.outcome.status), benchmark.outcome.message));
    }
    const std::string family = family_of(id);
    const bool is_file_name =
        !family.empty() && family.front() != '.' && family + ".json" != kDeviceFile &&
        std::all_of(family.begin(), family.end(), [](unsigned char character) {
          return std::isalnum(character) != 0 || character == '_' || character == '-' ||
                 character == '.';
        });
    if (!is_file_name) {
      refuse(results, fmt::format("{}: its family '{}' cannot name a file; use letters, digits, _, "
                                  "- and ., and not 'device'",
                                  id, family));
    }

    const auto [place, is_new] = all.try_emplace(id);
    Approved& approved = place->second;
    for (const auto& [name, metric] : benchmark.metrics) {
      const Rule rule = policy_.rule_for(id, name);
      if (!rule.gated()) continue;
      if (!metric.problem.empty()) {
        refuse(results, fmt::format("{}: {} {}; measure again", id, name, metric.problem));
      }
      if (rule.metric_class == MetricClass::statistical) {
        for (const auto& figures : metric.sessions) {
          if (std::find(figures.begin(), figures.end(), 0.0) != figures.end()) {
            refuse(results, fmt::format("{}: {} is 0 in some process, which has no ratio; class it "
                                        "as exact or shown in the policy",
                                        id, name));
          }
          add_session(results, id, name, figures, approved);
        }
      } else {
        add_exact(results, id, name, metric, is_new || rule.optional, approved);
      }
    }
    // Of several sessions the lines are the same: their sums are exact counters.
    if (is_new) approved.lines = without_machine_code(benchmark.lines);
    add_machine_code(results, benchmark, approved);
  }

  // The same session twice would make sessions look more alike than they are.
  static void add_session(const Results& results, const std::string& id, const std::string& name,
                          const std::vector<double>& figures, Approved& approved) {
    auto& sessions = approved.statistical[name];
    const bool known = std::any_of(sessions.begin(), sessions.end(), [&](const auto& each) {
      return each.label == label(results) && each.figures == figures;
    });
    if (known) {
      refuse(results, fmt::format("{}: its session of {} is given twice; name each session once",
                                  id, results.session->created));
    }
    sessions.push_back({label(results), figures});
  }

  static void add_exact(const Results& results, const std::string& id, const std::string& name,
                        const Metric& metric, bool may_be_first, Approved& approved) {
    for (const auto& figures : metric.sessions) {
      for (const double figure : figures) {
        const auto [known, inserted] = approved.exact.try_emplace(name, figure);
        if (!inserted && known->second == figure) continue;
        if (inserted && may_be_first) continue;
        refuse(
            results,
            fmt::format("{}: {} should be exact, but {} here and {} in an earlier session; class "
                        "it as shown in the policy, or measure again",
                        id, name, number(figure), inserted ? "absent" : number(known->second)));
      }
    }
  }

  // Times of other machine code are no sessions of one baseline.
  static void add_machine_code(const Results& results, const BenchmarkResult& benchmark,
                               Approved& approved) {
    if (approved.machine_code.empty()) approved.machine_code = benchmark.machine_code;
    const CodeComparison code = compare_code(approved.machine_code, benchmark.machine_code);
    if (code.result != CodeComparison::Result::other) return;
    refuse(results, fmt::format("{}: {} is other machine code than in an earlier session; approve "
                                "sessions of one build",
                                benchmark.id, code.kernels.front()));
  }

  static std::string label(const Results& results) {
    const auto& session = *results.session;
    return session.device.uuid.empty() ? session.created
                                       : session.created + " " + session.device.uuid;
  }

  const std::vector<Results>& sessions_;
  const Policy& policy_;
};

std::string device_text(const results::Session& session, const std::string& now) {
  Json json = to_json(session);
  json["approved"] = now;
  return json.dump(2) + "\n";
}

}  // namespace

std::optional<Results> read_baseline(const fs::path& folder, const std::string& device_key) {
  const fs::path place = folder / device_key;
  if (!fs::exists(place / kDeviceFile)) return std::nullopt;
  Results baseline;
  baseline.name = place.string();
  baseline.is_baseline = true;
  baseline.session = read_session(place / kDeviceFile);
  for (const fs::path& file : family_files(place)) {
    for (const auto& [id, approved] : FamilyReader(file).read()) {
      baseline.benchmarks.push_back(to_result(id, approved));
    }
  }
  return baseline;
}

std::vector<std::string> devices_with_baseline(const fs::path& folder) {
  std::vector<std::string> keys;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (fs::exists(entry.path() / kDeviceFile)) keys.push_back(entry.path().filename().string());
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

Approval approve(const std::vector<Results>& sessions, const std::vector<std::string>& remove,
                 const fs::path& folder, const Policy& policy, const std::string& now) {
  std::map<std::string, Approved> approved = Approver(sessions, policy).approve();
  const fs::path place = folder / sessions.front().session->device.key;

  std::map<std::string, Family> families;  // all of the baseline, by the name of the family
  for (const fs::path& file : family_files(place)) {
    families[file.stem().string()] = FamilyReader(file).read();
  }
  const std::map<std::string, Family> families_before = families;

  Approval approval;
  for (const std::string& id : remove) {
    const auto family = families.find(family_of(id));
    if (family == families.end() || family->second.erase(id) == 0) {
      throw Error(kExitUsage,
                  fmt::format("--remove {}: {} has no such benchmark", id, place.string()));
    }
    if (approved.erase(id) > 0) {
      throw Error(
          kExitUsage,
          fmt::format("--remove {}: the results contain it; leave out one or the other", id));
    }
    approval.removed.push_back(id);
  }
  for (auto& [id, benchmark] : approved) {
    Family& family = families[family_of(id)];
    const auto old = family.find(id);
    if (old != family.end() && confirms(id, benchmark, old->second)) continue;
    approval.changed.push_back(id);
    family[id] = std::move(benchmark);
  }
  if (approval.changed.empty() && approval.removed.empty() && fs::exists(place / kDeviceFile)) {
    return approval;
  }

  for (const auto& [name, family] : families) {
    const auto old = families_before.find(name);
    const std::string text = to_text(family);
    if (old != families_before.end() && to_text(old->second) == text) continue;
    approval.written.push_back(place / (name + ".json"));
    if (family.empty()) {
      fs::remove(approval.written.back());
    } else {
      results::write_file_atomically(approval.written.back(), text);
    }
  }
  // Last: without it a reader sees no baseline, rather than half of one.
  approval.written.push_back(place / kDeviceFile);
  results::write_file_atomically(place / kDeviceFile, device_text(*sessions.back().session, now));
  return approval;
}

}  // namespace warpgauge::ci
