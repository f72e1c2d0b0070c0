// SPDX-License-Identifier: Apache-2.0
#include "ci/import/import.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <ctime>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "ci/import/readers.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/merge.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::FormatError;
using results::Json;
using results::Record;

struct Format {
  const char* name;
  ImportedFile (*read)(const std::string&, const fs::path&, const ImportOptions&);
};
constexpr Format kFormats[] = {{"nvbench", import_nvbench},
                               {"ncu", import_ncu},
                               {"babelstream", import_babelstream},
                               {"google-benchmark", import_google_benchmark}};

const Format& format_named(std::string_view name) {
  const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                  [&](const Format& each) { return each.name == name; });
  if (found != std::end(kFormats)) return *found;
  throw Error(kExitUsage, fmt::format("there is no format '{}'; there are {}", name,
                                      fmt::join(import_formats(), ", ")));
}

bool has_line(const std::string& text, std::string_view beginning) {
  return text.starts_with(beginning) || text.find(fmt::format("\n{}", beginning)) != text.npos;
}

// Both kinds of JSON have a list 'benchmarks'; what comes before it tells them apart.
const Format& format_of(const std::string& text, const fs::path& path) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) {
    throw FormatError(path.string() + ": is empty; was the run that should write it cut short?");
  }
  if (text[first] == '{') {
    const bool nvbench = text.find("\"meta\"") < text.find("\"benchmarks\"") ||
                         text.find("\"devices\"") < text.find("\"benchmarks\"") ||
                         text.find("\"states\"") != text.npos;
    return format_named(nvbench ? "nvbench" : "google-benchmark");
  }
  if (has_line(text, "\"ID\",")) return format_named("ncu");
  if (has_line(text, "function,num_times,")) return format_named("babelstream");
  throw FormatError(
      fmt::format("{}: its format is not recognised; {} can be imported; if it is one of them, "
                  "name it with --format",
                  path.string(), fmt::join(import_formats(), ", ")));
}

// When the file was written, for formats that have no date in it.
std::string written(const fs::path& path) {
  struct stat status {};
  const bool known = ::stat(path.c_str(), &status) == 0;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(known ? status.st_mtime : std::time(nullptr)));
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char character) {
    return std::isdigit(character) != 0;
  });
}

// What the file does not say of its device, by what the user says.
void settle_device(const ImportOptions& options, const fs::path& path, results::Device& device) {
  const bool named = !options.device.empty() && !is_number(options.device);
  if (device.name.empty()) {
    if (!named) {
      throw Error(kExitUsage,
                  fmt::format("{} does not say on what device; name it, as in --device '{}'",
                              path.string(), options.cpu_time ? "AMD EPYC 9654" : "NVIDIA H200"));
    }
    device.name = options.device;
  } else if (named && results::device_key(device.name) != results::device_key(options.device)) {
    throw Error(kExitUsage, fmt::format("{} was measured on '{}', not on '{}'; leave out --device",
                                        path.string(), device.name, options.device));
  }
  device.kind = options.cpu_time ? results::DeviceKind::cpu : results::DeviceKind::gpu;
  device.key = results::device_key(device.name);
  if (device.key.empty()) {
    throw Error(kExitUsage, fmt::format("{}: '{}' is no name for a device; use letters and digits",
                                        path.string(), device.name));
  }
}

void refuse_no_name(const fs::path& path, const std::string& name) {
  const std::string why = results::why_no_name(name);
  if (why.empty()) return;
  throw FormatError(fmt::format("{}: the name {} {}", path.string(), one_line(name), why));
}

void settle_records(const fs::path& path, ImportedFile& file) {
  std::map<std::string, int> seen;
  for (Record& record : file.records) {
    record.id = valid_utf8(record.id);  // as it is written, which may be another's
    refuse_no_name(path, record.id);
    if (++seen[record.id] > 1) {
      throw FormatError(fmt::format("{}: {} occurs twice; give each benchmark a name of its own",
                                    path.string(), record.id));
    }
    record.pass = results::Pass::time;
    std::map<std::string, double> counters;
    for (const auto& [name, value] : record.counters) {
      refuse_no_name(path, name);
      counters[results::is_counter(name) ? name : name + " (counter)"] = value;
    }
    record.counters = std::move(counters);
    const std::string absent = fmt::format("{}'s file does not say", file.origin.program);
    for (const char* what : {"source_lines", results::kLaunches, "machine_code", "device_state"}) {
      record.not_measured.try_emplace(what, absent);
    }
    if (record.counters.empty()) record.not_measured.try_emplace("counters", absent);
  }
}

// Files of different things are no processes of one thing.
void check_alike(const fs::path& first_path, const ImportedFile& first, const fs::path& path,
                 const ImportedFile& file) {
  const auto refuse = [&](const std::string& what, const std::string& before,
                          const std::string& now) {
    throw Error(kExitUsage,
                fmt::format("{}: {} is '{}', but '{}' in {}; import what is alike, each "
                            "kind into a file of its own",
                            path.string(), what, now, before, first_path.string()));
  };
  const results::Device& a = first.device;
  const results::Device& b = file.device;
  if (a.key != b.key) refuse("the device", a.name, b.name);
  if (a.multiprocessors != b.multiprocessors) {
    refuse("the number of multiprocessors", std::to_string(a.multiprocessors),
           std::to_string(b.multiprocessors));
  }
  if (a.driver != b.driver) refuse("the driver", a.driver, b.driver);
  if (first.origin.program != file.origin.program) {
    refuse("the program", first.origin.program, file.origin.program);
  }
  std::unordered_map<std::string_view, const Record*> by_id;
  for (const Record& each : first.records) by_id.try_emplace(each.id, &each);
  for (const Record& record : file.records) {
    const auto found = by_id.find(record.id);
    if (found == by_id.end()) continue;
    const Record& same = *found->second;
    if (same.time_ns && record.time_ns && same.time_method != record.time_method) {
      refuse("how " + record.id + " was timed", same.time_method, record.time_method);
    }
  }
}

// As Google Benchmark would have written it, for those who read its JSON.
Json entry_of(const Record& record) {
  const auto figure = [&](const char* counter, double otherwise) {
    const auto found = record.counters.find(counter);
    return found == record.counters.end() ? otherwise : found->second;
  };
  const bool by_cpu_time = record.counters.contains(kWallTime);
  const double time_ns = record.time_ns.value_or(0);
  return {{"name", record.id},
          {"run_name", record.id},
          {"run_type", "iteration"},
          {"threads", 1},
          {"iterations", record.samples_ns.size()},
          {"real_time", figure(kWallTime, time_ns)},
          {"cpu_time", by_cpu_time ? time_ns : figure(kCpuTime, 0)},
          {"time_unit", "ns"}};
}

// CPU time of this benchmark says too little of what a user waits for: on a machine with a free
// processor it is most of the wall clock, unless the benchmark waits or others work for it.
bool waits(const std::vector<results::Observation>& observations,
           const std::vector<ImportedFile>& files) {
  bool is_known = false;
  for (const results::Observation& each : observations) {
    const Record& record = each.record;
    const auto wall = record.counters.find(kWallTime);
    if (!files[static_cast<std::size_t>(each.process)].had_a_free_processor) continue;
    if (wall == record.counters.end() || *record.time_ns > wall->second / 2) return false;
    is_known = true;
  }
  return is_known;
}

// Those of a benchmark together, in the order in which the files name the benchmarks.
std::vector<results::Observation> observations_of(std::vector<ImportedFile> files,
                                                  Imports& imports) {
  std::vector<std::string> order;
  std::map<std::string, std::vector<results::Observation>> by_id;
  std::map<std::string, std::string> failed;
  for (std::size_t process = 0; process < files.size(); ++process) {
    for (Record& record : files[process].records) {
      auto& observations = by_id[record.id];
      if (observations.empty()) order.push_back(record.id);
      if (record.outcome.status != results::Status::ok) {
        failed.try_emplace(record.id, one_line(record.outcome.message));
      }
      Json entry = entry_of(record);
      observations.push_back({static_cast<int>(process), std::move(record), std::move(entry)});
    }
  }
  std::vector<results::Observation> all;
  for (const std::string& id : order) {
    if (by_id[id].size() < files.size()) {
      by_id[id].front().record.remarks.push_back(
          fmt::format("{} of {} files have it", by_id[id].size(), files.size()));
    }
    if (waits(by_id[id], files)) {
      by_id[id].front().record.remarks.emplace_back(
          "its CPU time is less than half of wall clock: it waits, or other threads work for it; "
          "->UseRealTime() has it judged by wall clock");
      imports.waiting.push_back(id);
    }
    std::move(by_id[id].begin(), by_id[id].end(), std::back_inserter(all));
    if (const auto why = failed.find(id); why != failed.end()) {
      imports.failed.push_back(fmt::format("{}: {}", one_line(id), why->second));
    }
  }
  imports.benchmarks = order.size();
  return all;
}

// Of at least one file.
results::Session session_of(const std::vector<ImportedFile>& files, const ImportOptions& options) {
  results::Session session;
  session.device = files.front().device;
  session.settings = files.front().settings.value_or(results::DeviceSettings{});
  const std::string not_said = fmt::format("{}'s file does not say", files.front().origin.program);
  if (!files.front().settings) session.settings->not_measured = not_said;
  session.ceilings.emplace().not_measured = not_said;
  session.toolchain = options.toolchain;
  session.toolchain.version = WARPGAUGE_VERSION;
  session.source = options.source;
  session.turns = options.turns;
  session.processes = static_cast<int>(files.size());
  session.imported = files.front().origin;
  // As old as the oldest: a new file must not make old ones new.
  session.created = files.front().created;
  for (const ImportedFile& file : files) {
    session.created = std::min(session.created, file.created);
    session.imported->gpu_clock = session.imported->gpu_clock && file.origin.gpu_clock;
    session.imported->cuda_events = session.imported->cuda_events && file.origin.cuda_events;
  }
  return session;
}

}  // namespace

std::vector<std::string> import_formats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::string family_name(std::string_view name) {
  std::string family;
  bool pending = false;
  for (const char raw : name) {
    const auto character = static_cast<unsigned char>(raw);
    const bool usable = character < 0x80 &&
                        (std::isalnum(character) != 0 || raw == '_' || raw == '-' || raw == '.');
    if (usable && pending) family += '_';
    pending = !usable;
    if (usable) family += raw;
  }
  if (family.empty()) return "_";
  if (family.front() == '.') family.front() = '_';
  return family == "device" ? "device_" : family;
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && rest == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

std::size_t choose_device(const std::vector<DeviceInFile>& devices, const std::string& wanted,
                          const fs::path& path) {
  if (wanted.empty() && devices.size() == 1) return 0;
  std::vector<std::size_t> matching;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const DeviceInFile& each = devices[i];
    if (wanted == each.number || wanted == each.name) matching.push_back(i);
  }
  if (!wanted.empty() && matching.size() == 1) return matching.front();
  // Which device it is called is settled by whoever knows what the file does not say.
  if (devices.size() == 1 && !is_number(wanted)) return 0;
  std::vector<std::string> known;
  known.reserve(devices.size());
  for (const DeviceInFile& each : devices) {
    known.push_back(each.name.empty() ? each.number
                                      : fmt::format("{} ('{}')", each.number, each.name));
  }
  throw Error(kExitUsage,
              fmt::format("{} has figures of the devices {}; choose one by its number, "
                          "as in --device {}",
                          path.string(), fmt::join(known, ", "), devices.front().number));
}

void check_time(double nanoseconds, const fs::path& path, const std::string& where) {
  // Far beyond any measurement; squares of it are still finite.
  constexpr double kGreatest = 1e100;
  if (nanoseconds > 0 && nanoseconds <= kGreatest) return;
  throw FormatError(
      fmt::format("{}: {}: {} ns is no time; measure again", path.string(), where, nanoseconds));
}

void check_count(std::size_t samples, const std::string& name) {
  if (samples <= results::kMostNumbers) return;
  throw FormatError(
      fmt::format("{}: more than {} samples, the most that are read of the results "
                  "that they make; import fewer",
                  name, results::kMostNumbers));
}

Imports import_files(const ImportOptions& options) {
  if (options.files.size() > 1) {
    results::check_sizes(options.files, results::kAllImportsLimit,
                         fmt::format("all {} files", options.files.size()));
  }
  std::vector<ImportedFile> files;
  std::size_t samples = 0;
  std::map<std::string, fs::path> known;
  const Format* format = options.format.empty() ? nullptr : &format_named(options.format);
  for (const fs::path& path : options.files) {
    const std::string text = results::read_file(path, results::kResultsLimit);
    const auto [place, is_new] = known.try_emplace(text, path);
    if (!is_new) {
      throw Error(kExitUsage, fmt::format("{} is the same as {}; each file is a process of its own",
                                          path.string(), place->second.string()));
    }
    const Format& own =
        format != nullptr && !options.format.empty() ? *format : format_of(text, path);
    if (format != nullptr && format != &own) {
      throw Error(kExitUsage, fmt::format("{} is of the format {}, but {} of {}; import one format "
                                          "at a time",
                                          path.string(), own.name, options.files.front().string(),
                                          format->name));
    }
    format = &own;
    if (options.cpu_time && own.read != import_google_benchmark) {
      throw Error(kExitUsage, fmt::format("{} is of the format {}: only Google Benchmark's files "
                                          "have CPU time; leave out --time cpu",
                                          path.string(), own.name));
    }
    ImportedFile file = own.read(text, path, options);
    settle_device(options, path, file.device);
    settle_records(path, file);
    if (file.created.empty()) file.created = written(path);
    if (!files.empty()) check_alike(options.files.front(), files.front(), path, file);
    for (const Record& record : file.records) samples += record.samples_ns.size();
    check_count(samples, path.string() + " and those before it");
    files.push_back(std::move(file));
  }

  Imports imports;
  imports.session = session_of(files, options);
  const auto observations = observations_of(std::move(files), imports);
  imports.text = to_json_text(results::merge(imports.session, Json::object(), observations));
  return imports;
}

}  // namespace warpgauge::ci
