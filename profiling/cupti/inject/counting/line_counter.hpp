// SPDX-License-Identifier: Apache-2.0
// What each instruction of a program's launches does, by CUPTI's SASS Metric API, which patches
// kernels as they are launched.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "profiling/cupti/counters/sass_session.hpp"
#include "profiling/cupti/inject/counting/launch_counter.hpp"

namespace warpgauge::inject {

class LineCounter : public LaunchCounter {
 public:
  void begin(CUcontext context, std::uint32_t device) override;
  void end() override;
  void write(const std::string& symbol, CountWriter& to) override;
  void forget(CUcontext context) noexcept override;

 private:
  std::map<std::uint32_t, std::unique_ptr<cupti::SassSession>> devices_;
  cupti::SassSession* counting_ = nullptr;  // null: nothing counts
  CUcontext context_ = nullptr;             // that counting_ counts in
  cupti::SassSession::Counts counts_;
};

}  // namespace warpgauge::inject
