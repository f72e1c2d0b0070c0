// SPDX-License-Identifier: Apache-2.0
// CUPTI's profiler takes its arguments in structs that contain their own size.
#pragma once

#include <cstddef>

namespace warpgauge::cupti {

// Returns a zeroed parameter struct. bytes: its …_STRUCT_SIZE.
template <class Parameters>
[[nodiscard]] Parameters parameters(std::size_t bytes) {
  Parameters result{};
  result.structSize = bytes;
  return result;
}

}  // namespace warpgauge::cupti

#define WARPGAUGE_CUPTI_PARAMETERS(type) \
  ::warpgauge::cupti::parameters<type##_Params>(type##_Params_STRUCT_SIZE)
