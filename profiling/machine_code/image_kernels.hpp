// SPDX-License-Identifier: Apache-2.0
// All that a file's machine code tells of its kernels, and how two files differ in that.
#pragma once

#include <cstddef>
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
};

// Whether they are the same code and take the same of a GPU, whatever compiled them.
[[nodiscard]] bool operator==(const ImageKernel& a, const ImageKernel& b);

// By name and architecture. Several, where files or images have different kernels of one name.
using KernelKey = std::pair<std::string, std::string>;
using KernelsByKey = std::map<KernelKey, std::vector<ImageKernel>>;

// Hashes of PTX kernels, see ptx.hpp: several where modules have different ones of one name. What a
// linker joins with kernels has one of the whole, under kNoKernel.
using EntriesByKey = std::map<KernelKey, std::set<std::string>>;
inline constexpr const char* kNoKernel = "(code for the linker)";

struct ImageKernels {
  KernelsByKey kernels;
  EntriesByKey entries;
  // Of cubins; what the driver or the linker compiles ("compute_90"); cubins that are not read.
  std::set<std::string> architectures;
  std::set<std::string> to_be_compiled;
  std::set<std::string> unread;
  // Of files below a folder that could not be read: the messages, each with the file's name.
  std::vector<std::string> broken;
};

// Reads files, or all files below folders, each file once, one image at a time. Below a folder a
// file that cannot be read is left out and named in `broken`. Throws CubinError, also where none
// holds a cubin that can be read, and results::FileError.
[[nodiscard]] ImageKernels read_image_kernels(const std::vector<std::filesystem::path>& paths);

enum class CodeChange {
  same,        // the same machine code, which takes the same of a GPU
  rearranged,  // the same instructions, but for the names of registers, their order or addresses
  changed,
  added,
  removed,
  architecture_removed,  // it is compiled for others only, or none is for this one any more
};

[[nodiscard]] const char* to_string(CodeChange change);

// What only one side has: kernels that both sides have are left out.
struct KernelChange {
  KernelKey key;
  CodeChange change = CodeChange::same;
  std::vector<ImageKernel> before;
  std::vector<ImageKernel> after;
  bool several = false;  // one side has several different kernels of this name
};

// PTX of a kernel that is not the same on both sides, though both have PTX of that architecture.
struct EntryChange {
  KernelKey key;
  CodeChange change = CodeChange::changed;  // `changed`, `added` or `removed`
};

struct ImageChanges {
  std::vector<KernelChange> kernels;  // in the order of names and architectures
  std::vector<EntryChange> entries;   // in the same order
  std::size_t same_entries = 0;
  // What only one side has for a driver or linker to compile, or that is not read here.
  std::set<std::string> images_removed;
  std::set<std::string> images_added;
  std::vector<std::string> broken;  // of both
};

[[nodiscard]] ImageChanges changes(ImageKernels before, ImageKernels after);

// Whether one kernel at least has the same name and architecture on both sides.
[[nodiscard]] bool has_common_kernels(const ImageChanges& changes);

}  // namespace warpgauge::machine_code
