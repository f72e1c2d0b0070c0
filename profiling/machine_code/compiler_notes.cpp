// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/compiler_notes.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiling/machine_code/files/cuda_elf.hpp"

namespace warpgauge::machine_code {
namespace {

constexpr const char* kToolInfo = ".note.nv.tkinfo";

}  // namespace

// Extracts "ptxas 13.0.88" from a note with "…, release 13.0, V13.0.88". The linker's note, if any,
// precedes those of the objects. They need no distinction: all are from one toolkit.
std::string compiler_of(const ElfImage& image) {
  const Section* note = image.find(kToolInfo);
  if (note == nullptr) return {};
  constexpr std::string_view kBefore = ", V";
  const std::size_t found = note->bytes.find(kBefore);
  if (found == note->bytes.npos) return {};
  const std::string_view rest = note->bytes.substr(found + kBefore.size());
  const std::string_view version = rest.substr(0, rest.find_first_not_of("0123456789."));
  return version.empty() ? std::string() : fmt::format("ptxas {}", version);
}

std::string noted_variant(const ElfImage& image) {
  constexpr std::uint32_t kAccelerated = 0x800;  // before CUDA 13
  if (!is_of_cuda_13(image.header()) && (image.header().e_flags & kAccelerated) != 0) return "a";
  const Section* note = image.find(kToolInfo);
  if (note == nullptr) return {};
  const std::string option = fmt::format("-arch sm_{}", architecture_of(image.header()));
  const std::size_t found = note->bytes.find(option);
  if (found == note->bytes.npos) return {};
  const std::string_view rest = note->bytes.substr(found + option.size(), 1);
  return rest == "a" || rest == "f" ? std::string(rest) : std::string();
}

}  // namespace warpgauge::machine_code
