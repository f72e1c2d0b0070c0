// SPDX-License-Identifier: Apache-2.0
// NVTX ranges, by which profilers find a benchmark.
#pragma once

#include <nvtx3/nvtx3.hpp>
#include <string>

#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

// A range named after the benchmark (see results::range_name), from construction to destruction.
class NvtxRange {
 public:
  explicit NvtxRange(const std::string& id)
      : name_(results::range_name(id)), range_(nvtx3::event_attributes{name_}) {}

 private:
  struct Domain {
    static constexpr const char* name = results::kRangeDomain;
  };
  // nsys starts at ranges with registered names only.
  nvtx3::registered_string_in<Domain> name_;
  nvtx3::scoped_range_in<Domain> range_;
};

}  // namespace warpgauge::cupti
