// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/program_id.hpp"

namespace warpgauge::results {

std::optional<ProgramKernel> program_kernel(std::string_view id) {
  const std::size_t last = id.rfind('/');
  if (last == id.npos || last == 0) return std::nullopt;
  const std::string_view shape = id.substr(last + 1);
  const std::size_t first = id.rfind('/', last - 1);
  if (first == id.npos || shape.find(kOfThreads) == shape.npos) return std::nullopt;
  return ProgramKernel{id.substr(0, first), id.substr(first + 1, last - first - 1), shape};
}

std::string range_around(std::string_view id) {
  if (const auto kernel = program_kernel(id)) return std::string(kernel->range);
  if (id == kWholeProgram) return "";
  const std::size_t last = id.rfind('/');
  return last == id.npos ? kWholeProgram : std::string(id.substr(0, last));
}

}  // namespace warpgauge::results
