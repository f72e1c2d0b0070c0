// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/function_notes.hpp"

#include <fmt/format.h>

#include <string>

#include "profiling/machine_code/files/bytes.hpp"
#include "profiling/machine_code/files/cuda_elf.hpp"
#include "profiling/machine_code/instructions/instruction.hpp"

namespace warpgauge::machine_code {
namespace {

constexpr const char* kInfo = ".nv.info";

// Attributes in .nv.info, and in the section of that name for each function.
constexpr std::uint8_t kMostThreadsAttribute = 0x05;
constexpr std::uint8_t kRequiredThreadsAttribute = 0x10;
constexpr std::uint8_t kStackAttribute = 0x12;
constexpr std::uint8_t kRegistersAttribute = 0x2f;
constexpr std::uint8_t kClusterAttribute = 0x3d;
constexpr std::uint8_t kBarriersAttribute = 0x4c;
constexpr std::uint8_t kMarksAttribute = 0x55;

// The mark of a spill.
constexpr std::uint32_t kSpillMark = 1;

// Calls `take` with each attribute and its bytes: as many as it says, or the two of its value.
template <class Take>
void for_each_attribute(std::string_view section, const Take& take) {
  constexpr std::uint8_t kSized = 4;
  for (Cursor cursor(section); !cursor.at_end();) {
    const auto format = cursor.take<std::uint8_t>();
    const auto attribute = cursor.take<std::uint8_t>();
    const auto size_or_value = cursor.take<std::uint16_t>();
    const bool is_sized = format == kSized;
    const std::uint64_t begin = is_sized ? cursor.offset() : cursor.offset() - sizeof size_or_value;
    const std::uint64_t size = is_sized ? size_or_value : sizeof size_or_value;
    const std::string_view bytes = part(section, begin, size);
    if (is_sized) cursor.skip(size);
    take(attribute, bytes);
  }
}

std::optional<LocalAccess> local_access_at(std::string_view code, std::uint64_t at) {
  return decode_local(read_at<std::uint64_t>(code, at), read_at<std::uint64_t>(code, at + 8));
}

}  // namespace

std::string_view function_name(const ElfImage& image, std::size_t section) {
  return image.sections()[section].name.substr(kCodePrefix.size());
}

NotedBySymbol noted_by_symbol(const ElfImage& image) {
  NotedBySymbol noted;
  const Section* info = image.find(kInfo);
  if (info == nullptr) return noted;
  for_each_attribute(info->bytes, [&](std::uint8_t attribute, std::string_view bytes) {
    if (attribute != kStackAttribute && attribute != kRegistersAttribute) return;
    auto& values = attribute == kStackAttribute ? noted.stack_bytes : noted.registers;
    values[read_at<std::uint32_t>(bytes, 0)] = read_at<std::uint32_t>(bytes, 4);
  });
  return noted;
}

std::uint64_t most_threads_of(const ElfImage& image, std::size_t section) {
  std::uint64_t most = 0;
  std::uint64_t required = 0;
  const Section* info = image.find(fmt::format("{}.{}", kInfo, function_name(image, section)));
  if (info == nullptr) return most;
  for_each_attribute(info->bytes, [&](std::uint8_t attribute, std::string_view bytes) {
    if (attribute != kMostThreadsAttribute && attribute != kRequiredThreadsAttribute) return;
    std::uint64_t threads = 1;
    for (const std::uint64_t at : {0U, 4U, 8U}) threads *= read_at<std::uint32_t>(bytes, at);
    (attribute == kRequiredThreadsAttribute ? required : most) = threads;
  });
  return required > 0 ? required : most;
}

// Compilers before CUDA 13 note them with the section.
std::uint64_t barriers_of(const ElfImage& image, std::size_t section) {
  if (!is_of_cuda_13(image.header())) return image.sections()[section].flags >> 20 & 0x7f;
  std::uint64_t count = 0;
  const Section* info = image.find(fmt::format("{}.{}", kInfo, function_name(image, section)));
  if (info == nullptr) return count;
  for_each_attribute(info->bytes, [&](std::uint8_t attribute, std::string_view bytes) {
    if (attribute == kBarriersAttribute) count = read_at<std::uint8_t>(bytes, 0);
  });
  return count;
}

std::optional<results::Extents> cluster_of(const ElfImage& image, std::size_t section) {
  std::optional<results::Extents> blocks;
  const Section* info = image.find(fmt::format("{}.{}", kInfo, function_name(image, section)));
  if (info == nullptr) return blocks;
  for_each_attribute(info->bytes, [&](std::uint8_t attribute, std::string_view bytes) {
    if (attribute != kClusterAttribute) return;
    blocks = results::Extents{read_at<std::uint32_t>(bytes, 0), read_at<std::uint32_t>(bytes, 4),
                              read_at<std::uint32_t>(bytes, 8)};
  });
  return blocks;
}

Spills spills_of(const ElfImage& image, const std::vector<std::size_t>& functions) {
  Spills spills;
  bool touches_local = false;
  bool known = is_of_cuda_13(image.header());
  for (const std::size_t function : functions) {
    const std::string_view code = image.sections()[function].bytes;
    for (std::uint64_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
      touches_local = touches_local || local_access_at(code, at).has_value();
    }
    const Section* info = image.find(fmt::format("{}.{}", kInfo, function_name(image, function)));
    if (info == nullptr) continue;
    for_each_attribute(info->bytes, [&](std::uint8_t attribute, std::string_view bytes) {
      if (attribute != kMarksAttribute) return;
      for (Cursor cursor(bytes); !cursor.at_end();) {
        const auto mark = cursor.take<std::uint32_t>();
        const auto access = local_access_at(code, cursor.take<std::uint32_t>());
        // Marks of other kinds may have other sizes, so reading cannot go on.
        if (mark != kSpillMark || !access) {
          known = false;
          return;
        }
        (access->is_store ? *spills.store_bytes : *spills.load_bytes) +=
            static_cast<std::uint64_t>(access->width_bytes);
      }
    });
  }
  if (known || !touches_local) return spills;
  return {std::nullopt, std::nullopt};
}

}  // namespace warpgauge::machine_code
