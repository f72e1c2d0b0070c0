// SPDX-License-Identifier: Apache-2.0
// What a suite writes of its benchmarks while it runs: a line when one starts, and one when it is
// finished. A suite may write anything there.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

struct JournalText {
  std::vector<results::Record> finished;  // in order
  std::string unfinished;                 // id that was started last and not finished; or empty
};

class Journal {
 public:
  explicit Journal(std::filesystem::path path) : path_(std::move(path)) {}

  // Reads what was written since it was asked last; whether there is any whole line of it. Throws
  // Error (not measured) for what cannot be read, is no regular file, or is too large.
  bool has_grown();

  // The same of a suite that was asked for so many benchmarks: one that writes more lines than two
  // of each is not waited for as long as it does so.
  bool has_grown(std::size_t benchmarks);

  // How many benchmarks are done with.
  [[nodiscard]] std::size_t finished() const { return lines_ / 2; }

  // Of what was read. A line without its newline was being written when the process ended and
  // counts as not written. Throws Error (not measured), with the line.
  [[nodiscard]] JournalText read() const;

 private:
  void append_rest(int descriptor);

  std::filesystem::path path_;
  std::string text_;
  std::size_t lines_ = 0;
};

}  // namespace warpgauge::ci
