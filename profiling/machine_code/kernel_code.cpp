// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/kernel_code.hpp"

#define XXH_INLINE_ALL  // so that `warpgauge` starts on machines without the library
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "profiling/machine_code/compiler_notes.hpp"
#include "profiling/machine_code/files/bytes.hpp"
#include "profiling/machine_code/files/cuda_elf.hpp"
#include "profiling/machine_code/function_notes.hpp"
#include "profiling/machine_code/instructions/code_shape.hpp"
#include "profiling/machine_code/instructions/instruction.hpp"
#include "profiling/machine_code/names/symbol_names.hpp"

namespace warpgauge::machine_code {
namespace {

using results::KernelCode;

constexpr std::string_view kConstants = ".nv.constant";
constexpr std::string_view kParameters = ".nv.constant0.";
constexpr std::string_view kSharedOfLinker = ".nv_debug.shared";

// From sm_90 on, the first part of a block's shared memory is the system's (CUDA C++ Programming
// Guide, "Shared Memory" of compute capability 9.0), and linked code counts it to the kernel's own.
constexpr int kFirstWithReservedShared = 90;
constexpr std::uint64_t kReservedSharedBytes = 1024;

class Reader {
 public:
  Reader(const ElfImage& image, const std::string& variant)
      : image_(image),
        symbols_(image.symbols()),
        architecture_(architecture_of(image.header())),
        architecture_name_(fmt::format("sm_{}{}", architecture_, variant)),
        compiler_(compiler_of(image)),
        work_left_(kLeastWork + kWorkAByte * image.size()),
        noted_(noted_by_symbol(image)) {
    const auto& sections = image.sections();
    for (std::size_t i = 0; i < sections.size(); ++i) {
      const std::string_view name = sections[i].name;
      if (name.starts_with(kConstants) && !name.starts_with(kParameters)) {
        constants_[sections[i].info].push_back(i);
      }
    }
  }

  [[nodiscard]] std::vector<KernelParts> read() {
    std::vector<KernelParts> kernels;
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      const Symbol& symbol = symbols_[i];
      if (is_kernel(symbol) && symbol.section < image_.sections().size() &&
          is_code(image_.sections()[symbol.section])) {
        kernels.push_back(kernel(i));
      }
    }
    return kernels;
  }

  [[nodiscard]] std::optional<std::string> hash_for_linker() {
    std::map<std::string, std::size_t> exported;  // sections, by name
    for (const Symbol& symbol : symbols_) {
      const bool is_exported = symbol.type == STT_FUNC && symbol.binding != STB_LOCAL &&
                               !is_kernel(symbol) && symbol.section < image_.sections().size() &&
                               is_code(image_.sections()[symbol.section]);
      if (is_exported) exported.emplace(stable(symbol.name), symbol.section);
    }
    if (exported.empty()) return std::nullopt;
    std::string text;
    std::vector<std::size_t> sections;
    for (const auto& [name, section] : exported) {
      text += name + '\n';
      sections.push_back(section);
    }
    add_code(with_callees(std::move(sections)), text);
    return hash_of(text);
  }

 private:
  // What kernels share is read once for each of them; far less than this, in bytes, but where a
  // file is made to take hours.
  static constexpr std::uint64_t kLeastWork = std::uint64_t{64} << 20;
  static constexpr std::uint64_t kWorkAByte = 64;

  void spend(std::uint64_t bytes) {
    if (bytes > work_left_) {
      throw std::runtime_error(
          "has kernels that share more code than can be read for each of them");
    }
    work_left_ -= bytes;
  }

  [[nodiscard]] KernelParts kernel(std::size_t symbol) {
    const std::size_t section = symbols_[symbol].section;
    KernelParts parts;
    KernelCode& code = parts.code;
    code.name = demangled(symbols_[symbol].name);
    spend(code.name.size());
    code.architecture = architecture_name_;
    code.compiler = compiler_;
    const std::vector<std::size_t> functions = with_callees({section});
    std::string text;
    add_code(functions, text);
    code.sass_hash = hash_of(text);
    for (const std::size_t each : functions) {
      const std::string_view bytes = image_.sections()[each].bytes;
      code.code_bytes += bytes.size();
      code.instructions += instructions_in(bytes);
      parts.functions.push_back(bytes);
    }
    parts.surroundings = surroundings_of(functions);
    parts.symbol = symbol;
    code.most_threads = most_threads_of(image_, section);
    code.barriers = barriers_of(image_, section);
    parts.cluster = cluster_of(image_, section);
    code.registers = registers(symbol);
    code.static_shared_bytes = static_shared_bytes(section) + shared_of_linker(functions);
    if (const auto found = noted_.stack_bytes.find(symbol); found != noted_.stack_bytes.end()) {
      code.stack_bytes = found->second;
    }
    const Spills spills = spills_of(image_, functions);
    code.spill_store_bytes = spills.store_bytes;
    code.spill_load_bytes = spills.load_bytes;
    return parts;
  }

  // These functions' sections, and those of every function that they call or take the address of.
  // Other functions that they call are within their own sections.
  [[nodiscard]] std::vector<std::size_t> with_callees(std::vector<std::size_t> all) {
    std::set<std::size_t> seen(all.begin(), all.end());
    const auto given = static_cast<std::ptrdiff_t>(all.size());
    for (std::size_t next = 0; next < all.size(); ++next) {
      spend(image_.sections()[all[next]].bytes.size() + function_name(image_, all[next]).size());
      for (const Relocation& relocation : image_.relocations(image_.sections()[all[next]].name)) {
        const std::size_t target = symbol_of(relocation).section;
        spend(sizeof(relocation) + symbol_of(relocation).name.size());
        if (target < image_.sections().size() && is_code(image_.sections()[target]) &&
            seen.insert(target).second) {
          all.push_back(target);
        }
      }
    }
    std::sort(all.begin() + given, all.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(std::string_view(stable(function_name(image_, a))), a) <
             std::pair(std::string_view(stable(function_name(image_, b))), b);
    });
    return all;
  }

  [[nodiscard]] const Symbol& symbol_of(const Relocation& relocation) const {
    if (relocation.symbol >= symbols_.size()) throw OutOfBytes();
    return symbols_[relocation.symbol];
  }

  // Taken apart once, however many refer to it.
  [[nodiscard]] const std::string& stable(std::string_view symbol) {
    const auto [place, is_new] = stable_.try_emplace(symbol);
    if (is_new) place->second = stable_symbol(symbol);
    return place->second;
  }

  // A function's references to itself do not count, so that its name does not matter.
  [[nodiscard]] std::string target(const Relocation& relocation, std::size_t from) {
    const Symbol& symbol = symbol_of(relocation);
    if (symbol.section == from) return fmt::format("itself at {}", symbol.value);
    if (!symbol.name.empty()) return stable(symbol.name);
    const auto& sections = image_.sections();
    return symbol.section < sections.size() ? stable(sections[symbol.section].name) : "";
  }

  // nvcc leaves zeros where the linker puts addresses, so only the targets' names must be added.
  void add_to_hash(std::size_t section, std::size_t function, std::string& text) {
    const Section& each = image_.sections()[section];
    text += fmt::format("{} bytes\n", each.bytes.size());
    text += each.bytes;
    for (const Relocation& relocation : image_.relocations(each.name)) {
      text += fmt::format("\n{} {} {} {}", relocation.place, relocation.type, relocation.addend,
                          target(relocation, function));
    }
    text += '\n';
  }

  // With the functions' constants.
  void add_code(const std::vector<std::size_t>& functions, std::string& text) {
    for (const std::size_t function : functions) {
      add_to_hash(function, function, text);
      const auto constants = constants_.find(function);
      if (constants == constants_.end()) continue;
      for (const std::size_t each : constants->second) add_to_hash(each, function, text);
    }
  }

  static std::string hash_of(const std::string& text) {
    const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

  // Without the places in the code, which move with it.
  [[nodiscard]] std::string surroundings_of(const std::vector<std::size_t>& functions) {
    std::string text;
    std::vector<std::string> targets;
    for (const std::size_t function : functions) {
      for (const Relocation& each : image_.relocations(image_.sections()[function].name)) {
        if (symbol_of(each).section == function) continue;
        targets.push_back(
            fmt::format("{} {} {}\n", each.type, each.addend, target(each, function)));
      }
      const auto constants = constants_.find(function);
      if (constants == constants_.end()) continue;
      for (const std::size_t each : constants->second) add_to_hash(each, function, text);
    }
    std::sort(targets.begin(), targets.end());
    for (const std::string& each : targets) text += each;
    return text;
  }

  static std::uint64_t instructions_in(std::string_view code) {
    std::uint64_t count = 0;
    for (std::uint64_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
      if (!is_nop(read_at<std::uint64_t>(code, at))) ++count;
    }
    return count;
  }

  [[nodiscard]] int registers(std::size_t symbol) const {
    const auto found = noted_.registers.find(symbol);
    if (found != noted_.registers.end()) return static_cast<int>(found->second);
    // Older compilers store the count with the section's symbol.
    return static_cast<int>(image_.sections()[symbols_[symbol].section].info >> 24);
  }

  [[nodiscard]] std::uint64_t static_shared_bytes(std::size_t section) const {
    const Section* shared =
        image_.find(fmt::format(".nv.shared.{}", function_name(image_, section)));
    if (shared == nullptr) return 0;
    const bool reserved =
        architecture_ >= kFirstWithReservedShared && image_.header().e_type == ET_EXEC;
    return shared->size - (reserved ? std::min(shared->size, kReservedSharedBytes) : 0);
  }

  // In relocatable code: of variables that the linker gives to the kernel, as those of templates
  // and of functions that it calls. Without what it takes to align them.
  [[nodiscard]] std::uint64_t shared_of_linker(const std::vector<std::size_t>& functions) const {
    std::map<std::size_t, std::uint64_t> variables;
    for (const std::size_t function : functions) {
      for (const Relocation& each : image_.relocations(image_.sections()[function].name)) {
        const Symbol& symbol = symbol_of(each);
        const bool is_known = symbol.section < image_.sections().size();
        if (is_known && image_.sections()[symbol.section].name == kSharedOfLinker) {
          variables[each.symbol] = symbol.size;
        }
      }
    }
    std::uint64_t bytes = 0;
    for (const auto& [variable, size] : variables) bytes += size;
    return bytes;
  }

  const ElfImage& image_;
  std::vector<Symbol> symbols_;
  int architecture_;
  std::string architecture_name_;
  std::string compiler_;
  std::uint64_t work_left_;
  std::unordered_map<std::string_view, std::string> stable_;
  NotedBySymbol noted_;
  std::map<std::size_t, std::vector<std::size_t>> constants_;  // sections, by that of the code
};

}  // namespace

std::vector<KernelParts> kernel_parts(const ElfImage& image, const std::string& variant) {
  return Reader(image, variant).read();
}

std::optional<std::string> hash_for_linker(const ElfImage& image) {
  if (image.header().e_type != ET_REL) return std::nullopt;
  return Reader(image, "").hash_for_linker();
}

KernelCode with_accesses(KernelParts kernel, int architecture) {
  if (is_known_architecture(architecture)) {
    kernel.code.accesses = access_mix(kernel.functions, architecture);
  }
  return std::move(kernel.code);
}

std::vector<KernelCode> kernel_codes(const ElfImage& image, const std::string& variant) {
  std::vector<KernelCode> codes;
  const int architecture = architecture_of(image.header());
  for (KernelParts& each : kernel_parts(image, variant)) {
    codes.push_back(with_accesses(std::move(each), architecture));
  }
  return codes;
}

}  // namespace warpgauge::machine_code
