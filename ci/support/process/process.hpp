// SPDX-License-Identifier: Apache-2.0
// A child process in a process group of its own, watched until it ends.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace warpgauge::ci {

struct ChildEnd {
  enum class Kind { exited, signalled, timed_out, said_too_much };
  Kind kind = Kind::exited;
  int code = 0;  // exit status or signal

  [[nodiscard]] bool succeeded() const { return kind == Kind::exited && code == 0; }
};

// "ended with exit status 70", "died of SIGSEGV", "made no progress", "said more than 256 MiB".
[[nodiscard]] std::string describe(const ChildEnd& end);

struct ChildOptions {
  std::filesystem::path program;
  std::vector<std::string> arguments;
  // Variables for it alone, as in "NAME=value".
  std::vector<std::string> environment;
  std::filesystem::path output;  // file for its standard output
  std::filesystem::path errors;  // … standard error
  std::chrono::milliseconds timeout{};
  // What it gets after SIGTERM to end others and to clean up, as ninja and compilers do, when it is
  // ended early. 0: it is killed at once.
  std::chrono::milliseconds grace{};
  // Whether something happened since it was asked last, which restarts the timeout.
  std::function<bool()> progressed = [] { return false; };
};

// While one exists, it gets each child that is started, as a line for a shell.
class ChildLog {
 public:
  explicit ChildLog(std::function<void(const std::string&)> log);
  ~ChildLog();
  ChildLog(const ChildLog&) = delete;
  ChildLog& operator=(const ChildLog&) = delete;

  // For a program that takes the place of this one, too.
  static void starts(const std::string& program, const std::vector<std::string>& arguments);
};

// Runs the program to its end; afterwards nothing that it started is alive, in its process group,
// its session or not, nor is it when this process was killed meanwhile. Where no control group can
// be had (see control_group.hpp), that is looked for no longer than two seconds: what forks faster
// than it is found, and goes on for so long, lives on. One at a time. After the
// grace, SIGKILL ends it at a timeout, when a stream's file grows beyond results::kSaidLimit, and
// at an interrupt (see interrupt.hpp), which is thrown on. Throws Error (not measured) when the
// program cannot be started.
ChildEnd run_child(const ChildOptions& options);

// An executable file of that name in a folder of the PATH; empty: there is none.
[[nodiscard]] std::filesystem::path find_program(const std::string& name);

}  // namespace warpgauge::ci
