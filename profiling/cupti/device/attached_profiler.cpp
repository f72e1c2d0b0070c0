// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/device/attached_profiler.hpp"

#include <string_view>

namespace warpgauge::cupti {
namespace {

// The variables that CUDA 13.0's tools set in the programs that they start.
constexpr const char* kSigns[][2] = {
    {"NSYS_PROFILING_SESSION_ID", "nsys"},
    {"NV_COMPUTE_PROFILER_PERFWORKS_DIR", "ncu"},
    {"NV_SANITIZER_INJECTION_PORT_BASE", "compute-sanitizer"},
    {"CUDA_INJECTION64_PATH", "a CUDA injection library"},
};

}  // namespace

std::optional<std::string> attached_profiler(const Environment& environment) {
  for (const auto& [variable, tool] : kSigns) {
    const char* value = environment(variable);
    if (value != nullptr && !std::string_view(value).empty()) return tool;
  }
  return std::nullopt;
}

}  // namespace warpgauge::cupti
