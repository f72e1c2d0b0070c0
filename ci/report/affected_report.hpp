// SPDX-License-Identifier: Apache-2.0
// What a change can have touched, as text and as JSON.
#pragma once

#include <string>

#include "ci/verdict/identity/affected.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {

[[nodiscard]] std::string affected_text(const Affected& affected);
[[nodiscard]] results::Json affected_json(const Affected& affected);

}  // namespace warpgauge::ci
