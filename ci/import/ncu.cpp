// SPDX-License-Identifier: Apache-2.0
// What `ncu --csv` prints: a row a metric of each launch (--page details, the usual one), or a row
// a launch and a column a metric (--page raw).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ci/import/ncu_text.hpp"
#include "ci/import/readers.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/support/csv.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "profiling/results/limits.hpp"
#include "profiling/results/trimmed_mean.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::FormatError;
using results::Record;

constexpr std::string_view kNcuHeader = R"("ID",)";
constexpr const char* kDuration = "gpu__time_duration.sum";
// The section and the name of the same metric where ncu names metrics for people.
constexpr const char* kDurationForPeople = "GPU Speed Of Light Throughput: Duration";
// Metrics that were asked for by name stand in a section of this name.
constexpr const char* kAsked = "Command line profiler metrics";
constexpr std::string_view kDeviceFact = "device__attribute_";

// Columns of a launch, not of a metric.
const std::set<std::string_view> kOfLaunch{
    "ID",      "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time",
    "Context", "Stream",     "Block Size",   "Grid Size", "Device",      "CC"};

// Of a text from the file, in a message.
std::string shown(const std::string& text) {
  constexpr std::size_t kLongest = 40;
  return one_line(shortened(text, kLongest));
}

// A metric's figures, and how often there was none.
struct Figures {
  std::vector<double> values;
  std::map<std::string, std::size_t> odd;  // what stands there, such as "n/a"
};

// What was seen of one kernel with one size of grid and block.
struct Launches {
  std::vector<double> times_ns;
  std::map<std::string, bool> timed;  // by the launch, as "PROCESS ID"
  std::map<std::string, Figures> metrics;
};

// The launch that a row is of.
struct Launch {
  Launches& launches;
  bool& timed;
};

// No numbers, but no words of a metric that is text either.
bool is_no_figure(std::string_view text) {
  std::string word;
  for (const char each : text) {
    if (each != '+' && each != '-') {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    }
  }
  constexpr std::array<std::string_view, 6> kWords{"n/a",      "nan",  "inf",
                                                   "infinity", "#nan", "(!) nan"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// Why the figures are none to rely on; empty: they are, or there are none and nobody said so. A
// mean of the other launches would be of other work.
std::string why_no_figure(const Figures& figures, std::size_t launches) {
  std::size_t odd = 0;
  std::vector<std::string> parts;
  for (const auto& [text, count] : figures.odd) {
    odd += count;
    parts.push_back(text);
  }
  const bool only_text =
      figures.values.empty() && std::none_of(parts.begin(), parts.end(), is_no_figure);
  const std::size_t said = odd + figures.values.size();
  if (said < launches && !figures.values.empty()) {
    return fmt::format("the file has it for {} of {} launches", figures.values.size(), launches);
  }
  if (odd == 0 || only_text) return "";
  if (figures.values.empty() && parts.size() == 1) return "ncu says " + shown(parts.front());
  return fmt::format("ncu says {} for {} of {} launches", shown(some_of(parts, 3)), odd, said);
}

class NcuReader {
 public:
  NcuReader(const std::string& text, const fs::path& path, std::string wanted)
      : text_(text), path_(path), wanted_(std::move(wanted)) {}

  ImportedFile read() {
    // Valid from the start: two names that are not could become one when they are written.
    auto table = find_csv(valid_utf8(text_), kNcuHeader, path_.string());
    if (!table) {
      throw FormatError(
          fmt::format("{}: has no header that begins with {}; give what ncu --csv "
                      "printed (its --log-file keeps the program's output apart)",
                      path_.string(), kNcuHeader));
    }
    rows_ = std::move(table->rows);
    // What ncu itself says, between and behind.
    std::erase_if(rows_, [](const CsvRow& row) { return row.fields.front().starts_with("=="); });
    for (std::size_t i = 0; i < rows_.front().fields.size(); ++i) {
      columns_.try_emplace(rows_.front().fields[i], i);
    }
    require("Kernel Name");
    if (columns_.contains("Metric Name")) {
      read_details();
    } else {
      read_raw();
    }
    return finish();
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw FormatError(fmt::format("{}: line {}: {}", path_.string(), line, what));
  }

  void require(const char* column) const {
    if (columns_.contains(column)) return;
    fail(rows_.front().line, fmt::format("there is no column '{}'; run ncu with --csv and without "
                                         "--print-summary",
                                         column));
  }

  [[nodiscard]] std::string field(const CsvRow& row, const char* column) const {
    const auto found = columns_.find(column);
    if (found == columns_.end() || found->second >= row.fields.size()) return "";
    return row.fields[found->second];
  }

  void check_width(const CsvRow& row, std::size_t least) const {
    const std::size_t most = rows_.front().fields.size();
    if (row.fields.size() >= least && row.fields.size() <= most) return;
    fail(row.line, fmt::format("there are {} fields where the header has {}; was the file cut "
                               "short?",
                               row.fields.size(), most));
  }

  // A row without a metric, such as a rule's, leaves the columns behind it out.
  void read_details() {
    for (const char* column : {"Section Name", "Metric Unit", "Metric Value"}) require(column);
    const std::size_t least = columns_.at("Metric Value") + 1;
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      const CsvRow& row = rows_[i];
      check_width(row, least);
      const std::string metric = field(row, "Metric Name");
      if (metric.empty()) continue;
      const std::string section = field(row, "Section Name");
      const bool plain = section.empty() || section == kAsked;
      const std::string name = plain ? metric : fmt::format("{}: {}", section, metric);
      const std::string device = field(row, "Device");
      const std::string value = field(row, "Metric Value");
      if (take_fact(device, name, value)) continue;
      take(row, launch_of(row, device), name, field(row, "Metric Unit"), value);
    }
  }

  void read_raw() {
    const CsvRow& names = rows_.front();
    if (rows_.size() < 2 || !field(rows_[1], "ID").empty()) {
      fail(names.line,
           "there is no row of units below the header; give what ncu --csv --page raw printed");
    }
    check_columns(names);
    const CsvRow& units = rows_[1];
    check_width(units, names.fields.size());
    for (std::size_t i = 2; i < rows_.size(); ++i) {
      const CsvRow& row = rows_[i];
      check_width(row, names.fields.size());
      const std::string device = field(row, "Device");
      std::optional<Launch> launch;  // a name may be as long as all figures of its row
      for (std::size_t column = 0; column < row.fields.size(); ++column) {
        const std::string& name = names.fields[column];
        if (kOfLaunch.contains(name) || take_fact(device, name, row.fields[column])) continue;
        if (!launch) launch.emplace(launch_of(row, device));
        take(row, *launch, name, units.fields[column], row.fields[column]);
      }
    }
  }

  // Each row looks each of them up.
  void check_columns(const CsvRow& names) const {
    constexpr std::size_t kLongestName = 1'024;
    if (names.fields.size() > results::kMostMembers) {
      fail(names.line, fmt::format("there are {} columns, and at most {} are read; name fewer "
                                   "metrics with ncu's --metrics",
                                   names.fields.size(), results::kMostMembers));
    }
    for (const std::string& name : names.fields) {
      if (name.size() <= kLongestName) continue;
      fail(names.line,
           fmt::format(
               "the name of a column has {} bytes, and at most {} are read; is it the right file?",
               name.size(), kLongestName));
    }
  }

  // Of a number with thousands separators; nothing: it is text. "12 (4; 8)" is a sum and its parts.
  [[nodiscard]] std::optional<double> figure(const CsvRow& row, const std::string& text) const {
    const std::string digits = without_separators(text.substr(0, text.find(" (")));
    const auto value = number_in(digits);
    const bool of_digits = digits.find_first_not_of("0123456789.,+-") == digits.npos;
    if (!value && of_digits && digits.find(',') != digits.npos) {
      fail(row.line,
           fmt::format("'{}' has separators that are not English; run ncu with LC_ALL=C", text));
    }
    return value;
  }

  // Whether it is one of the device.
  bool take_fact(const std::string& device, const std::string& name, const std::string& text) {
    if (!name.starts_with(kDeviceFact)) return false;
    facts_[device].try_emplace(name.substr(kDeviceFact.size()), text);
    return true;
  }

  Launch launch_of(const CsvRow& row, const std::string& device) {
    const std::string kernel = field(row, "Kernel Name");
    if (kernel.empty()) fail(row.line, "the kernel has no name");
    Launches& launches = launches_[device][id_of(row, kernel)];
    cc_[device] = field(row, "CC");
    return {launches, launches.timed[field(row, "Process ID") + " " + field(row, "ID")]};
  }

  void take(const CsvRow& row, const Launch& launch, const std::string& name,
            const std::string& unit, const std::string& text) {
    const auto value = figure(row, text);
    const bool is_time = name == kDuration || name == kDurationForPeople;
    if (!value) {
      if (is_time && !text.empty()) {
        fail(row.line, fmt::format("the duration is '{}', which is no time", shown(text)));
      }
      if (!is_time) take_odd(text.empty() ? "nothing" : text, launch.launches.metrics[name]);
      return;
    }
    const Scaled scaled = without_prefix(unit);
    if (is_time) {
      take_time(row, *value * scaled.factor, scaled.unit, unit, launch);
    } else {
      launch.launches.metrics[name].values.push_back(*value * scaled.factor);
    }
  }

  // Of some texts it is enough to know that there are others.
  static void take_odd(const std::string& text, Figures& figures) {
    constexpr std::size_t kMostTexts = 8;
    const bool known = figures.odd.contains(text) || figures.odd.size() < kMostTexts;
    ++figures.odd[known ? text : "something else"];
  }

  void take_time(const CsvRow& row, double nanoseconds, const std::string& unit,
                 const std::string& written, const Launch& launch) {
    if (unit != "ns") {
      fail(row.line, fmt::format("the duration is in '{}', which is no time", written));
    }
    check_time(nanoseconds, path_, fmt::format("line {}", row.line));
    // A launch may have its duration in two sections.
    if (std::exchange(launch.timed, true)) return;
    launch.launches.times_ns.push_back(nanoseconds);
  }

  [[nodiscard]] std::string id_of(const CsvRow& row, const std::string& kernel) const {
    const std::string function = family_name(function_name(kernel));
    const std::string grid = extents(field(row, "Grid Size"));
    const std::string block = extents(field(row, "Block Size"));
    return fmt::format("{}{}{}{}", function, kernel == function ? "" : "/" + kernel,
                       grid.empty() ? "" : "/grid=" + grid, block.empty() ? "" : "/block=" + block);
  }

  ImportedFile finish() {
    if (launches_.empty()) {
      throw FormatError(
          fmt::format("{}: has no metric of any kernel; did ncu's filters match "
                      "none?",
                      path_.string()));
    }
    std::vector<DeviceInFile> devices;
    for (const auto& [device, launches] : launches_) {
      const bool is_number = number_in(device).has_value();
      devices.push_back(
          {is_number ? device : "", is_number ? fact(device, "display_name") : device});
    }
    const std::size_t chosen = choose_device(devices, wanted_, path_);
    const auto of_device = std::next(launches_.begin(), static_cast<std::ptrdiff_t>(chosen));

    ImportedFile file;
    file.origin = {"Nsight Compute", true};
    read_device(of_device->first, devices[chosen].name, file.device);
    for (auto& [id, launches] : of_device->second) {
      file.records.push_back(record_of(id, std::move(launches)));
    }
    return file;
  }

  [[nodiscard]] std::string fact(const std::string& device, const char* name) const {
    const auto facts = facts_.find(device);
    if (facts == facts_.end()) return "";
    const auto found = facts->second.find(name);
    return found == facts->second.end() ? "" : found->second;
  }

  void read_device(const std::string& column, const std::string& name, results::Device& device) {
    device.name = name;
    device.compute_capability = cc_[column];
    std::string count = fact(column, "multiprocessor_count");
    std::erase(count, ',');
    const double multiprocessors = number_in(count).value_or(0);
    if (multiprocessors > 0 && multiprocessors < 1e6) {
      device.multiprocessors = static_cast<int>(multiprocessors);
    }
  }

  [[nodiscard]] Record record_of(const std::string& id, Launches launches) const {
    const std::size_t count = launches.timed.size();
    if (!launches.times_ns.empty() && launches.times_ns.size() < count) {
      throw FormatError(fmt::format("{}: {}: {} of {} launches have no duration; measure again",
                                    path_.string(), id, count - launches.times_ns.size(), count));
    }
    Record record;
    record.id = id;
    for (const auto& [name, figures] : launches.metrics) {
      if (std::string why = why_no_figure(figures, count); !why.empty()) {
        record.not_measured[name] = std::move(why);
      } else if (!figures.values.empty()) {
        record.counters[name] = mean_of(figures.values);
      }
    }
    record.samples_ns = std::move(launches.times_ns);
    if (record.samples_ns.empty()) {
      record.not_measured[results::kTimeMetric] =
          fmt::format("the file lacks {}: name it with ncu's --metrics", kDuration);
    } else {
      record.time_ns = results::trimmed_mean(record.samples_ns);
      record.time_method = "ncu gpu__time_duration";
    }
    return record;
  }

  const std::string& text_;
  const fs::path& path_;
  std::string wanted_;
  std::vector<CsvRow> rows_;  // the header first
  std::map<std::string, std::size_t> columns_;
  // By the column of the device.
  std::map<std::string, std::map<std::string, Launches>> launches_;
  std::map<std::string, std::map<std::string, std::string>> facts_;
  std::map<std::string, std::string> cc_;
};

}  // namespace

ImportedFile import_ncu(const std::string& text, const fs::path& path,
                        const ImportOptions& options) {
  return NcuReader(text, path, options.device).read();
}

}  // namespace warpgauge::ci
