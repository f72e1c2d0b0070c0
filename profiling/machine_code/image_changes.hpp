// SPDX-License-Identifier: Apache-2.0
// How the kernels of two files differ.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "profiling/machine_code/image_kernels.hpp"

namespace warpgauge::machine_code {

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
  bool several = false;          // one side has several different kernels of this name
  std::string name_before = {};  // of a kernel that was renamed; empty: it was not
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

// Takes a kernel that is removed and one that is added for the same architecture for one that was
// renamed, where no other is like them: their code is the same, or else family_of() is the same of
// their names, as it is of a template that has other arguments. An empty family is that of no
// other.
[[nodiscard]] ImageChanges with_renamed(
    ImageChanges changes, const std::function<std::string(const std::string&)>& family_of);

// Whether one kernel at least has the same name and architecture on both sides.
[[nodiscard]] bool has_common_kernels(const ImageChanges& changes);

}  // namespace warpgauge::machine_code
