// SPDX-License-Identifier: Apache-2.0
// A thread with enough stack for the program's thread-local variables, which lie on the stack. The
// shared memory of many kernels may exceed the default size, which std::thread cannot change.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <exception>
#include <functional>

namespace warpgauge::emulator {

class WorkerThread {
 public:
  // Throws std::system_error.
  WorkerThread(std::size_t thread_local_bytes, std::function<void()> work);
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;
  ~WorkerThread();

  // Waits for the end of the work and rethrows its exception.
  void join();

 private:
  static void* run(void* self);

  std::function<void()> work_;
  std::exception_ptr thrown_;
  pthread_t thread_{};
  bool joined_ = false;
};

}  // namespace warpgauge::emulator
