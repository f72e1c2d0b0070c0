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
#include "profiling/machine_code/files/elf_image.hpp"
#include "profiling/machine_code/names/mangled_size.hpp"
#include "profiling/machine_code/names/symbol_names.hpp"

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

std::string complaint_of_cubin(const std::string& bytes) {
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
  EXPECT_EQ(complaint_of_cubin(cubin.text()), "it: has sections that overlap");
}

TEST(HostileCubins, WhoseNamesOverlapAreRefused) {
  CubinText cubin;
  const std::string names = ".text." + std::string(60'000, 'f') + std::string(1, '\0');
  cubin.add_section(0, SHT_STRTAB, cubin.add_bytes(names), names.size());
  for (int i = 0; i < 60'000; ++i) cubin.add_section(0, SHT_PROGBITS, 0, 0);
  EXPECT_EQ(complaint_of_cubin(cubin.text()), "it: has names that overlap");
}

TEST(HostileCubins, WithANameThatNobodyReadsAreRefused) {
  CubinText cubin;
  const std::string names = ".text." + std::string(1 << 20, 'f') + std::string(1, '\0');
  cubin.add_section(0, SHT_STRTAB, cubin.add_bytes(names), names.size());
  EXPECT_EQ(complaint_of_cubin(cubin.text()),
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
  EXPECT_EQ(complaint_of_cubin(cubin.text()),
            "it: has kernels that share more code than can be read for each of them");
}

// Each would be tried to be read by the runtime's own parser, once an identifier.
TEST(HostileCubins, NamesOfAMegabyteStayAsTheyAre) {
  std::string symbol = "_Z";
  while (symbol.size() < (1U << 20)) symbol += "12_GLOBAL__N__3";
  EXPECT_EQ(demangled(symbol), symbol);
  (void)demangled(symbol.substr(0, 60'000));  // ends, in less than minutes
}

// Each part names the one before it twice, so that it becomes twice as long.
TEST(HostileCubins, NamesOfAFewBytesThatWouldBecomeGigabytesStayAsTheyAre) {
  std::string by_template = "_Z1f1a1bIS_S_E";
  std::string by_pair = "_Z1fSt4pairIiiE";
  std::string by_parameter = "_Z1fIiEvT_St4pairIS0_S0_E";
  for (int i = 0; i < 34; ++i) {
    const auto digit = [](int number) {
      return std::string(1, static_cast<char>(number < 10 ? '0' + number : 'A' + number - 10));
    };
    const std::string last = digit(i);
    const std::string next = digit(i + 2);
    by_template += "S0_IS" + last + "_S" + last + "_E";
    by_pair += "S_IS" + last + "_S" + last + "_E";
    by_parameter += "S1_IS" + next + "_S" + next + "_E";
  }
  for (const std::string& each : {by_template, by_pair, by_parameter}) {
    EXPECT_EQ(demangled(each), each);
  }
}

TEST(HostileCubins, NamesThatReferToThemselvesOftenAreRead) {
  EXPECT_EQ(demangled("_Z1fSt4pairIiiES0_S0_S0_S0_S0_S0_S0_S0_S0_"),
            "f(std::pair<int, int>, std::pair<int, int>, std::pair<int, int>, std::pair<int, int>, "
            "std::pair<int, int>, std::pair<int, int>, std::pair<int, int>, std::pair<int, int>, "
            "std::pair<int, int>, std::pair<int, int>)");
  EXPECT_EQ(demangled("_ZGTtNKSt9exception4whatEv"),
            "transaction clone for std::exception::what() const");
}

// Never fewer bytes than the runtime writes, and not many more.
TEST(MangledSizes, AreThoseOfTheText) {
  const char* const symbols[] = {"_Z5plainv",
                                 "_ZN4warp5scaleILi4EEEvPfPKfmRA3_i",
                                 "_Z1fIJidfEEvDpT_",
                                 "_Z1fIiEDTplT_T_ES0_",
                                 "_ZZ1fvENKUliE_clEi",
                                 "_ZNSt6vectorIiSaIiEEC1ERKS1_",
                                 "_Z1fM1aKFviE",
                                 "_ZN1aplERKS_",
                                 "_ZN12_GLOBAL__N_1L6hiddenEi",
                                 "_Z1fILb1ELin5EXadL_Z1gvEEEvv",
                                 "_ZTIDn",
                                 "_Z1fDv4_fDF16_",
                                 "_Z1fIiEvNSt9enable_ifIXsr3std7is_sameIT_iEE5valueEiE4typeE",
                                 "_ZN1aB3tagcvT_IiEEv",
                                 "_Z1fIXgtsZT_Li2EEJiiiEEvv",
                                 "_Z1fPFvPDoFvvEE",
                                 "_Z1fIN1bUt0_EEvT_",
                                 "_Z1fv.constprop.0"};
  for (const char* symbol : symbols) {
    const std::string text = demangle(symbol).value_or("");
    const auto longest = longest_demangled(symbol, false);
    ASSERT_TRUE(longest.has_value()) << symbol;
    EXPECT_GE(*longest, text.size()) << symbol << " " << text;
    EXPECT_LT(*longest, 2'000U) << symbol;
  }
  for (const char* symbol : {"", "f", "_Z", "_Z9f", "_ZN", "_Z1fS_", "_Z1fDF", "_ZL", "_Z1fKP",
                             "_Z1fIX", "_Z1fIXad", "_Z1fIXfl", "_Z1fIL", "_Z1fA", "_ZUlE", "_ZQ"}) {
    EXPECT_FALSE(longest_demangled(symbol, false).has_value()) << symbol;
  }
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
