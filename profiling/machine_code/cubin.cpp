// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/cubin.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "profiling/machine_code/bytes.hpp"
#include "profiling/machine_code/cuda_elf.hpp"
#include "profiling/machine_code/elf_image.hpp"
#include "profiling/machine_code/kernel_code.hpp"
#include "profiling/machine_code/symbol_names.hpp"
#include "profiling/results/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::machine_code {
namespace {

constexpr std::string_view kLines = ".debug_line";
constexpr const char* kFatBinary = ".nv_fatbin";

// The addresses that relocations put into .debug_line.
std::map<std::uint64_t, LineTable::Address> addresses_in_lines(const ElfImage& image,
                                                               const std::vector<Symbol>& symbols) {
  std::map<std::uint64_t, LineTable::Address> addresses;
  for (const Relocation& relocation : image.relocations(kLines)) {
    if (relocation.symbol >= symbols.size()) throw OutOfBytes();
    const Symbol& symbol = symbols[relocation.symbol];
    addresses[relocation.place] = {symbol.section,
                                   symbol.value + static_cast<std::uint64_t>(relocation.addend)};
  }
  return addresses;
}

LineTable line_table_of(const ElfImage& image, const std::vector<Symbol>& symbols) {
  const Section* section = image.find(kLines);
  return section == nullptr ? LineTable()
                            : LineTable(section->bytes, addresses_in_lines(image, symbols));
}

Function function_in(const ElfImage& image, std::size_t section, int architecture,
                     const LineTable& lines) {
  const std::string_view code = image.sections()[section].bytes;
  Function function;
  function.symbol = image.sections()[section].name.substr(kCodePrefix.size());
  function.name = demangled(function.symbol);
  function.code_bytes = code.size();
  for (std::uint64_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
    const auto access = decode(read_at<std::uint64_t>(code, at),
                               read_at<std::uint64_t>(code, at + 8), architecture);
    if (access) function.accesses.push_back({at, *access, lines.places(section, at)});
  }
  return function;
}

Cubin cubin_in(const ElfImage& image) {
  if (image.header().e_machine != kCudaMachine) {
    throw std::runtime_error("is machine code, but not for NVIDIA GPUs");
  }
  Cubin cubin;
  cubin.architecture = architecture_of(image.header());
  if (!is_known_architecture(cubin.architecture)) {
    throw std::runtime_error(
        fmt::format("is for sm_{}, whose instructions are not known here; compile for sm_75 to "
                    "sm_121",
                    cubin.architecture));
  }
  const std::vector<Symbol> symbols = image.symbols();
  const LineTable lines = line_table_of(image, symbols);
  std::map<std::size_t, std::size_t> function_of;  // by section
  for (std::size_t i = 0; i < image.sections().size(); ++i) {
    const Section& section = image.sections()[i];
    if (!is_code(section)) continue;
    function_of[i] = cubin.functions.size();
    cubin.functions.push_back(function_in(image, i, cubin.architecture, lines));
  }
  for (const Symbol& symbol : symbols) {
    const auto found = function_of.find(symbol.section);
    if (found == function_of.end() || symbol.type != STT_FUNC) continue;
    Function& function = cubin.functions[found->second];
    if (symbol.name == function.symbol) function.is_kernel = is_kernel(symbol);
  }
  cubin.kernels = kernel_codes(image);
  return cubin;
}

[[noreturn]] void complain(const std::string& name, const std::string& what) {
  throw CubinError(fmt::format(
      "{}: {}; give a cubin (nvcc -cubin -lineinfo), or a program or object file that nvcc "
      "made with -lineinfo --no-compress",
      name, what));
}

// Finds the cubins within a program by their ELF headers, because the container around them is not
// documented. Each header gives its cubin's size.
std::vector<Cubin> cubins_within(std::string_view bytes, const std::string& name) {
  constexpr std::string_view kMagic(ELFMAG, SELFMAG);
  std::vector<Cubin> cubins;
  for (std::size_t at = bytes.find(kMagic); at != bytes.npos; at = bytes.find(kMagic, at + 1)) {
    const std::string_view rest = bytes.substr(at);
    if (rest.size() < sizeof(Elf64_Ehdr) ||
        read_at<Elf64_Ehdr>(rest, 0).e_machine != kCudaMachine) {
      continue;
    }
    cubins.push_back(parse_cubin(rest, fmt::format("{}, cubin {}", name, cubins.size() + 1)));
  }
  if (cubins.empty()) complain(name, "holds no machine code for GPUs that is not compressed");
  return cubins;
}

}  // namespace

Cubin parse_cubin(std::string_view bytes, const std::string& name) {
  try {
    return cubin_in(ElfImage(bytes));
  } catch (const std::runtime_error& error) {
    complain(name, error.what());
  }
}

std::vector<Cubin> read_cubins(const std::filesystem::path& path) {
  const std::string name = path.string();
  const std::string bytes = results::read_file(path, results::kProgramLimit);
  try {
    const ElfImage image(bytes);
    if (image.header().e_machine != kCudaMachine) {
      const Section* fat = image.find(kFatBinary);
      if (fat == nullptr) complain(name, "holds no machine code for GPUs");
      return cubins_within(fat->bytes, name);
    }
  } catch (const CubinError&) {
    throw;
  } catch (const std::runtime_error& error) {
    complain(name, error.what());
  }
  return {parse_cubin(bytes, name)};
}

}  // namespace warpgauge::machine_code
