// SPDX-License-Identifier: Apache-2.0
// Copies and memsets: which calls make them, and what CUPTI records of them as launches.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "profiling/cupti/inject/cupti_functions.hpp"
#include "profiling/results/launches/aggregation.hpp"

namespace warpgauge::inject {

// Calls of the driver and the runtime that copy or set memory, or make nodes of graphs that do.
// They have many variants, other ones in each CUPTI, so they are found by their names.
class CopyCalls {
 public:
  // From now on CUPTI records what they do, and tells of the calls. False: it refuses to.
  [[nodiscard]] bool begin(const CuptiFunctions& cupti, CUpti_SubscriberHandle subscriber);
  [[nodiscard]] bool contain(CUpti_CallbackDomain domain, CUpti_CallbackId id) const {
    const std::vector<bool>& known = domain == CUPTI_CB_DOMAIN_DRIVER_API ? driver_ : runtime_;
    return id < known.size() && known[id];
  }

 private:
  std::vector<bool> driver_;  // by id
  std::vector<bool> runtime_;
};

struct Copy {
  launches::Launch launch;  // without the instance of its range
  std::uint32_t call = 0;   // its number
};

// Nothing: the record is of something else, or of a copy that has not ended.
[[nodiscard]] std::optional<Copy> copy_of(const CUpti_Activity& record);

}  // namespace warpgauge::inject
