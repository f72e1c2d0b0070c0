// SPDX-License-Identifier: Apache-2.0
// All that a file's machine code tells of its kernels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "profiling/machine_code/architecture.hpp"
#include "profiling/machine_code/instructions/code_shape.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::machine_code {

struct ImageKernel {
  results::KernelCode code;
  CodeShape shape;
  // That each launch asks for, by Triton's notes; absent: the file is not of its cache.
  std::optional<std::uint64_t> dynamic_shared_bytes = {};
  // Blocks that each launch has, by __cluster_dims__; absent: the launch says.
  std::optional<results::Extents> cluster = {};
  // In how many images this very kernel is, as a template that several files instantiate.
  std::uint64_t copies = 1;
};

// All that tells kernels of one name and architecture apart: of files launch bounds, too, which say
// how many blocks fit. What compiled them does not count.
[[nodiscard]] inline auto identity(const ImageKernel& kernel) {
  const results::KernelCode& code = kernel.code;
  return std::tuple(code.sass_hash, code.registers, code.static_shared_bytes, code.stack_bytes,
                    code.spill_store_bytes, code.spill_load_bytes, code.most_threads,
                    kernel.dynamic_shared_bytes, kernel.cluster);
}

[[nodiscard]] bool operator==(const ImageKernel& a, const ImageKernel& b);

// How many kernels these are, each copy counted.
[[nodiscard]] std::uint64_t copies_of(const std::vector<ImageKernel>& kernels);

// By name and architecture. Several, where files or images have different kernels of one name.
using KernelKey = std::pair<std::string, std::string>;
struct ByNameAndNumber {
  [[nodiscard]] bool operator()(const KernelKey& a, const KernelKey& b) const {
    return a.first == b.first ? ByNumber()(a.second, b.second) : a.first < b.first;
  }
};
using KernelKeys = std::set<KernelKey, ByNameAndNumber>;
using KernelsByKey = std::map<KernelKey, std::vector<ImageKernel>, ByNameAndNumber>;

// Hashes of PTX kernels, see ptx.hpp: several where modules have different ones of one name. What a
// linker joins with kernels, of PTX or of machine code, has one of the whole, under kNoKernel.
using EntriesByKey = std::map<KernelKey, std::set<std::string>, ByNameAndNumber>;
inline constexpr const char* kNoKernel = "(code for the linker)";

struct ImageKernels {
  KernelsByKey kernels;
  EntriesByKey entries;
  // Of cubins; what the driver or the linker compiles ("compute_90"); cubins that are not read.
  std::set<std::string, ByNumber> architectures;
  std::set<std::string> to_be_compiled;
  std::set<std::string> unread;
  // Of files below a folder that could not be read: the messages, each with the file's name.
  std::vector<std::string> broken;
};

// Reads files, or all files below folders, each file once, one image at a time. Below a folder a
// file that cannot be read is left out and named in `broken`. Throws CubinError, also where none
// holds a cubin that can be read or a PTX kernel, and results::FileError.
[[nodiscard]] ImageKernels read_image_kernels(const std::vector<std::filesystem::path>& paths);

}  // namespace warpgauge::machine_code
