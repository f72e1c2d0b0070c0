// SPDX-License-Identifier: Apache-2.0
// Small files that would keep their reader busy for hours, or take all memory: refused, and soon.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profiling/machine_code/cubin.hpp"
#include "profiling/machine_code/elf_image.hpp"
#include "profiling/machine_code/symbol_names.hpp"

namespace warpgauge::machine_code {
namespace {

namespace fs = std::filesystem;

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

// A cubin for sm_90 of these sections, whose names stand in the first one.
class CubinText {
 public:
  CubinText() { text_.resize(sizeof(Elf64_Ehdr)); }

  std::size_t add_bytes(const std::string& bytes) {
    text_ += bytes;
    return text_.size() - bytes.size();
  }

  void add_section(std::uint32_t name, std::uint32_t type, std::size_t offset, std::size_t size,
                   std::uint32_t link = 0) {
    Elf64_Shdr section{};
    section.sh_name = name;
    section.sh_type = type;
    section.sh_offset = offset;
    section.sh_size = size;
    section.sh_link = link;
    sections_.push_back(section);
  }

  [[nodiscard]] std::string text() const {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_ABIVERSION] = 8;
    header.e_machine = kCudaMachine;
    header.e_flags = 90U << 8;
    header.e_shoff = text_.size();
    header.e_shnum = static_cast<std::uint16_t>(sections_.size());
    std::string all = bytes_of(header) + text_.substr(sizeof(header));
    for (const Elf64_Shdr& each : sections_) all += bytes_of(each);
    return all;
  }

 private:
  std::string text_;
  std::vector<Elf64_Shdr> sections_;
};

std::string complaint(const std::string& bytes) {
  try {
    (void)parse_cubin(bytes, "it");
  } catch (const CubinError& error) {
    const std::string what = error.what();
    return what.substr(0, what.find(';'));
  }
  return "none";
}

TEST(HostileCubins, WhoseSectionsOverlapAreRefused) {
  CubinText cubin;
  const std::string names("\0.text.f\0", 9);
  cubin.add_section(0, SHT_STRTAB, cubin.add_bytes(names), names.size());
  const std::string code(1 << 20, '\0');
  const std::size_t at = cubin.add_bytes(code);
  for (int i = 0; i < 60'000; ++i) cubin.add_section(1, SHT_PROGBITS, at, code.size());
  EXPECT_EQ(complaint(cubin.text()), "it: has sections that overlap");
}

TEST(HostileCubins, WhoseNamesOverlapAreRefused) {
  CubinText cubin;
  const std::string names = ".text." + std::string(60'000, 'f') + std::string(1, '\0');
  cubin.add_section(0, SHT_STRTAB, cubin.add_bytes(names), names.size());
  for (int i = 0; i < 60'000; ++i) cubin.add_section(0, SHT_PROGBITS, 0, 0);
  EXPECT_EQ(complaint(cubin.text()), "it: has names that overlap");
}

TEST(HostileCubins, WithANameThatNobodyReadsAreRefused) {
  CubinText cubin;
  const std::string names = ".text." + std::string(1 << 20, 'f') + std::string(1, '\0');
  cubin.add_section(0, SHT_STRTAB, cubin.add_bytes(names), names.size());
  EXPECT_EQ(complaint(cubin.text()),
            "it: has a name of more than 65536 bytes, the most that are read");
}

TEST(HostileCubins, WhoseKernelsAreAllOfOneSectionAreRefused) {
  CubinText cubin;
  const std::string names = std::string("\0.text.f", 8) + std::string(10'000, '\0');
  cubin.add_section(0, SHT_STRTAB, cubin.add_bytes(names), names.size());
  const std::string code(1 << 20, '\0');
  cubin.add_section(1, SHT_PROGBITS, cubin.add_bytes(code), code.size());
  Elf64_Sym symbol{};
  symbol.st_name = 7;
  symbol.st_info = STT_FUNC;
  symbol.st_other = 0x10;
  symbol.st_shndx = 1;
  std::string symbols;
  for (int i = 0; i < 40'000; ++i) symbols += bytes_of(symbol);
  cubin.add_section(0, SHT_SYMTAB, cubin.add_bytes(symbols), symbols.size(), 0);
  EXPECT_EQ(complaint(cubin.text()),
            "it: has kernels that share more code than can be read for each of them");
}

// Each would be tried to be read by the runtime's own parser, once an identifier.
TEST(HostileCubins, NamesOfAMegabyteStayAsTheyAre) {
  std::string symbol = "_Z";
  while (symbol.size() < (1U << 20)) symbol += "12_GLOBAL__N__3";
  EXPECT_EQ(demangled(symbol), symbol);
  (void)demangled(symbol.substr(0, 60'000));  // ends, in less than minutes
}

// A file that holds a header for each 64 bytes, all with the sections behind.
TEST(HostileCubins, OfManyHeadersForTheSameBytesAreReadOnce) {
  CubinText cubin;
  const std::string names("\0.text.f\0", 9);
  cubin.add_section(0, SHT_STRTAB, cubin.add_bytes(names), names.size());
  cubin.add_section(1, SHT_PROGBITS, 0, 0);
  const std::string last = cubin.text();
  Elf64_Ehdr header{};
  std::memcpy(&header, last.data(), sizeof(header));
  std::string headers;
  constexpr int kHeaders = 100;
  for (int i = kHeaders; i > 0; --i) {
    Elf64_Ehdr earlier = header;
    earlier.e_shoff += static_cast<std::size_t>(i) * sizeof(header);
    headers += bytes_of(earlier);
  }
  const fs::path path = fs::temp_directory_path() / "warpgauge_many_headers";
  std::ofstream(path, std::ios::binary) << headers + last;
  EXPECT_EQ(read_cubins(path).size(), 1U);
  fs::remove(path);
}

// Far larger than memory, on disk only its end.
TEST(HostileCubins, LargeFilesOfAnotherKindAreNotRead) {
  const fs::path path = fs::temp_directory_path() / "warpgauge_no_program";
  std::ofstream(path) << "no ELF";
  fs::resize_file(path, std::uintmax_t{1} << 40);
  try {
    (void)read_cubins(path);
    ADD_FAILURE() << "was read";
  } catch (const CubinError& error) {
    EXPECT_NE(std::string(error.what()).find("has more than 64 GiB to be looked through"),
              std::string::npos);
  }
  fs::remove(path);
}

}  // namespace
}  // namespace warpgauge::machine_code
