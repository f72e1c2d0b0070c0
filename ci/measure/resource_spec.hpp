// SPDX-License-Identifier: Apache-2.0
// The GPUs of a machine as CTest gives them to tests: its resource specification, version 1.0.
#pragma once

#include <string>

#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {

// Each GPU one slot of the type `gpus`, so that no two tests have it at a time. Its id is the UUID
// in the letters that CTest allows, gpu_8e7e… for GPU-8e7e…; ci/scripts/with_gpu.sh turns it back.
// `answer` is warpgauge_doctor's. Throws Error (not measured) where it names no GPU, or parts of
// one (MIG), of which CUDA does not see all.
[[nodiscard]] std::string resource_spec(const results::Json& answer);

}  // namespace warpgauge::ci
