// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/compile/child_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <system_error>

namespace warpgauge::emulator {
namespace {

int spawn_and_wait(Command command, const posix_spawn_file_actions_t* actions) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], actions, nullptr, arguments.data(), environ);
  if (error != 0) {
    throw std::runtime_error("cannot run " + command[0] + ": " +
                             std::generic_category().message(error));
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child) throw std::runtime_error("lost " + command[0]);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run(Command command) { return spawn_and_wait(std::move(command), nullptr); }

int run_into(Command command, Stream stream, const std::filesystem::path& file) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, static_cast<int>(stream), file.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0644);
  try {
    const int status = spawn_and_wait(std::move(command), &actions);
    posix_spawn_file_actions_destroy(&actions);
    return status;
  } catch (...) {
    posix_spawn_file_actions_destroy(&actions);
    throw;
  }
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open()) throw std::runtime_error("cannot read " + path.string());
  return text.str();
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace warpgauge::emulator
