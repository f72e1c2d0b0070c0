// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/image_kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "profiling/machine_code/elf_image.hpp"
#include "profiling/machine_code/images.hpp"
#include "profiling/machine_code/instruction.hpp"
#include "profiling/machine_code/kernel_code.hpp"

namespace warpgauge::machine_code {
namespace {

void add(std::vector<ImageKernel>& all, ImageKernel kernel) {
  // A template that several files instantiate gives the same code.
  if (std::find(all.begin(), all.end(), kernel) == all.end()) all.push_back(std::move(kernel));
}

void add_cubin(const Image& image, const std::string& bytes, ImageKernels& all) {
  try {
    const ElfImage elf(bytes);
    const std::string variant = image.variant.empty() ? noted_variant(elf) : image.variant;
    all.architectures.insert(fmt::format("sm_{}{}", image.architecture, variant));
    for (KernelParts& each : kernel_parts(elf, variant)) {
      CodeShape shape = code_shape(each.functions, image.architecture);
      const KernelKey key{each.code.name, each.code.architecture};
      add(all.kernels[key], {std::move(each.code), std::move(shape), each.most_threads});
    }
  } catch (const std::runtime_error& error) {
    throw CubinError(fmt::format("{}: {}; is the file whole?", image.place, error.what()));
  }
}

std::set<std::string> hashes(const std::vector<ImageKernel>& kernels) {
  std::set<std::string> all;
  for (const ImageKernel& each : kernels) all.insert(each.code.sass_hash);
  return all;
}

// Absent: one of them is not known.
std::set<std::string> shapes(const std::vector<ImageKernel>& kernels) {
  std::set<std::string> all;
  for (const ImageKernel& each : kernels) {
    if (each.shape.hash.empty()) return {};
    all.insert(each.shape.hash);
  }
  return all;
}

CodeChange compared(const std::vector<ImageKernel>& before, const std::vector<ImageKernel>& after) {
  if (hashes(before) == hashes(after)) return CodeChange::same;
  const std::set<std::string> known = shapes(before);
  return !known.empty() && known == shapes(after) ? CodeChange::rearranged : CodeChange::changed;
}

}  // namespace

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
  ImageKernels all;
  for (const auto& path : paths) {
    bool has_code = false;
    for_each_image(path, [&](const Image& image, const LoadImage& load) {
      has_code = true;
      if (image.kind != ImageKind::cubin) {
        all.to_be_compiled.insert(architecture_name(image));
      } else if (!is_known_architecture(image.architecture)) {
        all.unread.insert(architecture_name(image));
      } else {
        add_cubin(image, load(), all);
      }
    });
    if (!has_code) {
      throw CubinError(
          fmt::format("{}: holds no code for GPUs; give a cubin, a fatbin, or an "
                      "object file, library or program from nvcc",
                      path.string()));
    }
  }
  return all;
}

std::vector<KernelChange> changes(const ImageKernels& before, const ImageKernels& after) {
  std::set<KernelKey> keys;
  for (const auto& [key, kernels] : before.kernels) keys.insert(key);
  for (const auto& [key, kernels] : after.kernels) keys.insert(key);
  std::vector<KernelChange> all;
  for (const KernelKey& key : keys) {
    KernelChange change{key, CodeChange::same, {}, {}};
    if (const auto found = before.kernels.find(key); found != before.kernels.end()) {
      change.before = found->second;
    }
    if (const auto found = after.kernels.find(key); found != after.kernels.end()) {
      change.after = found->second;
    }
    if (change.before.empty()) {
      change.change = CodeChange::added;
    } else if (!change.after.empty()) {
      change.change = compared(change.before, change.after);
    } else {
      change.change = after.architectures.contains(key.second) ? CodeChange::removed
                                                               : CodeChange::architecture_removed;
    }
    all.push_back(std::move(change));
  }
  return all;
}

}  // namespace warpgauge::machine_code
