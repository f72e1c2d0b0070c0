// SPDX-License-Identifier: Apache-2.0
// The lines around a place in the source.
#pragma once

#include <string>

#include "ci/verdict/verdict.hpp"

namespace warpgauge::ci {

// With numbers, the line itself marked:
//
//      30
//   >  31  out[i] = tile[x][j];
//      32
//
// Where the file is not at hand or no longer says this there, the line alone, from the record;
// empty: nothing is known of it.
[[nodiscard]] std::string excerpt(const GateVerdict& verdict, const results::SourceLine& line);

}  // namespace warpgauge::ci
