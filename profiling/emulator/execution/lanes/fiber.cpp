// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/lanes/fiber.hpp"

#include <sys/mman.h>

#include <array>
#include <cstring>
#include <new>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if defined(__x86_64__)
#define OWN_SWITCH 1
// Where a new fiber goes on: its function is in r13, that function's argument in r12.
extern "C" void warpgauge_emulator_begin_fiber();
asm(R"(
.pushsection .text
.macro warpgauge_emulator_switch name
.global \name
.type \name, @function
\name:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
.size \name, . - \name
.endm
warpgauge_emulator_switch warpgauge_emulator_resume
warpgauge_emulator_switch warpgauge_emulator_suspend
.globl warpgauge_emulator_begin_fiber
.hidden warpgauge_emulator_begin_fiber
.type warpgauge_emulator_begin_fiber, @function
warpgauge_emulator_begin_fiber:
  .cfi_startproc
  .cfi_undefined rip
  movq %r12, %rdi
  callq *%r13
  ud2
  .cfi_endproc
.size warpgauge_emulator_begin_fiber, . - warpgauge_emulator_begin_fiber
.popsection
)");
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
#if defined(OWN_SWITCH)
  // As a switch leaves a stack: r15, r14, r13, r12, rbx, rbp, return address.
  std::array<void*, 7> saved{};
  saved[2] = reinterpret_cast<void*>(&Fiber::run);
  saved[3] = this;
  saved[6] = reinterpret_cast<void*>(&warpgauge_emulator_begin_fiber);
  char* aligned = stack_top - reinterpret_cast<std::uintptr_t>(stack_top) % 16;
  context_ = aligned - sizeof saved;
  std::memcpy(context_, saved.data(), sizeof saved);
#else
  context_ = boost::context::detail::make_fcontext(stack_top, stack_bytes_, &Fiber::begin);
#endif
}

void Fiber::begin(boost::context::detail::transfer_t scheduler) {
  auto& self = *static_cast<Fiber*>(scheduler.data);
  self.scheduler_ = scheduler.fctx;
  run(&self);
}

void Fiber::run(Fiber* self) {
  arrived(nullptr, &self->scheduler_bottom_, &self->scheduler_bytes_);
  self->entry_();
  __builtin_unreachable();
}

void Fiber::resume_by_call() {
  [[maybe_unused]] void* fake_stack = nullptr;
  leave_for(&fake_stack, stack_bottom_, stack_bytes_);
#if defined(OWN_SWITCH)
  warpgauge_emulator_resume(&scheduler_, context_);
#else
  context_ = boost::context::detail::jump_fcontext(context_, this).fctx;
#endif
  arrived(fake_stack, nullptr, nullptr);
}

void Fiber::suspend_by_call() {
  [[maybe_unused]] void* fake_stack = nullptr;
  leave_for(&fake_stack, scheduler_bottom_, scheduler_bytes_);
#if defined(OWN_SWITCH)
  warpgauge_emulator_suspend(&context_, scheduler_);
#else
  scheduler_ = boost::context::detail::jump_fcontext(scheduler_, nullptr).fctx;
#endif
  arrived(fake_stack, &scheduler_bottom_, &scheduler_bytes_);
}

}  // namespace warpgauge::emulator
