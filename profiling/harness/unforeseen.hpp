// SPDX-License-Identifier: Apache-2.0
// What a benchmark must not predict: where and when its result is checked.
#pragma once

#include <cstdint>

namespace warpgauge {

// A random number from the operating system, by a system call: the suite's code or a library could
// replace std::random_device. Throws std::system_error.
[[nodiscard]] std::uint64_t unforeseen_number();

}  // namespace warpgauge
