// SPDX-License-Identifier: Apache-2.0
// What memcpy, memmove and memset do in a kernel, an access at a time.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "profiling/emulator/execution/lanes/trace.hpp"
#include "profiling/emulator/include/warpgauge_emulator/abi.h"

namespace warpgauge_emulator {
namespace {

constexpr std::size_t kWidest = 16;

// How wide an access may be by this side. nvcc 13.0 takes nothing from the pointers' types: through
// a pointer it copies by the byte, and goes wider only in variables that it sees, which are shared
// ones, by the word where that is aligned, and the thread's own, which it lays out as it pays.
std::size_t widest(const void* side) {
  constexpr std::size_t kWord = 4;
  if (in_local_memory(side)) return kWidest;
  return in_shared_memory(side) && reinterpret_cast<std::uintptr_t>(side) % kWord == 0 ? kWord : 1;
}

// The merge distinguishes requests by place and depth of the call, and here one place makes several
// of different kinds and widths, so each gets its own pretended depth.
void record(const char* address, std::size_t width, AccessKind kind, CallSite site) {
  using warpgauge::emulator::kStackUnit;
  const std::size_t depth = width + (kind == AccessKind::store ? 2 * kWidest : 0);
  site.frame = static_cast<char*>(site.frame) - depth * kStackUnit;
  record_access(address, static_cast<unsigned>(width), kind, site);
}

// Calls access(offset, width) for each.
template <class Access>
void in_accesses(std::size_t bytes, std::size_t widest, Access access) {
  for (std::size_t at = 0; at < bytes;) {
    const std::size_t width = std::min(widest, std::bit_floor(bytes - at));
    access(at, width);
    at += width;
  }
}

}  // namespace

void copy_bytes(void* to, const void* from, std::size_t bytes, CallSite site) {
  if (!runs_kernel()) {
    std::memmove(to, from, bytes);
    return;
  }
  auto* const target = static_cast<char*>(to);
  const auto* const source = static_cast<const char*>(from);
  const bool overlap = target < source + bytes && source < target + bytes;
  in_accesses(bytes, std::min(widest(to), widest(from)), [&](std::size_t at, std::size_t width) {
    record(source + at, width, AccessKind::load, site);
    record(target + at, width, AccessKind::store, site);
    if (!overlap) std::memcpy(target + at, source + at, width);
  });
  if (overlap) std::memmove(to, from, bytes);
}

void set_bytes(void* to, int value, std::size_t bytes, CallSite site) {
  if (!runs_kernel()) {
    std::memset(to, value, bytes);
    return;
  }
  auto* const target = static_cast<char*>(to);
  in_accesses(bytes, widest(to), [&](std::size_t at, std::size_t width) {
    record(target + at, width, AccessKind::store, site);
    std::memset(target + at, value, width);
  });
}

}  // namespace warpgauge_emulator
