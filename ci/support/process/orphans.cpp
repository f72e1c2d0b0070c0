// SPDX-License-Identifier: Apache-2.0
#include "ci/support/process/orphans.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "profiling/results/files/folder_names.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

bool has_children() {
  siginfo_t ended{};
  return ::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 || errno != ECHILD;
}

// 0: it has ended meanwhile.
pid_t parent_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  std::string line;
  // Not by the buffer itself, which throws where the process ends between opening and reading.
  std::getline(file, line, '\0');
  // Its name, in parentheses, may hold anything, ends of lines too. After it: the state, and the
  // parent.
  const std::size_t end = line.rfind(')');
  if (end == line.npos || line.size() < end + 5) return 0;
  return static_cast<pid_t>(std::strtol(line.c_str() + end + 4, nullptr, 10));
}

// By a look at every process there is.
std::set<pid_t> children() {
  std::set<pid_t> all;
  if (!has_children()) return all;
  const pid_t self = ::getpid();
  const fs::path processes = "/proc";
  for (const std::string& name : results::names_in(processes)) {
    const bool is_process = std::all_of(name.begin(), name.end(), [](unsigned char character) {
      return std::isdigit(character) != 0;
    });
    if (is_process && parent_of(processes / name) == self) all.insert(std::stoi(name));
  }
  return all;
}

// Of any process, as far as the kernel lists them: sooner than one of them forks and ends.
std::vector<pid_t> listed_children(const std::string& process) {
  std::vector<pid_t> all;
  const fs::path tasks = fs::path("/proc") / process / "task";
  for (const std::string& task : results::names_in(tasks)) {
    std::ifstream file(tasks / task / "children");
    all.insert(all.end(), std::istream_iterator<pid_t>(file), {});
  }
  return all;
}

using Deadline = std::chrono::steady_clock::time_point;

// Stops what descends from this process, but for `spared`, until no more of it is found: what is
// stopped starts nobody. Returns all that it stopped.
std::set<pid_t> freeze(const std::set<pid_t>& spared, Deadline deadline) {
  std::set<pid_t> stopped;
  for (bool any = true; any && std::chrono::steady_clock::now() < deadline;) {
    any = false;
    std::vector<pid_t> open = listed_children("self");
    std::erase_if(open, [&](pid_t child) { return spared.contains(child); });
    while (!open.empty()) {
      const pid_t each = open.back();
      open.pop_back();
      if (!stopped.insert(each).second) continue;
      ::kill(each, SIGSTOP);
      any = true;
      const auto below = listed_children(std::to_string(each));
      open.insert(open.end(), below.begin(), below.end());
    }
  }
  return stopped;
}

}  // namespace

Orphans::Orphans(std::chrono::milliseconds patience) : patience_(patience), before_(children()) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void Orphans::end_new_children() const {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  while (std::chrono::steady_clock::now() < deadline) {
    // All at once: the end of some would wake others.
    for (const pid_t each : freeze(before_, deadline)) ::kill(each, SIGKILL);
    std::set<pid_t> left = children();
    std::erase_if(left, [&](pid_t child) { return before_.contains(child); });
    if (left.empty()) return;
    bool any = false;
    for (const pid_t child : left) {
      ::kill(child, SIGKILL);
      // Its children are ours then, and looked for again.
      any = ::waitpid(child, nullptr, WNOHANG) != 0 || any;
    }
    if (!any) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Orphans::~Orphans() {
  // Once more where memory lacked for a moment. If it still does, who is left lives on.
  for (int i = 0; i < 2; ++i) {
    try {
      end_new_children();
      return;
    } catch (const std::exception&) {
    }
  }
}

}  // namespace warpgauge::ci
