// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/lanes/fiber.hpp"

#include <sys/mman.h>

#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace warpgauge::emulator {
namespace {

// The address sanitizer must know on which stack it is.
#if defined(__SANITIZE_ADDRESS__)
void leave_for(void** fake_stack, const void* bottom, std::size_t bytes) {
  __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
}
void arrived(void* fake_stack, const void** from_bottom, std::size_t* from_bytes) {
  __sanitizer_finish_switch_fiber(fake_stack, from_bottom, from_bytes);
}
void forget(const char* bottom, std::size_t bytes) { __asan_unpoison_memory_region(bottom, bytes); }
#else
void leave_for(void**, const void*, std::size_t) {}
void arrived(void*, const void**, std::size_t*) {}
void forget(const char*, std::size_t) {}
#endif

}  // namespace

FiberStacks::FiberStacks(std::size_t count)
    : bytes_(count * (kGuardBytes + kUsableBytes)),
      memory_(static_cast<char*>(
          mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
  if (memory_ == MAP_FAILED) throw std::bad_alloc();
  for (std::size_t i = 0; i < count; ++i) {
    if (mprotect(bottom(i), kUsableBytes, PROT_READ | PROT_WRITE) != 0) {
      munmap(memory_, bytes_);
      throw std::bad_alloc();
    }
  }
}

FiberStacks::~FiberStacks() { munmap(memory_, bytes_); }

void Fiber::start(char* stack_bottom, char* stack_top, Entry entry) {
  stack_bottom_ = stack_bottom;
  stack_bytes_ = static_cast<std::size_t>(stack_top - stack_bottom);
  forget(stack_bottom_, stack_bytes_);
  entry_ = entry;
  context_ = boost::context::detail::make_fcontext(stack_top, stack_bytes_, &Fiber::begin);
}

void Fiber::begin(boost::context::detail::transfer_t scheduler) {
  auto& self = *static_cast<Fiber*>(scheduler.data);
  arrived(nullptr, &self.scheduler_bottom_, &self.scheduler_bytes_);
  self.scheduler_ = scheduler.fctx;
  self.entry_();
}

void Fiber::resume() {
  [[maybe_unused]] void* fake_stack = nullptr;
  leave_for(&fake_stack, stack_bottom_, stack_bytes_);
  context_ = boost::context::detail::jump_fcontext(context_, this).fctx;
  arrived(fake_stack, nullptr, nullptr);
}

void Fiber::suspend() {
  [[maybe_unused]] void* fake_stack = nullptr;
  leave_for(&fake_stack, scheduler_bottom_, scheduler_bytes_);
  scheduler_ = boost::context::detail::jump_fcontext(scheduler_, nullptr).fctx;
  arrived(fake_stack, &scheduler_bottom_, &scheduler_bytes_);
}

}  // namespace warpgauge::emulator
