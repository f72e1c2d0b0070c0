// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/launches/record_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace warpgauge::launches {
namespace {

// A file of a process: what a long program adds to it grows with the logarithm of its launches.
constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20U;
constexpr std::uint64_t kMostCodeBytes = std::uint64_t{512} << 20U;  // of one module
constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

RecordFile::RecordFile(const std::string& folder) : process_(::getpid()) {
  const std::uint64_t started = now_ns();
  const std::string name =
      folder + "/" + std::to_string(process_) + "-" + std::to_string(started) + kRecordSuffix;
  constexpr mode_t kOwn = 0600;
  file_ = ::open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_APPEND | O_CLOEXEC, kOwn);
  if (file_ < 0 || ::ftruncate(file_, kHeaderBytes) != 0) return;
  void* const page = ::mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (page == MAP_FAILED) return;
  header_ = static_cast<Header*>(page);
  std::memcpy(header_->magic, kMagic, sizeof kMagic);
  header_->version = kVersion;
  header_->process = process_;
  header_->parent = ::getppid();
  header_->started_ns = started;
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
  if (header_ != nullptr) header_->end = end;
}

void RecordFile::append_bytes(Kind kind, std::string_view first, std::string_view rest) {
  if (header_ == nullptr || written_ + buffer_.size() > kMostBytes) return;
  const RecordHead head{kind, static_cast<std::uint32_t>(first.size() + rest.size())};
  buffer_.append(reinterpret_cast<const char*>(&head), sizeof head);
  buffer_.append(first);
  buffer_.append(rest);
  if (buffer_.size() >= kBufferBytes) flush();
}

void RecordFile::flush() noexcept {
  if (header_ == nullptr || buffer_.empty()) return;
  // Half a record would make all after it unreadable.
  if (write_all(file_, buffer_)) {
    written_ += buffer_.size();
  } else {
    written_ = kMostBytes + 1;
  }
  buffer_.clear();
}

bool store_code(const std::string& folder, const ModuleRecord& module,
                std::string_view code) noexcept {
  if (code.empty() || code.size() > kMostCodeBytes) return false;
  try {
    const std::string name = folder + "/" + code_file(module);
    if (::access(name.c_str(), F_OK) == 0) return true;
    // Under a name of its own until it is whole: another process may read it meanwhile.
    const std::string part = name + "." + std::to_string(::getpid());
    constexpr mode_t kOwn = 0600;
    const int file = ::open(part.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, kOwn);
    if (file < 0) return false;
    const bool whole = write_all(file, code);
    ::close(file);
    if (whole && ::rename(part.c_str(), name.c_str()) == 0) return true;
    ::unlink(part.c_str());
  } catch (...) {
  }
  return false;
}

}  // namespace warpgauge::launches
