// SPDX-License-Identifier: Apache-2.0
// The sections of an ELF file in memory: a cubin or a program that contains cubins. Reads 64-bit
// little-endian files and does not interpret the sections.
//
// Does without libelf, so that `warpgauge` starts on machines that lack it.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace warpgauge::machine_code {

// e_machine of ELF files for NVIDIA GPUs.
inline constexpr std::uint16_t kCudaMachine = 190;

struct Section {
  std::string_view name;
  std::string_view bytes;  // empty for a section that takes no room in the file
  std::uint32_t type = 0;  // SHT_…
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  std::uint64_t size = 0;   // in memory
  std::uint64_t flags = 0;  // SHF_…, and the machine's own
};

struct Symbol {
  std::string_view name;
  std::uint64_t value = 0;
  std::size_t section = 0;
  std::uint8_t type = 0;             // STT_…
  std::uint8_t other = 0;            // the machine's own flags
  std::uint8_t binding = STB_LOCAL;  // STB_…
  std::uint64_t size = 0;
};

// A place in a section that stands for an address in the section of `symbol`.
struct Relocation {
  std::uint64_t place = 0;
  std::size_t symbol = 0;
  std::uint32_t type = 0;
  std::int64_t addend = 0;  // 0 if the section itself holds the addend; nvcc's are 0 then
};

// Views of the file's bytes, which must outlive it.
class ElfImage {
 public:
  // Throws OutOfBytes, or std::runtime_error when this is no 64-bit ELF file, or one whose sections
  // have no names, or whose sections or names overlap, so that it would say more than it holds.
  explicit ElfImage(std::string_view bytes);

  [[nodiscard]] const Elf64_Ehdr& header() const { return header_; }
  [[nodiscard]] const std::vector<Section>& sections() const { return sections_; }
  // Up to the end of its last part; what was given may go on.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  // nullptr when no section has that name.
  [[nodiscard]] const Section* find(std::string_view name) const;

  // Empty without a symbol table. Throws OutOfBytes.
  [[nodiscard]] std::vector<Symbol> symbols() const;

  // The relocations of the section of that name; may be empty. Throws OutOfBytes.
  [[nodiscard]] std::vector<Relocation> relocations(std::string_view section) const;

 private:
  // The sections of the symbols of this table that have no room for theirs; empty: there are none.
  [[nodiscard]] std::string_view extended_indexes(std::size_t symbols) const;

  Elf64_Ehdr header_;
  std::vector<Section> sections_;
  std::uint64_t size_ = 0;
  std::map<std::string_view, std::size_t> by_name_;                   // the first of each name
  std::multimap<std::string_view, std::size_t> relocations_of_name_;  // tables, by what they are of
};

}  // namespace warpgauge::machine_code
