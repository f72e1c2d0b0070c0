// SPDX-License-Identifier: Apache-2.0
// Lines of kernels, found by the words in their comments, and errors that name them.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <source_location>
#include <string>
#include <vector>

#include "tests/profiling/emulator/observe.hpp"

namespace warpgauge::emulator {

// "file:line" of the line that carries the comment.
inline std::string find_line(const std::string& file, const std::string& comment) {
  std::ifstream source(std::string(TEST_SOURCE_ROOT) + "/" + file);
  std::string text;
  for (int line = 1; std::getline(source, text); ++line) {
    if (text.ends_with("// " + comment)) return file + ":" + std::to_string(line);
  }
  ADD_FAILURE() << "no line with comment " << comment;
  return "";
}

// The same in the file that calls it.
inline std::string own_line(const std::string& comment,
                            const std::source_location& here = std::source_location::current()) {
  return find_line(here.file_name(), comment);
}

// All parts occur in one of the errors or remarks.
inline void expect_in(const std::vector<std::string>& texts,
                      const std::vector<std::string>& parts) {
  for (const std::string& text : texts) {
    bool all = true;
    for (const std::string& part : parts) all &= text.find(part) != text.npos;
    if (all) return;
  }
  std::string wanted;
  for (const std::string& part : parts) wanted += "\n  " + part;
  ADD_FAILURE() << "nothing with" << wanted << "\nin\n" << join(texts);
}

inline void expect_error(const Observation& observation, const std::vector<std::string>& parts) {
  expect_in(observation.errors, parts);
}

}  // namespace warpgauge::emulator
