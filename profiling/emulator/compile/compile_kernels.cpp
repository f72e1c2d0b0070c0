// SPDX-License-Identifier: Apache-2.0
// compile_kernels COMPILER ARGUMENT...
//
// A compiler launcher for CMake: runs g++ on a source that may launch kernels (kernel_source.hpp).
#include <cstdio>
#include <exception>

#include "profiling/emulator/compile/kernel_source.hpp"

int main(int argc, char** argv) {
  const warpgauge::emulator::Command command(argv + 1, argv + argc);
  if (command.empty()) {
    std::fputs("compile_kernels: needs a compiler and its arguments\n", stderr);
    return 64;
  }
  try {
    return warpgauge::emulator::compile_kernel_source(command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compile_kernels: %s\n", error.what());
    return 1;
  }
}
