// SPDX-License-Identifier: Apache-2.0
// Refuses other libraries of the program what cannot be beside counting, and says so.
#pragma once

namespace warpgauge::inject {

class Counting;

// Of all libraries that are loaded by now. The counting is never destroyed.
void hook_other_profilers(Counting& counting);

}  // namespace warpgauge::inject
