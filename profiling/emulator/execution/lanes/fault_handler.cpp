// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/lanes/fault_handler.hpp"

#include <ucontext.h>

#include <array>

#include "profiling/emulator/execution/lanes/lane.hpp"
#include "profiling/emulator/memory/thread_memory.hpp"

namespace warpgauge::emulator {
namespace {

constexpr std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// A signal handler gets no context, so what was there before must be static.
std::array<struct sigaction, kSignals.size()> handlers_before;

void restore_handlers() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &handlers_before[i], nullptr);
  }
}

// Where the interrupted code was; 0: not known on this machine.
std::uintptr_t instruction_of([[maybe_unused]] const void* context) {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(
      static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return static_cast<const ucontext_t*>(context)->uc_mcontext.pc;
#else
  return 0;
#endif
}

void on_fault(int signal, siginfo_t* information, void* context) {
  Lane* lane = warpgauge_emulator_thread_memory.lane;
  if (lane == nullptr) {
    restore_handlers();  // the fault comes again when this handler returns
    return;
  }
  lane->fault_address = reinterpret_cast<std::uintptr_t>(information->si_addr);
  lane->fault_instruction = instruction_of(context);
  lane->fault_signal = signal;
  lane->state = LaneState::faulted;
  lane->fiber.suspend();  // for good
}

}  // namespace

FaultHandler::FaultHandler() {
  struct sigaction action {};
  action.sa_sigaction = &on_fault;
  // The handler is never returned from, so its signal must not stay blocked.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &action, &handlers_before[i]);
  }
}

FaultHandler::~FaultHandler() { restore_handlers(); }

SignalStack::SignalStack() : memory_(std::size_t{64} << 10) {
  stack_t stack{};
  stack.ss_sp = memory_.data();
  stack.ss_size = memory_.size();
  sigaltstack(&stack, &before_);
}

SignalStack::~SignalStack() { sigaltstack(&before_, nullptr); }

}  // namespace warpgauge::emulator
