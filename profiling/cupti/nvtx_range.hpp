// SPDX-License-Identifier: Apache-2.0
// Ranges by which a profiler finds a benchmark. ncu takes a slash for the end of a range's name, so
// those of an id are escaped: ncu --nvtx --nvtx-include 'warpgauge@transpose\/padded\/257x191/' …
#pragma once

#include <nvtx3/nvtx3.hpp>

namespace warpgauge::cupti {

struct NvtxDomain {
  static constexpr const char* name = "warpgauge";
};

// Named as the benchmark's id, from construction to destruction.
using NvtxRange = nvtx3::scoped_range_in<NvtxDomain>;

}  // namespace warpgauge::cupti
