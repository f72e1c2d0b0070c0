// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "ci/baselines/baseline_files.hpp"
#include "ci/baselines/baseline_json.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/folder_lock.hpp"
#include "profiling/results/environment.hpp"
#include "profiling/results/files/file_kind.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/json/session_json.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::Json;
using results::Results;

// What another session of the same device may well have otherwise.
constexpr const char* kOfSession[] = {"uuid", "driver"};

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

// One that is named a folder too deep would look like one without baselines.
void refuse_device_folder(const fs::path& folder) {
  std::error_code unseen;
  if (!fs::exists(folder / kDeviceFile, unseen)) return;
  // The folder of a name with a slash at its end is that name.
  const fs::path named = folder.lexically_normal();
  const fs::path outer = (named.has_filename() ? named : named.parent_path()).parent_path();
  throw Error(kExitUsage,
              fmt::format("{} is the baseline of one device; name the folder it is in{}",
                          folder.string(), outer.empty() ? "" : ", " + outer.string()));
}

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

bool is_json(const fs::path& path) { return path.extension() == ".json" && !is_hidden(path); }

// Who puts something there that is not read may think that it is.
void refuse_unknown_files(const fs::path& of_device) {
  for (const fs::path& path : entries_of(of_device)) {
    if (is_hidden(path) || results::is_unfinished(path)) continue;
    if (is_json(path) && fs::is_regular_file(path)) continue;
    throw Error(kExitNotMeasured,
                fmt::format("{}: a baseline is {} and a .json file a family, and this is neither; "
                            "take it out",
                            path.string(), kDeviceFile));
  }
}

// A folder too high it would be read by nobody.
void refuse_family_outside(const fs::path& path) {
  if (!is_json(path) || results::kind_of_file(path) != "a family of a baseline") return;
  throw Error(kExitNotMeasured, fmt::format("{}: no baseline is read from there; put it into the "
                                            "folder of its device, or take it out",
                                            path.string()));
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files = entries_of(folder);
  std::erase_if(files, [](const fs::path& path) { return !is_json(path); });
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
  result.input_digest = approved.input_digest;
  result.machine_code = approved.machine_code;
  result.ranges = approved.ranges;
  return result;
}

void drop_what_nothing_uses(Baseline& baseline) {
  std::set<std::string> sessions;
  std::set<std::string> anchors;
  for (const auto& [name, family] : baseline.families) {
    for (const auto& [id, approved] : family) {
      for (const std::string& label : sessions_of(approved)) sessions.insert(label);
      if (approved.anchored) anchors.insert(approved.anchored->anchor);
    }
  }
  std::erase_if(baseline.sessions,
                [&](const auto& each) { return !sessions.contains(each.first); });
  std::erase_if(baseline.anchors, [&](const auto& each) { return !anchors.contains(each.first); });
}

// The device is described once; what its sessions have otherwise stands with them.
void describe_device(Baseline& baseline) {
  if (!baseline.device.empty() || baseline.sessions.empty()) return;
  Json device = to_json(baseline.sessions.begin()->second.session.device);
  for (const char* field : kOfSession) results::erase_member(device, field);
  baseline.device = device.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Of a family's file. Throws Error (not measured) where it would be refused when it is read.
std::string readable_text(const fs::path& file, const Family& family) {
  std::string text = to_text(family);
  if (family.size() <= results::kMostMembers && text.size() <= results::kBaselineLimit.bytes) {
    return text;
  }
  throw Error(kExitNotMeasured,
              fmt::format("{}: a family of {} benchmarks and {} bytes is too large to be read "
                          "again: at most {} and {} are; split it by the beginnings of the names",
                          file.string(), family.size(), text.size(), results::kMostMembers,
                          results::kBaselineLimit.bytes));
}

// By the file.
std::map<fs::path, std::string> texts_of_families(const Baseline& baseline) {
  std::map<fs::path, std::string> texts;
  for (const auto& [name, family] : baseline.families) {
    const fs::path file = baseline.folder / (name + ".json");
    if (!family.empty()) texts[file] = readable_text(file, family);
  }
  return texts;
}

void refuse_unreadable(const fs::path& folder, const std::map<fs::path, std::string>& families,
                       const std::string& of_device) {
  std::size_t bytes = of_device.size();
  for (const auto& [file, text] : families) bytes += text.size();
  if (bytes <= results::kBaselineFolderLimit.bytes) return;
  throw Error(
      kExitNotMeasured,
      fmt::format("{}: a baseline of {} bytes is too large to be read again: at most {} are read; "
                  "keep parts of the suite in folders of their own, with --baselines",
                  folder.string(), bytes, results::kBaselineFolderLimit.bytes));
}

// Its benchmarks would be taken for new ones.
void refuse_lost_family(const Baseline& baseline) {
  if (!baseline.named) return;
  for (const std::string& name : *baseline.named) {
    if (baseline.families.contains(name)) continue;
    throw Error(
        kExitNotMeasured,
        fmt::format("{}: {} names the family '{}', and there is no {}.json; restore it from "
                    "version control, or take its name out too",
                    baseline.folder.string(), kDeviceFile, name, name));
  }
}

bool is_text_of(const fs::path& file, const std::string& text) {
  std::error_code absent;
  return fs::exists(file, absent) && results::read_file(file, results::kBaselineLimit) == text;
}

}  // namespace

std::set<std::string> names_of_families(const Baseline& baseline) {
  std::set<std::string> names;
  for (const auto& [name, family] : baseline.families) {
    if (!family.empty()) names.insert(name);
  }
  return names;
}

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

std::string last_timed(const Baseline& baseline, const Approved& approved) {
  const auto time = approved.statistical.find(results::kTimeMetric);
  if (time == approved.statistical.end()) return "";
  std::string newest = baseline.timed;
  for (const SessionFigures& each : time->second) {
    newest = std::max(newest, baseline.sessions.at(each.session).session.created);
  }
  return newest;
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
  refuse_device_folder(folder);
  const fs::path of_device = folder / device_key;
  if (!is_there(of_device)) return std::nullopt;
  refuse_unknown_files(of_device);
  const std::map<std::string, fs::path> files = baseline_files(of_device);
  if (files.empty()) return std::nullopt;
  std::vector<fs::path> paths;
  paths.reserve(files.size());
  for (const auto& [name, path] : files) paths.push_back(path);
  results::check_sizes(paths, results::kBaselineFolderLimit, of_device.string());
  const auto device = files.find(kDeviceFile);
  Baseline baseline = read_device(device == files.end() ? of_device / kDeviceFile : device->second);
  baseline.folder = of_device;
  for (const auto& [name, path] : files) {
    if (name == kDeviceFile) continue;
    baseline.families[path.stem().string()] = read_family(path, baseline);
  }
  refuse_lost_family(baseline);
  return baseline;
}

std::vector<std::string> devices_with_baseline(const fs::path& folder) {
  std::vector<std::string> keys;
  if (!is_there(folder)) return keys;
  refuse_device_folder(folder);
  for (const fs::path& path : entries_of(folder)) {
    refuse_family_outside(path);
    std::error_code unseen;
    if (is_hidden(path) || !fs::is_directory(path, unseen)) continue;
    const bool is_device = !json_files(path).empty() || !waiting_files(path).empty();
    if (is_device) keys.push_back(path.filename().string());
  }
  return keys;
}

std::vector<fs::path> folders_of_baselines(const fs::path& top) {
  std::vector<fs::path> folders{top};
  const std::vector<std::string> devices = devices_with_baseline(top);
  if (!is_there(top)) return folders;
  for (const fs::path& each : entries_of(top)) {
    const bool is_device =
        std::find(devices.begin(), devices.end(), each.filename().string()) != devices.end();
    std::error_code unseen;
    if (!is_device && !is_hidden(each) && fs::is_directory(each, unseen)) folders.push_back(each);
  }
  return folders;
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
      results.benchmarks.back().timed = last_timed(baseline, approved);
    }
  }
  return results;
}

std::string approved_revision(const Results& baseline) {
  if (!baseline.session || baseline.session->source.modified) return "";
  const std::string newest = label(*baseline.session);
  const bool of_all =
      std::all_of(baseline.benchmarks.begin(), baseline.benchmarks.end(), [&](const auto& each) {
        const results::Metric* const time = each.find(results::kTimeMetric);
        if (time == nullptr) return true;
        return std::find(time->labels.begin(), time->labels.end(), newest) != time->labels.end();
      });
  return of_all ? baseline.session->source.revision : "";
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

std::optional<Results> read_baseline(const fs::path& folder, const std::string& device_key) {
  const auto baseline = read_locked(folder, [&] { return load_baseline(folder, device_key); });
  if (!baseline) return std::nullopt;
  refuse_hot_beside_cold(*baseline);
  return to_results(*baseline);
}

bool is_half_saved(Baseline baseline) {
  if (fs::exists(baseline.folder / kWaitingFiles)) return true;
  const std::size_t before = baseline.sessions.size() + baseline.anchors.size();
  drop_what_nothing_uses(baseline);
  return baseline.sessions.size() + baseline.anchors.size() < before;
}

std::vector<fs::path> save_baseline(Baseline baseline) {
  put_into_place(baseline.folder);
  const std::map<fs::path, std::string> families = texts_of_families(baseline);
  describe_device(baseline);
  drop_what_nothing_uses(baseline);
  baseline.named = names_of_families(baseline);
  const std::string of_device = device_text(baseline);
  refuse_unreadable(baseline.folder, families, of_device);

  std::set<fs::path> changed;
  NewApproval approval(baseline.folder);
  for (const auto& [file, text] : families) {
    if (is_text_of(file, text)) continue;
    approval.add(file.filename().string(), text);
    changed.insert(file);
  }
  for (const fs::path& file : json_files(baseline.folder)) {
    if (!families.contains(file) && file.filename() != kDeviceFile) changed.insert(file);
  }
  const fs::path device_file = baseline.folder / kDeviceFile;
  if (!is_text_of(device_file, of_device)) changed.insert(device_file);
  if (changed.empty()) return {};
  approval.add(kDeviceFile, of_device);
  approval.commit();
  put_into_place(baseline.folder);
  return {changed.begin(), changed.end()};
}

}  // namespace warpgauge::ci
