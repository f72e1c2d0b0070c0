// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory. The emulator copies at once; touching the data
// before waiting for the copy is an error nevertheless.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// Copies bytes - zero_bytes bytes and fills up with zeros. bytes: 4, 8 or 16, to which both
// addresses are aligned.
WARPGAUGE_DEVICE_CALL void __pipeline_memcpy_async(void* __restrict__ shared,
                                                   const void* __restrict__ global,
                                                   std::size_t bytes, std::size_t zero_bytes = 0) {
  ::warpgauge_emulator::async_copy(shared, global, bytes, zero_bytes, WARPGAUGE_CALL_SITE);
}

WARPGAUGE_DEVICE_CALL void __pipeline_commit() {
  ::warpgauge_emulator::async_commit(WARPGAUGE_CALL_SITE);
}

namespace warpgauge_emulator {

// The part that the thread of this rank copies when `threads` share a copy of any size: pieces of
// 16 bytes as far as the addresses allow, then of 8 and 4. The rest is copied by byte,
// synchronously.
__attribute__((always_inline, no_sanitize("thread"), no_sanitize_coverage)) inline void
async_copy_share(void* shared, const void* global, std::size_t bytes, unsigned rank,
                 unsigned threads, CallSite site) {
  char* to = static_cast<char*>(shared);
  const char* from = static_cast<const char*>(global);
  for (std::size_t piece = 16; bytes > 0; piece = piece > 4 ? piece / 2 : 1) {
    if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % piece !=
        0) {
      continue;
    }
    const std::size_t pieces = bytes / piece;
    // The merge distinguishes requests by place and depth of the call, so each width has its own
    // place.
    const CallSite of_width{site.return_address, static_cast<char*>(site.frame) - piece * 256};
    for (std::size_t i = rank; i < pieces; i += threads) {
      if (piece > 1) {
        async_copy(to + i * piece, from + i * piece, piece, 0, of_width);
        continue;
      }
      record_access(from + i, 1, AccessKind::load, of_width);
      record_access(to + i, 1, AccessKind::store,
                    {site.return_address, static_cast<char*>(site.frame) - 512});
      to[i] = from[i];
    }
    to += pieces * piece;
    from += pieces * piece;
    bytes -= pieces * piece;
  }
}

}  // namespace warpgauge_emulator

// Waits for the thread's committed batches, except the last ones.
WARPGAUGE_DEVICE_CALL void __pipeline_wait_prior(std::size_t newest) {
  ::warpgauge_emulator::async_wait_prior(newest, WARPGAUGE_CALL_SITE);
}
