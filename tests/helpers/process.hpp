// SPDX-License-Identifier: Apache-2.0
// Runs a shell command and keeps what it said; for tests only.
#pragma once

#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace warpgauge {

// Programs that tests start do not look for leaks at their end, which takes longer than many of
// them: the test itself does, also in what it calls of theirs. Of each allocation they remember two
// calls, not thirty; that takes a fifth off their start.
inline const int kChildrenStartFast =
    ::setenv("ASAN_OPTIONS", "detect_leaks=0:malloc_context_size=2", 0);

struct Finished {
  int status = 0;      // exit status; 128 + signal when a signal ended it
  std::string output;  // standard output and standard error, as they came
};

// As one word of a shell command, whatever is in it.
inline std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char character : text) {
    word += character == '\'' ? "'\\''" : std::string(1, character);
  }
  return word + "'";
}

inline Finished shell(const std::string& command) {
  std::FILE* pipe = ::popen(("( " + command + " ) 2>&1 </dev/null").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  Finished finished;
  std::array<char, 4096> buffer{};
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    finished.output.append(buffer.data(), got);
  }
  const int status = ::pclose(pipe);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

}  // namespace warpgauge
