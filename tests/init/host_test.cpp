// SPDX-License-Identifier: Apache-2.0
// Where a repository is hosted, and which branch is the default one.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "ci/init/repository.hpp"
#include "tests/helpers/contains.hpp"
#include "tests/init/init_folder.hpp"

namespace warpgauge {
namespace {

TEST_F(Init, TheHostIsThatOfTheRemote) {
  const std::vector<std::tuple<std::string, ci::Host, std::string>> each{
      {"https://github.com/acme/x.git", ci::Host::github, "acme"},
      {"git@github.com:acme/x.git", ci::Host::github, "acme"},
      {"ssh://git@gitlab.acme.org:22/team/x", ci::Host::gitlab, "team"},
      {"https://user:token@GitLab.com/a-b/c/x.git", ci::Host::gitlab, "a-b"},
      {"https://github.com/$(id)/x", ci::Host::github, ""},
      {"file:///home/ada/x.git", ci::Host::unknown, ""},
      {"file://localhost/home/ada/x.git", ci::Host::unknown, ""},
      {"https:///home/x.git", ci::Host::unknown, ""},
      {"/srv/git/x.git", ci::Host::unknown, ""}};
  for (const auto& [url, host, owner] : each) {
    remote(url);
    const ci::Repository repository = seen();
    EXPECT_EQ(repository.host, host) << url;
    EXPECT_EQ(repository.owner, owner) << url;
  }
  write(".gitlab-ci.yml", "");
  EXPECT_EQ(seen().host, ci::Host::gitlab);
}

TEST_F(Init, TheBranchIsOriginsAlsoFromAWorktree) {
  write("whole/.git/config", "[remote \"origin\"]\nurl = https://github.com/acme/x\n");
  write("whole/.git/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/trunk\n");
  write("whole/.git/worktrees/w/commondir", "../..\n");
  write("w/.git", "gitdir: " + (folder_ / "whole/.git/worktrees/w").string() + "\n");
  const ci::Repository repository = ci::look_at_repository(folder_ / "w");
  EXPECT_EQ(repository.owner, "acme");
  EXPECT_EQ(repository.branch, "trunk");
}

TEST_F(Init, TheBranchIsTheOneThatIsCheckedOutIfThereIsNoMainOrMaster) {
  write(".git/HEAD", "ref: refs/heads/trunk\n");
  EXPECT_EQ(seen().branch, "trunk");
  // Where git keeps its refs in tables.
  write(".git/HEAD", "ref: refs/heads/.invalid\n");
  EXPECT_EQ(seen().branch, "main");
  write(".git/HEAD", "ref: refs/heads/feature\n");
  write(".git/refs/remotes/origin/master", "");
  EXPECT_EQ(seen().branch, "master");
  write(".git/packed-refs", "0123456789012345678901234567890123456789 refs/heads/main\n");
  EXPECT_EQ(seen().branch, "main");
}

// A host reads neither there.
TEST_F(Init, AFolderWithinARepositoryGetsNoPipelineAndNoOwners) {
  remote("https://github.com/acme/x");
  write(".git/refs/remotes/origin/HEAD", "ref: refs/remotes/origin/trunk\n");
  write("part/CMakeLists.txt", kGoogleBenchmark);
  const ci::Repository part = ci::look_at_repository(folder_ / "part");
  EXPECT_EQ(part.host, ci::Host::github);
  EXPECT_EQ(part.branch, "trunk");
  const std::string text = warpgauge("init --yes --root part").output;
  EXPECT_TRUE(
      contains(text, "in the repository's root alone, " + folder_.string() +
                         ": let a job there run bash part/ci/warpgauge.sh, and name there who "
                         "owns /part/baselines/."))
      << text;
  const std::vector<std::string> written{"part/.gitattributes", "part/.gitignore",
                                         "part/CMakeLists.txt", "part/ci/policy.toml",
                                         "part/ci/warpgauge.sh"};
  EXPECT_EQ(names(), written);
}

}  // namespace
}  // namespace warpgauge
