// SPDX-License-Identifier: Apache-2.0
// What nvcc notes beside a function's code, in `.nv.info` and in the section of that name for each
// function. Throws OutOfBytes where a note is cut short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "profiling/machine_code/files/elf_image.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::machine_code {

// A function's section is named by its place among `image.sections()`.
[[nodiscard]] std::string_view function_name(const ElfImage& image, std::size_t section);

struct NotedBySymbol {
  std::map<std::size_t, std::uint32_t> registers;
  std::map<std::size_t, std::uint32_t> stack_bytes;
};
[[nodiscard]] NotedBySymbol noted_by_symbol(const ElfImage& image);

// Those of a block as it must be launched, or at most, in x, y and z. 0: not given.
[[nodiscard]] std::uint64_t most_threads_of(const ElfImage& image, std::size_t section);

// That a block uses, as of __syncthreads().
[[nodiscard]] std::uint64_t barriers_of(const ElfImage& image, std::size_t section);

// Of __cluster_dims__.
[[nodiscard]] std::optional<results::Extents> cluster_of(const ElfImage& image,
                                                         std::size_t section);

// Both absent: unknown.
struct Spills {
  std::optional<std::uint64_t> store_bytes = 0;
  std::optional<std::uint64_t> load_bytes = 0;
};

// Of these functions together.
[[nodiscard]] Spills spills_of(const ElfImage& image, const std::vector<std::size_t>& functions);

}  // namespace warpgauge::machine_code
