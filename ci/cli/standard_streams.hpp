// SPDX-License-Identifier: Apache-2.0
// Standard input, output and error, which may be closed or full when a program starts.
#pragma once

namespace warpgauge::ci {

// Occupies closed streams, so that they do not become the next file that is opened, such as a
// results file. Writing to a closed standard output then fails, as it should.
void occupy_standard_streams();

// Whether everything that was printed has arrived.
[[nodiscard]] bool all_is_printed();

}  // namespace warpgauge::ci
