// SPDX-License-Identifier: Apache-2.0
// Patterns of benchmark ids, as policies write them: * and ? stand for any characters.
#pragma once

#include <string>
#include <vector>

namespace warpgauge::ci {

// Whether the id matches the pattern, or is that very text.
[[nodiscard]] bool matches(const std::string& pattern, const std::string& id);

[[nodiscard]] bool matches_any(const std::vector<std::string>& patterns, const std::string& id);

}  // namespace warpgauge::ci
