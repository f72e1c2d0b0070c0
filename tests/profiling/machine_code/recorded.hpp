// SPDX-License-Identifier: Apache-2.0
// What compilers made, and what NVIDIA's tools say of it.
#pragma once

#include <string>

namespace warpgauge::machine_code {

inline const std::string kRecorded =
    std::string(TEST_SOURCE_ROOT) + "/tests/profiling/machine_code/recorded/";

}  // namespace warpgauge::machine_code
