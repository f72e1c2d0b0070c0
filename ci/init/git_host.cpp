// SPDX-License-Identifier: Apache-2.0
#include "ci/init/git_host.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>

#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> text_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  try {
    return results::read_file(path, results::kAnswerLimit);
  } catch (const results::FileError&) {
    return std::nullopt;
  }
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

// Words that may stand in what is written, of a repository that anyone may have made.
bool is_plain(std::string_view word, std::string_view more) {
  return !word.empty() && word.front() != '-' &&
         std::all_of(word.begin(), word.end(), [&](char character) {
           return std::isalnum(static_cast<unsigned char>(character)) != 0 ||
                  more.find(character) != more.npos;
         });
}

// The folder with config and refs, also of a worktree or a submodule, whose .git is a file.
fs::path git_folder(const fs::path& root) {
  fs::path git = root / ".git";
  const auto text = text_of(git);
  if (!text) return git;
  constexpr std::string_view kKey = "gitdir:";
  if (!text->starts_with(kKey)) return git;
  const fs::path folder = root / trimmed(std::string_view(*text).substr(kKey.size()));
  const auto common = text_of(folder / "commondir");
  return common ? folder / trimmed(*common) : folder;
}

// Of origin, else of the first remote; empty: there is none.
std::string remote_url(const fs::path& git) {
  std::istringstream lines(text_of(git / "config").value_or(""));
  std::string section;
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    line = trimmed(line);
    if (line.starts_with('[')) section = line;
    const std::size_t sign = line.find('=');
    if (!section.starts_with("[remote ") || sign == line.npos) continue;
    if (trimmed(std::string_view(line).substr(0, sign)) != "url") continue;
    std::string url = trimmed(std::string_view(line).substr(sign + 1));
    if (section == "[remote \"origin\"]") return url;
    if (first.empty()) first = url;
  }
  return first;
}

struct Address {
  std::string host;
  std::string owner;
};

// Of https://user@host/owner/name, ssh://git@host:22/owner/name and git@host:owner/name. A folder
// has no owner.
Address address_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const bool has_scheme = scheme != url.npos;
  if (has_scheme && url.substr(0, scheme) == "file") return {};
  if (has_scheme) url.remove_prefix(scheme + 3);
  const std::size_t end = url.find_first_of(has_scheme ? "/" : ":");
  if (end == url.npos) return {};
  std::string_view host = url.substr(0, end);
  std::string_view path = url.substr(end + 1);
  if (const std::size_t at = host.rfind('@'); at != host.npos) host.remove_prefix(at + 1);
  host = host.substr(0, host.find(':'));
  Address address{std::string(host), std::string(path.substr(0, path.find('/')))};
  std::transform(address.host.begin(), address.host.end(), address.host.begin(),
                 [](char character) {
                   return static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
                 });
  if (address.host.empty()) return {};
  if (path.find('/') == path.npos || !is_plain(address.owner, "-_.")) address.owner.clear();
  return address;
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

constexpr std::string_view kOrigins = "refs/remotes/origin/";
constexpr std::string_view kOwn = "refs/heads/";

bool has_branch(const fs::path& git, std::string_view branch) {
  const std::string packed = text_of(git / "packed-refs").value_or("");
  for (const std::string_view place : {kOwn, kOrigins}) {
    const std::string name = std::string(place) + std::string(branch);
    if (is_there(git / name) || packed.find(" " + name + "\n") != packed.npos) return true;
  }
  return false;
}

// The branch that a HEAD names below `place`; empty: none that may be written down. Where git keeps
// its refs in tables, it is ".invalid".
std::string branch_of(const fs::path& head, std::string_view place) {
  const std::string prefix = "ref: " + std::string(place);
  const std::string text = trimmed(text_of(head).value_or(""));
  if (!text.starts_with(prefix)) return "";
  std::string branch = text.substr(prefix.size());
  return is_plain(branch, "-_./") && branch.front() != '.' ? branch : "";
}

std::string default_branch(const fs::path& git) {
  if (std::string branch = branch_of(git / kOrigins / "HEAD", kOrigins); !branch.empty())
    return branch;
  // What is checked out may be any branch, where there is one of these.
  for (const char* branch : {"main", "master"}) {
    if (has_branch(git, branch)) return branch;
  }
  const std::string branch = branch_of(git / "HEAD", kOwn);
  return branch.empty() ? "main" : branch;
}

}  // namespace

void find_host(Repository& repository) {
  const fs::path& root = is_git(repository) ? repository.git_root : repository.root;
  const fs::path git = git_folder(root);
  const Address address = address_of(remote_url(git));
  repository.owner = address.owner;
  repository.branch = default_branch(git);
  const auto is = [&](Host host, const std::string& why) {
    repository.host = host;
    repository.why_host = why;
  };
  if (address.host.find("github") != std::string::npos) return is(Host::github, "its remote");
  if (address.host.find("gitlab") != std::string::npos) return is(Host::gitlab, "its remote");
  if (is_there(root / ".gitlab-ci.yml")) return is(Host::gitlab, ".gitlab-ci.yml");
  if (is_there(root / ".github")) return is(Host::github, ".github");
}

}  // namespace warpgauge::ci
