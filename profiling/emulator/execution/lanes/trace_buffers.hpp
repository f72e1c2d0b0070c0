// SPDX-License-Identifier: Apache-2.0
// Memory for the traces of a warp's lanes. One buffer, kept warm in the cache, serves all warps in
// turn, as long as each is merged completely before the next one runs.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "profiling/emulator/execution/lanes/trace.hpp"
#include "profiling/emulator/models/bank_model.hpp"

namespace warpgauge::emulator {

class TraceBuffers {
 public:
  // A lane's trace is merged at the latest when it has this many records.
  static constexpr std::size_t kLaneRecords = 8192;
  // Lanes write side by side. Were their traces a power of two apart, they would share the few
  // sets of the cache that such addresses map to.
  static constexpr std::size_t kLaneStride = kLaneRecords + 20;

  // Room for kLaneRecords of each of a warp's lanes, every kLaneStride records.
  [[nodiscard]] Record* take() {
    if (free_.empty()) {
      owned_.push_back(std::make_unique<Record[]>(kWarpLanes * kLaneStride));
      return owned_.back().get();
    }
    Record* buffer = free_.back();
    free_.pop_back();
    return buffer;
  }

  void give_back(Record* buffer) { free_.push_back(buffer); }

  // Takes back all that were given out.
  void reset() {
    free_.clear();
    for (const auto& buffer : owned_) free_.push_back(buffer.get());
  }

 private:
  std::vector<std::unique_ptr<Record[]>> owned_;
  std::vector<Record*> free_;
};

}  // namespace warpgauge::emulator
