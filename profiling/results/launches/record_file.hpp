// SPDX-License-Identifier: Apache-2.0
// Writes the records of this process. Throws nothing: it runs within programs of others, which must
// not notice it. What cannot be written is lost, and the header's counts say so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "profiling/results/launches/format.hpp"

namespace warpgauge::launches {

class RecordFile {
 public:
  // A file of its own in the folder, named after the process and when it began to record. Not
  // valid() where there can be none. most_bytes: how large it may grow; samples of launches and
  // ranges leave a quarter of that to what they are samples of.
  explicit RecordFile(const std::string& folder, std::uint64_t most_bytes = kMostBytes);
  ~RecordFile();
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  [[nodiscard]] bool valid() const { return header_ != nullptr; }
  // By any thread.
  void count(std::uint64_t Counts::*what, std::uint64_t more = 1) noexcept;
  void end_as(End end) noexcept;

  // Into a buffer that flush() writes; one thread at a time.
  template <class Record>
  void append(Kind kind, const Record& record, std::string_view rest = {}) noexcept {
    append_bytes(kind, {reinterpret_cast<const char*>(&record), sizeof record}, rest);
  }
  void problem(std::string_view text) noexcept { append_bytes(Kind::problem, text, {}); }
  void remark(std::string_view text) noexcept { append_bytes(Kind::remark, text, {}); }
  // What cannot be written, as on a full disk, is kept and tried again, up to some megabytes.
  void flush() noexcept;

  // Whole records that replace() may overwrite with as many bytes, after all that was appended.
  // False: they are not in the file.
  [[nodiscard]] bool place(std::string_view bytes, std::uint64_t& place) noexcept;
  [[nodiscard]] bool replace(std::uint64_t place, std::string_view bytes) noexcept;

  // The process that made this; a fork of it must leave it alone.
  [[nodiscard]] int process() const { return process_; }

  static constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;

 private:
  void append_bytes(Kind kind, std::string_view first, std::string_view rest) noexcept;
  [[nodiscard]] bool add_to_file(std::string_view bytes) noexcept;
  void say_unwritten() noexcept;

  int file_ = -1;
  int process_ = 0;
  std::uint64_t most_bytes_ = 0;
  Header* header_ = nullptr;
  std::string buffer_;
  std::uint64_t buffered_ = 0;  // records in buffer_
  std::uint64_t left_out_ = 0;  // records that are nowhere
  bool failing_ = false;        // the last write failed
  std::uint64_t end_ = kHeaderBytes;
};

// Puts the machine code into the folder, once for all processes. Nothing: it is empty or too large.
[[nodiscard]] bool store_code(const std::string& folder, const ModuleRecord& module,
                              std::string_view code) noexcept;

}  // namespace warpgauge::launches
