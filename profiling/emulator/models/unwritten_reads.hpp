// SPDX-License-Identifier: Apache-2.0
// Reads of memory that nothing has written, until it is known whether they can matter: as soon as
// the thread that read writes to memory or hands a value to other threads, the value may have gone
// there. Of a thread that does neither, nothing can have come into memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "profiling/emulator/models/bank_model.hpp"
#include "profiling/emulator/report/error_log.hpp"

namespace warpgauge::emulator {

class UnwrittenReads {
 public:
  struct Read {
    ErrorKind kind = ErrorKind::uninitialized_read;
    std::uint32_t pc = 0;
    std::uintptr_t where = 0;  // the first byte that nothing wrote; of shared memory: its offset
    unsigned thread = 0;
    bool updates = false;
  };

  // Adds the read. False: there are too many; then it counts as one that matters.
  [[nodiscard]] bool add(const Read& read) {
    if (reads_.size() == kMost) return false;
    waiting_[read.thread / kWarpLanes] |= 1U << read.thread % kWarpLanes;
    const auto same = [&](const Read& other) {
      return other.pc == read.pc && other.thread == read.thread;
    };
    if (std::none_of(reads_.begin(), reads_.end(), same)) reads_.push_back(read);
    return true;
  }

  // Whether one of these lanes has read such memory.
  [[nodiscard]] bool any(unsigned first_thread, std::uint32_t lanes) const {
    return (waiting_[first_thread / kWarpLanes] & lanes) != 0;
  }

  // Calls report(read) for the reads of these lanes and forgets them.
  template <class Report>
  void take(unsigned first_thread, std::uint32_t lanes, Report&& report) {
    std::uint32_t& waiting = waiting_[first_thread / kWarpLanes];
    const std::uint32_t taken = waiting & lanes;
    waiting &= ~lanes;
    std::vector<Read> left;
    for (const Read& read : reads_) {
      const bool of_warp = read.thread / kWarpLanes == first_thread / kWarpLanes;
      if (of_warp && (taken >> read.thread % kWarpLanes & 1U) != 0) {
        report(read);
      } else {
        left.push_back(read);
      }
    }
    reads_ = std::move(left);
  }

  // The same of all.
  template <class Report>
  void take_all(Report&& report) {
    for (const Read& read : reads_) report(read);
    reads_.clear();
    waiting_.fill(0);
  }

 private:
  static constexpr std::size_t kMost = 1024;
  std::vector<Read> reads_;
  std::array<std::uint32_t, 32> waiting_{};  // threads with reads, by warp
};

}  // namespace warpgauge::emulator
