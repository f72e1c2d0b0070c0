// SPDX-License-Identifier: Apache-2.0
// What the process between the gate and a program cannot do is no reason to do the gate's work.
#include <dirent.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdarg>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ci/support/errors.hpp"
#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/process/process.hpp"
#include "profiling/results/files/files.hpp"

namespace {

// Every other process that has it from a fork cannot look at processes. 0: all can.
std::atomic<pid_t> only_one_that_looks{0};

// The parent of whoever asks for this signal at its parent's death dies before. 0: none does.
int asked_too_late = 0;

void lose_parent() {
  const pid_t parent = ::getppid();
  ::kill(parent, SIGKILL);
  while (::getppid() == parent) ::usleep(1'000);
}

}  // namespace

// In place of the C library's, since a program's own come first.
// NOLINTNEXTLINE(readability-identifier-naming,readability-inconsistent-declaration-parameter-name)
extern "C" DIR* opendir(const char* name) {
  const pid_t only = only_one_that_looks;
  if (only != 0 && only != ::getpid() && std::string_view(name) == "/proc") {
    throw std::runtime_error("no look at processes");
  }
  using Open = DIR* (*)(const char*);
  static const auto open = reinterpret_cast<Open>(::dlsym(RTLD_NEXT, "opendir"));
  return open(name);
}

// NOLINTNEXTLINE(cert-dcl50-cpp,readability-inconsistent-declaration-parameter-name)
extern "C" int prctl(int option, ...) noexcept {
  va_list rest;
  va_start(rest, option);
  unsigned long words[4];
  for (unsigned long& word : words) word = va_arg(rest, unsigned long);
  va_end(rest);
  const auto signal = static_cast<int>(words[0]);
  if (option == PR_SET_PDEATHSIG && signal == asked_too_late) lose_parent();
  return static_cast<int>(::syscall(SYS_prctl, option, words[0], words[1], words[2], words[3]));
}

namespace warpgauge::ci {
namespace {

ChildOptions shell(const TemporaryFolder& folder, const std::string& script) {
  ChildOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", script};
  options.output = folder.path() / "output";
  options.errors = folder.path() / "errors";
  options.timeout = std::chrono::minutes(1);
  return options;
}

// Starts it in a process of its own, in which that one asks too late. How the process ended; by
// then all that it started has, too.
int end_of_gate(const ChildOptions& options, int signal) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  const pid_t gate = ::fork();
  if (gate == 0) {
    asked_too_late = signal;
    try {
      (void)run_child(options);
    } catch (const Error& error) {
      ::_exit(error.exit_status());
    }
    ::_exit(0);
  }
  int end = -1;
  int status = 0;
  for (pid_t each = 0; (each = ::waitpid(-1, &status, 0)) > 0;) {
    if (each == gate) end = status;
  }
  return end;
}

TEST(Keeper, WhoseGateDiedBeforeItCouldLearnOfThatStartsNothing) {
  const TemporaryFolder folder;
  const auto ran = folder.path() / "ran";
  const int end = end_of_gate(shell(folder, "echo >" + ran.string()), SIGTERM);
  EXPECT_TRUE(WIFSIGNALED(end)) << end;
  EXPECT_FALSE(std::filesystem::exists(ran));
}

TEST(Keeper, ThatDiedBeforeItsProgramCouldLearnOfThatHasStartedNone) {
  const TemporaryFolder folder;
  const int end = end_of_gate(shell(folder, "exit 0"), SIGKILL);
  EXPECT_TRUE(WIFEXITED(end)) << end;
  EXPECT_EQ(WEXITSTATUS(end), kExitNotMeasured);
}

// It once unwound into the gate's own work, whose temporary folders were gone then.
TEST(Keeper, ThatFailsEndsAsItsProgramDidAndLeavesTheGatesFoldersAlone) {
  const TemporaryFolder folder;
  const ChildOptions options = shell(folder, "setsid sleep 600 & echo $!; exit 7");
  const pid_t self = ::getpid();
  only_one_that_looks = self;
  ChildEnd end;
  try {
    end = run_child(options);
  } catch (...) {
    if (::getpid() == self) throw;
  }
  if (::getpid() != self) ::_exit(1);  // the keeper is here
  only_one_that_looks = 0;
  EXPECT_EQ(describe(end), "ended with exit status 7");
  ASSERT_TRUE(std::filesystem::exists(options.output));
  EXPECT_NE(::kill(std::stoi(results::read_file(options.output)), 0), 0);
}

}  // namespace
}  // namespace warpgauge::ci
