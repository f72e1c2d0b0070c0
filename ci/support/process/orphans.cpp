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
  const std::string line(std::istreambuf_iterator<char>(file), {});
  // Its name, in parentheses, may hold anything, ends of lines too. After it: the state, and the
  // parent.
  const std::size_t end = line.rfind(')');
  if (end == line.npos || line.size() < end + 5) return 0;
  return static_cast<pid_t>(std::strtol(line.c_str() + end + 4, nullptr, 10));
}

std::set<pid_t> children() {
  std::set<pid_t> all;
  if (!has_children()) return all;
  const pid_t self = ::getpid();
  std::error_code error;
  for (fs::directory_iterator at("/proc", error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const bool is_process = std::all_of(name.begin(), name.end(), [](unsigned char character) {
      return std::isdigit(character) != 0;
    });
    if (is_process && parent_of(at->path()) == self) all.insert(std::stoi(name));
  }
  return all;
}

}  // namespace

Orphans::Orphans(std::chrono::milliseconds patience) : patience_(patience), before_(children()) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void Orphans::end_new_children() const {
  const auto deadline = std::chrono::steady_clock::now() + patience_;
  while (std::chrono::steady_clock::now() < deadline) {
    std::set<pid_t> left = children();
    std::erase_if(left, [&](pid_t child) { return before_.contains(child); });
    if (left.empty()) return;
    for (const pid_t child : left) {
      ::kill(child, SIGKILL);
      // Its children are ours then, and looked for again.
      if (::waitpid(child, nullptr, WNOHANG) == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        ::waitpid(child, nullptr, WNOHANG);
      }
    }
  }
}

Orphans::~Orphans() {
  try {
    end_new_children();
  } catch (const std::exception&) {
    // There is no memory: who is left lives on.
  }
}

}  // namespace warpgauge::ci
