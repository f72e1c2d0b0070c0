// SPDX-License-Identifier: Apache-2.0
// What nvcc made of the source lines at which the emulator counted.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "profiling/machine_code/cubin.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

class MachineCode {
 public:
  // Of several architectures the newest. Functions that are no kernels may belong to any.
  explicit MachineCode(std::vector<machine_code::Cubin> cubins);

  // From a cubin or a program of nvcc's; throws as machine_code::read_cubins.
  [[nodiscard]] static MachineCode read(const std::filesystem::path& path);

  // Sets `compiled` and `instructions` of the lines. An instruction counts for the innermost place
  // it comes from that is in a file of these lines, so that the toolkit's own headers stand for the
  // line that uses them. Lines of kernels that are not there stay unknown.
  void annotate(results::Record& record) const;

 private:
  using Instructions = std::vector<machine_code::Instruction>;

  std::map<std::string, Instructions> kernels_;  // by demangled name
  Instructions functions_;                       // of all that are no kernels
};

// "merged: 4 × LDS.128, 16 × LDS.32"; "absent"; empty when it is unknown.
[[nodiscard]] std::string describe_compiled(const results::SourceLine& line);

}  // namespace warpgauge::ci
