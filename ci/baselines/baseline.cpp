// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "ci/statistics/mean.hpp"
#include "ci/support/atomic_directory.hpp"
#include "ci/support/errors.hpp"
#include "ci/verdict/counter_range.hpp"
#include "profiling/results/environment.hpp"
#include "profiling/results/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::FormatError;
using results::Json;
using results::Results;
using results::SourceLine;

// Of the files of a baseline, which change apart from results.json.
constexpr int kSchema = 2;
constexpr const char* kDeviceFile = "device.json";

// What another session of the same device may well have otherwise.
constexpr const char* kOfSession[] = {"uuid", "driver"};

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

}  // namespace

std::string to_text(const std::string& id, const Approved& approved) {
  std::vector<std::string> parts;
  for (const auto& [metric, sessions] : approved.statistical) {
    std::vector<std::string> elements;
    for (const auto& session : sessions) {
      std::vector<std::string> figures;
      for (const double figure : session.figures) figures.push_back(number(figure));
      elements.push_back(fmt::format(R"({{"session": {}, "processes": [{}]}})",
                                     quoted(session.session), fmt::join(figures, ", ")));
    }
    parts.push_back(block(metric, '[', ']', elements, 8));
  }
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
  if (!parts.empty()) {
    text += fmt::format("      \"statistical\": {{\n{}\n      }},\n", fmt::join(parts, ",\n"));
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

namespace {

std::string to_text(const Family& family) {
  std::vector<std::string> benchmarks;
  for (const auto& [id, approved] : family) benchmarks.push_back(to_text(id, approved));
  return fmt::format("{{\n  \"schema\": {},\n  \"benchmarks\": {{\n{}\n  }}\n}}\n", kSchema,
                     fmt::join(benchmarks, ",\n"));
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

std::string device_text(const Baseline& baseline) {
  const Json common = Json::parse(baseline.device);
  std::vector<std::string> sessions;
  for (const auto& [label, approved] : baseline.sessions) {
    Json line{{"approved", approved.approved}, {"by", approved.by}, {"reason", approved.reason}};
    line.update(to_json(approved.session));
    line.erase("schema");
    line["device"] = difference(common, line["device"]);
    sessions.push_back(fmt::format("{}: {}", quoted(label), in_one_line(line)));
  }
  std::vector<std::string> device;
  for (const auto& [key, value] : common.items()) {
    device.push_back(fmt::format("{}: {}", quoted(key), in_one_line(value)));
  }
  return fmt::format("{{\n  \"schema\": {},\n{},\n{}\n}}\n", kSchema,
                     block("device", '{', '}', device, 2),
                     block("sessions", '{', '}', sessions, 2));
}

// Reads a file of a baseline, naming it and the field in errors.
class Reader {
 public:
  explicit Reader(fs::path path) : path_(std::move(path)) {
    try {
      json_ = results::parse_json(results::read_file(path_));
    } catch (const Json::exception&) {
      fail("is not JSON");
    } catch (const FormatError& error) {
      fail(error.what());
    }
    if (!json_.is_object() || json_.value("schema", Json()) != kSchema) {
      fail(fmt::format("schema is not {}", kSchema));
    }
  }

  void read_device(Baseline& baseline) const {
    const Json& device = object(json_, "device", "");
    baseline.device = device.dump();
    for (const auto& [label, line] : object(json_, "sessions", "").items()) {
      const std::string where = label + ": ";
      ApprovedSession& session = baseline.sessions[label];
      session.approved = text(line, "approved", where);
      session.by = text(line, "by", where);
      session.reason = text(line, "reason", where);
      Json whole = line;
      whole["schema"] = results::kSchemaVersion;
      whole["device"] = device;
      whole["device"].merge_patch(object(line, "device", where));
      try {
        session.session = results::session_from(whole);
      } catch (const FormatError& error) {
        fail(where + error.what());
      }
    }
  }

  [[nodiscard]] Family read_family(const Baseline& baseline) const {
    Family family;
    for (const auto& [id, benchmark] : object(json_, "benchmarks", "").items()) {
      const Approved& read = family[id] = approved(id, benchmark);
      for (const std::string& label : sessions_of(read)) {
        if (baseline.sessions.contains(label)) continue;
        fail(fmt::format("{}: session '{}' is not in {}", id, label, kDeviceFile));
      }
    }
    return family;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(fmt::format("{}: {}; restore it from version control, or approve again",
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
  std::string text(const Json& json, const char* field, const std::string& where) const {
    const Json& value = member(json, field, where);
    if (!value.is_string()) fail(fmt::format("{}{} must be a string", where, field));
    return value.get<std::string>();
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

  [[nodiscard]] results::CounterRange range(const Json& json, const std::string& where) const {
    results::CounterRange read;
    read.least = figure(member(json, "least", where + ": "), where + ": least", true);
    read.greatest = figure(member(json, "greatest", where + ": "), where + ": greatest", true);
    const Json& sessions = member(json, "sessions", where + ": ");
    const bool counted = sessions.is_number_integer() && sessions.get<double>() >= 1 &&
                         sessions.get<double>() <= kSessionsOfARange;
    if (!counted) fail(fmt::format("{}: sessions must be 1 to {}", where, kSessionsOfARange));
    read.sessions = sessions.get<int>();
    if (read.least > read.greatest) fail(where + ": least is more than greatest");
    // Written for those who read it; who edits the figures must not leave another class.
    if (text(json, "class", where + ": ") != to_string(repeats(read))) {
      fail(fmt::format("{}: class must be {} by its figures", where, to_string(repeats(read))));
    }
    return read;
  }

  [[nodiscard]] SessionFigures session_figures(const Json& json, const std::string& where,
                                               const std::string& metric) const {
    SessionFigures read{text(json, "session", where), {}};
    const Json& processes = member(json, "processes", where);
    require_list(processes, fmt::format("{}{}: processes", where, metric));
    for (const Json& value : processes) {
      read.figures.push_back(figure(value, where + metric, false));
    }
    return read;
  }

  [[nodiscard]] Approved approved(const std::string& id, const Json& json) const {
    Approved read;
    const std::string where = id + ": ";
    read.counted = text(json, "counted", where);
    if (json.contains("statistical")) {
      for (const auto& [metric, sessions] : object(json, "statistical", where).items()) {
        require_list(sessions, where + metric);
        for (const Json& session : sessions) {
          read.statistical[metric].push_back(session_figures(session, where, metric));
        }
      }
    }
    for (const auto& [metric, value] : object(json, "exact", where).items()) {
      read.exact[metric] = figure(value, where + metric, true);
    }
    if (json.contains("ranges")) {
      for (const auto& [metric, each] : object(json, "ranges", where).items()) {
        read.ranges[metric] = range(each, where + metric);
      }
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
    const auto read_list = [&](const char* field, const auto& take) {
      if (!json.contains(field)) return;
      require_list(json[field], where + field);
      try {
        for (const Json& each : json[field]) take(each);
      } catch (const FormatError& error) {
        fail(fmt::format("{}{}: {}", where, field, error.what()));
      }
    };
    read_list("launches", [&](const Json& launch) {
      results::add_launch(results::kernel_launch_from(launch), read.launches);
    });
    read_list("machine_code", [&](const Json& code) {
      read.machine_code.push_back(results::kernel_code_from(code));
    });
    return read;
  }

  fs::path path_;
  Json json_;
};

[[noreturn]] void fail_to_read(const fs::path& folder, const std::string& why) {
  throw Error(kExitNotMeasured, fmt::format("cannot read {}: {}; check the path of the baselines",
                                            folder.string(), why));
}

// Whether there is such a folder. What cannot be looked at, or is no folder, is an error.
bool is_there(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (error) fail_to_read(folder, error.message());
  if (!fs::is_directory(status)) fail_to_read(folder, "it is not a folder");
  return true;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> paths;
  try {
    for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  } catch (const fs::filesystem_error& error) {
    fail_to_read(folder, error.code().message());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files = entries_of(folder);
  std::erase_if(
      files, [](const fs::path& path) { return path.extension() != ".json" || is_hidden(path); });
  return files;
}

BenchmarkResult to_result(const std::string& id, const Approved& approved) {
  BenchmarkResult result;
  result.id = id;
  for (const auto& [metric, sessions] : approved.statistical) {
    for (const auto& session : sessions) {
      result.metrics[metric].sessions.push_back(session.figures);
      result.metrics[metric].labels.push_back(session.session);
    }
  }
  for (const auto& [metric, value] : approved.exact) result.metrics[metric].sessions = {{value}};
  result.lines = approved.lines;
  result.launches = approved.launches;
  result.machine_code = approved.machine_code;
  result.ranges = approved.ranges;
  return result;
}

void drop_unused_sessions(Baseline& baseline) {
  std::set<std::string> used;
  for (const auto& [name, family] : baseline.families) {
    for (const auto& [id, approved] : family) {
      for (const std::string& label : sessions_of(approved)) used.insert(label);
    }
  }
  std::erase_if(baseline.sessions, [&](const auto& each) { return !used.contains(each.first); });
}

// The device is described once; what its sessions have otherwise stands with them.
void describe_device(Baseline& baseline) {
  if (!baseline.device.empty() || baseline.sessions.empty()) return;
  Json device = to_json(baseline.sessions.begin()->second.session.device);
  for (const char* field : kOfSession) device.erase(field);
  baseline.device = in_one_line(device);
}

// Approving never leaves both, but a merge of two branches can.
void refuse_hot_beside_cold(const Baseline& baseline) {
  const results::Session* first = nullptr;
  for (const auto& [name, family] : baseline.families) {
    for (const auto& [id, approved] : family) {
      for (const auto& [metric, sessions] : approved.statistical) {
        for (const SessionFigures& each : sessions) {
          const results::Session& session = baseline.sessions.at(each.session).session;
          if (first == nullptr) first = &session;
          if (!hot_and_cold(*first, session)) continue;
          throw Error(
              kExitNotMeasured,
              fmt::format("{} has hot and cold times, which cannot be compared ({} of {} is "
                          "{}); approve one of both for the whole suite with "
                          "--new-environment",
                          baseline.folder.string(), metric, id, caches_of(session)));
        }
      }
    }
  }
}

}  // namespace

std::string family_of(const std::string& id) { return id.substr(0, id.find('/')); }

const Approved* find_approved(const Baseline& baseline, const std::string& id) {
  const auto family = baseline.families.find(family_of(id));
  if (family == baseline.families.end()) return nullptr;
  const auto found = family->second.find(id);
  return found == family->second.end() ? nullptr : &found->second;
}

Approved* find_approved(Baseline& baseline, const std::string& id) {
  return const_cast<Approved*>(find_approved(std::as_const(baseline), id));
}

double mean_of_sessions(const std::vector<SessionFigures>& sessions) {
  std::vector<double> means;
  means.reserve(sessions.size());
  for (const SessionFigures& session : sessions) means.push_back(mean_of(session.figures));
  return mean_of(means);
}

std::vector<std::string> sessions_of(const Approved& approved) {
  std::set<std::string> labels{approved.counted};
  for (const auto& [metric, sessions] : approved.statistical) {
    for (const SessionFigures& session : sessions) labels.insert(session.session);
  }
  return {labels.begin(), labels.end()};
}

std::optional<Baseline> load_baseline(const fs::path& folder, const std::string& device_key) {
  if (!is_there(folder)) return std::nullopt;
  Baseline baseline;
  baseline.folder = folder / device_key;
  if (!is_there(baseline.folder)) return std::nullopt;
  const std::vector<fs::path> files = json_files(baseline.folder);
  if (files.empty()) return std::nullopt;
  Reader(baseline.folder / kDeviceFile).read_device(baseline);
  for (const fs::path& file : files) {
    if (file.filename() == kDeviceFile) continue;
    baseline.families[file.stem().string()] = Reader(file).read_family(baseline);
  }
  return baseline;
}

std::vector<std::string> devices_with_baseline(const fs::path& folder) {
  std::vector<std::string> keys;
  if (!is_there(folder)) return keys;
  for (const fs::path& path : entries_of(folder)) {
    const bool is_device = !is_hidden(path) && fs::is_directory(path) && !json_files(path).empty();
    if (is_device) keys.push_back(path.filename().string());
  }
  return keys;
}

Results to_results(const Baseline& baseline) {
  Results results;
  results.name = baseline.folder.string();
  results.is_baseline = true;
  for (const auto& [label, approved] : baseline.sessions) {
    const bool newer = !results.session || results.session->created <= approved.session.created;
    if (newer) results.session = approved.session;
  }
  for (const auto& [name, family] : baseline.families) {
    for (const auto& [id, approved] : family) {
      results.benchmarks.push_back(to_result(id, approved));
    }
  }
  return results;
}

std::optional<Results> read_baseline(const fs::path& folder, const std::string& device_key) {
  const FolderLock lock(folder, FolderLock::Kind::shared);
  const auto baseline = load_baseline(folder, device_key);
  if (!baseline) return std::nullopt;
  refuse_hot_beside_cold(*baseline);
  return to_results(*baseline);
}

std::vector<fs::path> save_baseline(Baseline baseline) {
  drop_unused_sessions(baseline);
  describe_device(baseline);
  std::map<std::string, std::string> texts;
  for (const auto& [name, family] : baseline.families) {
    if (!family.empty()) texts[name + ".json"] = to_text(family);
  }

  FolderChange change;
  const std::vector<fs::path> there =
      is_there(baseline.folder) ? json_files(baseline.folder) : std::vector<fs::path>();
  for (const fs::path& file : there) {
    const std::string name = file.filename().string();
    const bool kept = name == kDeviceFile ? !texts.empty() : texts.contains(name);
    if (!kept) change.remove.push_back(name);
  }
  // Last where files are replaced one by one: families of sessions that are not in it are refused.
  std::vector<std::pair<std::string, std::string>> wanted(texts.begin(), texts.end());
  if (!texts.empty()) wanted.emplace_back(kDeviceFile, device_text(baseline));
  for (auto& [name, text] : wanted) {
    const fs::path file = baseline.folder / name;
    const bool known = std::find(there.begin(), there.end(), file) != there.end();
    if (!known || results::read_file(file) != text) change.write.emplace_back(name, text);
  }
  change_folder(baseline.folder, change);

  std::vector<fs::path> changed;
  for (const auto& [name, text] : change.write) changed.push_back(baseline.folder / name);
  for (const std::string& name : change.remove) changed.push_back(baseline.folder / name);
  return changed;
}

}  // namespace warpgauge::ci
