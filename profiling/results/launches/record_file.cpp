// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/launches/record_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <span>

namespace warpgauge::launches {
namespace {

constexpr std::uint64_t kMostCodeBytes = std::uint64_t{512} << 20U;  // of one module
constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;
constexpr std::size_t kMostWaiting = std::size_t{4} << 20U;  // while nothing can be written

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

bool write_all(int file, std::string_view bytes, std::uint64_t place) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    place += static_cast<std::uint64_t>(count);
  }
  return true;
}

bool is_sample(Kind kind) { return kind == Kind::launch || kind == Kind::instance; }

// The first that there is; −1: none.
std::int32_t number_in(std::span<const char* const> variables) {
  for (const char* const variable : variables) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) continue;
    std::int32_t number = 0;
    const char* const end = text + std::strlen(text);
    const auto read = std::from_chars(text, end, number);
    constexpr std::int32_t kMost = 1'000'000;
    if (read.ec == std::errc() && read.ptr == end && number >= 0 && number < kMost) return number;
  }
  return -1;
}

}  // namespace

RecordFile::RecordFile(const std::string& folder, std::uint64_t most_bytes)
    : process_(::getpid()), most_bytes_(most_bytes) {
  const std::uint64_t started = now_ns();
  const std::string name =
      folder + "/" + std::to_string(process_) + "-" + std::to_string(started) + kRecordSuffix;
  constexpr mode_t kOwn = 0600;
  file_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kOwn);
  // A page that the disk has no room for would end the program when it is written to.
  if (file_ < 0) return;
  if (::posix_fallocate(file_, 0, kHeaderBytes) != 0) {
    ::unlink(name.c_str());
    return;
  }
  void* const page = ::mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (page == MAP_FAILED) return;
  header_ = static_cast<Header*>(page);
  std::memcpy(header_->magic, kMagic, sizeof kMagic);
  header_->version = kVersion;
  header_->process = process_;
  header_->parent = ::getppid();
  header_->started_ns = started;
  header_->rank_from_1 = number_in(kRankVariables) + 1;
  header_->ranks = std::max(number_in(kRanksVariables), 0);
  buffer_.reserve(2 * kBufferBytes);
}

RecordFile::~RecordFile() {
  if (header_ != nullptr) ::munmap(header_, kHeaderBytes);
  if (file_ >= 0) ::close(file_);
}

void RecordFile::count(std::uint64_t Counts::*what, std::uint64_t more) noexcept {
  if (header_ == nullptr) return;
  std::atomic_ref<std::uint64_t>(header_->counts.*what).fetch_add(more, std::memory_order_relaxed);
}

void RecordFile::end_as(End end) noexcept {
  if (header_ != nullptr) std::atomic_ref<End>(header_->end).store(end);
}

void RecordFile::say_unwritten() noexcept {
  std::atomic_ref<std::uint64_t>(header_->counts.unwritten)
      .store(left_out_ + (failing_ ? buffered_ : 0), std::memory_order_relaxed);
}

void RecordFile::append_bytes(Kind kind, std::string_view first, std::string_view rest) noexcept {
  if (header_ == nullptr) return;
  const std::size_t before = buffer_.size();
  const std::size_t bytes = sizeof(RecordHead) + first.size() + rest.size();
  const std::uint64_t most = is_sample(kind) ? most_bytes_ / 4 * 3 : most_bytes_;
  bool kept = before + bytes <= kMostWaiting && end_ + before + bytes <= most;
  if (kept) {
    try {
      const RecordHead head{kind, static_cast<std::uint32_t>(first.size() + rest.size())};
      if (before + bytes > buffer_.capacity()) buffer_.reserve(2 * (before + bytes));
      buffer_.append(reinterpret_cast<const char*>(&head), sizeof head);
      buffer_.append(first);
      buffer_.append(rest);
      ++buffered_;
    } catch (...) {
      kept = false;
    }
  }
  if (!kept) ++left_out_;
  if (!kept || failing_) say_unwritten();
  if (buffer_.size() >= kBufferBytes && !failing_) flush();
}

// At its end. Half a record would make all after it unreadable.
bool RecordFile::add_to_file(std::string_view bytes) noexcept {
  if (write_all(file_, bytes, end_)) {
    end_ += bytes.size();
    return true;
  }
  (void)!::ftruncate(file_, static_cast<off_t>(end_));
  return false;
}

void RecordFile::flush() noexcept {
  if (header_ == nullptr) return;
  failing_ = !buffer_.empty() && !add_to_file(buffer_);
  if (!failing_) {
    buffer_.clear();
    buffered_ = 0;
  }
  say_unwritten();
}

bool RecordFile::place(std::string_view bytes, std::uint64_t& place) noexcept {
  flush();
  if (header_ == nullptr || failing_ || end_ + bytes.size() > most_bytes_) return false;
  const std::uint64_t end = end_;
  if (!add_to_file(bytes)) return false;
  place = end;
  return true;
}

bool RecordFile::replace(std::uint64_t place, std::string_view bytes) noexcept {
  return header_ != nullptr && write_all(file_, bytes, place);
}

bool store_code(const std::string& folder, const ModuleRecord& module,
                std::string_view code) noexcept {
  if (code.empty() || code.size() > kMostCodeBytes) return false;
  try {
    const std::string name = folder + "/" + code_file(module);
    if (::access(name.c_str(), F_OK) == 0) return true;
    // Under a name of its own until it is whole: another process or thread may read or write it.
    static std::atomic<unsigned> parts{0};
    const std::string part =
        name + "." + std::to_string(::getpid()) + "." + std::to_string(parts.fetch_add(1));
    constexpr mode_t kOwn = 0600;
    const int file = ::open(part.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kOwn);
    if (file < 0) return false;
    const bool whole = write_all(file, code, 0);
    ::close(file);
    if (whole && ::rename(part.c_str(), name.c_str()) == 0) return true;
    ::unlink(part.c_str());
  } catch (...) {
  }
  return false;
}

}  // namespace warpgauge::launches
