// SPDX-License-Identifier: Apache-2.0
// The lines around a place in the source.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// With line numbers; the line itself is marked:
//
//      30
//   >  31  out[i] = tile[x][j];
//      32
//
// If the file is missing or its line has changed, only the recorded text of the line; empty if that
// is unknown, too.
[[nodiscard]] std::string excerpt(const GateVerdict& verdict, const results::SourceLine& line);

}  // namespace warpgauge::ci
