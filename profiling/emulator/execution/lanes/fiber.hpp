// SPDX-License-Identifier: Apache-2.0
// Stacks and switches: a CUDA thread is a fiber, resumed by its block's scheduler.
//
// Boost.Context's fiber class unwinds a fiber that is destroyed before its end. A kernel stopped by
// a fault or a deadlock cannot be unwound, only abandoned; hence the lower layer. On x86-64 a
// switch of our own takes its place: it leaves floating-point control alone, which costs more than
// the rest and which no kernel changes.
#pragma once

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>

#if defined(__x86_64__)
// Saves what a call preserves on the stack, and its pointer to *from; goes on from `to`, by a jump.
// Two that do the same, so that the processor learns of each where it goes to.
extern "C" void warpgauge_emulator_resume(void** from, void* to);
extern "C" void warpgauge_emulator_suspend(void** from, void* to);
#endif

namespace warpgauge::emulator {

// Equal stacks side by side, each above memory that faults.
class FiberStacks {
 public:
  static constexpr std::size_t kUsableBytes = std::size_t{128} << 10;
  static constexpr std::size_t kGuardBytes = std::size_t{64} << 10;

  // Throws std::bad_alloc.
  explicit FiberStacks(std::size_t count);
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;
  ~FiberStacks();

  // The start of a stack, which grows downwards. Starts are staggered: stacks a power of two apart
  // would compete for the same few cache sets.
  [[nodiscard]] char* top(std::size_t index) const {
    return bottom(index) + kUsableBytes - index % kStaggers * kStaggerBytes;
  }

  // Whether the address lies in one of the stacks or their guards.
  [[nodiscard]] bool hold(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(memory_) < bytes_;
  }

  // Lowest usable byte of a stack; the guard lies below.
  [[nodiscard]] char* bottom(std::size_t index) const {
    return memory_ + index * (kGuardBytes + kUsableBytes) + kGuardBytes;
  }

 private:
  static constexpr std::size_t kStaggers = 64;
  static constexpr std::size_t kStaggerBytes = 448;

  std::size_t bytes_;
  char* memory_;
};

class Fiber {
 public:
  using Entry = void (*)();

  // Prepares to run `entry`, which never returns, on the stack at the first resume. Abandons the
  // fiber's previous work.
  void start(char* stack_bottom, char* stack_top, Entry entry);

  // Called by the scheduler: runs the fiber until it suspends. Inlined, like suspend(): a function
  // that returns after a switch returns to where the processor does not expect it.
  [[gnu::always_inline]] void resume() {
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
    warpgauge_emulator_resume(&scheduler_, context_);
#else
    resume_by_call();
#endif
  }

  // Prefetches the data that resume() needs.
  void prefetch() const {
    const char* frames = static_cast<const char*>(context_);
    for (std::size_t line = 0; line < 4; ++line) __builtin_prefetch(frames + line * 64);
  }

  // Called on the fiber, or in a signal handler that interrupted it: returns to the scheduler.
  [[gnu::always_inline]] void suspend() {
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
    warpgauge_emulator_suspend(&context_, scheduler_);
#else
    suspend_by_call();
#endif
  }

 private:
  void resume_by_call();
  void suspend_by_call();
  static void begin(boost::context::detail::transfer_t scheduler);
  [[noreturn]] static void run(Fiber* self);

  void* context_ = nullptr;
  void* scheduler_ = nullptr;
  Entry entry_ = nullptr;
  char* stack_bottom_ = nullptr;
  std::size_t stack_bytes_ = 0;
  // The scheduler's stack, as the address sanitizer sees it.
  const void* scheduler_bottom_ = nullptr;
  std::size_t scheduler_bytes_ = 0;
};

}  // namespace warpgauge::emulator
