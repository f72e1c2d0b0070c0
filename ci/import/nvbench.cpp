// SPDX-License-Identifier: Apache-2.0
// NVBench's JSON, file version 1, with the sample files of --jsonbin where it names them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "ci/import/readers.hpp"
#include "ci/support/files/source_tree.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/json/google_benchmark_json.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/trimmed_mean.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::FormatError;
using results::Json;
using results::Record;

constexpr int kVersion = 1;

// Where a state's time is, the best source first.
struct TimeSource {
  const char* mean;
  const char* samples;  // empty: NVBench keeps none
  const char* method;
  bool gpu_clock;
};
constexpr TimeSource kTimeSources[] = {
    {"nv/cold/time/gpu/mean", "nv/json/bin:nv/cold/sample_times",
     "NVBench's isolated runs, CUDA events", true},
    {"nv/batch/time/gpu/mean", "", "NVBench's batches, CUDA events", true},
    {"nv/cpu_only/time/cpu/mean", "nv/json/bin:nv/cpu_only/sample_times",
     "NVBench's processor-only runs", false}};

// A value within the file, and where it is.
class JsonPlace {
 public:
  JsonPlace(const Json& json, std::string where) : json_(json), where_(std::move(where)) {}

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(
        fmt::format("{} {}; give the file that NVBench's --json or --jsonbin wrote", where_, what));
  }

  [[nodiscard]] bool has(const char* field) const {
    return json_.is_object() && json_.contains(field) && !json_[field].is_null();
  }
  [[nodiscard]] JsonPlace at(const char* field) const {
    if (!json_.is_object()) fail(fmt::format("is {}, no object", results::kind_of(json_)));
    const auto found = json_.find(field);
    if (found == json_.end()) fail(fmt::format("has no '{}'", field));
    return {*found, fmt::format("{}.{}", where_, field)};
  }
  // Where there is nothing to list, NVBench writes null.
  [[nodiscard]] std::vector<JsonPlace> list() const {
    if (json_.is_null()) return {};
    if (!json_.is_array()) fail(fmt::format("is {}, no list", results::kind_of(json_)));
    std::vector<JsonPlace> places;
    for (std::size_t i = 0; i < json_.size(); ++i) {
      places.emplace_back(json_[i], fmt::format("{}[{}]", where_, i));
    }
    return places;
  }
  [[nodiscard]] std::string text() const {
    if (!json_.is_string()) fail(fmt::format("is {}, no string", results::kind_of(json_)));
    return json_.get<std::string>();
  }
  [[nodiscard]] std::string text_or_nothing(const char* field) const {
    return has(field) ? at(field).text() : "";
  }
  [[nodiscard]] bool flag() const {
    if (!json_.is_boolean()) fail(fmt::format("is {}, not true or false", results::kind_of(json_)));
    return json_.get<bool>();
  }
  [[nodiscard]] std::uint64_t count() const {
    constexpr std::int64_t kGreatest = std::int64_t{1} << 53;
    if (!json_.is_number_integer() || json_.get<std::int64_t>() < 0 ||
        json_.get<std::int64_t>() > kGreatest) {
      fail("is no whole number of at least 0");
    }
    return json_.get<std::uint64_t>();
  }
  // NVBench writes numbers as strings, lest a reader rounds them.
  [[nodiscard]] std::string number_text() const {
    return json_.is_string() ? json_.get<std::string>() : json_.dump();
  }

 private:
  const Json& json_;
  std::string where_;
};

Json parse(const std::string& text, const fs::path& path) {
  try {
    return results::parse_json(text);
  } catch (const FormatError& error) {
    throw FormatError(fmt::format("{}: {}; give the file that NVBench's --json wrote",
                                  path.string(), error.what()));
  } catch (const Json::parse_error& error) {
    const std::size_t place = std::min(error.byte, text.size());
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(place), '\n');
    const char* what = error.byte > text.size() ? "ends too early, in" : "is not JSON at";
    throw FormatError(fmt::format("{}: {} line {}; was the run that wrote it cut short?",
                                  path.string(), what, line));
  } catch (const Json::out_of_range&) {
    throw FormatError(
        fmt::format("{}: has a number beyond all that can be measured; give the file "
                    "that NVBench's --json wrote",
                    path.string()));
  }
}

// A summary's data of that name, as it is written; empty: it has none.
std::string datum(const JsonPlace& summary, std::string_view name) {
  if (!summary.has("data")) return "";
  for (const JsonPlace& each : summary.at("data").list()) {
    if (each.at("name").text() == name) return each.at("value").number_text();
  }
  return "";
}

// 1048576 → "2^20", as NVBench itself shows an axis of powers of two.
std::string power_of_two(const std::string& value) {
  const auto number = number_in(value);
  if (!number || !(*number >= 1) || *number > 1e18) return value;
  const auto whole = static_cast<std::uint64_t>(*number);
  return std::has_single_bit(whole) ? fmt::format("2^{}", std::bit_width(whole) - 1) : value;
}

class NvbenchReader {
 public:
  NvbenchReader(const Json& json, const fs::path& path, std::string wanted)
      : root_(json, path.string() + ":"), path_(path), wanted_(std::move(wanted)) {}

  ImportedFile read() {
    check_version();
    const std::vector<JsonPlace> benchmarks = root_.at("benchmarks").list();
    const std::uint64_t device = find_device(benchmarks);
    file_.origin.gpu_clock = true;
    for (const JsonPlace& benchmark : benchmarks) read_benchmark(benchmark, device);
    file_.origin.cuda_events = file_.origin.gpu_clock;
    return std::move(file_);
  }

 private:
  void check_version() {
    file_.origin.program = "NVBench";
    // Files of before there was a version have the same layout.
    if (!root_.has("meta") || !root_.at("meta").has("version")) return;
    const JsonPlace version = root_.at("meta").at("version");
    if (version.has("json") && version.at("json").at("major").count() != kVersion) {
      root_.fail(fmt::format("is of NVBench's file version {}, and this reads {}",
                             version.at("json").at("major").count(), kVersion));
    }
    if (version.has("nvbench")) {
      file_.origin.program += " " + version.at("nvbench").text_or_nothing("string");
    }
  }

  // The number of the device whose states are wanted.
  std::uint64_t find_device(const std::vector<JsonPlace>& benchmarks) {
    std::set<std::uint64_t> used;
    for (const JsonPlace& benchmark : benchmarks) {
      for (const JsonPlace& state : benchmark.at("states").list()) {
        used.insert(state.at("device").count());
      }
    }
    if (used.empty()) root_.fail("has no results");
    std::vector<DeviceInFile> names;
    std::vector<JsonPlace> places;
    for (const JsonPlace& device : root_.at("devices").list()) {
      const std::uint64_t id = device.at("id").count();
      if (used.erase(id) == 0) continue;
      names.push_back({fmt::format("{}", id), device.at("name").text()});
      places.push_back(device);
    }
    if (!used.empty()) root_.fail(fmt::format("does not describe device {}", *used.begin()));
    const JsonPlace& chosen = places[choose_device(names, wanted_, path_)];
    read_device(chosen);
    return chosen.at("id").count();
  }

  void read_device(const JsonPlace& place) {
    results::Device& device = file_.device;
    device.name = place.at("name").text();
    const auto count = [&](const char* field) {
      return place.has(field) ? place.at(field).count() : 0;
    };
    if (const std::uint64_t version = count("sm_version"); version > 0) {
      device.compute_capability = fmt::format("{}.{}", version / 100, version / 10 % 10);
    }
    device.multiprocessors =
        static_cast<int>(std::min<std::uint64_t>(count("number_of_sms"), 1u << 20));
    device.l2_bytes = count("l2_cache_size");
    device.memory_bytes = count("global_memory_size");
    if (place.has("ecc_state")) file_.settings.emplace().ecc = place.at("ecc_state").flag();
  }

  void read_benchmark(const JsonPlace& benchmark, std::uint64_t device) {
    const std::string name = benchmark.at("name").text();
    std::set<std::string> powers_of_two;
    if (benchmark.has("axes")) {
      for (const JsonPlace& axis : benchmark.at("axes").list()) {
        if (axis.text_or_nothing("flags").find("pow2") != std::string::npos) {
          powers_of_two.insert(axis.at("name").text());
        }
      }
    }
    for (const JsonPlace& state : benchmark.at("states").list()) {
      if (state.at("device").count() != device) continue;
      Record record;
      record.id = family_name(name);
      if (state.has("axis_values")) {
        for (const JsonPlace& axis : state.at("axis_values").list()) {
          const std::string axis_name = axis.at("name").text();
          const std::string value = axis.at("value").number_text();
          record.id += fmt::format("/{}={}", axis_name,
                                   powers_of_two.contains(axis_name) ? power_of_two(value) : value);
        }
      }
      read_state(state, record);
      file_.records.push_back(std::move(record));
    }
  }

  void read_state(const JsonPlace& state, Record& record) {
    if (state.at("is_skipped").flag()) {
      record.not_measured[results::kTimeMetric] =
          "NVBench skipped it: " + state.text_or_nothing("skip_reason");
      return;
    }
    const std::vector<JsonPlace> summaries = state.at("summaries").list();
    const auto find = [&](const char* tag) {
      return std::find_if(summaries.begin(), summaries.end(),
                          [&](const JsonPlace& each) { return each.at("tag").text() == tag; });
    };
    const TimeSource* source =
        std::find_if(std::begin(kTimeSources), std::end(kTimeSources),
                     [&](const TimeSource& each) { return find(each.mean) != summaries.end(); });
    if (source == std::end(kTimeSources)) {
      record.not_measured[results::kTimeMetric] =
          "NVBench took no sample, perhaps because the device was throttled throughout";
    } else {
      read_time(*source, *find(source->mean), record);
      if (const auto samples = find(source->samples); samples != summaries.end()) {
        read_samples(*samples, record);
      }
      file_.origin.gpu_clock = file_.origin.gpu_clock && source->gpu_clock;
    }
    for (const JsonPlace& summary : summaries) {
      if (source == std::end(kTimeSources) || summary.at("tag").text() != source->mean) {
        read_counter(summary, record);
      }
    }
  }

  void read_time(const TimeSource& source, const JsonPlace& summary, Record& record) const {
    const auto seconds = number_in(datum(summary, "value"));
    if (!seconds) summary.fail("has no value that is a number");
    record.time_ns = *seconds * results::kNanosecondsPerSecond;
    check_time(*record.time_ns, path_, record.id);
    record.time_method = std::string(source.method) + ", mean";
  }

  // Little-endian numbers of four bytes, in seconds. The file may name one of them many times.
  void read_samples(const JsonPlace& summary, Record& record) {
    const std::string named = datum(summary, "filename");
    if (named.empty()) return;  // NVBench could not write it, and said so
    const fs::path file = sample_file(named);
    const std::string bytes = results::read_file(file, results::kResultsLimit);
    const auto announced = number_in(datum(summary, "size"));
    constexpr std::size_t kBytes = 4;
    const std::size_t samples = bytes.size() / kBytes;
    samples_ += samples;
    check_count(samples_, path_.string());
    if (bytes.size() % kBytes != 0 || announced != static_cast<double>(samples)) {
      throw FormatError(
          fmt::format("{}: has {} bytes, but {} samples of {} bytes are announced by "
                      "{}; copy both again, from one run",
                      file.string(), bytes.size(), datum(summary, "size"), kBytes, path_.string()));
    }
    for (std::size_t i = 0; i < bytes.size(); i += kBytes) {
      std::uint32_t bits = 0;
      for (std::size_t byte = kBytes; byte-- > 0;) {
        bits = bits << 8U | static_cast<unsigned char>(bytes[i + byte]);
      }
      const double nanoseconds =
          results::kNanosecondsPerSecond * static_cast<double>(std::bit_cast<float>(bits));
      check_time(nanoseconds, file, fmt::format("sample {}", i / kBytes));
      record.samples_ns.push_back(nanoseconds);
    }
    if (record.samples_ns.empty()) return;
    record.time_ns = results::trimmed_mean(record.samples_ns);
    record.time_method.replace(record.time_method.rfind("mean"), 4, "trimmed mean of the samples");
  }

  // NVBench names them relative to the JSON; before 2026, as seen from where it ran. What lies
  // elsewhere is none of its files.
  [[nodiscard]] fs::path sample_file(const std::string& named) const {
    const fs::path recorded(named);
    const fs::path folder = path_.parent_path();
    for (const fs::path& candidate :
         {folder / recorded, folder / recorded.parent_path().filename() / recorded.filename()}) {
      std::error_code error;
      const bool is_beside = is_below(folder.empty() ? "." : folder, candidate);
      if (is_beside && fs::is_regular_file(candidate, error)) return candidate;
    }
    throw FormatError(
        fmt::format("{}: its samples are in {}, which is not there; keep that folder "
                    "beside the file, or run NVBench with --json instead of --jsonbin",
                    path_.string(), (folder / recorded.parent_path().filename()).string()));
  }

  // What NVBench does not show either stays out.
  static void read_counter(const JsonPlace& summary, Record& record) {
    std::string name = summary.at("tag").text();
    const std::string value = datum(summary, "value");
    if (summary.has("hide") || value.empty()) return;
    constexpr std::string_view kOwn = "nv/";
    if (name.starts_with(kOwn)) name.erase(0, kOwn.size());
    const bool is_duration = summary.text_or_nothing("hint") == "duration";
    if (is_duration) name += "_ns";
    const auto number = number_in(value);
    if (!number) {
      record.not_measured.try_emplace(name, fmt::format("NVBench says '{}'", value));
      return;
    }
    record.counters[name] = is_duration ? results::kNanosecondsPerSecond * *number : *number;
  }

  JsonPlace root_;
  const fs::path& path_;
  std::string wanted_;
  std::size_t samples_ = 0;  // so far
  ImportedFile file_;
};

}  // namespace

ImportedFile import_nvbench(const std::string& text, const fs::path& path,
                            const ImportOptions& options) {
  const Json json = parse(text, path);
  return NvbenchReader(json, path, options.device).read();
}

}  // namespace warpgauge::ci
