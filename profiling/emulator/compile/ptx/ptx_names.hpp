// SPDX-License-Identifier: Apache-2.0
// What the types, special registers and instructions of PTX are in C++.
#pragma once

#include <string>

namespace warpgauge::emulator {

// "u32" → "unsigned"; nullptr: no type.
[[nodiscard]] const char* ptx_type(const std::string& suffix);

// "%laneid" → a call; nullptr: unknown.
[[nodiscard]] const char* ptx_register(const std::string& name);

// What an instruction does, by its name without modifiers; $0 is the target, T its type. nullptr:
// unknown.
[[nodiscard]] const char* ptx_pattern(const std::string& name);

// "lt" → "<"; nullptr: unknown.
[[nodiscard]] const char* ptx_relation(const std::string& name);

// "f16" → the name of a MatrixElement; nullptr: unknown.
[[nodiscard]] const char* ptx_element(const std::string& suffix);

// "add" → "atomicAdd"; nullptr: unknown.
[[nodiscard]] const char* ptx_atomic(const std::string& operation);

}  // namespace warpgauge::emulator
