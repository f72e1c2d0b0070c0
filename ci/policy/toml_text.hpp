// SPDX-License-Identifier: Apache-2.0
// What must hold of a text before toml++ parses it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ci/policy/policy.hpp"

namespace warpgauge::ci {

// toml++ up to 3.3 at least asks of characters outside of strings and comments, and of one that a
// continued line of a string begins with, whether it is a blank; for most that are not ASCII it
// runs into what it declares unreachable: undefined behaviour. Both functions keep it from that. A
// text that has no stray character, and is TOML with `?` for what is not ASCII, is safe to parse.

// Where a character that is not ASCII stands outside of strings and comments, which TOML does not
// have, or begins a continued line of a string. May miss one in a text that is no TOML.
[[nodiscard]] std::optional<Place> stray_character(std::string_view toml);

// Where the parts of a key begin to be more than a policy has: toml++ makes a table in a table of
// each, and goes through them by recursion, until its stack ends. May miss one behind what is no
// TOML, at which the parser stops.
[[nodiscard]] std::optional<Place> key_too_deep(std::string_view toml);

// With a ? for each character that is not ASCII, so that places stay what they are; a byte order
// mark is kept.
[[nodiscard]] std::string with_ascii_only(std::string_view toml);

}  // namespace warpgauge::ci
