// SPDX-License-Identifier: Apache-2.0
// What somebody may have meant who wrote a name that is not there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::results {

// Fewest characters to insert, delete or replace to make `name` of `pattern`, whatever their case
// (Levenshtein's distance). In the pattern * stands for any characters and ? for any one.
[[nodiscard]] std::size_t edit_distance(std::string_view pattern, std::string_view name);

// At most `most` of `names`, the nearest to `pattern` first, equally near ones in their order.
[[nodiscard]] std::vector<std::string> nearest(std::string_view pattern,
                                               const std::vector<std::string>& names,
                                               std::size_t most);

// " (did you mean 'transpose/naive/256x192'?)", of equally near ones the first three; nothing when
// none is near enough to be a slip of the pen.
[[nodiscard]] std::string did_you_mean(std::string_view pattern,
                                       const std::vector<std::string>& names);

}  // namespace warpgauge::results
