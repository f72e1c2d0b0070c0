// SPDX-License-Identifier: Apache-2.0
// What counts one launch at a time.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <string>

#include "profiling/results/launches/aggregation.hpp"
#include "profiling/results/launches/record_file.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::inject {

// Writes what was counted of one launch.
class CountWriter {
 public:
  // total: of the launch's entry, when the launch was not added yet.
  CountWriter(launches::RecordFile& file, launches::Aggregation& aggregation,
              launches::EntryTotal total)
      : file_(file),
        aggregation_(aggregation),
        entry_(total.entry),
        order_(static_cast<std::uint32_t>(total.launches)) {}

  void counter(const std::string& name, double value, std::size_t passes);
  // name: a counter's; empty: all.
  void not_counted(const std::string& name, const std::string& reason);
  void instruction(const results::InstructionTraffic& traffic);

 private:
  launches::RecordFile& file_;
  launches::Aggregation& aggregation_;
  std::uint32_t entry_;
  std::uint32_t order_;
};

class LaunchCounter {
 public:
  LaunchCounter() = default;
  LaunchCounter(const LaunchCounter&) = delete;
  LaunchCounter& operator=(const LaunchCounter&) = delete;
  virtual ~LaunchCounter() = default;

  // Counts what is launched in this context, of that device, which is idle. Throws CuptiError and
  // UnknownName.
  virtual void begin(CUcontext context, std::uint32_t device) = 0;
  // Once the launch has ended. Throws CuptiError.
  virtual void end() = 0;
  // What was counted of the kernel of this symbol.
  virtual void write(const std::string& symbol, CountWriter& to) = 0;
  // The context ends, or is in a state that nobody knows.
  virtual void forget(CUcontext context) noexcept = 0;
};

}  // namespace warpgauge::inject
