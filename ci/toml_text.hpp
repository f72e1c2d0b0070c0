// SPDX-License-Identifier: Apache-2.0
// What must hold of a text before toml++ parses it.
#pragma once

#include <optional>
#include <string_view>

#include "ci/policy.hpp"

namespace warpgauge::ci {

// Where a character that is not ASCII stands outside of strings and comments, which TOML does not
// have; nothing where there is none, and in a text that ends within a string.
//
// toml++ up to 3.3 at least asks of such a character whether it is a blank, by code that for most
// of them runs into what it declares unreachable: undefined behaviour.
[[nodiscard]] std::optional<Place> stray_character(std::string_view toml);

}  // namespace warpgauge::ci
