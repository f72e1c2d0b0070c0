// SPDX-License-Identifier: Apache-2.0
// Kernels that a program passes as `(void*)kernel`, which does not say what its arguments are.
//
// The cast that begins the first argument of a launch by pointer, or that is assigned to a member
// `func`, as of cudaKernelNodeParams, becomes one that remembers the kernel (kernel_pointers.h).
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::emulator {

// `preprocessed` with those casts rewritten on the same lines. The text must come from `g++ -E`.
[[nodiscard]] std::string rewrite_kernel_casts(std::string_view preprocessed);

}  // namespace warpgauge::emulator
