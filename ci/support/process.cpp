// SPDX-License-Identifier: Apache-2.0
#include "ci/support/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/interrupt.hpp"
#include "ci/support/orphans.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::chrono::milliseconds kPollInterval{10};

// A driver that does not let go must not keep the gate.
constexpr std::chrono::milliseconds kPatience{2'000};

[[noreturn]] void cannot_start(const std::filesystem::path& program, int error) {
  throw Error(kExitNotMeasured, fmt::format("cannot start {}: {}; check the path", program.string(),
                                            std::generic_category().message(error)));
}

class Descriptor {
 public:
  explicit Descriptor(int descriptor) : descriptor_(descriptor) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return descriptor_; }
  void close() {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_;
};

int open_stream(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    throw Error(kExitNotMeasured,
                fmt::format("cannot open {} for a program that is to be started: {}", path.string(),
                            std::generic_category().message(errno)));
  }
  return descriptor;
}

// What the new process does until it is the program; nothing here may allocate.
[[noreturn]] void execute(char* const* arguments, const int (&streams)[3], int failure,
                          pid_t parent) {
  ::setpgid(0, 0);
  // A parent that is killed outright must not leave a kernel running on the device.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  bool ready = ::getppid() == parent;  // which may have died before it was asked for
  for (int i = 0; i < 3; ++i) ready = ready && ::dup2(streams[i], i) == i;
  if (ready) ::execv(arguments[0], arguments);
  const int error = errno;
  (void)!::write(failure, &error, sizeof error);
  ::_exit(127);
}

// Returns when the child is the program and leads a process group of its own.
pid_t start(const ChildOptions& options) {
  std::vector<std::string> words{options.program.string()};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  const Descriptor input(open_stream("/dev/null", O_RDONLY));
  const Descriptor output(open_stream(options.output, O_WRONLY | O_CREAT | O_TRUNC));
  const Descriptor errors(open_stream(options.errors, O_WRONLY | O_CREAT | O_TRUNC));
  const int streams[3] = {input.get(), output.get(), errors.get()};
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) cannot_start(options.program, errno);
  const Descriptor failure(ends[0]);  // at its end once the child is the program
  Descriptor failure_in_child(ends[1]);

  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) cannot_start(options.program, errno);
  if (child == 0) execute(arguments.data(), streams, failure_in_child.get(), parent);
  failure_in_child.close();
  int error = 0;
  ssize_t count = 0;
  while ((count = ::read(failure.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (count > 0) {
    ::waitpid(child, nullptr, 0);
    cannot_start(options.program, error);
  }
  return child;
}

// The process group of a child, gone when this is, however that comes about: a process that was
// killed still holds its device until it has died.
class ProcessGroup {
 public:
  ProcessGroup(pid_t id, std::chrono::milliseconds grace) : id_(id), grace_(grace) {}
  ~ProcessGroup() {
    if (grace_.count() > 0) end_by(SIGTERM, grace_);
    end_by(SIGKILL, kPatience);
  }
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  void kill() const { ::kill(-id_, SIGKILL); }

 private:
  void end_by(int signal, std::chrono::milliseconds patience) const {
    ::kill(-id_, signal);
    for (std::int64_t i = 0; i < patience.count() && ::kill(-id_, 0) == 0; ++i) {
      if (::waitpid(-id_, nullptr, WNOHANG) > 0) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  pid_t id_;
  std::chrono::milliseconds grace_;
};

ChildEnd end_of(int status) {
  if (WIFSIGNALED(status)) return {ChildEnd::Kind::signalled, WTERMSIG(status)};
  return {ChildEnd::Kind::exited, WEXITSTATUS(status)};
}

// Set by the one ChildLog that there is.
std::function<void(const std::string&)> log_start;

}  // namespace

ChildLog::ChildLog(std::function<void(const std::string&)> log) { log_start = std::move(log); }

ChildLog::~ChildLog() { log_start = nullptr; }

void ChildLog::starts(const std::string& program, const std::vector<std::string>& arguments) {
  if (!log_start) return;
  std::string line = shell_word(program);
  for (const std::string& each : arguments) line.append(" ").append(shell_word(each));
  log_start(fmt::format("starts: {}", line));
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
  ::signal(SIGCHLD, SIG_DFL);  // ignored, as some shells hand it on, a child's end would be lost
  ChildLog::starts(options.program.string(), options.arguments);
  const Orphans orphans(kPatience);  // what leaves the group is ours to bury, too
  const pid_t child = start(options);
  const ProcessGroup group(child, options.grace);
  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + options.timeout;
  int status = 0;
  while (::waitpid(child, &status, WNOHANG) == 0) {
    InterruptGuard::check();
    if (options.progressed()) {
      deadline = Clock::now() + options.timeout;
    } else if (Clock::now() > deadline) {
      group.kill();
      ::waitpid(child, nullptr, 0);
      return {ChildEnd::Kind::timed_out, 0};
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  InterruptGuard::check();
  return end_of(status);
}

std::filesystem::path find_program(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return {};
}

}  // namespace warpgauge::ci
