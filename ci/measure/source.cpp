// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/source.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>

#include "ci/support/git.hpp"
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

}  // namespace warpgauge::ci
