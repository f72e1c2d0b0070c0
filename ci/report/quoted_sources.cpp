// SPDX-License-Identifier: Apache-2.0
#include "ci/report/quoted_sources.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "ci/support/files/source_tree.hpp"
#include "ci/support/utf8.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

// Each file once, files of causes first.
std::vector<std::string> files_named(const GateVerdict& verdict) {
  std::vector<std::string> files;
  std::set<std::string> known;
  const auto add = [&](const results::SourceLine& line) {
    if (known.insert(line.file).second) files.push_back(line.file);
  };
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    for (const MetricVerdict& metric : benchmark.metrics) {
      if (!metric.cause) continue;
      for (const LineGrowth& growth : metric.cause->lines) add(growth.line);
    }
  }
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    for (const auto* lines : {&benchmark.lines_after, &benchmark.lines_before}) {
      for (const results::SourceLine& line : *lines) add(line);
    }
  }
  return files;
}

}  // namespace

std::map<std::string, std::string> sources_of(const GateVerdict& verdict,
                                              const std::filesystem::path& root) {
  std::map<std::string, std::string> sources;
  std::size_t total = 0;
  for (const std::string& file : files_named(verdict)) {
    if (sources.size() == results::kMostMembers) break;
    const std::filesystem::path path = root / file;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) || !may_be_quoted(root, path)) continue;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error || size > kLargestSource || total + size > kAllSources) continue;
    try {
      std::string text = results::read_file(path, results::kSourceLimit);
      // A faulty byte takes three in JSON.
      if (valid_utf8(text).size() > kLargestSource) continue;
      total += text.size();
      sources[file] = std::move(text);
    } catch (const results::FileError&) {
      // The report works without an excerpt: it names file and line anyway.
    }
  }
  return sources;
}

}  // namespace warpgauge::ci
