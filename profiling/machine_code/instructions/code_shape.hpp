// SPDX-License-Identifier: Apache-2.0
// A kernel's machine code in outline: how many instructions of each kind, and a hash that does not
// depend on registers, order and addresses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/machine_code/instructions/instruction.hpp"

namespace warpgauge::machine_code {

// By kind: "load global 128", "multiply-add", "barrier", "unknown".
using InstructionMix = std::map<std::string, std::uint64_t>;

struct CodeShape {
  InstructionMix mix;  // without padding and what never runs
  // The same for code with the same instructions, each as often, the same constants and the same
  // references, but for the names of registers, their order and addresses. Empty: there is an
  // opcode that is not known.
  std::string hash;
};

// functions: the code of a kernel and of what it calls. surroundings: the constants and the names
// that the code refers to, which are no part of it.
[[nodiscard]] CodeShape code_shape(const std::vector<std::string_view>& functions, int architecture,
                                   std::string_view surroundings = {});

// Of such code the loads, by width: from shared, global and generic memory, and copies to shared
// memory; and all accesses to local memory, which is a thread's own.
[[nodiscard]] InstructionMix access_mix(const std::vector<std::string_view>& functions,
                                        int architecture);
[[nodiscard]] bool is_load_or_local(std::string_view kind);

// "load global 128", "load local 32".
[[nodiscard]] std::string kind_of(const MemoryAccess& access);
[[nodiscard]] std::string kind_of(const LocalAccess& access);

// Instead of a kind of access: that of the place where a kernel's code begins in the source.
inline constexpr const char* kFirstInstruction = "first instruction";

// 0: there are none of this kind.
[[nodiscard]] inline std::uint64_t count_in(const InstructionMix& mix, const std::string& kind) {
  const auto found = mix.find(kind);
  return found == mix.end() ? 0 : found->second;
}

[[nodiscard]] std::uint64_t local_accesses(const InstructionMix& mix);

// Loads of one kind of memory that became narrower: there are fewer of one width, and at least as
// many more of narrower ones. So neither fewer loads nor a narrow one beside the wide ones count.
struct NarrowerLoads {
  std::uint64_t count = 0;         // of the wider ones that are gone
  std::vector<std::string> kinds;  // whose number changed, the widest first
};
// Absent: none became narrower.
[[nodiscard]] std::optional<NarrowerLoads> narrower_loads(const InstructionMix& before,
                                                          const InstructionMix& after);

}  // namespace warpgauge::machine_code
