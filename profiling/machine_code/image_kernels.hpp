// SPDX-License-Identifier: Apache-2.0
// All that a file's machine code tells of its kernels, and how two files differ in that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "profiling/machine_code/code_shape.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::machine_code {

struct ImageKernel {
  results::KernelCode code;
  CodeShape shape;
  std::uint64_t most_threads = 0;  // a block, by its launch bounds; 0: not given

  friend bool operator==(const ImageKernel& a, const ImageKernel& b) { return a.code == b.code; }
};

// By name and architecture. Several, where files or images have different kernels of one name.
using KernelKey = std::pair<std::string, std::string>;
using KernelsByKey = std::map<KernelKey, std::vector<ImageKernel>>;

struct ImageKernels {
  KernelsByKey kernels;
  // Of cubins; what the driver or the linker compiles ("compute_90"); cubins that are not read.
  std::set<std::string> architectures;
  std::set<std::string> to_be_compiled;
  std::set<std::string> unread;
};

// Reads files or folders (see images.hpp), one image at a time. Throws CubinError, also where none
// holds a cubin that can be read, and results::FileError.
[[nodiscard]] ImageKernels read_image_kernels(const std::vector<std::filesystem::path>& paths);

enum class CodeChange {
  same,        // the same machine code
  rearranged,  // the same instructions, but for the names of registers, their order or addresses
  changed,
  added,
  removed,
  architecture_removed,  // no kernel is compiled for this architecture any more
};

[[nodiscard]] const char* to_string(CodeChange change);

struct KernelChange {
  KernelKey key;
  CodeChange change = CodeChange::same;
  std::vector<ImageKernel> before;  // empty: added
  std::vector<ImageKernel> after;   // empty: removed
};

// In the order of names and architectures, those that are the same too.
[[nodiscard]] std::vector<KernelChange> changes(const ImageKernels& before,
                                                const ImageKernels& after);

}  // namespace warpgauge::machine_code
