// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/image_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>

#include "profiling/machine_code/elf_image.hpp"
#include "profiling/machine_code/images.hpp"
#include "profiling/machine_code/instruction.hpp"
#include "profiling/machine_code/kernel_code.hpp"
#include "profiling/machine_code/text/ptx.hpp"
#include "profiling/results/files/files.hpp"

namespace warpgauge::machine_code {
namespace {

constexpr const char* kGiveImages =
    "give a cubin, a fatbin, or an object file, library or program from nvcc";

// All that tells kernels of one name and architecture apart.
auto identity(const ImageKernel& kernel) {
  const results::KernelCode& code = kernel.code;
  return std::tuple(code.sass_hash, code.registers, code.static_shared_bytes, code.stack_bytes,
                    code.spill_store_bytes, code.spill_load_bytes, kernel.most_threads);
}
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
    if (images_of(path) > 0) return;
    throw CubinError(fmt::format("{}: holds no code for GPUs; {}", path.string(), kGiveImages));
  }

  std::uint64_t images_of(const std::filesystem::path& path) {
    return for_each_image(path, [&](const Image& image, const LoadImage& load) {
      if (image.kind == ImageKind::ptx || image.kind == ImageKind::lto_ir) {
        add_source(image, load);
      } else if (image.kind == ImageKind::cubin && !is_known_architecture(image.architecture)) {
        all_.unread.insert(architecture_name(image));
      } else if (image.kind == ImageKind::cubin) {
        add_cubin(image, load());
      }
    });
  }

  // A driver or a linker makes machine code of it.
  void add_source(const Image& image, const LoadImage& load) {
    const std::string architecture = architecture_name(image);
    all_.to_be_compiled.insert(architecture);
    try {
      const std::string bytes = load();
      std::vector<PtxEntry> entries;
      if (image.kind == ImageKind::ptx) entries = ptx_entries(bytes);
      if (entries.empty()) entries.push_back({"", hash_of_bytes(bytes)});
      for (const PtxEntry& each : entries) {
        const std::string name = each.name.empty() ? kNoKernel : each.name;
        all_.entries[{name, architecture}].insert(each.hash);
      }
    } catch (const std::runtime_error& error) {
      throw CubinError(fmt::format("{}: {}; is the file whole?", image.place, error.what()));
    }
  }

  void add_cubin(const Image& image, const std::string& bytes) {
    try {
      const ElfImage elf(bytes);
      const std::string variant = image.variant.empty() ? noted_variant(elf) : image.variant;
      all_.architectures.insert(fmt::format("sm_{}{}", image.architecture, variant));
      for (KernelParts& each : kernel_parts(elf, variant)) {
        CodeShape shape = code_shape(each.functions, image.architecture, each.surroundings);
        each.code.accesses = shape.mix;
        std::erase_if(*each.code.accesses,
                      [](const auto& kind) { return !is_load_or_local(kind.first); });
        add({std::move(each.code), std::move(shape), each.most_threads});
      }
    } catch (const std::runtime_error& error) {
      throw CubinError(fmt::format("{}: {}; is the file whole?", image.place, error.what()));
    }
  }

  // A template that several files instantiate gives the same code.
  void add(ImageKernel kernel) {
    const KernelKey key{kernel.code.name, kernel.code.architecture};
    std::vector<ImageKernel>& same_name = all_.kernels[key];
    if (same_name.size() == kFewKernels) {
      for (const ImageKernel& each : same_name) known_[key].insert(identity(each));
    }
    const bool is_known =
        same_name.size() < kFewKernels
            ? std::find(same_name.begin(), same_name.end(), kernel) != same_name.end()
            : !known_[key].insert(identity(kernel)).second;
    if (!is_known) same_name.push_back(std::move(kernel));
  }

  // Of one name, that are looked through one by one.
  static constexpr std::size_t kFewKernels = 8;

  ImageKernels all_;
  std::set<std::filesystem::path> seen_;
  std::map<KernelKey, std::set<Identity>> known_;  // of more than a few kernels of one name
};

// Leaves in each what the other lacks.
void remove_common(std::vector<ImageKernel>& before, std::vector<ImageKernel>& after) {
  std::set<Identity> of_before;
  std::set<Identity> of_after;
  for (const ImageKernel& each : before) of_before.insert(identity(each));
  for (const ImageKernel& each : after) of_after.insert(identity(each));
  std::erase_if(before, [&](const auto& each) { return of_after.contains(identity(each)); });
  std::erase_if(after, [&](const auto& each) { return of_before.contains(identity(each)); });
}

std::set<std::string> hashes(const std::vector<ImageKernel>& kernels) {
  std::set<std::string> all;
  for (const ImageKernel& each : kernels) all.insert(each.code.sass_hash);
  return all;
}

// Empty: one of them is not known.
std::set<std::string> shapes(const std::vector<ImageKernel>& kernels) {
  std::set<std::string> all;
  for (const ImageKernel& each : kernels) {
    if (each.shape.hash.empty()) return {};
    all.insert(each.shape.hash);
  }
  return all;
}

// Of what only one side has.
CodeChange compared(const std::vector<ImageKernel>& before, const std::vector<ImageKernel>& after) {
  if (before.empty() && after.empty()) return CodeChange::same;
  if (hashes(before) == hashes(after)) return CodeChange::changed;  // it takes more or less
  const std::set<std::string> known = shapes(before);
  return !known.empty() && known == shapes(after) ? CodeChange::rearranged : CodeChange::changed;
}

std::set<std::string> names_of(const KernelsByKey& kernels) {
  std::set<std::string> names;
  for (const auto& [key, all] : kernels) names.insert(key.first);
  return names;
}

std::set<std::string> without(const ImageKernels& some, const ImageKernels& others) {
  std::set<std::string> rest;
  for (const auto* images : {&some.to_be_compiled, &some.unread}) {
    for (const std::string& each : *images) {
      if (!others.to_be_compiled.contains(each) && !others.unread.contains(each)) rest.insert(each);
    }
  }
  return rest;
}

// Of architectures that one side lacks altogether that alone is said.
void compare_entries(const ImageKernels& before, const ImageKernels& after, ImageChanges& all) {
  std::set<KernelKey> keys;
  for (const auto* side : {&before.entries, &after.entries}) {
    for (const auto& [key, hashes] : *side) keys.insert(key);
  }
  for (const KernelKey& key : keys) {
    if (all.images_removed.contains(key.second) || all.images_added.contains(key.second)) continue;
    const auto old_entry = before.entries.find(key);
    const auto new_entry = after.entries.find(key);
    if (old_entry == before.entries.end()) {
      all.entries.push_back({key, CodeChange::added});
    } else if (new_entry == after.entries.end()) {
      all.entries.push_back({key, CodeChange::removed});
    } else if (old_entry->second != new_entry->second) {
      all.entries.push_back({key, CodeChange::changed});
    } else {
      ++all.same_entries;
    }
  }
}

}  // namespace

bool operator==(const ImageKernel& a, const ImageKernel& b) { return identity(a) == identity(b); }

const char* to_string(CodeChange change) {
  switch (change) {
    case CodeChange::same:
      return "same";
    case CodeChange::rearranged:
      return "rearranged";
    case CodeChange::changed:
      return "changed";
    case CodeChange::added:
      return "added";
    case CodeChange::removed:
      return "removed";
    case CodeChange::architecture_removed:
      return "architecture removed";
  }
  return "changed";
}

ImageKernels read_image_kernels(const std::vector<std::filesystem::path>& paths) {
  Reading reading;
  std::vector<std::string> names;
  for (const auto& path : paths) {
    reading.read(path);
    names.push_back(path.string());
  }
  ImageKernels all = reading.take();
  if (!all.architectures.empty()) return all;
  const std::string place = fmt::format("{}", fmt::join(names, ", "));
  if (!all.broken.empty()) {
    throw CubinError(fmt::format("{}: nothing could be read; of {} broken files the first: {}",
                                 place, all.broken.size(), all.broken.front()));
  }
  throw CubinError(fmt::format("{}: {}; {}", place,
                               why_no_machine_code(all.unread, all.to_be_compiled), kGiveImages));
}

ImageChanges changes(ImageKernels before, ImageKernels after) {
  ImageChanges all;
  all.images_removed = without(before, after);
  all.images_added = without(after, before);
  compare_entries(before, after, all);
  all.broken = std::move(before.broken);
  all.broken.insert(all.broken.end(), after.broken.begin(), after.broken.end());
  const std::set<std::string> names_after = names_of(after.kernels);
  std::set<KernelKey> keys;
  for (const auto& [key, kernels] : before.kernels) keys.insert(key);
  for (const auto& [key, kernels] : after.kernels) keys.insert(key);
  for (const KernelKey& key : keys) {
    KernelChange change{key, CodeChange::same, std::move(before.kernels[key]),
                        std::move(after.kernels[key])};
    change.several = change.before.size() > 1 || change.after.size() > 1;
    if (change.before.empty()) {
      change.change = CodeChange::added;
    } else if (!change.after.empty()) {
      remove_common(change.before, change.after);
      change.change = compared(change.before, change.after);
    } else {
      const bool is_left =
          after.architectures.contains(key.second) && !names_after.contains(key.first);
      change.change = is_left ? CodeChange::removed : CodeChange::architecture_removed;
    }
    all.kernels.push_back(std::move(change));
  }
  return all;
}

bool has_common_kernels(const ImageChanges& changes) {
  return std::any_of(changes.kernels.begin(), changes.kernels.end(), [](const auto& each) {
    return each.change == CodeChange::same || each.change == CodeChange::rearranged ||
           each.change == CodeChange::changed;
  });
}

}  // namespace warpgauge::machine_code
