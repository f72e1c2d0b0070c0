// SPDX-License-Identifier: Apache-2.0
// What nvcc made of a benchmark's kernels, and of the source lines at which the emulator counted.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiling/machine_code/cubin.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

class MachineCode {
 public:
  // compute_capability: of the GPU that runs it, "9.0"; empty: none does, and of several
  // architectures the newest counts. Functions that are no kernels may belong to any.
  explicit MachineCode(std::vector<machine_code::Cubin> cubins,
                       const std::string& compute_capability = "");

  // From cubins or programs of nvcc's; throws as machine_code::read_cubins.
  [[nodiscard]] static MachineCode read(const std::vector<std::filesystem::path>& paths,
                                        const std::string& compute_capability = "");

  // Sets `compiled` and `instructions` of the lines. An instruction counts for the innermost place
  // it comes from that is in a file of these lines, so that the toolkit's own headers stand for the
  // line that uses them. Lines of kernels that are not there stay unknown.
  void annotate(results::Record& record) const;

  // The kernel's accesses to memory by offset, in the code that the GPU runs. nullptr: there is
  // none, or several files have a kernel of that name, and not the same.
  [[nodiscard]] const std::vector<machine_code::Instruction>* accesses_of(
      const std::string& kernel) const;

  // Names of all kernels of which accesses_of() has some.
  [[nodiscard]] std::set<std::string> kernels() const;

  // Sets the machine code of the record's kernels, and the metrics of it (see resources.hpp) for
  // the architecture that counts, or says why it was not measured.
  void add_kernels(results::Record& record) const;

 private:
  using Instructions = std::vector<machine_code::Instruction>;
  using ByArchitecture = std::map<int, std::vector<results::KernelCode>>;

  int architecture_ = 0;                         // that counts; 0: none of them runs
  std::string compute_capability_;               // empty: there is no GPU
  std::map<std::string, Instructions> kernels_;  // by demangled name
  Instructions functions_;                       // of all that are no kernels
  // By demangled name; several where files have kernels of one name.
  std::map<std::string, ByArchitecture> codes_;
};

// "LDS.32"
[[nodiscard]] std::string opcode_of(const machine_code::MemoryAccess& access);

// "merged: 4 × LDS.128, 16 × LDS.32"; "absent"; empty when it is unknown.
[[nodiscard]] std::string describe_compiled(const results::SourceLine& line);

}  // namespace warpgauge::ci
