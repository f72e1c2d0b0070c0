// SPDX-License-Identifier: Apache-2.0
// A control group of a program and all that it starts, which the kernel ends at once, however fast
// they fork.
#pragma once

#include <chrono>
#include <filesystem>

namespace warpgauge::ci {

class ControlGroup {
 public:
  // Below this process's own, where that can be written, as for root and in a user's session, but
  // seldom in a container. Elsewhere, and before Linux 5.14, there is none, and nothing below does
  // anything.
  ControlGroup();
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  // Puts this process into it. Allocates nothing, so that it may stand before an exec.
  void join() const;

  // Ends whoever is in it, waits for that no longer than the patience, and removes it. By any
  // process that has it from a fork.
  void end(std::chrono::milliseconds patience) const;

 private:
  std::filesystem::path folder_;  // empty: there is none
  int members_ = -1;              // its cgroup.procs, open
};

}  // namespace warpgauge::ci
