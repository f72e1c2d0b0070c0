// SPDX-License-Identifier: Apache-2.0
// What someone may have meant who misspelt a name.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::cupti {

// Fewest characters to insert, delete or replace to make one of the other, whatever their case
// (Levenshtein's distance).
[[nodiscard]] std::size_t edit_distance(std::string_view one, std::string_view other);

// At most `most` of `names`, the nearest to `name` first, equally near ones in their order.
[[nodiscard]] std::vector<std::string> nearest(std::string_view name,
                                               const std::vector<std::string>& names,
                                               std::size_t most);

}  // namespace warpgauge::cupti
