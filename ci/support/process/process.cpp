// SPDX-License-Identifier: Apache-2.0
#include "ci/support/process/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/process/control_group.hpp"
#include "ci/support/process/interrupt.hpp"
#include "ci/support/process/orphans.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

// How often it is looked whether a program makes progress; its end is seen at once.
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

struct Streams {
  Descriptor input;
  Descriptor output;
  Descriptor errors;
};

Streams open_streams(const ChildOptions& options) {
  return {Descriptor(open_stream("/dev/null", O_RDONLY)),
          Descriptor(open_stream(options.output, O_WRONLY | O_CREAT | O_TRUNC)),
          Descriptor(open_stream(options.errors, O_WRONLY | O_CREAT | O_TRUNC))};
}

bool says_too_much(const Streams& streams) {
  for (const Descriptor* stream : {&streams.output, &streams.errors}) {
    struct stat status {};
    if (::fstat(stream->get(), &status) == 0 && S_ISREG(status.st_mode) &&
        static_cast<std::size_t>(status.st_size) > results::kSaidLimit.bytes) {
      return true;
    }
  }
  return false;
}

[[noreturn]] void tell(int failure, int error) {
  (void)!::write(failure, &error, sizeof error);
  ::_exit(127);
}

// What the program is started with, each ending in a nullptr.
struct Words {
  char* const* arguments;
  char* const* environment;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  all.reserve(texts.size() + 1);
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

// This process's own, in which these take the place of those of their names.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view own(*each);
    const std::string_view name = own.substr(0, own.find('='));
    const bool replaced = std::any_of(variables.begin(), variables.end(), [&](const auto& text) {
      return text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=';
    });
    if (!replaced) all.emplace_back(own);
  }
  return all;
}

// What the new process does until it is the program; nothing here may allocate.
[[noreturn]] void execute(const Words& words, const Streams& streams, const ControlGroup& group,
                          int failure, pid_t keeper) {
  group.join();
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  bool ready = ::getppid() == keeper;  // which may have died before it was asked for
  ready = ready && ::dup2(streams.input.get(), 0) == 0 && ::dup2(streams.output.get(), 1) == 1 &&
          ::dup2(streams.errors.get(), 2) == 2;
  if (ready) ::execve(words.arguments[0], words.arguments, words.environment);
  tell(failure, errno);
}

// Buries whoever has ended. Whether the program is among them, and how it ended.
bool reap(pid_t program, int& status) {
  bool ended = false;
  int each = 0;
  for (pid_t child = 0; (child = ::waitpid(-1, &each, WNOHANG)) > 0;) {
    if (child != program) continue;
    ended = true;
    status = each;
  }
  return ended;
}

// Ends this process as the status says that another ended.
[[noreturn]] void end_like(int status) {
  if (WIFEXITED(status)) ::_exit(WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  ::prctl(PR_SET_DUMPABLE, 0);  // the program has left its core already
  ::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::kill(::getpid(), signal);
  ::_exit(127);
}

// What the process between the gate and the program does. It is the parent of the program and of
// all below it that loses its own, so that it can end them when the program has ended, when it gets
// SIGTERM, and when the gate is gone, even if that was killed outright: the locks that it shares
// with the gate are held until then. Then it ends as the program did.
[[noreturn]] void keep(const Words& words, const Streams& streams, const ControlGroup& group,
                       Descriptor& failure, pid_t gate, std::chrono::milliseconds grace) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  ::setpgid(0, 0);  // what the terminal sends is for the gate
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != gate) ::_exit(127);
  const Orphans orphans(kPatience);
  const pid_t self = ::getpid();
  const pid_t program = ::fork();
  if (program < 0) tell(failure.get(), errno);
  if (program == 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    execute(words, streams, group, failure.get(), self);
  }
  failure.close();

  sigset_t awaited;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGCHLD);
  ::sigaddset(&awaited, SIGTERM);
  int status = SIGKILL;
  while (!reap(program, status)) {
    if (::sigwaitinfo(&awaited, nullptr) != SIGTERM) continue;
    if (grace.count() > 0) ::kill(-program, SIGTERM);
    for (std::int64_t i = 0; i < grace.count() && ::kill(-program, 0) == 0; ++i) {
      (void)reap(program, status);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    break;
  }
  // Once more where memory, say, lacked for a moment; how the program ended is told in any case,
  // and the gate ends whoever is left.
  for (int i = 0; i < 2; ++i) {
    try {
      group.end(kPatience);
      orphans.end_new_children();  // those of no group, or of another
      break;
    } catch (const std::exception&) {
    }
  }
  end_like(status);
}

// The end of a keeper without memory, which the gate sees and tells; all that it kept is the gate's
// then, who ends it.
[[noreturn]] void vanish() {
  ::kill(::getpid(), SIGKILL);
  ::_exit(127);
}

// Returns the keeper when the child is the program and leads a process group of its own.
pid_t start(const ChildOptions& options, const Streams& streams, const ControlGroup& group) {
  std::vector<std::string> line{options.program.string()};
  line.insert(line.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> arguments = pointers(line);
  std::vector<std::string> variables = environment_with(options.environment);
  std::vector<char*> environment = pointers(variables);
  const Words words{arguments.data(), environment.data()};

  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) cannot_start(options.program, errno);
  const Descriptor failure(ends[0]);  // at its end once the child is the program
  Descriptor failure_in_child(ends[1]);

  const pid_t gate = ::getpid();
  const pid_t keeper = ::fork();
  if (keeper < 0) cannot_start(options.program, errno);
  if (keeper == 0) {
    std::set_terminate(vanish);
    try {
      keep(words, streams, group, failure_in_child, gate, options.grace);
    } catch (const std::bad_alloc&) {
      if (failure_in_child.get() >= 0) tell(failure_in_child.get(), ENOMEM);
    } catch (...) {
      // Any further it would remove the gate's own folders, and do the gate's work a second time.
    }
    vanish();
  }
  failure_in_child.close();
  int error = 0;
  ssize_t count = 0;
  while ((count = ::read(failure.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (count > 0) {
    ::waitpid(keeper, nullptr, 0);
    cannot_start(options.program, error);
  }
  return keeper;
}

// A program and all that it started, gone when this is, however that comes about: a process that
// was killed still holds its device until it has died.
class Kept {
 public:
  Kept(pid_t keeper, const ControlGroup& group, std::chrono::milliseconds grace)
      : keeper_(keeper),
        descriptor_(static_cast<int>(::syscall(SYS_pidfd_open, keeper, 0))),
        group_(group),
        grace_(grace) {}
  ~Kept() {
    if (has_ended()) return;
    ::kill(keeper_, SIGTERM);
    for (std::int64_t i = 0; i < (grace_ + 3 * kPatience).count() && !has_ended(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (has_ended()) return;
    ::kill(keeper_, SIGKILL);  // somebody stopped it
    ::waitpid(keeper_, nullptr, 0);
    group_.end(kPatience);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;

  bool has_ended() {
    if (!ended_) ended_ = ::waitpid(keeper_, &status_, WNOHANG) != 0;
    return ended_;
  }
  // For its end, a signal to this process, or this long.
  void wait_for_end(std::chrono::milliseconds longest) const {
    if (descriptor_.get() < 0) {  // a kernel before 5.3, or no descriptor is left
      std::this_thread::sleep_for(longest);
      return;
    }
    pollfd keeper{descriptor_.get(), POLLIN, 0};
    (void)::poll(&keeper, 1, static_cast<int>(longest.count()));
  }
  [[nodiscard]] int status() const { return status_; }

 private:
  pid_t keeper_;
  Descriptor descriptor_;
  const ControlGroup& group_;
  std::chrono::milliseconds grace_;
  bool ended_ = false;
  int status_ = 0;
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
    case ChildEnd::Kind::said_too_much:
      return fmt::format("said more than {} MiB", results::kSaidLimit.bytes / results::kMebibyte);
  }
  return "";
}

ChildEnd run_child(const ChildOptions& options) {
  ::signal(SIGCHLD, SIG_DFL);  // ignored, as some shells hand it on, a child's end would be lost
  ChildLog::starts(options.program.string(), options.arguments);
  const Orphans orphans(kPatience);  // what outlives its keeper is ours to bury
  const Streams streams = open_streams(options);
  const ControlGroup group;
  Kept program(start(options, streams, group), group, options.grace);
  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now() + options.timeout;
  while (!program.has_ended()) {
    InterruptGuard::check();
    if (says_too_much(streams)) return {ChildEnd::Kind::said_too_much, 0};
    if (options.progressed()) {
      deadline = Clock::now() + options.timeout;
    } else if (Clock::now() > deadline) {
      return {ChildEnd::Kind::timed_out, 0};
    }
    program.wait_for_end(kPollInterval);
  }
  InterruptGuard::check();
  return end_of(program.status());
}

std::filesystem::path find_program(const std::string& name) {
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
    std::filesystem::path path = std::filesystem::path(folder) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return {};
}

}  // namespace warpgauge::ci
