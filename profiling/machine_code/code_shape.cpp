// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/code_shape.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <optional>

#include "profiling/machine_code/bytes.hpp"
#include "profiling/machine_code/instruction.hpp"
#include "profiling/machine_code/opcodes.hpp"

namespace warpgauge::machine_code {
namespace {

std::string in_bits(const std::string& what, int width_bytes) {
  return width_bytes > 0 ? fmt::format("{} {}", what, 8 * width_bytes) : what;
}

std::string name_of(const MemoryAccess& access) {
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
    if (const auto local = decode_local(code.low, code.high)) {
      return in_bits(local->is_store ? "store local" : "load local", local->width_bytes);
    }
    if (const auto access = decode(code.low, code.high, architecture)) return name_of(*access);
  }
  return opcode == nullptr ? "unknown" : name_of(opcode->kind);
}

}  // namespace

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
