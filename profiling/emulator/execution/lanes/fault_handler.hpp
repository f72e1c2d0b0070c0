// SPDX-License-Identifier: Apache-2.0
// Turns a kernel's fault into an error of its lane. Passes other faults on to the previous handler.
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

// A separate stack for the calling thread's signal handlers, because a kernel may have used up its
// stack.
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
