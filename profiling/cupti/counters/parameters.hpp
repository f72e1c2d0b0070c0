// SPDX-License-Identifier: Apache-2.0
// CUPTI's profiler takes its arguments in structs that say how large they are.
#pragma once

#include <cstddef>

namespace warpgauge::cupti {

// A zeroed struct of parameters. bytes: its …_STRUCT_SIZE.
template <class Parameters>
[[nodiscard]] Parameters parameters(std::size_t bytes) {
  Parameters result{};
  result.structSize = bytes;
  return result;
}

}  // namespace warpgauge::cupti

#define WARPGAUGE_CUPTI_PARAMETERS(type) \
  ::warpgauge::cupti::parameters<type##_Params>(type##_Params_STRUCT_SIZE)
