// SPDX-License-Identifier: Apache-2.0
// Exit statuses, and the one exception with which the command line ends early.
#pragma once

#include <stdexcept>
#include <string>

namespace warpgauge::ci {

// 2 is left to make, which uses it for its own failures.
inline constexpr int kExitPass = 0;
inline constexpr int kExitRegressed = 1;
inline constexpr int kExitNoVerdict = 3;
inline constexpr int kExitNotMeasured = 4;
inline constexpr int kExitUsage = 64;

// The message says what happened, where, and what to do about it, in one line.
class Error : public std::runtime_error {
 public:
  Error(int exit_status, const std::string& message)
      : std::runtime_error(message), exit_status_(exit_status) {}

  [[nodiscard]] int exit_status() const { return exit_status_; }

 private:
  int exit_status_;
};

}  // namespace warpgauge::ci
