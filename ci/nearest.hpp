// SPDX-License-Identifier: Apache-2.0
// What somebody may have meant who wrote a name that is not there.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::ci {

// The candidate with the fewest single-character edits from `pattern`, in which * and ? stand for
// any characters; nothing when none is near enough to be a slip of the pen. Among equals the first.
[[nodiscard]] std::optional<std::string> nearest(std::string_view pattern,
                                                 const std::vector<std::string>& candidates);

// " (did you mean 'transpose/naive/256x192'?)", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view pattern,
                                       const std::vector<std::string>& candidates);

}  // namespace warpgauge::ci
