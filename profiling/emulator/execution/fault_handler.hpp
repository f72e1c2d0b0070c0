// SPDX-License-Identifier: Apache-2.0
// Turns a fault of a kernel into an error of its lane. Faults of anything else are left to whoever
// handled them before.
#pragma once

#include <csignal>
#include <vector>

namespace warpgauge::emulator {

// While it lives, faults of kernels on any thread end in LaneState::faulted. One at a time.
class FaultHandler {
 public:
  FaultHandler();
  FaultHandler(const FaultHandler&) = delete;
  FaultHandler& operator=(const FaultHandler&) = delete;
  ~FaultHandler();
};

// A stack of its own for the calling thread's signal handlers: a kernel may have used up its own.
class SignalStack {
 public:
  SignalStack();
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;
  ~SignalStack();

 private:
  std::vector<char> memory_;
  stack_t before_{};
};

}  // namespace warpgauge::emulator
