// SPDX-License-Identifier: Apache-2.0
// `extern __shared__` arrays are thread-local variables that are declared and never defined: the
// link places them at the emulator's dynamic shared memory.
#pragma once

#include <set>
#include <string>

#include "profiling/emulator/compile/child_process.hpp"

namespace warpgauge::emulator {

// The thread-local variables that the listing of `readelf --syms --wide` leaves undefined, without
// those of the standard library and of the emulator.
[[nodiscard]] std::set<std::string> undefined_shared_arrays(const std::string& listing);

// The linker's options for objects and archives.
[[nodiscard]] Command place_shared_arrays(const Command& objects,
                                          const std::filesystem::path& scratch);

}  // namespace warpgauge::emulator
