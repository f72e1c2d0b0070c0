// SPDX-License-Identifier: Apache-2.0
#include "ci/support/process.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/group.hpp>
#include <boost/process/io.hpp>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/interrupt.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

namespace process = boost::process;

constexpr std::chrono::milliseconds kPollInterval{10};

// A process group that is gone when this is, however that comes about: a process that was killed
// still holds its device until it has died.
class DyingWithMe {
 public:
  DyingWithMe(process::group& group, std::chrono::milliseconds grace)
      : group_(group), grace_(grace) {}
  ~DyingWithMe() {
    if (!group_.valid()) return;
    if (grace_.count() > 0) end_by(SIGTERM, grace_);
    end_by(SIGKILL, kPatience);
  }
  DyingWithMe(const DyingWithMe&) = delete;
  DyingWithMe& operator=(const DyingWithMe&) = delete;

 private:
  // A driver that does not let go must not keep the gate.
  static constexpr std::chrono::milliseconds kPatience{2'000};

  void end_by(int signal, std::chrono::milliseconds patience) {
    const pid_t id = group_.native_handle();
    ::kill(-id, signal);
    for (std::int64_t i = 0; i < patience.count() && ::kill(-id, 0) == 0; ++i) {
      if (::waitpid(-id, nullptr, WNOHANG) > 0) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  process::group& group_;
  std::chrono::milliseconds grace_;
};

ChildEnd end_of(process::child& child) {
  const int status = child.native_exit_code();
  if (WIFSIGNALED(status)) return {ChildEnd::Kind::signalled, WTERMSIG(status)};
  return {ChildEnd::Kind::exited, WEXITSTATUS(status)};
}

// Set by the one ChildLog that there is.
std::function<void(const std::string&)> tell_of_start;

}  // namespace

ChildLog::ChildLog(std::function<void(const std::string&)> tell) {
  tell_of_start = std::move(tell);
}

ChildLog::~ChildLog() { tell_of_start = nullptr; }

void ChildLog::starts(const std::string& program, const std::vector<std::string>& arguments) {
  if (!tell_of_start) return;
  std::string line = shell_word(program);
  for (const std::string& each : arguments) line.append(" ").append(shell_word(each));
  tell_of_start(fmt::format("starts: {}", line));
}

std::string describe(const ChildEnd& end) {
  switch (end.kind) {
    case ChildEnd::Kind::exited:
      return fmt::format("ended with exit status {}", end.code);
    case ChildEnd::Kind::signalled: {
      const char* name = ::sigabbrev_np(end.code);
      return fmt::format("died of {}{}", name != nullptr ? "SIG" : "signal ",
                         name != nullptr ? name : std::to_string(end.code));
    }
    case ChildEnd::Kind::timed_out:
      return "made no progress";
  }
  return "";
}

ChildEnd run_child(const ChildOptions& options) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // what the child leaves behind is ours to bury
  process::group group;  // ends all of its members when it goes, however this function is left
  std::error_code error;
  // A parent that is killed outright must not leave a kernel running on the device.
  const auto die_with_parent = [](auto&) { ::prctl(PR_SET_PDEATHSIG, SIGKILL); };
  ChildLog::starts(options.program.string(), options.arguments);
  // By name: a bare string would be taken for a command line when there are no arguments.
  process::child child(process::exe = options.program.string(), process::args(options.arguments),
                       (process::std_in < process::null),
                       process::std_out > options.output.string(),
                       process::std_err > options.errors.string(), group,
                       process::extend::on_exec_setup = die_with_parent, error);
  if (error) {
    throw Error(kExitNotMeasured, fmt::format("cannot start {}: {}; check the path",
                                              options.program.string(), error.message()));
  }

  const DyingWithMe dying(group, options.grace);
  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + options.timeout;
  while (child.running(error)) {
    InterruptGuard::check();
    if (options.progressed()) {
      deadline = Clock::now() + options.timeout;
    } else if (Clock::now() > deadline) {
      group.terminate(error);
      child.wait(error);
      return {ChildEnd::Kind::timed_out, 0};
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  InterruptGuard::check();
  return end_of(child);
}

}  // namespace warpgauge::ci
