// SPDX-License-Identifier: Apache-2.0
// What BabelStream prints with --csv, versions 3.4 to 6.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <regex>
#include <sstream>
#include <string_view>

#include "ci/import/readers.hpp"
#include "ci/support/csv.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::FormatError;
using results::Record;

constexpr std::string_view kBabelstreamHeader = "function,num_times,n_elements,sizeof,";
constexpr std::array<const char*, 7> kColumns{"function",    "num_times",   "n_elements", "sizeof",
                                              "min_runtime", "max_runtime", "avg_runtime"};

// Arrays read, arrays written and operations an element.
struct Kernel {
  std::string_view name;
  int reads, writes, operations;
};
constexpr Kernel kKernels[] = {{"copy", 1, 1, 0},  {"mul", 1, 1, 1}, {"add", 2, 1, 1},
                               {"triad", 2, 1, 2}, {"dot", 2, 0, 2}, {"nstream", 3, 1, 3}};

class BabelstreamReader {
 public:
  BabelstreamReader(const std::string& text, const fs::path& path) : text_(text), path_(path) {}

  ImportedFile read() {
    const auto table = find_csv(text_, kBabelstreamHeader, path_.string());
    if (!table) {
      throw FormatError(
          fmt::format("{}: has no line '{}…'; give what one run of BabelStream with "
                      "--csv printed",
                      path_.string(), kBabelstreamHeader));
    }
    const std::vector<CsvRow>& rows = table->rows;
    ImportedFile file;
    file.origin.program = "BabelStream";
    read_device(text_.substr(0, table->begin), file);
    find_columns(rows.front());
    for (std::size_t i = 1; i < rows.size(); ++i) file.records.push_back(record_of(rows[i]));
    if (file.records.empty()) fail(rows.front().line, "there are no figures below the header");
    return file;
  }

 private:
  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw FormatError(
        fmt::format("{}: line {}: {}; give what one run of BabelStream with --csv "
                    "printed",
                    path_.string(), line, what));
  }

  // As the CUDA version says it on its first lines, which other versions do not.
  static void read_device(const std::string& lines, ImportedFile& file) {
    // The expressions recurse with the length of what they match.
    constexpr std::size_t kLongest = 500;
    std::istringstream stream(lines);
    for (std::string line; std::getline(stream, line);) {
      if (line.size() <= kLongest) read_device_line(line, file);
    }
  }

  static void read_device_line(const std::string& line, ImportedFile& file) {
    static const std::regex kNow(
        R"re(CUDA Device \d+: "([^"]+)" (\d{1,6}) SMs\((\d+),(\d+)\).*)re");
    static const std::regex kOld(R"(Using CUDA device ([^\r]+)\r?)");
    static const std::regex kDriver(R"((?:CUDA )?Driver: (\d{4,6})\r?)");
    std::smatch found;
    if (std::regex_match(line, found, kNow)) {
      file.device.name = found[1];
      file.device.multiprocessors = static_cast<int>(number_in(found[2].str()).value_or(0));
      file.device.compute_capability = found[3].str() + "." + found[4].str();
      if (line.find("ECC is ") != line.npos) {
        file.settings.emplace().ecc = line.find("ECC is ON") != line.npos;
      }
    } else if (std::regex_match(line, found, kOld)) {
      file.device.name = found[1];
    } else if (std::regex_match(line, found, kDriver)) {
      // Not the driver's own version, but the newest CUDA that it can run.
      file.device.driver = fmt::format("for CUDA {}", found[1].str());
    }
  }

  void find_columns(const CsvRow& header) {
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const auto found = std::find(header.fields.begin(), header.fields.end(), kColumns[i]);
      if (found == header.fields.end()) {
        fail(header.line, fmt::format("there is no column '{}'", kColumns[i]));
      }
      columns_[i] = static_cast<std::size_t>(found - header.fields.begin());
    }
    width_ = header.fields.size();
  }

  [[nodiscard]] double figure(const CsvRow& row, std::size_t column) const {
    const std::string& field = row.fields[columns_[column]];
    const auto value = number_in(field);
    if (!value || !(*value > 0)) {
      fail(row.line, fmt::format("{} is '{}', no number above 0", kColumns[column], field));
    }
    return *value;
  }

  [[nodiscard]] Record record_of(const CsvRow& row) const {
    if (row.fields.size() != width_) {
      fail(row.line,
           fmt::format("there are {} fields where the header has {}", row.fields.size(), width_));
    }
    std::string function = row.fields[columns_[0]];
    for (char& each : function) {
      each = static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    }
    const auto kernel = std::find_if(std::begin(kKernels), std::end(kKernels),
                                     [&](const Kernel& each) { return each.name == function; });
    if (kernel == std::end(kKernels)) {
      fail(row.line, fmt::format("'{}' is no function of BabelStream", row.fields[columns_[0]]));
    }
    const double elements = figure(row, 2);
    const double size = figure(row, 3);
    if (size != 4 && size != 8) fail(row.line, "sizeof is neither 4 nor 8");

    Record record;
    record.id =
        fmt::format("babelstream/{}/{}/{:.0f}", function, size == 4 ? "float" : "double", elements);
    record.work = {kernel->reads * elements * size, kernel->writes * elements * size,
                   kernel->operations * elements};
    record.time_ns = results::kNanosecondsPerSecond * figure(row, 4);
    check_time(*record.time_ns, path_, record.id);
    record.time_method = "BabelStream's shortest run, by the processor's clock";
    record.counters = {{"longest_time_ns", results::kNanosecondsPerSecond * figure(row, 5)},
                       {"average_time_ns", results::kNanosecondsPerSecond * figure(row, 6)},
                       {"runs", figure(row, 1)}};
    return record;
  }

  const std::string& text_;
  const fs::path& path_;
  std::array<std::size_t, kColumns.size()> columns_{};
  std::size_t width_ = 0;
};

}  // namespace

ImportedFile import_babelstream(const std::string& text, const fs::path& path,
                                const ImportOptions&) {
  return BabelstreamReader(text, path).read();
}

}  // namespace warpgauge::ci
