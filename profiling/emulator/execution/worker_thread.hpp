// SPDX-License-Identifier: Apache-2.0
// A thread with room for the program's thread-local variables, which lie on its stack. std::thread
// gives no say in the size of the stack, and shared memory of many kernels may exceed the default.
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

  // Waits for the end of the work and throws what it threw.
  void join();

 private:
  static void* run(void* self);

  std::function<void()> work_;
  std::exception_ptr thrown_;
  pthread_t thread_{};
  bool joined_ = false;
};

}  // namespace warpgauge::emulator
