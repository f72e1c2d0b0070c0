// SPDX-License-Identifier: Apache-2.0
#include "ci/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "ci/git.hpp"
#include "profiling/results/files.hpp"

namespace warpgauge::ci {
namespace {

std::string stripped(const std::string& line) {
  constexpr const char* kBlank = " \t\r";
  const std::size_t first = line.find_first_not_of(kBlank);
  if (first == line.npos) return {};
  return line.substr(first, line.find_last_not_of(kBlank) - first + 1);
}

// Lines of a file, the first at 0; none when it cannot be read.
std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  try {
    std::istringstream text(results::read_file(path));
    for (std::string line; std::getline(text, line);) lines.push_back(stripped(line));
  } catch (const results::FileError&) {
    // The text of a line is a courtesy; its number is there in any case.
  }
  return lines;
}

bool is_below(const std::filesystem::path& root, const std::filesystem::path& file) {
  std::error_code error;
  const auto whole_root = std::filesystem::canonical(root, error);
  if (error) return false;
  const auto whole_file = std::filesystem::canonical(file, error);
  if (error) return false;
  return std::mismatch(whole_root.begin(), whole_root.end(), whole_file.begin(), whole_file.end())
             .first == whole_root.end();
}

// Each once, those of causes first.
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

results::Source current_source() {
  const auto revision = git({"rev-parse", "HEAD"}).output;
  if (!revision) return {};
  const auto changes = git({"status", "--porcelain", "--untracked-files=no"}).output;
  return {stripped(revision->substr(0, revision->find('\n'))), changes && !changes->empty()};
}

std::string other_revision_here(const results::Source& built) {
  if (built.revision.empty()) return {};
  const results::Source here = current_source();
  if (here.revision.empty() || here.revision == built.revision) return {};
  return fmt::format(
      "the suite was built of {:.12}{}, and the checkout here is at {:.12}: build it again if that "
      "is what is to be measured",
      built.revision, built.modified ? " with changes" : "", here.revision);
}

std::string current_author() {
  const auto setting = [](const char* name) {
    const std::string text = stripped(git({"config", "--get", name}).output.value_or(""));
    return text.substr(0, text.find('\n'));
  };
  const std::string name = setting("user.name");
  std::string address = setting("user.email");
  if (!name.empty()) return address.empty() ? name : name + " <" + address + ">";
  if (!address.empty()) return address;
  const char* user = std::getenv("USER");
  return user != nullptr && *user != '\0' ? user : "unknown";
}

void add_source_text(std::vector<results::SourceLine>& lines, const std::filesystem::path& root) {
  std::map<std::string, std::vector<std::string>> files;
  for (results::SourceLine& line : lines) {
    if (!line.text.empty() || line.line < 1) continue;
    const auto [file, is_new] = files.try_emplace(line.file);
    if (is_new) file->second = lines_of(root / line.file);
    const auto index = static_cast<std::size_t>(line.line - 1);
    if (index < file->second.size()) line.text = file->second[index];
  }
}

std::map<std::string, std::string> sources_of(const GateVerdict& verdict,
                                              const std::filesystem::path& root) {
  std::map<std::string, std::string> sources;
  std::size_t total = 0;
  for (const std::string& file : files_named(verdict)) {
    const std::filesystem::path path = root / file;
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) || !is_below(root, path)) continue;
    const std::uintmax_t size = std::filesystem::file_size(path, error);
    if (error || size > kLargestSource || total + size > kAllSources) continue;
    try {
      sources[file] = results::read_file(path);
      total += sources[file].size();
    } catch (const results::FileError&) {
      // An excerpt is a courtesy; file and line are named in any case.
    }
  }
  return sources;
}

}  // namespace warpgauge::ci
