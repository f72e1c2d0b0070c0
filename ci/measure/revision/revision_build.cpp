// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/revision/revision_build.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "ci/measure/revision/cmake_cache.hpp"
#include "ci/support/process/git.hpp"
#include "ci/support/process/helper_query.hpp"
#include "ci/support/process/process.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

// Runs a command, the second argument, in a folder, the first. A hook's environment is of another
// checkout.
constexpr const char* kScript =
    R"(exec 2>&1; unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_PREFIX
cd "$1" && printf '%s\n' "$2" && eval "$2")";

constexpr std::size_t kShortSha = 12;
constexpr std::size_t kRevisionsKept = 3;
constexpr std::size_t kLastLines = 20;

std::string without_newline(std::string text) {
  text.erase(text.find_last_not_of("\r\n") + 1);
  return text;
}

// As path `below` a folder; nothing when it is not.
std::optional<fs::path> relative_to(const fs::path& folder, const fs::path& path) {
  const fs::path relative = fs::weakly_canonical(path).lexically_relative(folder);
  if (relative.empty() || *relative.begin() == "..") return std::nullopt;
  return relative;
}

// Where the suite has been configured to be: below that, what to build is known by its name.
CMakeCache cache_of(const RevisionRequest& request, const fs::path& checkout) {
  constexpr const char* kRemedy = "say with --build how the revision is built";
  const auto cache = cmake_cache_of(request.run.suite);
  if (!cache) {
    throw Error(kExitUsage, fmt::format("there is no CMakeCache.txt above {}, so another revision "
                                        "cannot be configured like it; {}",
                                        request.run.suite.string(), kRemedy));
  }
  if (!relative_to(checkout, cache->source)) {
    throw Error(kExitUsage, fmt::format("{} was built of {}, which is not in the checkout {}; {}",
                                        request.run.suite.string(), cache->source.string(),
                                        checkout.string(), kRemedy));
  }
  return *cache;
}

fs::path with_ending(const fs::path& folder, const char* ending) {
  return folder.string() + ending;
}

fs::path counterpart(const fs::path& path, const char* option, const fs::path& folder,
                     const fs::path& checkout) {
  const auto relative = relative_to(checkout, path);
  if (relative) return folder / *relative;
  throw Error(
      kExitUsage,
      fmt::format(
          "{} {} is not in the checkout {}, so it cannot be found in another revision's folder",
          option, path.string(), checkout.string()));
}

std::string usual_build(const fs::path& folder, const RevisionRequest& request,
                        const fs::path& checkout) {
  const CMakeCache cache = cache_of(request, checkout);
  const auto in_build = [&](const fs::path& path, const char* option) {
    const auto relative = relative_to(cache.folder, path);
    if (relative) return *relative;
    throw Error(kExitUsage,
                fmt::format("{} {} is not in the build folder of the suite, {}; say with --build "
                            "how the revision is built",
                            option, path.string(), cache.folder.string()));
  };
  std::set<std::string> targets{in_build(request.run.suite, "--suite").filename().string()};
  for (const fs::path& each : request.run.machine_code) {
    targets.insert(in_build(each, "--machine-code").filename().string());
  }
  const fs::path source = counterpart(cache.source, "the source of --suite", folder, checkout);
  const fs::path build = counterpart(cache.folder, "the build folder of --suite", folder, checkout);
  const fs::path settings = with_ending(folder, ".cmake");
  results::write_file_atomically(settings, initial_cache(cache, source));
  std::string command = fmt::format(
      "cmake --fresh -C {} -G {} -S {} -B {} && cmake --build {} --parallel {} --target",
      shell_word(settings.string()), shell_word(cache.generator), shell_word(source.string()),
      shell_word(build.string()), shell_word(build.string()),
      std::max(1U, std::thread::hardware_concurrency()));
  for (const std::string& target : targets) command += fmt::format(" {}", shell_word(target));
  return command;
}

}  // namespace

fs::path current_checkout(const std::string& option) {
  const GitAnswer top = git({"rev-parse", "--show-toplevel"});
  if (!top.output) {
    throw Error(kExitUsage, fmt::format("{}: the current folder is no git checkout: {}", option,
                                        top.complaint));
  }
  return fs::canonical(without_newline(*top.output));
}

std::string sha_of(const std::string& revision, const std::string& option) {
  const GitAnswer sha =
      git({"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (sha.output) return without_newline(*sha.output);
  throw Error(kExitUsage,
              fmt::format("{} {}: the repository has no such revision; in a clone of part of the "
                          "history, fetch it first (git fetch origin {})",
                          option, revision, revision));
}

RunOptions run_in(const fs::path& folder, const RevisionRequest& request, const fs::path& checkout,
                  const std::string& sha) {
  RunOptions run = request.run;
  run.suite = counterpart(run.suite, "--suite", folder, checkout);
  for (fs::path& each : run.machine_code) {
    each = counterpart(each, "--machine-code", folder, checkout);
  }
  run.source_root = counterpart(run.source_root, "--source-root", folder, checkout);
  run.source = results::Source{sha, false};
  return run;
}

void build_in(const fs::path& folder, const RevisionRequest& request, const fs::path& checkout,
              const std::string& name, const RunOptions& wanted) {
  const fs::path log = with_ending(folder, ".log");
  const std::string command =
      request.build.empty() ? usual_build(folder, request, checkout) : request.build;
  ChildOptions child;
  child.program = "/bin/sh";
  child.arguments = {"-c", kScript, "sh", folder.string(), command};
  child.output = log;
  child.errors = "/dev/null";
  child.grace = std::chrono::seconds(10);
  child.progressed = [] { return true; };  // how long a build takes is for its user to say
  const ChildEnd end = run_child(child);
  const auto fail = [&](const std::string& what) {
    throw BuildError(
        fmt::format("the build of {} {}; its whole output is in {}", name, what, log.string()),
        last_lines(log, kLastLines));
  };
  if (!end.succeeded()) fail(describe(end));
  if (!fs::is_regular_file(wanted.suite)) {
    fail(fmt::format("ended well, but made no {}", wanted.suite.string()));
  }
  for (const fs::path& each : wanted.machine_code) {
    if (!fs::exists(each)) fail(fmt::format("ended well, but made no {}", each.string()));
  }
}

void remove_worktree(const fs::path& checkout, const fs::path& folder) {
  (void)git_in(checkout, {"worktree", "remove", "--force", "--force", folder.string()});
  std::error_code ignored;  // whoever recreates it reports what is in the way
  fs::remove_all(folder, ignored);
}

Revision::Revision(const RevisionRequest& request) {
  try {
    find(request);
    lock();
    request.run.log(fmt::format("building {} in {}", name_, folder_.string()));
    check_out();
    build_in(folder_, request, checkout_, name_, run_);
    drop_old_ones();
  } catch (...) {
    if (lock_ >= 0) ::close(lock_);
    throw;
  }
}

Revision::~Revision() { ::close(lock_); }

void Revision::find(const RevisionRequest& request) {
  checkout_ = current_checkout(request.option + " " + request.revision);
  sha_ = sha_of(request.revision, request.option);
  if (!fs::is_regular_file(request.run.suite)) {
    throw Error(kExitNotMeasured,
                fmt::format("there is no suite {}; build it, or give its path with --suite",
                            request.run.suite.string()));
  }
  name_ = sha_.starts_with(request.revision)
              ? sha_.substr(0, kShortSha)
              : fmt::format("{} ({})", request.revision, sha_.substr(0, kShortSha));
  shelf_ = checkout_ / "build" / "against";
  folder_ = shelf_ / sha_;
  run_ = run_in(folder_, request, checkout_, sha_);
}

void Revision::lock() {
  std::error_code error;
  fs::create_directories(shelf_, error);
  lock_ = ::open(shelf_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock_ < 0) {
    throw Error(kExitNotMeasured,
                fmt::format("cannot make the folder {}, in which the revision is built: {}",
                            shelf_.string(), std::generic_category().message(errno)));
  }
  int locked = 0;
  do {
    locked = ::flock(lock_, LOCK_EX | LOCK_NB);
  } while (locked != 0 && errno == EINTR);
  if (locked != 0 && errno == EWOULDBLOCK) {
    throw Error(kExitNotMeasured, fmt::format("another gate is using {}; try again when it is done",
                                              shelf_.string()));
  }
  if (locked != 0) {
    throw Error(kExitNotMeasured,
                fmt::format("cannot lock {} against other gates: {}", shelf_.string(),
                            std::generic_category().message(errno)));
  }
  // Other projects need not ignore their build folder.
  results::write_file_atomically(shelf_ / ".gitignore", "*\n");
}

void Revision::check_out() const {
  const auto head = git_in(folder_, {"rev-parse", "HEAD"}).output;
  const auto top = git_in(folder_, {"rev-parse", "--show-toplevel"}).output;
  const auto changes = git_in(folder_, {"status", "--porcelain", "--untracked-files=no"}).output;
  const bool is_usable = fs::is_directory(folder_) && head && top && changes &&
                         without_newline(*head) == sha_ && without_newline(*top) == folder_ &&
                         changes->empty();
  if (is_usable) return;
  remove_worktree(checkout_, folder_);
  // By force where git still knows of a folder that was removed by hand.
  const GitAnswer added = git_in(
      checkout_, {"worktree", "add", "--force", "--detach", "--quiet", folder_.string(), sha_});
  if (added.output) return;
  throw Error(kExitNotMeasured, fmt::format("cannot check out {} in {}: {}", name_,
                                            folder_.string(), added.complaint));
}

void Revision::drop_old_ones() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> logs;
  for (const auto& entry : fs::directory_iterator(shelf_)) {
    if (entry.path().extension() == ".log") {
      logs.emplace_back(entry.last_write_time(), entry.path());
    }
  }
  std::sort(logs.rbegin(), logs.rend());
  for (std::size_t i = kRevisionsKept; i < logs.size(); ++i) {
    fs::path path = logs[i].second;
    remove_worktree(checkout_, path.replace_extension());
    std::error_code ignored;  // left behind at worst
    fs::remove(path.replace_extension(".cmake"), ignored);
    fs::remove(path.replace_extension(".log"), ignored);
  }
}

}  // namespace warpgauge::ci
