// SPDX-License-Identifier: Apache-2.0
// Writes the records of this process. Throws nothing: it runs within programs of others, which must
// not notice it. What cannot be written is lost, and the header's counts say so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/results/launches/format.hpp"

namespace warpgauge::launches {

class RecordFile {
 public:
  // A file of its own in the folder, named after the process and when it began to record. Not
  // valid() where there can be none.
  explicit RecordFile(const std::string& folder);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  [[nodiscard]] bool valid() const { return header_ != nullptr; }
  // By any thread.
  void count(std::uint64_t Counts::*what, std::uint64_t more = 1) noexcept;
  void end_as(End end) noexcept;

  // Into a buffer that flush() writes; one thread at a time.
  template <class Record>
  void append(Kind kind, const Record& record, std::string_view rest = {}) {
    append_bytes(kind, {reinterpret_cast<const char*>(&record), sizeof record}, rest);
  }
  void problem(std::string_view text) { append_bytes(Kind::problem, text, {}); }
  void remark(std::string_view text) { append_bytes(Kind::remark, text, {}); }
  void flush() noexcept;

  // The process that made this; a fork of it must leave it alone.
  [[nodiscard]] int process() const { return process_; }

 private:
  void append_bytes(Kind kind, std::string_view first, std::string_view rest);

  int file_ = -1;
  int process_ = 0;
  Header* header_ = nullptr;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

// Puts the machine code into the folder, once for all processes. Nothing: it is empty or too large.
[[nodiscard]] bool store_code(const std::string& folder, const ModuleRecord& module,
                              std::string_view code) noexcept;

}  // namespace warpgauge::launches
