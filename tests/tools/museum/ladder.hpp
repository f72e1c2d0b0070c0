// SPDX-License-Identifier: Apache-2.0
// What a gate in turns says of kernels that are slower for real, by as little as
// tests/museum/ladder makes them.
#pragma once

#include <string>
#include <string_view>

namespace warpgauge::ci {

// As Markdown, of what tests/museum/ladder/keep.py kept. name: of the text, for messages. command:
// what printed it. Throws Error (not measured) where the text is not such.
[[nodiscard]] std::string ladder_tables(std::string_view text, const std::string& name,
                                        const std::string& command);

}  // namespace warpgauge::ci
