// SPDX-License-Identifier: Apache-2.0
// What a benchmark must not foresee: where its result is looked at, and when.
#pragma once

#include <cstdint>

namespace warpgauge {

// A random number of the system, by a system call: the suite's own code, or a library, can stand in
// for std::random_device. Throws std::system_error.
[[nodiscard]] std::uint64_t unforeseen_number();

}  // namespace warpgauge
