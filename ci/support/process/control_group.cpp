// SPDX-License-Identifier: Apache-2.0
#include "ci/support/process/control_group.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "profiling/results/files/folder_names.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

// "0::/user.slice" of /proc/self/cgroup; empty: this process is in none of version 2.
std::string own_group() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::/") && line.find("..") == line.npos) return line.substr(3);
  }
  return "";
}

// Where the groups of version 2 are; empty: nowhere.
fs::path own_folder() {
  const std::string group = own_group();
  std::ifstream file("/proc/self/mountinfo");
  for (std::string line; !group.empty() && std::getline(file, line);) {
    if (line.find(" - cgroup2 ") == line.npos) continue;
    // Two numbers, major:minor, the folder in the file system that is mounted, and where.
    std::istringstream fields(line);
    std::string number;
    std::string root;
    std::string place;
    fields >> number >> number >> number >> root >> place;
    if (root == "/") return place + group;
    if (group.starts_with(root)) return place + group.substr(root.size());
  }
  return {};
}

bool is_populated(const fs::path& group) {
  std::ifstream file(group / "cgroup.events");
  std::string name;
  for (int value = 0; file >> name >> value;) {
    if (name == "populated") return value != 0;
  }
  return false;
}

// With those that somebody within made.
void remove_groups(const fs::path& group) {
  try {
    for (const std::string& name : results::names_in(group)) {
      std::error_code ignored;
      if (fs::is_directory(group / name, ignored)) remove_groups(group / name);
    }
  } catch (const std::bad_alloc&) {
    // Mostly there is nothing within.
  }
  ::rmdir(group.c_str());
}

constexpr std::string_view kName = "warpgauge-";  // and the process that made it

// Those of processes that were killed. One that has members stays.
void sweep(const fs::path& own) {
  for (const std::string& name : results::names_in(own)) {
    if (!name.starts_with(kName)) continue;
    const long maker = std::strtol(name.c_str() + kName.size(), nullptr, 10);
    if (maker > 0 && ::kill(static_cast<pid_t>(maker), 0) != 0 && errno == ESRCH) {
      remove_groups(own / name);
    }
  }
}

}  // namespace

ControlGroup::ControlGroup() {
  const fs::path own = own_folder();
  if (own.empty()) return;
  sweep(own);
  std::string name = own / (std::string(kName) + std::to_string(::getpid()) + "-XXXXXX");
  if (::mkdtemp(name.data()) == nullptr) return;
  members_ = ::open((name + "/cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
  if (members_ < 0 || ::access((name + "/cgroup.kill").c_str(), W_OK) != 0) {
    ::rmdir(name.c_str());
    return;
  }
  folder_ = name;
}

ControlGroup::~ControlGroup() {
  if (members_ >= 0) ::close(members_);
  if (!folder_.empty()) remove_groups(folder_);
}

void ControlGroup::join() const {
  if (!folder_.empty()) (void)!::write(members_, "0", 1);
}

void ControlGroup::end(std::chrono::milliseconds patience) const {
  if (folder_.empty()) return;
  std::ofstream(folder_ / "cgroup.kill") << '1';
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (is_populated(folder_) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  remove_groups(folder_);
}

}  // namespace warpgauge::ci
