// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/image_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "profiling/machine_code/compiler_notes.hpp"
#include "profiling/machine_code/files/elf_image.hpp"
#include "profiling/machine_code/files/images.hpp"
#include "profiling/machine_code/files/input_file.hpp"
#include "profiling/machine_code/files/triton_notes.hpp"
#include "profiling/machine_code/instructions/instruction.hpp"
#include "profiling/machine_code/kernel_code.hpp"
#include "profiling/machine_code/text/ptx.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::machine_code {
namespace {

constexpr const char* kGiveImages =
    "give a cubin, a fatbin, PTX, or an object file, library or program from nvcc";

using Identity = decltype(identity(std::declval<ImageKernel>()));

class Reading {
 public:
  void read(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      if (is_new(path)) read_file(path);
      return;
    }
    for (const std::filesystem::path& each : image_files(path)) {
      if (!is_new(each)) continue;
      try {
        (void)images_of(each);
      } catch (const CubinError& broken) {
        all_.broken.emplace_back(broken.what());
      } catch (const results::FileError& broken) {
        all_.broken.emplace_back(broken.what());
      }
    }
  }

  [[nodiscard]] ImageKernels take() { return std::move(all_); }

 private:
  [[nodiscard]] bool is_new(const std::filesystem::path& path) {
    std::error_code error;
    const auto place = std::filesystem::canonical(path, error);
    return seen_.insert(error ? path : place).second;
  }

  void read_file(const std::filesystem::path& path) {
    if (images_of(path) > 0 || is_ptx(path)) return;
    throw CubinError(fmt::format("{}: holds no code for GPUs; {}", path.string(), kGiveImages));
  }

  // The compiler's text. Below folders it is left alone: caches keep it beside what became of it.
  bool is_ptx(const std::filesystem::path& path) {
    constexpr std::uint64_t kFirstBytes = std::uint64_t{64} << 10;
    const InputFile file(path);
    const std::string target =
        ptx_target(file.read(0, std::min<std::uint64_t>(file.size(), kFirstBytes)));
    if (target.empty()) return false;
    if (file.size() > kMostImageBytes) {
      throw CubinError(fmt::format("{}: is PTX of {} bytes, and at most {} MiB are read",
                                   path.string(), file.size(), kMostImageBytes >> 20U));
    }
    add_source(ImageKind::ptx, "compute_" + target, path.string(),
               [&] { return file.read(0, file.size()); });
    return true;
  }

  std::uint64_t images_of(const std::filesystem::path& path) {
    notes_ = triton_notes(path);
    return for_each_image(path, [&](const Image& image, const LoadImage& load) {
      if (image.kind == ImageKind::ptx || image.kind == ImageKind::lto_ir) {
        add_source(image.kind, architecture_name(image), image.place, load);
      } else if (image.kind == ImageKind::cubin && !is_known_architecture(image.architecture)) {
        all_.unread.insert(architecture_name(image));
      } else if (image.kind == ImageKind::cubin) {
        add_cubin(image, load());
      }
    });
  }

  // A driver or a linker makes machine code of it.
  void add_source(ImageKind kind, const std::string& architecture, const std::string& place,
                  const LoadImage& load) {
    all_.to_be_compiled.insert(architecture);
    try {
      const std::string bytes = load();
      std::vector<PtxEntry> entries;
      if (kind == ImageKind::ptx) entries = ptx_entries(bytes);
      if (entries.empty()) entries.push_back({"", hash_of_bytes(bytes)});
      for (const PtxEntry& each : entries) {
        const std::string name = each.name.empty() ? kNoKernel : each.name;
        all_.entries[{name, architecture}].insert(each.hash);
      }
    } catch (const std::runtime_error& error) {
      throw CubinError(fmt::format("{}: {}; is the file whole?", place, error.what()));
    }
  }

  void add_cubin(const Image& image, const std::string& bytes) {
    try {
      const ElfImage elf(bytes);
      const std::string variant = image.variant.empty() ? noted_variant(elf) : image.variant;
      const std::string architecture = fmt::format("sm_{}{}", image.architecture, variant);
      all_.architectures.insert(architecture);
      if (auto hash = hash_for_linker(elf)) {
        all_.entries[{kNoKernel, architecture}].insert(*std::move(hash));
      }
      for (KernelParts& each : kernel_parts(elf, variant)) {
        CodeShape shape = code_shape(each.functions, image.architecture, each.surroundings);
        each.code.accesses = shape.mix;
        std::erase_if(*each.code.accesses,
                      [](const auto& kind) { return !is_load_or_local(kind.first); });
        ImageKernel kernel{std::move(each.code), std::move(shape)};
        kernel.cluster = each.cluster;
        if (notes_ && notes_->kernel == kernel.code.name) {
          kernel.dynamic_shared_bytes = notes_->dynamic_shared_bytes;
        }
        add(std::move(kernel));
      }
    } catch (const std::runtime_error& error) {
      throw CubinError(fmt::format("{}: {}; is the file whole?", image.place, error.what()));
    }
  }

  // A template that several files instantiate gives the same code.
  void add(ImageKernel kernel) {
    const KernelKey key{kernel.code.name, kernel.code.architecture};
    std::vector<ImageKernel>& same_name = all_.kernels[key];
    const std::size_t at = place_of(kernel, key, same_name);
    if (at < same_name.size()) {
      ++same_name[at].copies;
    } else {
      same_name.push_back(std::move(kernel));
    }
  }

  // Among those of its name; behind them, if it is new.
  std::size_t place_of(const ImageKernel& kernel, const KernelKey& key,
                       const std::vector<ImageKernel>& same_name) {
    if (same_name.size() < kFewKernels) {
      const auto known = std::find(same_name.begin(), same_name.end(), kernel);
      return static_cast<std::size_t>(known - same_name.begin());
    }
    auto& places = known_[key];
    for (std::size_t i = places.size(); i < same_name.size(); ++i) {
      places.try_emplace(identity(same_name[i]), i);
    }
    return places.try_emplace(identity(kernel), same_name.size()).first->second;
  }

  // Of one name, that are looked through one by one.
  static constexpr std::size_t kFewKernels = 8;

  ImageKernels all_;
  std::set<std::filesystem::path> seen_;
  std::optional<TritonNotes> notes_;  // of the file that is read
  // Of more than a few kernels of one name: where each is among those.
  std::map<KernelKey, std::map<Identity, std::size_t>> known_;
};

}  // namespace

bool operator==(const ImageKernel& a, const ImageKernel& b) { return identity(a) == identity(b); }

std::uint64_t copies_of(const std::vector<ImageKernel>& kernels) {
  std::uint64_t copies = 0;
  for (const ImageKernel& each : kernels) copies += each.copies;
  return copies;
}

ImageKernels read_image_kernels(const std::vector<std::filesystem::path>& paths) {
  Reading reading;
  std::vector<std::string> names;
  for (const auto& path : paths) {
    reading.read(path);
    names.push_back(path.string());
  }
  ImageKernels all = reading.take();
  if (!all.architectures.empty() || !all.entries.empty()) return all;
  const std::string place = fmt::format("{}", fmt::join(names, ", "));
  if (!all.broken.empty()) {
    throw CubinError(fmt::format("{}: nothing could be read; of {} broken files the first: {}",
                                 place, all.broken.size(), all.broken.front()));
  }
  throw CubinError(fmt::format("{}: {}; {}", place,
                               why_no_machine_code(all.unread, all.to_be_compiled), kGiveImages));
}

}  // namespace warpgauge::machine_code
