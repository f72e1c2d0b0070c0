// SPDX-License-Identifier: Apache-2.0
#include "ci/init/proposal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <string_view>

#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

std::string with_margin(const std::string& text, std::string_view margin) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    all += fmt::format("{}{}{}\n", margin, line.empty() ? "" : " ", line);
  return all;
}

// Of a long one how it begins, and how much follows.
std::string beginning_of(const std::string& content) {
  constexpr std::ptrdiff_t kLong = 15;
  constexpr std::ptrdiff_t kShown = 8;
  const std::ptrdiff_t lines = std::count(content.begin(), content.end(), '\n');
  if (lines <= kLong) return with_margin(content, "  |");
  std::size_t end = 0;
  for (int i = 0; i < kShown; ++i) end = content.find('\n', end) + 1;
  return with_margin(content.substr(0, end), "  |") +
         fmt::format("  and {} lines more, which --verbose shows\n", lines - kShown);
}

std::string header(const Repository& repository) {
  std::string text = fmt::format("{}: {}", repository.root.string(), to_text(repository.kind));
  if (!repository.seen.empty()) text += fmt::format(" ({})", repository.seen);
  if (repository.host != Host::unknown) {
    text += fmt::format("; on {} ({})", repository.host == Host::github ? "GitHub" : "GitLab",
                        repository.why_host);
  }
  text += '\n';
  if (!is_git(repository)) {
    text +=
        "It is no git repository, so results name no commit, and what compares commits does not "
        "work, such as --against and bisect. git init makes it one.\n";
  }
  return text;
}

}  // namespace

std::string to_text(const Repository& repository, const Proposal& proposal, Contents contents) {
  const bool shown = contents != Contents::left_out;
  const char* const apart = shown ? "\n" : "";
  std::string text = header(repository);
  for (const NewFile& file : proposal.files) {
    text += fmt::format("{}new: {}: {}\n", apart, file.path.string(), file.purpose);
    if (shown) {
      text += contents == Contents::begun ? beginning_of(file.content)
                                          : with_margin(file.content, "  |");
    }
  }
  for (const Kept& kept : proposal.kept) {
    text += fmt::format("{}kept: {} is there already", apart, kept.path.string());
    if (kept.missing.empty()) {
      text += '\n';
    } else if (shown) {
      text += "; add by hand:\n";
      for (const std::string& line : kept.missing) text += "  + " + line + "\n";
    } else {
      text += fmt::format("; it lacks {}\n", counted(kept.missing.size(), "line"));
    }
  }
  if (repository.host == Host::unknown && !is_part(repository)) {
    text += fmt::format(
        "{}no pipeline: nothing says where this is hosted; name it with --host github or --host "
        "gitlab\n",
        apart);
  }
  return text;
}

std::string to_text(const std::vector<NextStep>& steps) {
  std::string text;
  std::size_t number = 0;
  for (const NextStep& step : steps) {
    text += fmt::format("  {}. {}\n", ++number, step.text) + with_margin(step.copy, "      ");
  }
  return text;
}

}  // namespace warpgauge::ci
