// SPDX-License-Identifier: Apache-2.0
// What each kernel of a cubin is, by a hash of its instructions, and what it takes of a GPU.
//
// NVIDIA documents neither the attributes nor the sections. What is known of them was found by
// compiling with nvcc 13.0, and the tests hold it against what ptxas says.
#pragma once

#include <string_view>
#include <vector>

#include "profiling/machine_code/elf_image.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::machine_code {

// Kernels in the order of their sections.
//
// sass_hash: XXH3 of 128 bits over the instructions and the constants of the kernel and of the
// functions in sections of their own that it calls, by name. Addresses are not in it: where one is
// put in, the name of what it is of counts. Line numbers, other kernels, and the kernel's own name
// do not count.
//
// stack_bytes: of the deepest chain of calls; a recursion counts once. Absent in code that is still
// to be linked.
//
// Spills are registers that the compiler put into local memory since it had too few, in bytes a
// thread that the instructions move, each counted once, however often it runs; a loop runs more.
// Registers that a called function saves by convention, and arrays in local memory, are none. From
// CUDA 13 on the compiler marks them; where it did not, only kernels without any access to local
// memory are known to have none, and of others both are absent.
//
// Throws OutOfBytes, or std::runtime_error that says what is wrong.
[[nodiscard]] std::vector<results::KernelCode> kernel_codes(const ElfImage& image);

}  // namespace warpgauge::machine_code
