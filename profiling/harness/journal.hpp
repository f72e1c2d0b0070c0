// SPDX-License-Identifier: Apache-2.0
// What a suite's process tells the one that started it, as it goes: JSON lines, so that after a
// crash all that was finished, and the name of what was not, can still be read.
//
//   {"started": "transpose/naive/256x192"}
//   {"finished": {…a Record…}}
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "profiling/results/record.hpp"

namespace warpgauge {

// Status with which a recorded process ends after a benchmark's outcome was an error: a device
// error leaves the process in doubt, a fresh one has to go on with the rest.
inline constexpr int kExitAfterError = 70;

class Journal {
 public:
  // Without a path nothing is written and the process goes on after an error.
  // Throws results::FileError when the file cannot be written.
  explicit Journal(const std::optional<std::filesystem::path>& path);

  void started(const std::string& id);

  // Does not return after an error, see kExitAfterError.
  void finished(const results::Record& record);

  [[nodiscard]] std::size_t failures() const { return failures_; }

 private:
  void write_line(const std::string& line);

  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, CloseFile> file_;
  std::size_t failures_ = 0;
};

}  // namespace warpgauge
