// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/report/termination.hpp"

#include <semaphore.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

namespace warpgauge::emulator {
namespace {

constexpr std::array kSignals{SIGTERM, SIGINT, SIGHUP, SIGXCPU};

// A signal handler gets no context, so what it needs must be static.
sem_t received;
std::atomic<int> first_signal{0};
std::atomic<pid_t> owner{0};

void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t only_it;
  sigemptyset(&only_it);
  sigaddset(&only_it, signal);
  pthread_sigmask(SIG_UNBLOCK, &only_it, nullptr);
  kill(getpid(), signal);
}

void on_signal(int signal) {
  const int error = errno;
  int none = 0;
  // In a child that was forked there is no thread that waits.
  if (getpid() == owner && first_signal.compare_exchange_strong(none, signal)) {
    sem_post(&received);
  } else {
    end_by(signal);
  }
  errno = error;
}

std::string name_of(int signal) {
  switch (signal) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "SIGXCPU";
  }
}

void wait_for_signal(const std::function<void(const std::string&)>& before) {
  while (sem_wait(&received) != 0) {
  }
  const int signal = first_signal;
  before(name_of(signal));
  end_by(signal);
}

void handle(int signal) {
  struct sigaction action {};
  if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != SIG_DFL) return;
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(signal, &action, nullptr);
}

}  // namespace

void before_termination(std::function<void(const std::string& signal)> before) {
  sem_init(&received, 0, 0);
  owner = getpid();
  // The thread that waits gets no signal itself.
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  std::thread([before = std::move(before)] { wait_for_signal(before); }).detach();
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  for (const int signal : kSignals) handle(signal);
}

}  // namespace warpgauge::emulator
