// SPDX-License-Identifier: Apache-2.0
// How a child process is started, watched and buried.
#include "ci/support/process/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/process/orphans.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

using std::chrono::milliseconds;

// Of a child that then hangs: what it does before that takes a busy machine less.
constexpr milliseconds kQuiet{1'500};

class ProcessTest : public ::testing::Test {
 protected:
  ChildOptions shell(const std::string& script) const {
    ChildOptions options;
    options.program = "/bin/sh";
    options.arguments = {"-c", script};
    options.output = folder_.path() / "output";
    options.errors = folder_.path() / "errors";
    options.timeout = milliseconds(60'000);
    return options;
  }
  std::string output() const { return results::read_file(folder_.path() / "output"); }

  TemporaryFolder folder_;
};

TEST_F(ProcessTest, TellsHowAChildEnded) {
  EXPECT_EQ(describe(run_child(shell("exit 70"))), "ended with exit status 70");
  EXPECT_EQ(describe(run_child(shell("kill -SEGV $$"))), "died of SIGSEGV");
  EXPECT_TRUE(run_child(shell("exit 0")).succeeded());
}

TEST_F(ProcessTest, CapturesBothStreamsAndGivesNoInput) {
  EXPECT_TRUE(run_child(shell("echo out; echo problem >&2; cat")).succeeded());
  EXPECT_EQ(output(), "out\n");
  EXPECT_EQ(results::read_file(folder_.path() / "errors"), "problem\n");
  EXPECT_TRUE(run_child(shell("echo x")).succeeded());
  EXPECT_EQ(output(), "x\n") << "nothing is left of the longer output before";
}

TEST_F(ProcessTest, AnArgumentIsPassedOnAsItIs) {
  ChildOptions options = shell("printf %s \"$0\"");
  options.arguments.emplace_back("two words; $HOME 'quoted'\n");
  EXPECT_TRUE(run_child(options).succeeded());
  EXPECT_EQ(output(), options.arguments.back());
}

TEST_F(ProcessTest, AProgramThatCannotBeStartedIsAnErrorWithItsPath) {
  ChildOptions options = shell("");
  options.program = folder_.path() / "absent";
  try {
    run_child(options);
    FAIL() << "started what does not exist";
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_status(), kExitNotMeasured);
    EXPECT_EQ(std::string(error.what()), "cannot start " + options.program.string() +
                                             ": No such file or directory; check the path");
  }
}

TEST_F(ProcessTest, AHangIsEndedWithAllThatItStarted) {
  ChildOptions options = shell("sleep 600 & echo $!; wait");
  options.timeout = kQuiet;
  EXPECT_EQ(describe(run_child(options)), "made no progress");
  EXPECT_NE(::kill(std::stoi(output()), 0), 0);
}

TEST_F(ProcessTest, WhatAChildLeavesBehindDiesWithIt) {
  EXPECT_TRUE(run_child(shell("sleep 600 & echo $!")).succeeded());
  EXPECT_NE(::kill(std::stoi(output()), 0), 0);
}

TEST_F(ProcessTest, WhatAChildPutsIntoASessionOfItsOwnDiesWithItToo) {
  // The second has a child of its own, whose parent ends before it.
  const std::string script =
      "setsid sleep 600 & echo $!; setsid sh -c 'sleep 600 & echo $!; wait' & "
      "until [ \"$(wc -l </proc/$$/fd/1)\" = 2 ]; do sleep 0.01; done";
  EXPECT_TRUE(run_child(shell(script)).succeeded());
  std::istringstream pids(output());
  int count = 0;
  for (pid_t pid = 0; pids >> pid; ++count) EXPECT_NE(::kill(pid, 0), 0) << pid;
  EXPECT_EQ(count, 2);
}

// Its parent is found behind its name in /proc, whatever that is.
TEST_F(ProcessTest, WhateverALeftProcessIsCalledItDiesToo) {
  for (const char* name : {"a\nb", ") S 1 1\n", "\n", "(("}) {
    const std::filesystem::path program = folder_.path() / name;
    std::filesystem::copy_file("/bin/sleep", program);
    ChildOptions options = shell("setsid \"$0\" 600 & echo $!; sleep 0.2");
    options.arguments.push_back(program.string());
    EXPECT_TRUE(run_child(options).succeeded());
    EXPECT_NE(::kill(std::stoi(output()), SIGKILL), 0) << name;
  }
}

TEST_F(ProcessTest, AHangEndsWhatIsInASessionOfItsOwnToo) {
  ChildOptions options = shell("setsid sleep 600 & echo $!; wait");
  options.timeout = kQuiet;
  EXPECT_EQ(describe(run_child(options)), "made no progress");
  EXPECT_NE(::kill(std::stoi(output()), 0), 0);
}

// Whether it is gone before long; if not, it is ended here.
bool goes_by_itself(pid_t process) {
  for (int i = 0; i < 3'000 && ::kill(process, 0) == 0; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  return ::kill(process, SIGKILL) != 0;
}

TEST_F(ProcessTest, AParentThatIsKilledOutrightLeavesNothingOfItsChildEither) {
  const pid_t parent = ::fork();
  if (parent == 0) {
    run_child(shell("setsid sleep 600 & echo $!; sleep 600 & echo $!; echo $$; wait"));
    ::_exit(0);
  }
  std::vector<pid_t> left;
  while (left.size() < 3) {
    std::this_thread::sleep_for(milliseconds(10));
    if (!std::filesystem::exists(folder_.path() / "output")) continue;
    std::istringstream pids(output());
    left.assign(std::istream_iterator<pid_t>(pids), {});
  }
  ::kill(parent, SIGKILL);
  ::waitpid(parent, nullptr, 0);
  for (const pid_t each : left) EXPECT_TRUE(goes_by_itself(each)) << each;
}

TEST_F(ProcessTest, WhoStopsOrEndsItsKeeperEndsAllTheSame) {
  ChildOptions options = shell("setsid sleep 600 & echo $!; kill -STOP $PPID; wait");
  options.timeout = kQuiet;
  EXPECT_EQ(describe(run_child(options)), "made no progress");
  EXPECT_NE(::kill(std::stoi(output()), 0), 0);
  EXPECT_EQ(describe(run_child(shell("setsid sleep 600 & echo $!; kill -KILL $PPID; wait"))),
            "died of SIGKILL");
  EXPECT_NE(::kill(std::stoi(output()), 0), 0);
}

TEST_F(ProcessTest, WhoeverSaysTooMuchIsEnded) {
  for (const char* stream : {"1", "2"}) {
    const std::string script = std::string("truncate --size 300M /proc/self/fd/") + stream;
    EXPECT_EQ(describe(run_child(shell(script + "; sleep 600"))), "said more than 256 MiB");
  }
}

TEST_F(ProcessTest, WhatIsEndedEarlyMayCleanUp) {
  ChildOptions options =
      shell("trap 'echo cleaned; exit' TERM; echo; while :; do sleep 0.01; done");
  options.grace = milliseconds(60'000);
  options.timeout = kQuiet;
  EXPECT_EQ(describe(run_child(options)), "made no progress");
  EXPECT_EQ(output(), "\ncleaned\n");
}

TEST_F(ProcessTest, ChildrenFromBeforeLiveOn) {
  const pid_t other = ::fork();
  if (other == 0) {
    for (;;) ::pause();
  }
  EXPECT_TRUE(run_child(shell("setsid sleep 600 &")).succeeded());
  EXPECT_EQ(::waitpid(other, nullptr, WNOHANG), 0);
  ::kill(other, SIGKILL);
  ::waitpid(other, nullptr, 0);
}

// Each of them is gone before anybody could look for it.
TEST_F(ProcessTest, WhatForksFasterThanItIsFoundIsEndedToo) {
  const std::filesystem::path grows = folder_.path() / "grows";
  ChildOptions options = shell("f() { echo x >>\"$0\"; f & }; f; sleep 0.2");
  options.arguments.push_back(grows.string());
  EXPECT_TRUE(run_child(options).succeeded());
  const auto size = std::filesystem::file_size(grows);
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_EQ(std::filesystem::file_size(grows), size);
}

// What a process does until it is ended, with the end of a pipe that all that it starts has too.
using Forks = void (*)();

// Without a control group: whether Orphans ends all that `forks` starts.
bool ends_all(Forks forks) {
  int ends[2];
  if (::pipe(ends) != 0) return false;
  const pid_t keeper = ::fork();
  if (keeper == 0) {
    ::close(ends[0]);
    const Orphans orphans(milliseconds(20'000));
    if (::fork() == 0) {
      forks();
      ::_exit(0);
    }
    std::this_thread::sleep_for(milliseconds(100));
    orphans.end_new_children();
    ::_exit(0);
  }
  ::close(ends[1]);
  ::waitpid(keeper, nullptr, 0);
  pollfd end{ends[0], POLLIN, 0};
  const bool all_gone = ::poll(&end, 1, 2'000) == 1;
  ::close(ends[0]);
  return all_gone;
}

TEST(Orphans, AChainOfForksIsEnded) {
  EXPECT_TRUE(ends_all([] {
    ::setsid();
    for (int i = 0; i < 1'000'000; ++i) {
      if (::fork() > 0) ::_exit(0);
    }
  }));
}

TEST(Orphans, WhoForksAllTheTimeIsEndedWithAllOfThem) {
  EXPECT_TRUE(ends_all([] {
    ::signal(SIGHUP, SIG_IGN);
    // Each has three, who have three; then all fork until they are ended.
    for (int depth = 0; depth < 2; ++depth) {
      for (int i = 0; i < 3 && ::fork() != 0; ++i) {
      }
    }
    ::signal(SIGCHLD, SIG_IGN);
    for (;;) {
      if (::fork() == 0) ::_exit(0);
    }
  }));
}

TEST_F(ProcessTest, ProgressPostponesTheTimeout) {
  ChildOptions options = shell("sleep 0.5");
  options.timeout = milliseconds(100);
  options.progressed = [] { return true; };
  EXPECT_TRUE(run_child(options).succeeded());
}

TEST_F(ProcessTest, AParentThatIgnoresItsChildrensEndsLearnsThemAllTheSame) {
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(run_child(shell("exit 7")).code, 7);
  ::signal(SIGCHLD, before);
}

TEST_F(ProcessTest, EachStartIsLoggedAsALineForAShell) {
  std::string line;
  {
    const ChildLog log([&](const std::string& text) { line = text; });
    EXPECT_TRUE(run_child(shell("true; true")).succeeded());
  }
  EXPECT_EQ(line, "starts: /bin/sh -c 'true; true'");
  EXPECT_TRUE(run_child(shell("exit 0")).succeeded());
  EXPECT_EQ(line, "starts: /bin/sh -c 'true; true'");
}

TEST(FindProgram, LooksInTheFoldersOfThePath) {
  EXPECT_EQ(find_program("sh").filename(), "sh");
  EXPECT_TRUE(find_program("no-program-of-this-name").empty());
}

}  // namespace
}  // namespace warpgauge::ci
