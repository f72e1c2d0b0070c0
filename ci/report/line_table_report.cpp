// SPDX-License-Identifier: Apache-2.0
#include "ci/report/line_table_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "ci/support/text.hpp"
#include "profiling/machine_code/suite_code.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::SourceLine;

std::string printed_place(const SourceLine& line) {
  const std::string place = fmt::format("{}:{}", line.file, line.line);
  return one_line(line.column == 0 ? place : fmt::format("{}:{}", place, line.column));
}

std::string access_of(const SourceLine& line) {
  std::string access = to_string(line.access);
  std::replace(access.begin(), access.end(), '_', ' ');
  return access;
}

std::string count(std::uint64_t value) { return readable_count(static_cast<double>(value)); }

// The compiler's instructions for the line, or those that were counted: "4 × LDS.32".
std::string machine_code_of(const SourceLine& line) {
  if (line.by_instruction.empty()) return describe_compiled(line);
  std::map<std::string, int> counts;
  for (const auto& each : line.by_instruction) ++counts[each.opcode];
  std::string text;
  for (const auto& [opcode, number] : counts) {
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", number, opcode);
  }
  return text;
}

std::string table_of(const BenchmarkResult& benchmark) {
  const bool compiled =
      std::any_of(benchmark.lines.begin(), benchmark.lines.end(), [](const SourceLine& line) {
        return line.compiled != results::Compiled::unknown || !line.by_instruction.empty();
      });
  std::vector<Column> columns{{"line"},
                              {"access"},
                              {"bytes", Align::right},
                              {"requests", Align::right},
                              {"moved", Align::right},
                              {""},
                              {"a request", Align::right}};
  if (compiled) columns.push_back({"machine code"});
  columns.push_back({"source"});

  std::vector<std::vector<std::string>> rows;
  for (const SourceLine& line : benchmark.lines) {
    const bool shared = to_string(line.access).starts_with("shared_");
    const std::uint64_t moved = shared ? line.wavefronts : line.sectors;
    rows.push_back({printed_place(line), access_of(line), fmt::format("{}", line.width_bytes),
                    count(line.requests), count(moved), shared ? "wavefronts" : "sectors",
                    line.requests == 0
                        ? "–"
                        : fmt::format("{:.2f}", static_cast<double>(moved) /
                                                    static_cast<double>(line.requests))});
    if (compiled) rows.back().push_back(one_line(machine_code_of(line)));
    rows.back().push_back(one_line(line.text));
  }
  return aligned_table(columns, rows);
}

std::string why_no_lines(const BenchmarkResult& benchmark) {
  if (benchmark.outcome.status != results::Status::ok) {
    return "failed: " + benchmark.outcome.message;
  }
  const auto reason = benchmark.not_measured.find("source_lines");
  if (reason != benchmark.not_measured.end()) return "not measured: " + reason->second;
  return "no accesses were recorded by line";
}

}  // namespace

std::string line_tables(const results::Results& results) {
  std::string text;
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    if (!text.empty()) text += "\n";
    text += one_line(benchmark.id) + "\n";
    if (!benchmark.lines.empty()) text += table_of(benchmark);
    // Some of several kernels may lack it.
    if (benchmark.lines.empty() || benchmark.not_measured.contains("source_lines")) {
      text += one_line(why_no_lines(benchmark)) + "\n";
    }
  }
  return text;
}

results::Json lines_json(const results::Results& results) {
  results::Json benchmarks = results::Json::array();
  for (const BenchmarkResult& benchmark : results.benchmarks) {
    results::Json json{{"id", benchmark.id}, {"lines", results::Json::array()}};
    for (const SourceLine& line : benchmark.lines) json["lines"].push_back(to_json(line));
    if (benchmark.lines.empty() || benchmark.not_measured.contains("source_lines")) {
      json["no_lines_because"] = why_no_lines(benchmark);
    }
    benchmarks.push_back(std::move(json));
  }
  return {{"benchmarks", std::move(benchmarks)}};
}

}  // namespace warpgauge::ci
