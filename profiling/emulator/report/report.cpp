// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/report/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "profiling/emulator/report/termination.hpp"

namespace warpgauge::emulator {
namespace {

using results::Access;
using results::SourceLine;

constexpr int kExitStatusOfErrors = 4;  // as the gate's: no result
constexpr int kExitStatusOfUsage = 64;
constexpr std::size_t kColumns = 8;

using Row = std::array<std::string, kColumns>;

std::string counted(std::uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string access_text(Access access) {
  switch (access) {
    case Access::shared_load:
      return "shared load";
    case Access::shared_store:
      return "shared store";
    case Access::shared_atomic:
      return "shared atomic";
    case Access::global_load:
      return "global load";
    case Access::global_store:
      return "global store";
    case Access::global_atomic:
      return "global atomic";
  }
  return "access";
}

// The accesses of one source line, by kind and width.
std::vector<SourceLine> by_line(const std::vector<SourceLine>& lines) {
  std::map<std::tuple<std::string, int, Access, int>, SourceLine> merged;
  for (const SourceLine& line : lines) {
    const auto [entry, added] =
        merged.try_emplace({line.file, line.line, line.access, line.width_bytes}, line);
    if (added) continue;
    SourceLine& sum = entry->second;
    sum.requests += line.requests;
    sum.wavefronts += line.wavefronts;
    sum.ideal_wavefronts += line.ideal_wavefronts;
    sum.sectors += line.sectors;
    sum.ideal_sectors += line.ideal_sectors;
  }
  std::vector<SourceLine> sorted;
  sorted.reserve(merged.size());
  for (const auto& [key, line] : merged) sorted.push_back(line);
  return sorted;
}

class SourceText {
 public:
  explicit SourceText(const std::filesystem::path& root) : root_(root) {}

  // Without indentation; empty: not found.
  [[nodiscard]] std::string line(const std::string& file, int number) {
    const auto [entry, added] = files_.try_emplace(file);
    if (added) {
      std::ifstream text(root_ / file);
      for (std::string line; std::getline(text, line);) entry->second.push_back(line);
    }
    const std::vector<std::string>& lines = entry->second;
    if (number < 1 || static_cast<std::size_t>(number) > lines.size()) return "";
    std::string line = lines[static_cast<std::size_t>(number) - 1];
    line.erase(0, std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
  }

 private:
  std::filesystem::path root_;
  std::map<std::string, std::vector<std::string>> files_;
};

std::string a_request(std::uint64_t count, std::uint64_t requests) {
  return fmt::format("{:.2f}", static_cast<double>(count) / static_cast<double>(requests));
}

Row row(const SourceLine& line, SourceText& source) {
  const bool shared = is_shared(line.access);
  const std::uint64_t moved = shared ? line.wavefronts : line.sectors;
  const std::uint64_t ideal = shared ? line.ideal_wavefronts : line.ideal_sectors;
  return {line.file.empty() ? "unknown" : fmt::format("{}:{}", line.file, line.line),
          access_text(line.access),
          fmt::format("{}", line.width_bytes),
          fmt::format("{}", line.requests),
          fmt::format("{} {}", moved, shared ? "wavefronts" : "sectors   "),
          a_request(moved, line.requests),
          a_request(ideal, line.requests),
          source.line(line.file, line.line)};
}

std::string table(const std::vector<Row>& rows) {
  constexpr std::array<bool, kColumns> kToTheRight = {false, false, true, true,
                                                      true,  true,  true, false};
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < kColumns; ++i) {
      line += "  ";
      line += kToTheRight[i] ? fmt::format("{:>{}}", row[i], widths[i])
                             : fmt::format("{:<{}}", row[i], widths[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

bool has(const std::vector<SourceLine>& lines, Access access) {
  return std::ranges::any_of(lines, [&](const SourceLine& line) { return line.access == access; });
}

// What may be relied on, and why not on the rest.
std::string figures_text(const KernelObservation& kernel) {
  if (kernel.unfinished > 0) {
    return fmt::format("  figures: incomplete, {} ended early; time: unsupported\n",
                       kernel.launches == 1
                           ? "for the launch"
                           : fmt::format("for {} of the launches", kernel.unfinished));
  }
  std::string approximate;
  if (has(kernel.did.lines, Access::shared_atomic)) approximate = "wavefronts of shared atomics";
  if (has(kernel.did.lines, Access::global_atomic)) {
    approximate +=
        approximate.empty() ? "sectors of global atomics" : ", sectors of global atomics";
  }
  if (approximate.empty()) return "  figures: exact, as written; time: unsupported\n";
  return fmt::format("  figures: exact, as written, but approximate the {}; time: unsupported\n",
                     approximate);
}

std::string how_often(const Finding& finding) {
  return fmt::format("{} in {}", counted(finding.times, "time", "times"),
                     counted(finding.launches, "launch", "launches"));
}

std::string findings_text(const KernelObservation& kernel) {
  std::string remarks;
  std::string errors;
  for (const Finding& finding : kernel.findings) {
    if (!finding.is_error) {
      remarks += fmt::format("  remark, {}: {}\n", how_often(finding), finding.text);
    } else if (finding.times > 1) {
      errors += fmt::format("    {}: {}\n", how_often(finding), finding.text);
    }
  }
  if (kernel.did.errors.empty()) return remarks;
  return remarks +
         fmt::format("  {}, reported above\n",
                     counted(kernel.did.errors.size(), "error", "errors")) +
         errors;
}

std::string kernel_text(const KernelObservation& kernel, SourceText& source) {
  std::string text =
      fmt::format("\n{}: {}, {}\n", kernel.name, counted(kernel.launches, "launch", "launches"),
                  counted(kernel.did.barriers, "barrier", "barriers"));
  std::vector<Row> rows = {
      {"line", "access", "bytes", "requests", "moved", "a request", "ideal", "source"}};
  for (const SourceLine& line : by_line(kernel.did.lines)) rows.push_back(row(line, source));
  if (rows.size() > 1) text += table(rows);
  return text + figures_text(kernel) + findings_text(kernel);
}

std::string report_path() {
  const char* path = std::getenv("WARPGAUGE_REPORT");
  return path == nullptr ? "" : path;
}

bool wants_json() { return report_path().ends_with(".json"); }

void write(const std::string& text) {
  const std::string path = report_path();
  if (path.empty()) {
    fmt::print(stderr, "{}", text);
    return;
  }
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) fmt::print(stderr, "cannot write WARPGAUGE_REPORT={}\n", path);
}

}  // namespace

std::string report_text(std::span<const KernelObservation> kernels,
                        const std::filesystem::path& source_root) {
  if (kernels.empty()) return "Warpgauge emulator: no kernel was launched\n";
  SourceText source(source_root);
  std::string text = "Warpgauge emulator: what the kernels did, by source line\n";
  for (const KernelObservation& kernel : kernels) text += kernel_text(kernel, source);
  return text;
}

ReportAtExit::ReportAtExit(const char* source_root) : source_root_(source_root) {
  try {
    keep_observations(options_of_environment());
  } catch (const std::invalid_argument& error) {
    fmt::print(stderr, "Warpgauge emulator: {}\n", error.what());
    _exit(kExitStatusOfUsage);
  }
  if (on_exit(&report, this) != 0) std::fputs("Warpgauge emulator: no report at exit\n", stderr);
  before_termination([this](const std::string& signal) {
    if (told_.exchange(true)) return;
    end_launches();
    if (wants_json()) return write(report_json(kept_observations()));
    const std::string text = report_text(kept_observations(), source_root_);
    write(fmt::format("Warpgauge emulator: ended by {}; until then:\n{}", signal, text));
  });
}

// Runs after the destructors of the program's own objects, which were made later.
void ReportAtExit::report(int status, void* self) {
  auto& report = *static_cast<ReportAtExit*>(self);
  while (report.told_.exchange(true)) pause();  // until the signal ends the process
  const std::vector<KernelObservation> kernels = kept_observations();
  const bool wrong = std::ranges::any_of(
      kernels, [](const KernelObservation& kernel) { return !kernel.did.errors.empty(); });
  std::fflush(nullptr);
  write(wants_json() ? report_json(kernels) : report_text(kernels, report.source_root_));
  std::fflush(nullptr);
  if (wrong && status == 0) _exit(kExitStatusOfErrors);
}

}  // namespace warpgauge::emulator
