// SPDX-License-Identifier: Apache-2.0
// The function that a failing `assert` calls: it ends the kernel or, in host code, the process.
//
// It replaces libc's function of this name in programs that link the emulator.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "profiling/emulator/execution/lanes/lane.hpp"
#include "profiling/emulator/memory/thread_memory.hpp"

extern "C" [[noreturn]] void __assert_fail(const char* expression, const char* file, unsigned line,
                                           const char* function) noexcept {
  if (warpgauge_emulator_thread_memory.lane != nullptr) {
    char text[256];  // nothing that would have to be freed: the kernel is never unwound
    std::snprintf(text, sizeof text, "assertion `%s' failed", expression);
    warpgauge_emulator::stop_kernel(warpgauge_emulator::StopReason::assertion, text,
                                    {__builtin_return_address(0), __builtin_frame_address(0)});
  }
  using Function = void (*)(const char*, const char*, unsigned, const char*);
  const auto libc = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "__assert_fail"));
  if (libc != nullptr) libc(expression, file, line, function);
  std::abort();
}
