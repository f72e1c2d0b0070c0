// SPDX-License-Identifier: Apache-2.0
// Processes that a child leaves behind in sessions or process groups of their own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <set>

namespace warpgauge::ci {

// While one exists, processes that lose their parent become children of this one. Its end, if
// nothing else, ends those that were no children before, and theirs.
class Orphans {
 public:
  explicit Orphans(std::chrono::milliseconds patience);
  ~Orphans();
  Orphans(const Orphans&) = delete;
  Orphans& operator=(const Orphans&) = delete;

  void end_new_children() const;

 private:
  std::chrono::milliseconds patience_;  // with what does not die of SIGKILL
  std::set<pid_t> before_;
};

}  // namespace warpgauge::ci
