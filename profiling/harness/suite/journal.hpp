// SPDX-License-Identifier: Apache-2.0
// A suite's report to its parent process, written as it runs: JSON lines, so that after a crash the
// parent can still read every finished benchmark and the name of the one that crashed.
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

// Exit status of a recorded process after a benchmark's error. A device error may have corrupted
// the CUDA context, so a new process must run the rest.
inline constexpr int kExitAfterError = 70;

class Journal {
 public:
  // Without a path, nothing is written and the process continues after an error.
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
