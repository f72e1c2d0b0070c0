// SPDX-License-Identifier: Apache-2.0
// The text of kernels' machine code, by the toolkit's nvdisasm where there is one.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiling/machine_code/image_kernels.hpp"
#include "profiling/machine_code/text/sass_alignment.hpp"
#include "profiling/machine_code/text/sass_text.hpp"

namespace warpgauge::ci {

// A kernel for an architecture, and its sass_hash, which tells several of one name apart.
using KernelOfHash = std::pair<machine_code::KernelKey, std::string>;

struct Disassembly {
  std::map<KernelOfHash, std::vector<machine_code::SassInstruction>> kernels;
  // Why some are not there: "there is no nvdisasm, …". Empty: nothing is known to be missing.
  std::string missing;
};

// A kernel as one build has it and as the next has it.
struct TwoVersions {
  KernelOfHash before;
  KernelOfHash after;
};

struct SideBySides {
  // One for each two versions; absent: the text of one of them is missing.
  std::vector<std::optional<machine_code::SideBySide>> kernels;
  std::string missing;  // as of a Disassembly
};

// Of the PATH, of CUDA_HOME or of /usr/local/cuda; empty: there is none.
[[nodiscard]] std::filesystem::path find_nvdisasm();

// Reads the images, as read_image_kernels() does, for these kernels. The text is of the kernel
// itself, not of separate functions that it calls. Throws as that, and Error where nvdisasm cannot
// be started.
[[nodiscard]] Disassembly disassemble(const std::vector<std::filesystem::path>& images,
                                      const std::set<KernelOfHash>& kernels);

// The same of the images of two builds, aligned. Throws as that.
[[nodiscard]] SideBySides disassemble_both(const std::vector<std::filesystem::path>& before,
                                           const std::vector<std::filesystem::path>& after,
                                           const std::vector<TwoVersions>& kernels);

}  // namespace warpgauge::ci
