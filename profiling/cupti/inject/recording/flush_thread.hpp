// SPDX-License-Identifier: Apache-2.0
// A thread that does what is to be done regularly, and what is to be done last. Knows no CUPTI.
//
// Whoever ends the process may be within a signal handler, with locks of its own held. So it only
// asks this thread, and waits, but not forever.
#pragma once

#include <semaphore.h>

#include <atomic>
#include <functional>

#include "profiling/results/launches/format.hpp"

namespace warpgauge::inject {

class FlushThread {
 public:
  FlushThread() { ::sem_init(&wake_, 0, 0); }
  FlushThread(const FlushThread&) = delete;
  FlushThread& operator=(const FlushThread&) = delete;

  // It has no end of its own, so this must have none, either. Throws std::system_error where there
  // can be no further thread.
  void begin(std::function<void()> regularly, std::function<void(launches::End)> last);

  // Returns when `last` has been done, by whoever asked first, or after five seconds. Safe in a
  // signal handler.
  void finish(launches::End end) noexcept;

  // For threads that would add to what `last` has to do: returns at once, or, where the process is
  // ending, as finish() does.
  void let_end() const noexcept;

  // After all, the process goes on.
  void resume() noexcept;

 private:
  void run();
  void wait_until_done() const noexcept;

  std::function<void()> regularly_;
  std::function<void(launches::End)> last_;
  sem_t wake_{};
  std::atomic<bool> begun_{false};
  std::atomic<launches::End> asked_{launches::End::none};
  // How often the process went on, from 1, and of which of these what is last has been done.
  std::atomic<unsigned> round_{1};
  std::atomic<unsigned> done_{0};
};

}  // namespace warpgauge::inject
