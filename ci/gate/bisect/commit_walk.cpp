// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/bisect/commit_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>

#include "ci/measure/revision/revision_build.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/process/git.hpp"
#include "ci/support/process/interrupt.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> rev_list(const BisectTree& tree, std::vector<std::string> range,
                                  const char* option) {
  range.insert(range.begin(), {"rev-list", option});
  return tree.ask(range);
}

// The commit that halves the range best; absent when only the bad one and skipped ones are left.
// The more were skipped, the further away from them: a commit that does not build has neighbours
// that do not either.
std::optional<std::string> next_commit(const BisectTree& tree,
                                       const std::vector<std::string>& range,
                                       const std::string& bad,
                                       const std::set<std::string>& skipped) {
  const std::string best = rev_list(tree, range, "--bisect").at(0);
  if (best == bad) return std::nullopt;
  if (!skipped.contains(best)) return best;
  std::vector<std::string> open;
  std::size_t closed = 0;
  for (const std::string& line : rev_list(tree, range, "--bisect-all")) {  // the best first
    std::string sha = line.substr(0, line.find(' '));
    if (sha == bad) continue;
    if (skipped.contains(sha)) {
      ++closed;
    } else {
      open.push_back(std::move(sha));
    }
  }
  if (open.empty()) return std::nullopt;
  const std::size_t leap = (std::size_t{1} << std::min<std::size_t>(closed, 32)) - 1;
  return open[std::min(leap, open.size() / 2)];
}

}  // namespace

BisectTree::BisectTree(const BisectPlaces& places, const std::string& sha) : places_(places) {
  results::write_file_atomically(places.shelf / ".gitignore", "*\n");
  remove_worktree(places.checkout, places.tree);
  const GitAnswer added = git_in(places.checkout, {"worktree", "add", "--force", "--detach",
                                                   "--quiet", places.tree.string(), sha});
  if (added.output) return;
  throw Error(kExitNotMeasured, fmt::format("cannot check out {} in {}: {}", short_sha(sha),
                                            places.tree.string(), added.complaint));
}

BisectTree::~BisectTree() {
  const InterruptShield shield;
  try {
    remove_worktree(places_.checkout, places_.tree);
  } catch (const std::exception&) {
    std::error_code ignored;  // the next one begins by removing what is left
    fs::remove_all(places_.tree, ignored);
  }
}

void BisectTree::check_out(const std::string& sha) const {
  (void)ask({"checkout", "--quiet", "--force", "--detach", sha});
}

std::vector<std::string> BisectTree::ask(const std::vector<std::string>& arguments) const {
  const GitAnswer answer = git_in(places_.tree, arguments);
  if (answer.output) return lines_of(*answer.output);
  throw Error(kExitNotMeasured,
              fmt::format("git in {}: {}", places_.tree.string(), answer.complaint));
}

std::string short_sha(const std::string& sha) {
  constexpr std::size_t kShortSha = 12;
  return sha.substr(0, kShortSha);
}

std::string described_commit(const fs::path& checkout, const std::string& sha) {
  const GitAnswer answer = git_in(checkout, {"show", "--no-patch", "--abbrev=12", "--date=short",
                                             "--format=%h %s (%an, %ad)", sha});
  if (!answer.output) return short_sha(sha);
  return one_line(answer.output->substr(0, answer.output->find('\n')));
}

bool is_ancestor(const fs::path& checkout, const std::string& old_sha, const std::string& new_sha) {
  return git_in(checkout, {"merge-base", "--is-ancestor", old_sha, new_sha}).output.has_value();
}

std::vector<std::string> merge_bases(const fs::path& checkout, const std::string& one,
                                     const std::string& other) {
  const GitAnswer common = git_in(checkout, {"merge-base", "--all", one, other});
  return lines_of(common.output.value_or(""));
}

std::vector<std::string> narrow_down(const BisectTree& tree, const std::vector<std::string>& good,
                                     std::string bad,
                                     const std::function<Standing(const std::string& sha)>& judge) {
  std::vector<std::string> range{bad};  // as git takes it
  for (const std::string& sha : good) range.push_back("^" + sha);
  std::set<std::string> skipped;
  while (const auto sha = next_commit(tree, range, bad, skipped)) {
    switch (judge(*sha)) {
      case Standing::good:
        range.push_back("^" + *sha);
        break;
      case Standing::bad:
        range.front() = bad = *sha;
        break;
      case Standing::unknown:
        skipped.insert(*sha);
        break;
    }
  }
  return rev_list(tree, range, "--topo-order");
}

}  // namespace warpgauge::ci
