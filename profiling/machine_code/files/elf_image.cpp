// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/files/elf_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "profiling/machine_code/files/bytes.hpp"

namespace warpgauge::machine_code {
namespace {

Elf64_Ehdr header_of(std::string_view bytes) {
  if (!bytes.starts_with(std::string_view(ELFMAG, SELFMAG))) {
    throw std::runtime_error("is not an ELF file");
  }
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    throw std::runtime_error("is not a 64-bit little-endian ELF file");
  }
  return header;
}

// Compilers store a name once, which may be the end of another, and give a few sections that take
// no room a size. Where more than that overlaps, a small file keeps its reader busy for hours.
void refuse_overlaps(const char* what, std::uint64_t bytes, std::uint64_t room) {
  constexpr std::uint64_t kUses = 16;
  if (bytes / kUses > room) throw std::runtime_error(fmt::format("has {} that overlap", what));
}

// Where there are more sections than the header has room for, the first section says how many, and
// which has their names (ELF, "Extended Section Header").
std::vector<Elf64_Shdr> section_headers(std::string_view bytes, const Elf64_Ehdr& header) {
  std::vector<Elf64_Shdr> headers;
  if (header.e_shoff == 0) return headers;
  std::uint64_t count = header.e_shnum;
  if (count == 0) count = read_at<Elf64_Shdr>(bytes, header.e_shoff).sh_size;
  if (count > bytes.size() / sizeof(Elf64_Shdr)) throw OutOfBytes();
  headers.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    headers.push_back(read_at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr)));
  }
  return headers;
}

}  // namespace

ElfImage::ElfImage(std::string_view bytes) : header_(header_of(bytes)) {
  const std::vector<Elf64_Shdr> headers = section_headers(bytes, header_);
  if (headers.empty()) return;
  const std::size_t names_at =
      header_.e_shstrndx == SHN_XINDEX ? headers[0].sh_link : header_.e_shstrndx;
  if (names_at >= headers.size()) throw std::runtime_error("has sections without names");
  const Elf64_Shdr& names_header = headers[names_at];
  const std::string_view names = part(bytes, names_header.sh_offset, names_header.sh_size);
  size_ = header_.e_shoff + headers.size() * sizeof(Elf64_Shdr);
  std::uint64_t bytes_of_sections = 0;
  std::uint64_t bytes_of_names = 0;
  for (const Elf64_Shdr& each : headers) {
    const bool takes_room = each.sh_type != SHT_NOBITS && each.sh_type != SHT_NULL;
    sections_.push_back(
        {text_at(names, each.sh_name),
         takes_room ? part(bytes, each.sh_offset, each.sh_size) : std::string_view(), each.sh_type,
         each.sh_link, each.sh_info, each.sh_size, each.sh_flags});
    if (takes_room) size_ = std::max(size_, each.sh_offset + each.sh_size);
    bytes_of_sections += sections_.back().bytes.size();
    bytes_of_names += sections_.back().name.size();
  }
  refuse_overlaps("sections", bytes_of_sections, size_);
  refuse_overlaps("names", bytes_of_names, names.size());
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const Section& section = sections_[i];
    by_name_.try_emplace(section.name, i);
    const bool relocates = section.type == SHT_RELA || section.type == SHT_REL;
    if (!relocates || section.info >= sections_.size()) continue;
    relocations_of_name_.emplace(sections_[section.info].name, i);
  }
}

const Section* ElfImage::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &sections_[found->second];
}

std::string_view ElfImage::extended_indexes(std::size_t symbols) const {
  for (const Section& each : sections_) {
    if (each.type == SHT_SYMTAB_SHNDX && each.link == symbols) return each.bytes;
  }
  return {};
}

std::vector<Symbol> ElfImage::symbols() const {
  std::vector<Symbol> symbols;
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const Section& table = sections_[i];
    if (table.type != SHT_SYMTAB) continue;
    const std::string_view extended = extended_indexes(i);
    if (table.link >= sections_.size()) throw OutOfBytes();
    const std::string_view names = sections_[table.link].bytes;
    std::uint64_t bytes_of_names = 0;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size();
         at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(table.bytes, at);
      std::size_t section = symbol.st_shndx;
      if (section == SHN_XINDEX) {
        section = read_at<std::uint32_t>(extended, symbols.size() * sizeof(std::uint32_t));
      }
      symbols.push_back({text_at(names, symbol.st_name), symbol.st_value, section,
                         static_cast<std::uint8_t>(ELF64_ST_TYPE(symbol.st_info)), symbol.st_other,
                         static_cast<std::uint8_t>(ELF64_ST_BIND(symbol.st_info)), symbol.st_size});
      bytes_of_names += symbols.back().name.size();
      refuse_overlaps("names", bytes_of_names, names.size());
    }
    break;
  }
  return symbols;
}

std::vector<Relocation> ElfImage::relocations(std::string_view section) const {
  std::vector<Relocation> relocations;
  const auto [first, last] = relocations_of_name_.equal_range(section);
  for (auto each = first; each != last; ++each) {
    const Section& table = sections_[each->second];
    const bool with_addends = table.type == SHT_RELA;
    const std::size_t size = with_addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
    for (std::size_t at = 0; at + size <= table.bytes.size(); at += size) {
      // Elf64_Rela starts with the fields of Elf64_Rel.
      const auto relocation = read_at<Elf64_Rel>(table.bytes, at);
      relocations.push_back(
          {relocation.r_offset, ELF64_R_SYM(relocation.r_info),
           static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info)),
           with_addends ? read_at<Elf64_Rela>(table.bytes, at).r_addend : std::int64_t{0}});
    }
  }
  return relocations;
}

}  // namespace warpgauge::machine_code
