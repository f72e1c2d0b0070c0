// SPDX-License-Identifier: Apache-2.0
#include "ci/support/process/interrupt.hpp"

#include <csignal>

namespace warpgauge::ci {
namespace {

// The one thing that a signal handler may write to.
volatile std::sig_atomic_t noted_signal = 0;

int guards = 0;
int shields = 0;

void note(int signal) { noted_signal = signal; }

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  if (guards++ > 0) return;
  noted_signal = 0;
  handle(SIGINT, note);
  handle(SIGTERM, note);
}

InterruptGuard::~InterruptGuard() {
  if (--guards > 0) return;
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

void InterruptGuard::check() {
  if (noted_signal != 0 && shields == 0) throw Interrupted{noted_signal};
}

InterruptShield::InterruptShield() { ++shields; }

InterruptShield::~InterruptShield() { --shields; }

}  // namespace warpgauge::ci
