// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/instructions/code_shape.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>

#include "profiling/machine_code/files/bytes.hpp"
#include "profiling/machine_code/instructions/instruction.hpp"
#include "profiling/machine_code/instructions/opcodes.hpp"

namespace warpgauge::machine_code {
namespace {

std::string in_bits(const std::string& what, int width_bytes) {
  return width_bytes > 0 ? fmt::format("{} {}", what, 8 * width_bytes) : what;
}

const char* name_of(OpcodeKind kind) {
  switch (kind) {
    case OpcodeKind::memory:
      return "texture and surface";
    case OpcodeKind::constant_load:
      return "load constant";
    case OpcodeKind::multiply_add:
      return "multiply-add";
    case OpcodeKind::floating:
      return "floating point";
    case OpcodeKind::tensor:
      return "tensor";
    case OpcodeKind::integer:
      return "integer";
    case OpcodeKind::conversion:
      return "conversion";
    case OpcodeKind::barrier:
      return "barrier";
    case OpcodeKind::branch:
      return "branch";
    case OpcodeKind::other:
      return "other";
  }
  return "other";
}

std::string kind_of(Halves code, const Opcode* opcode, int architecture) {
  if (is_known_architecture(architecture)) {
    if (const auto local = decode_local(code.low, code.high)) return kind_of(*local);
    if (const auto access = decode(code.low, code.high, architecture)) return kind_of(*access);
  }
  return opcode == nullptr ? "unknown" : name_of(opcode->kind);
}

// What a lane loads from, and what copies to shared memory.
constexpr std::string_view kLoads[] = {"load global ", "load shared ", "load generic ",
                                       "copy to shared "};
constexpr std::string_view kLocal[] = {"load local", "store local"};

using Widths = std::map<int, std::int64_t>;  // by bits: so many more than before

Widths more_of_each_width(const InstructionMix& before, const InstructionMix& after,
                          std::string_view kind) {
  Widths widths;
  const auto add = [&](const InstructionMix& mix, std::int64_t sign) {
    for (const auto& [name, count] : mix) {
      if (name.starts_with(kind)) {
        widths[std::atoi(name.c_str() + kind.size())] += sign * static_cast<std::int64_t>(count);
      }
    }
  };
  add(after, 1);
  add(before, -1);
  return widths;
}

std::uint64_t narrower_ones(const Widths& widths) {
  std::int64_t count = 0;
  std::int64_t more_narrower = 0;
  for (const auto& [width, more] : widths) {
    if (more < 0 && more_narrower >= -more) count -= more;
    more_narrower += more;
  }
  return static_cast<std::uint64_t>(count);
}

}  // namespace

std::string kind_of(const MemoryAccess& access) {
  const int width = access.width_bytes;
  switch (access.operation) {
    case Operation::shared_load:
      return in_bits("load shared", width);
    case Operation::shared_store:
      return in_bits("store shared", width);
    case Operation::shared_atomic:
    case Operation::shared_count:
    case Operation::shared_exchange:
      return "atomic shared";
    case Operation::matrix_load:
      return "load matrix";
    case Operation::matrix_store:
      return "store matrix";
    case Operation::async_copy:
      return in_bits("copy to shared", width);
    case Operation::global_load:
      return in_bits("load global", width);
    case Operation::global_store:
      return in_bits("store global", width);
    case Operation::global_atomic:
      return "atomic global";
    case Operation::generic_load:
      return in_bits("load generic", width);
    case Operation::generic_store:
      return in_bits("store generic", width);
    case Operation::generic_atomic:
      return "atomic generic";
  }
  return "other";
}

std::string kind_of(const LocalAccess& access) {
  return in_bits(access.is_store ? "store local" : "load local", access.width_bytes);
}

bool is_load_or_local(std::string_view kind) {
  const auto begins = [&](std::string_view beginning) { return kind.starts_with(beginning); };
  return std::any_of(std::begin(kLoads), std::end(kLoads), begins) ||
         std::any_of(std::begin(kLocal), std::end(kLocal), begins);
}

InstructionMix access_mix(const std::vector<std::string_view>& functions, int architecture) {
  InstructionMix mix;
  for (const std::string_view code : functions) {
    for (std::uint64_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
      const Halves halves{read_at<std::uint64_t>(code, at), read_at<std::uint64_t>(code, at + 8)};
      if (never_runs(halves.low)) continue;
      const std::string kind = kind_of(halves, nullptr, architecture);
      if (is_load_or_local(kind)) ++mix[kind];
    }
  }
  return mix;
}

std::uint64_t local_accesses(const InstructionMix& mix) {
  std::uint64_t count = 0;
  for (const auto& [name, number] : mix) {
    const bool local =
        std::any_of(std::begin(kLocal), std::end(kLocal),
                    [&name = name](std::string_view each) { return name.starts_with(each); });
    count += local ? number : 0;
  }
  return count;
}

std::optional<NarrowerLoads> narrower_loads(const InstructionMix& before,
                                            const InstructionMix& after) {
  NarrowerLoads found;
  for (const std::string_view kind : kLoads) {
    const Widths widths = more_of_each_width(before, after, kind);
    const std::uint64_t count = narrower_ones(widths);
    if (count == 0) continue;
    found.count += count;
    for (auto each = widths.rbegin(); each != widths.rend(); ++each) {
      if (each->second != 0) found.kinds.push_back(fmt::format("{}{}", kind, each->first));
    }
  }
  if (found.count == 0) return std::nullopt;
  return found;
}

CodeShape code_shape(const std::vector<std::string_view>& functions, int architecture,
                     std::string_view surroundings) {
  CodeShape shape;
  std::vector<Halves> all;
  bool all_known = true;
  for (const std::string_view code : functions) {
    for (std::uint64_t at = 0; at + kInstructionBytes <= code.size(); at += kInstructionBytes) {
      const Halves halves{read_at<std::uint64_t>(code, at), read_at<std::uint64_t>(code, at + 8)};
      if (is_nop(halves.low) || never_runs(halves.low)) continue;
      const Opcode* const opcode = find_opcode(halves.low, architecture);
      ++shape.mix[kind_of(halves, opcode, architecture)];
      all_known = all_known && opcode != nullptr;
      if (all_known) all.push_back(without_names(halves, *opcode));
    }
  }
  if (!all_known) return shape;
  std::sort(all.begin(), all.end());
  std::string text(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Halves));
  text += surroundings;
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  shape.hash = fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  return shape;
}

}  // namespace warpgauge::machine_code
