// SPDX-License-Identifier: Apache-2.0
// Which kernel of one side is held against which of the other: by architecture and name, and where
// a program has several of one name, in modules of their own, by their code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

using KernelCodes = std::vector<const results::KernelCode*>;

// Two kernels of one name; or one that has no counterpart, and a nullptr.
struct CodePair {
  const results::KernelCode* before = nullptr;
  const results::KernelCode* after = nullptr;
  bool by_order =
      false;  // there are several of this name, and their code does not tell which is it
};

// Of kernels of one name and architecture: first those of the same code that take the same, then
// those of the same code, then the others in their order.
[[nodiscard]] std::vector<CodePair> paired(const KernelCodes& before, const KernelCodes& after);

// A kernel for one architecture, or all that have no counterpart by name. No side is empty.
struct KernelPair {
  std::string architecture;
  KernelCodes before;
  KernelCodes after;
  bool by_order = false;
};

// Of the architectures that both sides have. Leaves out what two compilers made.
[[nodiscard]] std::vector<KernelPair> kernel_pairs(const std::vector<results::KernelCode>& before,
                                                   const std::vector<results::KernelCode>& after);

// Kernels for an architecture that they are no longer compiled for, though for others.
struct LostArchitecture {
  std::string architecture;
  KernelCodes kernels;
};

// In the order of their names; those that have no counterpart by name are looked at together.
[[nodiscard]] std::vector<LostArchitecture> lost_architectures(
    const std::vector<results::KernelCode>& before, const std::vector<results::KernelCode>& after);

// Machine code for architectures that both sides have: of each kernel what the GPU runs of that. Of
// several of one name all.
struct SharedCode {
  std::vector<results::KernelCode> before;
  std::vector<results::KernelCode> after;
};

// Absent: both sides have the same architectures, or nothing in common that the GPU of this number
// runs. Without a number the newest counts.
[[nodiscard]] std::optional<SharedCode> shared_code(const std::vector<results::KernelCode>& before,
                                                    const std::vector<results::KernelCode>& after,
                                                    std::optional<int> gpu);

// Whether a GPU of this number (90) runs, of all the code of this name, that for the architecture.
// Absent: it is not known which GPU, and the newest counts.
[[nodiscard]] bool runs_of(const std::vector<results::KernelCode>& codes, const std::string& name,
                           const std::string& architecture, std::optional<int> gpu);

}  // namespace warpgauge::ci
