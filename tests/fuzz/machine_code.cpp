// SPDX-License-Identifier: Apache-2.0
// A cubin, or a program that holds some: kernels, their resources, accesses and source lines.
#include <filesystem>
#include <fstream>
#include <utility>

#include "ci/support/files/temporary_folder.hpp"
#include "profiling/machine_code/cubin.hpp"
#include "profiling/machine_code/image_changes.hpp"
#include "profiling/machine_code/image_kernels.hpp"
#include "profiling/machine_code/suite_code.hpp"
#include "tests/fuzz/target.hpp"

namespace {

// What `static` makes of it, against itself and against nothing.
void compare(const std::filesystem::path& file) {
  using namespace warpgauge;
  const machine_code::ImageKernels kernels = machine_code::read_image_kernels({file});
  const machine_code::ImageChanges same = machine_code::changes(kernels, kernels);
  for (const machine_code::KernelChange& each : same.kernels) {
    if (each.change != machine_code::CodeChange::same) found("a kernel that differs from itself");
  }
  for (const auto& [before, after] : {std::pair(kernels, machine_code::ImageKernels()),
                                      std::pair(machine_code::ImageKernels(), kernels)}) {
    if (machine_code::has_common_kernels(machine_code::changes(before, after))) {
      found("a kernel in common with nothing");
    }
  }
}

}  // namespace

void warpgauge::read_hostile(const std::string& text) {
  static const ci::TemporaryFolder folder;  // one for all inputs: making it takes the most time
  const std::filesystem::path file = folder.path() / "program";
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
  try {
    const ci::MachineCode code(machine_code::read_cubins(file), "9.0");
    results::Record record;
    for (const std::string& kernel : code.kernels()) {
      record.kernels.push_back(kernel);
      for (const auto& instruction : *code.accesses_of(kernel)) {
        results::SourceLine line;
        if (!instruction.places.empty()) line.file = instruction.places.front().file;
        record.lines.push_back(line);
      }
    }
    code.annotate(record);
    code.add_kernels(record);
    compare(file);
  } catch (const machine_code::CubinError& error) {
    if (*error.what() == '\0') found("an error without a message");
  }
}
