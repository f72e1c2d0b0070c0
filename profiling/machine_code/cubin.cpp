// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/cubin.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "profiling/machine_code/compiler_notes.hpp"
#include "profiling/machine_code/files/bytes.hpp"
#include "profiling/machine_code/files/cuda_elf.hpp"
#include "profiling/machine_code/files/elf_image.hpp"
#include "profiling/machine_code/kernel_code.hpp"
#include "profiling/machine_code/names/symbol_names.hpp"

namespace warpgauge::machine_code {
namespace {

constexpr std::string_view kLines = ".debug_line";

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

// Of all functions of a cubin: what calls of calls and long paths would make of a small file.
constexpr std::size_t kMostBytesOfPlaces = std::size_t{1} << 29;

std::size_t bytes_of(const std::vector<Place>& places) {
  std::size_t bytes = 0;
  for (const Place& each : places) bytes += sizeof(each) + each.file.size();
  return bytes;
}

Function function_in(const ElfImage& image, std::size_t section, int architecture,
                     const LineTable& lines, std::size_t& bytes_of_places) {
  const std::string_view code = image.sections()[section].bytes;
  Function function;
  function.symbol = image.sections()[section].name.substr(kCodePrefix.size());
  function.name = demangled(function.symbol);
  bytes_of_places += function.name.size();
  function.code_bytes = code.size();
  for (std::uint64_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
    const auto low = read_at<std::uint64_t>(code, at);
    const auto high = read_at<std::uint64_t>(code, at + 8);
    if (function.first.empty()) {
      function.first = lines.places(section, at);
      bytes_of_places += bytes_of(function.first);
    }
    if (const auto access = decode(low, high, architecture)) {
      function.accesses.push_back({at, *access, lines.places(section, at)});
      bytes_of_places += bytes_of(function.accesses.back().places);
    } else if (const auto local = decode_local(low, high); local && !never_runs(low)) {
      function.local_accesses.push_back({*local, lines.places(section, at)});
      bytes_of_places += bytes_of(function.local_accesses.back().places);
    }
    if (bytes_of_places > kMostBytesOfPlaces) {
      throw std::runtime_error("has more source lines than are read of a cubin");
    }
  }
  return function;
}

Cubin cubin_in(const ElfImage& image, const std::string& variant) {
  if (image.header().e_machine != kCudaMachine) {
    throw std::runtime_error("is machine code, but not for NVIDIA GPUs");
  }
  Cubin cubin;
  cubin.architecture = architecture_of(image.header());
  if (!is_known_architecture(cubin.architecture)) {
    throw std::runtime_error(
        fmt::format("is for sm_{}, whose instructions are not known here; compile for sm_70 to "
                    "sm_121",
                    cubin.architecture));
  }
  cubin.variant = variant.empty() ? noted_variant(image) : variant;
  const std::vector<Symbol> symbols = image.symbols();
  const LineTable lines = line_table_of(image, symbols);
  std::map<std::size_t, std::size_t> function_of;  // by section
  std::size_t bytes_of_places = 0;
  for (std::size_t i = 0; i < image.sections().size(); ++i) {
    const Section& section = image.sections()[i];
    if (!is_code(section)) continue;
    function_of[i] = cubin.functions.size();
    cubin.functions.push_back(function_in(image, i, cubin.architecture, lines, bytes_of_places));
  }
  for (const Symbol& symbol : symbols) {
    const auto found = function_of.find(symbol.section);
    if (found == function_of.end() || symbol.type != STT_FUNC) continue;
    Function& function = cubin.functions[found->second];
    if (symbol.name == function.symbol) function.is_kernel = is_kernel(symbol);
  }
  for (KernelParts& each : kernel_parts(image, cubin.variant)) {
    cubin.functions[function_of.at(symbols[each.symbol].section)].sass_hash = each.code.sass_hash;
    cubin.kernels.push_back(with_accesses(std::move(each), cubin.architecture));
  }
  return cubin;
}

[[noreturn]] void complain(const std::string& name, const std::string& what) {
  throw CubinError(
      fmt::format("{}: {}; give a cubin, a fatbin, or an object file, library or "
                  "program from nvcc (with -lineinfo for source lines)",
                  name, what));
}

// Whether there is a cubin that can be read, and if not, why.
class Found {
 public:
  void add(const Image& image) {
    if (image.kind == ImageKind::cubin) {
      unknown_.insert(architecture_name(image));
    } else if (image.kind == ImageKind::ptx || image.kind == ImageKind::lto_ir) {
      to_be_compiled_.insert(architecture_name(image));
    }
  }

  [[nodiscard]] std::string why_none() const {
    return why_no_machine_code(unknown_, to_be_compiled_);
  }

 private:
  std::set<std::string> unknown_;
  std::set<std::string> to_be_compiled_;
};

}  // namespace

Cubin parse_cubin(std::string_view bytes, const std::string& name, const std::string& variant) {
  try {
    return cubin_in(ElfImage(bytes), variant);
  } catch (const std::runtime_error& error) {
    complain(name, error.what());
  }
}

std::vector<Cubin> read_cubins(const std::filesystem::path& path) {
  std::vector<Cubin> cubins;
  Found others;
  for_each_image(path, [&](const Image& image, const LoadImage& load) {
    if (image.kind != ImageKind::cubin || !is_known_architecture(image.architecture)) {
      others.add(image);
    } else {
      cubins.push_back(parse_cubin(load(), image.place, image.variant));
    }
  });
  if (cubins.empty()) complain(path.string(), others.why_none());
  return cubins;
}

}  // namespace warpgauge::machine_code
