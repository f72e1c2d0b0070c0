// SPDX-License-Identifier: Apache-2.0
// Owns what CUPTI's SASS Metric API counts on a device: while it counts, CUPTI patches kernels as
// they are launched.
#pragma once

#include <cupti_sass_metrics.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

class SassSession {
 public:
  // What each instruction did, by the symbol of its function and its offset there. No names and
  // offsets within.
  using Counts = std::map<std::pair<std::string, std::uint32_t>, results::InstructionTraffic>;

  // One a device at a time. Somebody must have subscribed to CUPTI's resource domain: else CUPTI
  // 13.0 counts only the first function launched. Throws CuptiError.
  explicit SassSession(std::uint32_t device);
  ~SassSession();
  SassSession(const SassSession&) = delete;
  SassSession& operator=(const SassSession&) = delete;

  // Kernels of this context count from now on; nullptr: of the usual one. Throws CuptiError.
  void begin(CUcontext context);
  void end() noexcept;

  // Since it began. The device must be idle. Throws CuptiError.
  [[nodiscard]] Counts read() const;

 private:
  std::uint32_t device_;
  CUcontext context_ = nullptr;
  bool counts_ = false;
  std::map<std::uint64_t, std::uint64_t results::InstructionTraffic::*> figures_;  // by metric
};

}  // namespace warpgauge::cupti
