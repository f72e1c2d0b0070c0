// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/disassembly.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "ci/support/files/temporary_folder.hpp"
#include "ci/support/process/process.hpp"
#include "ci/support/text.hpp"
#include "profiling/machine_code/compiler_notes.hpp"
#include "profiling/machine_code/files/elf_image.hpp"
#include "profiling/machine_code/files/images.hpp"
#include "profiling/machine_code/instructions/instruction.hpp"
#include "profiling/machine_code/kernel_code.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;

// A large kernel takes a second.
constexpr std::chrono::seconds kMostTime{60};

// A cubin in a file of its own, and what is wanted of it, by the symbol's index.
struct CubinFile {
  fs::path path;
  std::map<std::size_t, std::pair<std::string, KernelOfHash>> kernels;  // with the symbol
};

class CubinFiles {
 public:
  CubinFiles(const std::vector<fs::path>& images, std::set<KernelOfHash> wanted)
      : wanted_(std::move(wanted)) {
    for (const fs::path& image : images) {
      if (wanted_.empty()) return;
      machine_code::for_each_image(image, [&](const auto& each, const auto& load) {
        const bool may_hold = each.kind == machine_code::ImageKind::cubin &&
                              machine_code::is_known_architecture(each.architecture);
        if (may_hold && !wanted_.empty()) add(each, load());
      });
    }
  }

  [[nodiscard]] const std::vector<CubinFile>& files() const { return files_; }

 private:
  void add(const machine_code::Image& image, const std::string& bytes) {
    CubinFile file;
    try {
      const machine_code::ElfImage elf(bytes);
      const std::string variant =
          image.variant.empty() ? machine_code::noted_variant(elf) : image.variant;
      const auto symbols = elf.symbols();
      for (const auto& each : machine_code::kernel_parts(elf, variant)) {
        const auto found =
            wanted_.find({{each.code.name, each.code.architecture}, each.code.sass_hash});
        if (found == wanted_.end()) continue;
        file.kernels[each.symbol] = {std::string(symbols.at(each.symbol).name), *found};
        wanted_.erase(found);
      }
    } catch (const std::runtime_error&) {
      return;  // below a folder broken files are left out
    }
    if (file.kernels.empty()) return;
    file.path = folder_.path() / fmt::format("{}.cubin", files_.size());
    results::write_file_atomically(file.path, bytes);
    files_.push_back(std::move(file));
  }

  TemporaryFolder folder_;
  std::set<KernelOfHash> wanted_;
  std::vector<CubinFile> files_;
};

// Empty: it succeeded.
std::string run_nvdisasm(const fs::path& nvdisasm, const CubinFile& file, Disassembly& all) {
  std::vector<std::size_t> symbols;
  for (const auto& [symbol, kernel] : file.kernels) symbols.push_back(symbol);
  ChildOptions options;
  options.program = nvdisasm;
  options.arguments = {"-c", "-g", "-fun", fmt::format("{}", fmt::join(symbols, ",")),
                       file.path.string()};
  options.output = fs::path(file.path).replace_extension(".sass");
  options.errors = fs::path(file.path).replace_extension(".errors");
  options.timeout = kMostTime;
  const ChildEnd end = run_child(options);
  if (!end.succeeded()) {
    return fmt::format(
        "{} {}: {}", nvdisasm.string(), describe(end),
        one_line(results::read_file(options.errors, results::kAnswerLimit).substr(0, 200)));
  }
  machine_code::SassFunctions functions =
      machine_code::parse_sass(results::read_file(options.output, results::kSaidLimit));
  for (const auto& [symbol, kernel] : file.kernels) {
    const auto found = functions.find(kernel.first);
    if (found != functions.end()) all.kernels[kernel.second] = std::move(found->second);
  }
  return "";
}

}  // namespace

fs::path find_nvdisasm() {
  if (fs::path found = find_program("nvdisasm"); !found.empty()) return found;
  const char* const home = std::getenv("CUDA_HOME");
  for (const fs::path& folder :
       {fs::path(home == nullptr ? "" : home), fs::path("/usr/local/cuda")}) {
    std::error_code error;
    fs::path program = folder / "bin" / "nvdisasm";
    if (!folder.empty() && fs::is_regular_file(program, error)) return program;
  }
  return {};
}

Disassembly disassemble(const std::vector<fs::path>& images,
                        const std::set<KernelOfHash>& kernels) {
  Disassembly all;
  if (kernels.empty()) return all;
  const fs::path nvdisasm = find_nvdisasm();
  if (nvdisasm.empty()) {
    all.missing = "there is no nvdisasm, which comes with the CUDA toolkit: put it into the PATH";
    return all;
  }
  const CubinFiles cubins(images, kernels);
  for (const CubinFile& each : cubins.files()) {
    if (std::string problem = run_nvdisasm(nvdisasm, each, all); !problem.empty()) {
      all.missing = std::move(problem);
    }
  }
  return all;
}

SideBySides disassemble_both(const std::vector<fs::path>& before,
                             const std::vector<fs::path>& after,
                             const std::vector<TwoVersions>& kernels) {
  std::set<KernelOfHash> wanted_before;
  std::set<KernelOfHash> wanted_after;
  for (const TwoVersions& each : kernels) {
    wanted_before.insert(each.before);
    wanted_after.insert(each.after);
  }
  const Disassembly old_text = disassemble(before, wanted_before);
  const Disassembly new_text = disassemble(after, wanted_after);
  SideBySides all;
  all.missing = old_text.missing.empty() ? new_text.missing : old_text.missing;
  for (const TwoVersions& each : kernels) {
    const auto old_code = old_text.kernels.find(each.before);
    const auto new_code = new_text.kernels.find(each.after);
    const bool both = old_code != old_text.kernels.end() && new_code != new_text.kernels.end();
    all.kernels.push_back(
        both ? std::optional(machine_code::side_by_side(old_code->second, new_code->second))
             : std::nullopt);
  }
  return all;
}

}  // namespace warpgauge::ci
