// SPDX-License-Identifier: Apache-2.0
// Finds the images for GPUs in any file: a cubin, a fatbin, an object file, an archive, a program,
// a shared library, a compiler's cache. One image at a time is in memory, however large the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiling/machine_code/files/fat_binary.hpp"

namespace warpgauge::machine_code {

// The message names the file, what is wrong with it and what to do.
class CubinError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Image {
  ImageKind kind = ImageKind::cubin;
  int architecture = 0;  // 90 for sm_90
  std::string variant;   // "a" of sm_90a; empty also where only the image says
  Compression compression = Compression::none;
  std::uint64_t stored_bytes = 0;
  std::string place;  // "libx.so, image 3", "libx.a(y.o), image 1"
};

// "sm_90a"; "compute_90" of PTX.
[[nodiscard]] std::string architecture_name(const Image& image);

// Gives the image's bytes, decompressed. Throws std::runtime_error that says what is wrong.
using LoadImage = std::function<std::string()>;

// The file itself, or all below a folder, sorted: one of those that links name too. Throws
// results::FileError.
[[nodiscard]] std::vector<std::filesystem::path> image_files(const std::filesystem::path& path);

// Why a file has no machine code that can be read, by the names of its other images: those of
// unknown architectures, and those that are no machine code yet.
[[nodiscard]] std::string why_no_machine_code(const std::set<std::string>& unknown,
                                              const std::set<std::string>& to_be_compiled);

// Calls visit with each image of a file, in the file's order, or of all files below a folder; with
// linked code in a program, not with what it was linked from. visit throws nothing but these two
// and what load throws. Returns how many images there were. Throws results::FileError and
// CubinError.
std::uint64_t for_each_image(const std::filesystem::path& path,
                             const std::function<void(const Image&, const LoadImage&)>& visit);

}  // namespace warpgauge::machine_code
