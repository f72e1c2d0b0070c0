// SPDX-License-Identifier: Apache-2.0
// nvcc's machine code for a benchmark's kernels and for the source lines that the emulator counted.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiling/machine_code/architecture.hpp"
#include "profiling/machine_code/cubin.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

class MachineCode {
 public:
  // compute_capability: that of the GPU, "9.0". Empty: without a GPU, that of the newest
  // architecture. Of each kernel that code counts which this GPU would run.
  // Functions other than kernels may belong to any kernel.
  explicit MachineCode(std::vector<machine_code::Cubin> cubins,
                       const std::string& compute_capability = "");

  // Reads files with code for GPUs; throws like machine_code::read_cubins.
  [[nodiscard]] static MachineCode read(const std::vector<std::filesystem::path>& paths,
                                        const std::string& compute_capability = "");

  // Sets `compiled` and `instructions` of the lines. An instruction counts for its innermost source
  // line in a file of these lines, so that code from the toolkit's headers counts for the line that
  // uses it. Lines of kernels without machine code stay unknown.
  void annotate(results::Record& record) const;

  // The kernel's memory accesses by offset, in the code that the GPU runs. nullptr: no such kernel,
  // or several files have different kernels of that name.
  [[nodiscard]] const std::vector<machine_code::Instruction>* accesses_of(
      const std::string& kernel) const;

  // The places that the kernel's loads and accesses to local memory come from, as in
  // KernelCode::accesses, and its first instruction, in the same code. Refers to its parts.
  struct AccessPlaces {
    std::string kind;
    const std::vector<machine_code::Place>& places;  // the innermost first
  };
  [[nodiscard]] std::vector<AccessPlaces> places_of(const std::string& kernel) const;
  // In this very code, if it is there.
  [[nodiscard]] std::vector<AccessPlaces> places_of(const results::KernelCode& code) const;

  // Names of all kernels that accesses_of() knows.
  [[nodiscard]] std::set<std::string> kernels() const;

  // Sets the machine code of the record's kernels and its metrics (see resource_metrics.hpp) for
  // the architecture that the GPU runs of each, or the reason why they were not measured.
  void add_kernels(results::Record& record) const;

 private:
  using Instructions = std::vector<machine_code::Instruction>;
  using ByArchitecture = std::map<machine_code::Architecture, std::vector<results::KernelCode>>;
  struct Accesses {
    machine_code::Architecture architecture;
    Instructions instructions;
    std::vector<machine_code::LocalInstruction> local = {};
    std::vector<machine_code::Place> first = {};
  };

  [[nodiscard]] static std::vector<AccessPlaces> places_of(const Accesses& accesses);
  [[nodiscard]] bool runs(const machine_code::Architecture& architecture) const;
  // nullptr: the GPU runs none of them.
  [[nodiscard]] const ByArchitecture::value_type* best_of(const ByArchitecture& codes) const;
  void take_accesses(machine_code::Cubin& cubin, std::map<std::string, Accesses>& functions);

  std::optional<int> gpu_;          // 90; absent: it is not known, or runs none of them
  std::string compute_capability_;  // empty: no GPU
  std::map<std::string, std::shared_ptr<const Accesses>> kernels_;  // by demangled name
  // By that and the hash of their code.
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const Accesses>> versions_;
  Instructions functions_;  // of all functions other than kernels
  // By demangled name; several entries when files have kernels of the same name.
  std::map<std::string, ByArchitecture> codes_;
};

// "LDS.32"
[[nodiscard]] std::string opcode_of(const machine_code::MemoryAccess& access);

// "merged: 4 × LDS.128, 16 × LDS.32"; "absent"; empty when unknown.
[[nodiscard]] std::string describe_compiled(const results::SourceLine& line);

}  // namespace warpgauge::ci
