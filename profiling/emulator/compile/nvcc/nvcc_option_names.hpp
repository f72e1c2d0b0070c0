// SPDX-License-Identifier: Apache-2.0
// The names of nvcc's options, without dashes, that change nothing on the emulator.
#pragma once

#include <set>
#include <string_view>

namespace warpgauge::emulator {

using OptionNames = std::set<std::string_view>;

// Of device code only, with a value behind them or after "=".
extern const OptionNames kValuesOfTheDevice;

// The same, without a value.
extern const OptionNames kFlagsOfTheDevice;

// Machine code and PTX, which the emulator has not.
extern const OptionNames kOutputsOfTheDevice;

// CUDA libraries that are part of the emulator, or that a program names without need. What a
// program calls of another one the linker names as undefined.
extern const OptionNames kLibrariesOfCuda;

}  // namespace warpgauge::emulator
