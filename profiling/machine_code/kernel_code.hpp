// SPDX-License-Identifier: Apache-2.0
// Identifies each kernel of a cubin by a hash of its instructions, and reads the GPU resources that
// it needs.
//
// NVIDIA documents neither the attributes nor the sections. We found their meaning by compiling
// with nvcc 13.0; the tests compare them with ptxas's output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/machine_code/files/elf_image.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::machine_code {

// Kernels in the order of their symbols. variant: of their architecture, "a" of sm_90a.
//
// sass_hash: 128-bit XXH3 over the instructions and constants of the kernel and of the called
// functions that have their own sections. Addresses are replaced by the names of their targets.
// Line numbers, other kernels and the kernel's own name do not affect it.
//
// stack_bytes: the deepest chain of calls; a recursion counts once. Absent in relocatable code.
//
// Spills are registers that the compiler stored in local memory because it had too few. They are
// counted in bytes per thread, each instruction once, however often it runs. Registers that a
// called function saves by convention, and arrays in local memory, are not spills. The compiler
// marks spills since CUDA 13. Without marks, kernels that never access local memory have 0; for
// others both figures are absent.
//
// Throws OutOfBytes, or std::runtime_error that says what is wrong.
[[nodiscard]] std::vector<results::KernelCode> kernel_codes(const ElfImage& image,
                                                            const std::string& variant = "");

// What else is known of a kernel's machine code.
struct KernelParts {
  results::KernelCode code;
  // The kernel and the functions that it calls; views of the image's bytes.
  std::vector<std::string_view> functions;
  // The constants of these functions, and the names of all that they refer to, sorted.
  std::string surroundings;
  std::optional<results::Extents> cluster;  // blocks that each launch has; absent: the launch says
  std::size_t symbol = 0;                   // its index in the image's symbol table
};
[[nodiscard]] std::vector<KernelParts> kernel_parts(const ElfImage& image,
                                                    const std::string& variant = "");

// The code, with its accesses if the architecture is known.
[[nodiscard]] results::KernelCode with_accesses(KernelParts kernel, int architecture);

// The hash of relocatable code's functions that kernels of other files may call, with their names
// and with what they call. Absent: it has none. Throws as kernel_codes().
[[nodiscard]] std::optional<std::string> hash_for_linker(const ElfImage& image);

}  // namespace warpgauge::machine_code
