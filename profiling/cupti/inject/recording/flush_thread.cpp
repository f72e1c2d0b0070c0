// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/recording/flush_thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <cstdint>
#include <thread>
#include <utility>

#include "profiling/cupti/inject/guarded.hpp"
#include "profiling/cupti/inject/recording/kept_memory.hpp"

namespace warpgauge::inject {
namespace {

using launches::End;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kAtFirst = kSecond / 50;
constexpr std::int64_t kRegularly = kSecond / 10;
constexpr std::int64_t kPatience = 5 * kSecond;
constexpr std::int64_t kGlance = kSecond / 5'000;

std::int64_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

timespec as_time(std::int64_t nanoseconds) {
  return {nanoseconds / kSecond, nanoseconds % kSecond};
}

// Signals of the program are for its own threads.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

void FlushThread::begin(std::function<void()> regularly, std::function<void(End)> last) {
  regularly_ = std::move(regularly);
  last_ = std::move(last);
  const NoSignals none;
  std::thread([this] { run(); }).detach();
  begun_ = true;
}

void FlushThread::run() {
  for (std::int64_t pause = kAtFirst;; pause = kRegularly) {
    const timespec until = as_time(now() + pause);
    (void)::sem_clockwait(&wake_, CLOCK_MONOTONIC, &until);
    const unsigned round = round_;
    const End asked = asked_;
    if (asked == End::none) {
      guarded(regularly_);
    } else if (done_ != round) {
      guarded([&] { last_(asked); });
      done_ = round;
    }
    if (asked == End::ended) return;
  }
}

void FlushThread::finish(End end) noexcept {
  if (!begun_) return;
  const KeptErrno kept;
  keep_memory(true);
  End none = End::none;
  asked_.compare_exchange_strong(none, end);
  ::sem_post(&wake_);
  wait_until_done();
}

void FlushThread::let_end() const noexcept {
  if (asked_.load(std::memory_order_relaxed) == End::none || done_ == round_) return;
  const KeptErrno kept;
  wait_until_done();
}

void FlushThread::wait_until_done() const noexcept {
  const std::int64_t deadline = now() + kPatience;
  const timespec glance = as_time(kGlance);
  while (done_ != round_ && now() < deadline) ::nanosleep(&glance, nullptr);
}

void FlushThread::resume() noexcept {
  asked_ = End::none;
  ++round_;
  keep_memory(false);
}

}  // namespace warpgauge::inject
