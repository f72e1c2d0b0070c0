// SPDX-License-Identifier: Apache-2.0
#include "ci/init/proposal_text.hpp"

#include <fmt/format.h>

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
  const bool shown = contents == Contents::shown;
  const char* const apart = shown ? "\n" : "";
  std::string text = header(repository);
  for (const NewFile& file : proposal.files) {
    text += fmt::format("{}new: {}: {}\n", apart, file.path.string(), file.purpose);
    if (shown) text += with_margin(file.content, "  |");
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
