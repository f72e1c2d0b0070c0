// SPDX-License-Identifier: Apache-2.0
// Starts tests/helpers/fake_program.cpp by `warpgauge`.
#pragma once

#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

#include "profiling/results/results.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {

// Times of twelve starts that differ by a few nanoseconds, around this one.
inline std::string noisy(int time_ns) {
  std::string list = std::to_string(time_ns);
  for (const int each : {3, -4, 1, 0, -2, 5, -3, 2, -1, 4, 0, 1, -2}) {
    list += "," + std::to_string(time_ns + each);
  }
  return list;
}

class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    ::setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() { ::unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
};

class ProgramRun : public InFolder {
 protected:
  void SetUp() override {
    InFolder::SetUp();
    write("inject.so", "");
  }

  // The same command whatever the work is; arguments: to be added to it.
  Finished start(const std::string& command, const std::string& work,
                 const std::string& arguments = "") {
    std::filesystem::remove(folder_ / "starts");
    const ScopedVariable variable("FAKE_PROGRAM_WORK", work);
    return warpgauge(command + " --injection inject.so -- " + quoted(FAKE_PROGRAM) + " '" +
                     (folder_ / "starts").string() + "' " + arguments);
  }

  [[nodiscard]] std::size_t starts() const {
    std::ifstream file(folder_ / "starts");
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }

  static std::string step(const std::string& kernel, const std::string& time_ns,
                          const std::string& shape = "4096 128") {
    return "repeat 40 push step run other 1 " + noisy(20'000) + " shape " + shape + " run " +
           kernel + " 1 " + time_ns + " shape 4096 128 pop end ";
  }
};

}  // namespace warpgauge
