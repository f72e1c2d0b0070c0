// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error as they may be when a program is started: closed, or full.
#pragma once

namespace warpgauge::ci {

// Of the three, those that are closed must not become the next file that is opened, a results file
// say. What is then written to standard output fails, as it should.
void occupy_standard_streams();

// Whether all that was printed has arrived.
[[nodiscard]] bool all_is_printed();

}  // namespace warpgauge::ci
