// SPDX-License-Identifier: Apache-2.0
// What the process between the gate and a program cannot do is no reason to do the gate's work.
#include <dirent.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ci/support/process/process.hpp"
#include "ci/support/temporary_folder.hpp"
#include "profiling/results/files/files.hpp"

namespace {

// Every other process that has it from a fork cannot look at processes. 0: all can.
std::atomic<pid_t> only_one_that_looks{0};

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

namespace warpgauge::ci {
namespace {

// It once unwound into the gate's own work, whose temporary folders were gone then.
TEST(Keeper, ThatFailsEndsAsItsProgramDidAndLeavesTheGatesFoldersAlone) {
  const TemporaryFolder folder;
  ChildOptions options;
  options.program = "/bin/sh";
  options.arguments = {"-c", "setsid sleep 600 & echo $!; exit 7"};
  options.output = folder.path() / "output";
  options.errors = folder.path() / "errors";
  options.timeout = std::chrono::minutes(1);
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
