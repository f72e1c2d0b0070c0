// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory. They are done at once; touching what has not
// been waited for is an error all the same.
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

// Waits for the batches that the thread has committed, but for the last ones.
WARPGAUGE_DEVICE_CALL void __pipeline_wait_prior(std::size_t newest) {
  ::warpgauge_emulator::async_wait_prior(newest, WARPGAUGE_CALL_SITE);
}
