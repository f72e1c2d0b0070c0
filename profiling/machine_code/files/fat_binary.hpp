// SPDX-License-Identifier: Apache-2.0
// The container in which nvcc's fatbinary puts images for several architectures, and its headers.
//
// NVIDIA documents neither. We found the fields by comparing what nvcc 13.0 makes of one source
// with each option, and checked them on the toolkit's libraries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "profiling/machine_code/files/decompress.hpp"

namespace warpgauge::machine_code {

// "\x50\xed\x55\xba"
inline constexpr std::string_view kContainerMagic{"\x50\xed\x55\xba", 4};
inline constexpr std::uint64_t kContainerHeaderBytes = 16;

// The bytes behind a container's header, from these first bytes of it. Absent: it is none of the
// one version that is known.
[[nodiscard]] std::optional<std::uint64_t> container_size(std::string_view header);

enum class ImageKind {
  cubin,
  ptx,     // the driver compiles it for GPUs that have no cubin
  lto_ir,  // the linker compiles it; its bytes are given as they are stored
  other,
};

struct FatEntry {
  ImageKind kind = ImageKind::other;
  int architecture = 0;  // 90 for sm_90
  std::string variant;   // "a" of sm_90a, "f" of sm_100f
  Compression compression = Compression::none;
  std::uint64_t header_bytes = 0;
  std::uint64_t padded_bytes = 0;  // behind the header, up to the next one
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;  // decompressed
};

inline constexpr std::uint64_t kEntryHeaderBytes = 64;

// What a header of at least 64 bytes says. Throws std::runtime_error that says what is wrong.
[[nodiscard]] FatEntry fat_entry(std::string_view header);

}  // namespace warpgauge::machine_code
