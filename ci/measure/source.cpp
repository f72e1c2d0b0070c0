// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/source.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include "ci/support/files/source_tree.hpp"
#include "ci/support/process/git.hpp"
#include "ci/support/utf8.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

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
    std::istringstream text(results::read_file(path, results::kSourceLimit));
    for (std::string line; std::getline(text, line);) lines.push_back(valid_utf8(stripped(line)));
  } catch (const results::FileError&) {
    // The text of a line is a courtesy; its number is there in any case.
  }
  return lines;
}

// Of the files below a folder, each read once.
class SourceTexts {
 public:
  explicit SourceTexts(std::filesystem::path root) : root_(std::move(root)) {}

  // Something with a file and a line, that may lack its text.
  template <class Place>
  void add(Place& place) {
    if (!place.text.empty() || place.line < 1) return;
    const auto [file, is_new] = files_.try_emplace(place.file);
    if (is_new && may_be_quoted(root_, root_ / place.file))
      file->second = lines_of(root_ / place.file);
    const auto index = static_cast<std::size_t>(place.line - 1);
    if (index < file->second.size()) place.text = file->second[index];
  }

 private:
  std::filesystem::path root_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace

results::Source current_source() {
  const auto revision = git({"rev-parse", "HEAD"}).output;
  if (!revision) return {};
  // Nothing is built of what approving writes.
  const auto changes = git({"status", "--porcelain", "--untracked-files=no", "--", ":/",
                            ":(exclude,glob)baselines/**/*.json"})
                           .output;
  // What cannot be looked at may be modified.
  return {stripped(revision->substr(0, revision->find('\n'))), !changes || !changes->empty()};
}

std::string other_revision_here(const results::Source& built) {
  if (built.revision.empty()) return {};
  const results::Source here = current_source();
  if (here.revision.empty() || here.revision == built.revision) return {};
  return fmt::format(
      "the suite was built from {:.12}{}, but the checkout here is at {:.12}; build again to "
      "measure the checkout",
      built.revision, built.modified ? " with changes" : "", here.revision);
}

void add_source_text(std::vector<results::SourceLine>& lines, const std::filesystem::path& root) {
  SourceTexts texts(root);
  for (results::SourceLine& line : lines) texts.add(line);
}

void add_source_text(std::vector<results::KernelCode>& codes, const std::filesystem::path& root) {
  SourceTexts texts(root);
  for (results::KernelCode& code : codes) {
    for (results::CodePlace& place : code.places) texts.add(place);
  }
}

}  // namespace warpgauge::ci
