// SPDX-License-Identifier: Apache-2.0
// Patterns of benchmark ids, as policies write them: * stands for any characters, ? for one, a set
// such as [0-9] or [!a] for one of it, and \ takes the next as it is.
#pragma once

#include <string>
#include <vector>

namespace warpgauge::ci {

// Whether the id matches the pattern, or is that very text.
[[nodiscard]] bool matches(const std::string& pattern, const std::string& id);

[[nodiscard]] bool matches_any(const std::vector<std::string>& patterns, const std::string& id);

}  // namespace warpgauge::ci
