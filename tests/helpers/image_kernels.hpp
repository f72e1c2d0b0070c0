// SPDX-License-Identifier: Apache-2.0
// Kernels of a build, as a test wants them compiled.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "profiling/machine_code/image_kernels.hpp"

namespace warpgauge::ci {

inline machine_code::ImageKernel kernel(const std::string& name, int registers,
                                        machine_code::InstructionMix mix) {
  machine_code::ImageKernel kernel;
  kernel.code.name = name;
  kernel.code.architecture = "sm_90";
  kernel.code.sass_hash = name + std::to_string(registers);
  for (const auto& [kind, count] : mix) {
    kernel.code.sass_hash += kind + std::to_string(count);
    kernel.code.instructions += count;
  }
  kernel.code.registers = registers;
  kernel.code.code_bytes = 512;
  kernel.code.stack_bytes = 0;
  kernel.code.spill_store_bytes = 0;
  kernel.code.spill_load_bytes = 0;
  kernel.shape.mix = std::move(mix);
  kernel.code.most_threads = 256;
  return kernel;
}

inline machine_code::ImageKernels build(const std::vector<machine_code::ImageKernel>& kernels) {
  machine_code::ImageKernels all;
  for (const machine_code::ImageKernel& each : kernels) {
    all.kernels[{each.code.name, each.code.architecture}] = {each};
    all.architectures.insert(each.code.architecture);
  }
  return all;
}

}  // namespace warpgauge::ci
