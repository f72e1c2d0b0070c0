// SPDX-License-Identifier: Apache-2.0
// `warpgauge bisect`, with a suite that behaves as a plan in each revision says. With kernels:
// tests/system/gate/bisect_test.sh.
#include "ci/gate/bisect/bisect.hpp"

#include <gtest/gtest.h>
#include <signal.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "ci/support/id_filter.hpp"
#include "ci/verdict/verdict_json.hpp"
#include "tests/helpers/small_repository.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;

class Bisect : public SmallRepository {
 protected:
  // A commit that changes nothing that is measured.
  std::string note(const std::string& message) {
    write("note", message);
    return commit(message);
  }

  [[nodiscard]] static std::string command(const std::string& arguments) {
    return "bisect --suite bin/suite --build 'sh build.sh' --good " + arguments;
  }

  Finished bisect(const std::string& arguments) {
    build();
    return warpgauge(command(arguments));
  }

  void counts(const std::string& id, int requests) {
    plan_["benchmarks"][id]["counters"] = {{"shared_load_requests", requests}};
  }

  [[nodiscard]] bool was_measured(const std::string& sha) const {
    return fs::exists(folder_ / "results" / "bisect" / sha.substr(0, 12) / "verdict.json");
  }

  // Nothing of the bisection is left in the repository.
  void expect_clean() const {
    EXPECT_EQ(git("worktree list --porcelain | grep -c bisect; true"), "0");
    EXPECT_FALSE(fs::exists(folder_ / "build" / "bisect" / "tree"));
    EXPECT_EQ(git("for-each-ref --format='%(refname)' refs/bisect | wc -l"), "0");
  }
};

TEST_F(Bisect, EndsWithTheCommitAndItsVerdict) {
  note("second");
  note("third");
  set_times("a/two/1", steady(1.2));
  const std::string culprit = commit("slower");
  for (const char* later : {"fifth", "sixth", "seventh"}) note(later);
  const std::string before = git("rev-parse HEAD");
  const Finished finished = bisect(first_);
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("the first commit that regressed: " + culprit.substr(0, 12) +
                                 " slower (n, 20"),
            std::string::npos)
      << finished.output;
  EXPECT_NE(finished.output.find("regressed  a/two/1"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find(first_.substr(0, 12) + " → "), std::string::npos);
  const auto verdict =
      ci::read_verdict(folder_ / "results" / "bisect" / culprit.substr(0, 12) / "verdict.json");
  EXPECT_EQ(verdict.after_session->source.revision, culprit);
  EXPECT_EQ(verdict.before_session->source.revision, first_);
  EXPECT_EQ(git("rev-parse HEAD"), before);
  EXPECT_EQ(git("status --porcelain"), "");
  expect_clean();
}

TEST_F(Bisect, LeavesTheCheckoutTheIndexAndABisectionOfTheUserAlone) {
  note("second");
  counts("a/two/1", 9);
  const std::string culprit = commit("more");
  note("fourth");
  note("fifth");
  git("bisect start -q main " + first_);
  const std::string head = git("rev-parse HEAD");
  write("note", "staged");
  git("add note");
  write("note", "and changed");
  const std::string status = git("status --porcelain");
  const std::string log = git("bisect log | tail -n 1");
  const Finished finished = bisect(first_ + " --bad main --quiet");
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find(culprit.substr(0, 12) + " more"), std::string::npos)
      << finished.output;
  EXPECT_EQ(git("rev-parse HEAD"), head);
  EXPECT_EQ(git("diff --cached -- note | tail -n 1"), "\\ No newline at end of file");
  EXPECT_EQ(git("show :note"), "staged");
  EXPECT_EQ(results::read_file(folder_ / "note"), "and changed");
  EXPECT_EQ(git("bisect log | tail -n 1"), log);
}

TEST_F(Bisect, CommitsThatCannotBeJudgedAreLeftOut) {
  note("second");
  const std::string build = results::read_file(folder_ / "build.sh");
  write("build.sh", "echo no compiler; exit 7\n");
  const std::string broken = commit("broken");
  write("build.sh", build);
  plan_["benchmarks"]["a/two/1"]["fate"] = "wrong_result";
  const std::string wrong = commit("wrong");
  plan_["benchmarks"]["a/two/1"].erase("fate");
  counts("a/two/1", 9);
  const std::string culprit = commit("more");
  const Finished finished = bisect(first_);
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_NE(finished.output.find("one of 3; only the newest of these could be judged: " +
                                 culprit.substr(0, 12) + " more"),
            std::string::npos)
      << finished.output;
  for (const std::string& sha : {broken, wrong, culprit}) {
    EXPECT_NE(finished.output.find("\n  " + sha.substr(0, 12) + "\n"), std::string::npos)
        << finished.output;
  }
  EXPECT_NE(finished.output.find("broken (n, 20"), std::string::npos) << finished.output;
  EXPECT_NE(finished.output.find("left out, since it does not build"), std::string::npos)
      << finished.output;
  EXPECT_FALSE(was_measured(broken));
  EXPECT_NE(results::read_file(folder_ / "results" / "bisect" / broken.substr(0, 12) / "build.log")
                .find("\nno compiler\n"),
            std::string::npos);
  expect_clean();
}

// Eight in the middle of twelve do not build: not each of them is tried.
TEST_F(Bisect, ARowOfCommitsThatDoNotBuildIsLeaptOver) {
  note("second");
  const std::string build = results::read_file(folder_ / "build.sh");
  write("build.sh", "exit 7\n");
  for (const char* broken : {"b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8"}) note(broken);
  write("build.sh", build);
  note("builds");
  counts("a/two/1", 9);
  const std::string culprit = commit("more");
  note("later");
  const Finished finished = bisect(first_);
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("regressed: " + culprit.substr(0, 12)), std::string::npos)
      << finished.output;
  std::size_t broken = 0;
  for (std::size_t at = 0; (at = finished.output.find("does not build", at)) != std::string::npos;
       ++at) {
    ++broken;
  }
  EXPECT_LE(broken, 5u) << finished.output;
}

TEST_F(Bisect, ACommitWithoutTheBenchmarkIsLeftOut) {
  note("second");
  note("third");
  const results::Json benchmark = plan_["benchmarks"]["a/two/1"];
  plan_["benchmarks"].erase("a/two/1");
  const std::string without = commit("without");  // in the middle, where git begins
  plan_["benchmarks"]["a/two/1"] = benchmark;
  commit("with");
  counts("a/two/1", 9);
  const std::string culprit = commit("more");
  note("seventh");
  const Finished finished = bisect(first_ + " --benchmark a/two/1");
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(finished.output.find("left out, since it has none of the benchmarks"),
            std::string::npos)
      << finished.output;
  EXPECT_NE(finished.output.find("regressed: " + culprit.substr(0, 12) + " more"),
            std::string::npos)
      << finished.output;
  EXPECT_FALSE(was_measured(without));
}

TEST_F(Bisect, AStepThatFailsSaysNothingOfItsCommit) {
  note("second");
  const std::string usual = results::read_file(folder_ / "build.sh");
  write("build.sh", usual + "rm -rf ../../../results/bisect; touch ../../../results/bisect\n");
  commit("in_the_way");
  write("build.sh", usual);
  counts("a/two/1", 9);
  commit("more");
  const Finished finished = bisect(first_);
  EXPECT_EQ(finished.status, 4) << finished.output;
  EXPECT_EQ(finished.output.find("first commit that regressed"), std::string::npos)
      << finished.output;
  EXPECT_NE(finished.output.find("cannot bisect between " + first_ + " and HEAD: "),
            std::string::npos)
      << finished.output;
  EXPECT_NE(finished.output.find("results/bisect/"), std::string::npos) << finished.output;
  expect_clean();
}

TEST_F(Bisect, OnlyTheBenchmarksAskedForCount) {
  counts("a/one/1", 9);
  const std::string other = commit("other");
  note("third");
  counts("a/two/1", 9);
  const std::string culprit = commit("more");
  note("fifth");
  const Finished one = bisect(first_ + " --quiet --benchmark a/two/1");
  EXPECT_EQ(one.status, 0) << one.output;
  EXPECT_NE(one.output.find(culprit.substr(0, 12) + " more"), std::string::npos) << one.output;
  const Finished any = bisect(first_ + " --quiet");
  EXPECT_NE(any.output.find(other.substr(0, 12) + " other"), std::string::npos) << any.output;
}

// commit: its whole hash, a blank and its first line.
void expect_blamed(const Finished& finished, const std::string& commit) {
  EXPECT_EQ(finished.status, 0) << finished.output;
  EXPECT_NE(
      finished.output.find("regressed: " + commit.substr(0, 12) + commit.substr(commit.find(' '))),
      std::string::npos)
      << finished.output;
}

TEST_F(Bisect, TheOnlyCommitIsTheCulprit) {
  counts("a/two/1", 9);
  const std::string culprit = commit("more");
  expect_blamed(bisect(first_), culprit + " more");
}

// One that the bad revision does not descend from, so that the only commit need not be the culprit.
class BisectFromASide : public Bisect {
 protected:
  // A commit beside main, which is checked out again.
  std::string beside(const std::function<void()>& change) {
    const results::Json plan = plan_;
    git("checkout -q -b side");
    change();
    std::string sha = commit("beside");
    git("checkout -q main");
    plan_ = plan;
    return sha;
  }
};

TEST_F(BisectFromASide, WhatTheSideAloneHasGainedIsNoRegression) {
  const std::string good = beside([this] { counts("a/two/1", 4); });
  note("innocent");
  const Finished finished = bisect(good);
  EXPECT_EQ(finished.status, 64) << finished.output;
  EXPECT_NE(finished.output.find("the latter does not descend from the former, and their merge "
                                 "base, " +
                                 first_.substr(0, 12) + " first (n, "),
            std::string::npos)
      << finished.output;
  EXPECT_NE(finished.output.find("has regressed as well"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("first commit that regressed"), std::string::npos)
      << finished.output;
  expect_clean();
}

TEST_F(BisectFromASide, TheOnlyCommitIsTheCulpritWhereTheMergeBaseIsGood) {
  const std::string good = beside([this] { write("note", "beside"); });
  counts("a/two/1", 9);
  const std::string culprit = commit("more");
  expect_blamed(bisect(good), culprit + " more");
  EXPECT_TRUE(was_measured(first_));
}

TEST_F(BisectFromASide, AMergeBaseThatCannotBeJudgedProvesNothing) {
  const std::string usual = results::read_file(folder_ / "build.sh");
  write("build.sh", "exit 7\n");
  const std::string base = commit("broken");
  const std::string good = beside([&] { write("build.sh", usual); });
  write("build.sh", usual);
  counts("a/two/1", 9);
  commit("more");
  const Finished finished = bisect(good);
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_NE(finished.output.find("merge base, " + base.substr(0, 12) + " broken (n, "),
            std::string::npos)
      << finished.output;
  EXPECT_NE(finished.output.find("cannot be judged"), std::string::npos) << finished.output;
  EXPECT_EQ(finished.output.find("first commit that regressed"), std::string::npos)
      << finished.output;
}

TEST_F(Bisect, WhatHasNotRegressedIsNotLookedFor) {
  set_times("c/new/1", steady(1));
  note("second");
  const Finished finished = bisect(first_);
  EXPECT_EQ(finished.status, 3) << finished.output;
  EXPECT_NE(finished.output.find("HEAD has not regressed against"), std::string::npos)
      << finished.output;
  expect_clean();
}

TEST_F(Bisect, WrongUsageIsSaid) {
  counts("a/two/1", 9);
  const std::string second = commit("more");
  const auto says = [&](const std::string& arguments, const std::string& text) {
    const Finished finished = bisect(arguments);
    EXPECT_EQ(finished.status, 64) << finished.output;
    EXPECT_NE(finished.output.find(text), std::string::npos) << finished.output;
    expect_clean();
  };
  says("nowhere", "--good nowhere: the repository has no such revision");
  says("main --bad nowhere", "--bad nowhere: the repository has no such revision");
  says("main", "are the same commit");
  says("main --bad " + first_, first_ + " is an ancestor of main; swap --good and --bad");
  EXPECT_EQ(warpgauge("bisect --suite bin/suite").status, 64);
  fs::remove_all(folder_ / ".git");
  EXPECT_EQ(warpgauge(command("main")).status, 64);
}

// While the commit in the middle is built, and while it is measured.
TEST_F(Bisect, CtrlCLeavesNoChildAndNoWorktree) {
  const std::string usual = results::read_file(folder_ / "build.sh");
  for (const std::string& hanging :
       {std::string("sleep 4321\n"),
        usual + "echo 'case $* in *--warpgauge_pass*) exec sleep 4321 ;; esac' > bin/hang\n"
                "sed -i '1r bin/hang' bin/suite\n"}) {
    note("second");
    write("build.sh", hanging);
    commit("hangs");
    write("build.sh", usual);
    counts("a/one/1", 9);
    commit("more");
    build();
    EXPECT_EQ(interrupted(command(first_) + " --quiet", "sleep 4321"), 128 + SIGINT);
    for (const char* program : {"sleep 4321", FAKE_SUITE, "git"}) {
      EXPECT_EQ(running(program), 0) << program;
    }
    expect_clean();
    git("reset -q --hard " + first_);
  }
}

TEST(PatternFor, MatchesTheseIdsAndNoOthers) {
  const ci::IdFilter filter(ci::pattern_for({"a.b/c+d/1", "e/f/2"}));
  EXPECT_TRUE(filter.matches("a.b/c+d/1"));
  EXPECT_TRUE(filter.matches("e/f/2"));
  for (const char* other : {"axb/c+d/1", "a.b/ccd/1", "e/f/21", "x/e/f/2"}) {
    EXPECT_FALSE(filter.matches(other)) << other;
  }
}

TEST(PatternFor, ManyLongIdsAreHeldAgainstEachOther) {
  std::vector<std::string> ids;
  for (int i = 0; i < 60; ++i) ids.push_back(std::string(120, 'a') + std::to_string(i));
  const ci::IdFilter filter(ci::pattern_for(ids));
  for (const std::string& id : ids) EXPECT_TRUE(filter.matches(id)) << id;
  EXPECT_FALSE(filter.matches(std::string(200, 'a')));
}

}  // namespace
}  // namespace warpgauge
