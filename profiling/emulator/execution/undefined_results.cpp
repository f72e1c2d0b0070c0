// SPDX-License-Identifier: Apache-2.0
// The functions that kernels call where C++ leaves a result undefined and a GPU defines it
// otherwise than the host: shifts by the width or more, and conversions to integers out of range.
// They end the kernel; host code goes on as it would.
//
// They replace those of the same name of libubsan, whose interface they have (ubsan_handlers.h of
// LLVM), and hand on what host code calls.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "profiling/emulator/execution/lanes/lane.hpp"
#include "profiling/emulator/execution/program.hpp"
#include "profiling/emulator/memory/thread_memory.hpp"

namespace {

struct SourceLocation {
  const char* file;
  std::uint32_t line;
  std::uint32_t column;
};

struct TypeDescriptor {
  std::uint16_t kind;
  std::uint16_t info;  // of an integer: 2 * log2(bits), and 1 if it has a sign
};

struct ShiftData {
  SourceLocation location;
  const TypeDescriptor* left;
  const TypeDescriptor* right;
};

bool runs_kernel() { return warpgauge_emulator_thread_memory.lane != nullptr; }

// What libubsan has by this name, where the program is linked with it.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

void __ubsan_handle_shift_out_of_bounds(ShiftData* data, std::uintptr_t left,
                                        std::uintptr_t right) {
  if (!runs_kernel()) {
    const auto of_library = next<decltype(__ubsan_handle_shift_out_of_bounds)>(__func__);
    if (of_library != nullptr) of_library(data, left, right);
    return;
  }
  const unsigned bits = 1U << (data->left->info >> 1);
  char text[160];
  std::snprintf(text, sizeof text,
                "shift by %lld of a value of %u bits, which C++ does not define: a GPU shifts all "
                "bits out, the host shifts by the rest",
                static_cast<long long>(static_cast<std::int32_t>(right)), bits);
  warpgauge_emulator::stop_kernel(warpgauge_emulator::StopReason::undefined_result, text,
                                  {__builtin_return_address(0), __builtin_frame_address(0)});
}

void __ubsan_handle_float_cast_overflow(void* data, std::uintptr_t from) {
  if (!runs_kernel()) {
    const auto of_library = next<decltype(__ubsan_handle_float_cast_overflow)>(__func__);
    if (of_library != nullptr) of_library(data, from);
    return;
  }
  warpgauge_emulator::stop_kernel(warpgauge_emulator::StopReason::undefined_result,
                                  "conversion of a number outside of the integer type's range, "
                                  "which C++ does not define: a GPU "
                                  "takes the nearest number in range, and 0 for NaN",
                                  {__builtin_return_address(0), __builtin_frame_address(0)});
}

}  // extern "C"

namespace warpgauge::emulator {

bool calls_operand_check(std::uintptr_t begin, std::uintptr_t end) {
#if defined(__x86_64__)
  constexpr unsigned char kCall = 0xe8;  // then four bytes: how far from the next instruction
  constexpr std::size_t kCallBytes = 5;
  const auto shift = reinterpret_cast<std::uintptr_t>(&__ubsan_handle_shift_out_of_bounds);
  const auto conversion = reinterpret_cast<std::uintptr_t>(&__ubsan_handle_float_cast_overflow);
  for (std::uintptr_t at = begin; at + kCallBytes <= end; ++at) {
    if (*reinterpret_cast<const unsigned char*>(at) != kCall) continue;
    std::int32_t distance = 0;
    std::memcpy(&distance, reinterpret_cast<const void*>(at + 1), sizeof distance);
    const std::uintptr_t called =
        at + kCallBytes + static_cast<std::uintptr_t>(std::int64_t{distance});
    if (called == shift || called == conversion) return true;
  }
#else
  static_cast<void>(begin);
  static_cast<void>(end);
#endif
  return false;
}

}  // namespace warpgauge::emulator
