// SPDX-License-Identifier: Apache-2.0
// malloc and free, which kernels have of the device's heap. In host code they are the library's;
// new and delete need no declaration. See execution/device_heap.cpp.
#pragma once

#include <cstdlib>

extern "C" {
void* malloc(std::size_t bytes) noexcept __asm__("warpgauge_emulator_malloc");
void free(void* memory) noexcept __asm__("warpgauge_emulator_free");
}
