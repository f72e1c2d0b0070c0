// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM as something that work can be asked to stop for, instead of dying halfway.
#pragma once

namespace warpgauge::ci {

// Thrown where work stops for a signal. Not an error: main ends with 128 + signal.
struct Interrupted {
  int signal;
};

// While one exists, SIGINT and SIGTERM are noted instead of ending the process. All in one thread.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  // Throws Interrupted once a signal has come.
  static void check();
};

// While one exists, check() does not throw: cleaning up after a signal takes children, too.
class InterruptShield {
 public:
  InterruptShield();
  ~InterruptShield();
  InterruptShield(const InterruptShield&) = delete;
  InterruptShield& operator=(const InterruptShield&) = delete;
};

}  // namespace warpgauge::ci
