// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/worker_thread.hpp"

#include <system_error>
#include <utility>

namespace warpgauge::emulator {
namespace {

constexpr std::size_t kStackBytes = std::size_t{8} << 20;

}  // namespace

WorkerThread::WorkerThread(std::size_t thread_local_bytes, std::function<void()> work)
    : work_(std::move(work)) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes + (thread_local_bytes + 4095) / 4096 * 4096);
  const int error = pthread_create(&thread_, &attributes, &WorkerThread::run, this);
  pthread_attr_destroy(&attributes);
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "cannot start a thread for blocks");
  }
}

WorkerThread::~WorkerThread() {
  if (!joined_) pthread_join(thread_, nullptr);
}

void WorkerThread::join() {
  pthread_join(thread_, nullptr);
  joined_ = true;
  if (thrown_) std::rethrow_exception(thrown_);
}

void* WorkerThread::run(void* self) {
  auto& worker = *static_cast<WorkerThread*>(self);
  try {
    worker.work_();
  } catch (...) {
    worker.thrown_ = std::current_exception();
  }
  return nullptr;
}

}  // namespace warpgauge::emulator
