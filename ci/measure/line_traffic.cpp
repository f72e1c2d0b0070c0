// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/line_traffic.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "profiling/machine_code/instructions/code_shape.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::Instruction;
using machine_code::Operation;
using results::Access;
using results::InstructionTraffic;
using results::SourceLine;

using Key = std::tuple<std::string, int, std::string, Access, int>;

// What the instruction is an access of. One that may go to either memory went where something was
// moved.
std::vector<Access> accesses(Operation operation, const InstructionTraffic& traffic) {
  const bool shared = traffic.wavefronts > 0;
  switch (operation) {
    case Operation::shared_load:
    case Operation::matrix_load:
      return {Access::shared_load};
    case Operation::shared_store:
    case Operation::matrix_store:
      return {Access::shared_store};
    case Operation::shared_atomic:
    case Operation::shared_count:
    case Operation::shared_exchange:
      return {Access::shared_atomic};
    case Operation::async_copy:
      return {Access::global_load, Access::shared_store};
    case Operation::global_load:
      return {Access::global_load};
    case Operation::global_store:
      return {Access::global_store};
    case Operation::global_atomic:
      return {Access::global_atomic};
    case Operation::generic_load:
      return {shared ? Access::shared_load : Access::global_load};
    case Operation::generic_store:
      return {shared ? Access::shared_store : Access::global_store};
    case Operation::generic_atomic:
      return {shared ? Access::shared_atomic : Access::global_atomic};
  }
  return {};
}

std::optional<std::pair<std::string, int>> first_in(
    SourceTree& tree, const std::vector<machine_code::Place>& places) {
  for (const machine_code::Place& place : places) {
    if (auto file = tree.find(place.file)) return std::pair(std::move(*file), place.line);
  }
  return std::nullopt;
}

std::optional<std::pair<std::string, int>> place_of(const Instruction& instruction,
                                                    SourceTree& tree) {
  return first_in(tree, instruction.places);
}

const Instruction* at_offset(const std::vector<Instruction>& instructions, std::uint64_t offset) {
  const auto found = std::lower_bound(
      instructions.begin(), instructions.end(), offset,
      [](const Instruction& each, std::uint64_t wanted) { return each.offset_bytes < wanted; });
  return found != instructions.end() && found->offset_bytes == offset ? &*found : nullptr;
}

void add(SourceLine& line, InstructionTraffic traffic, const std::string& opcode) {
  line.requests += traffic.requests;
  if (is_shared(line.access)) {
    traffic.sectors = traffic.ideal_sectors = 0;
  } else {
    traffic.wavefronts = traffic.ideal_wavefronts = 0;
  }
  line.wavefronts += traffic.wavefronts;
  line.ideal_wavefronts += traffic.ideal_wavefronts;
  line.sectors += traffic.sectors;
  line.ideal_sectors += traffic.ideal_sectors;
  traffic.kernel.clear();
  traffic.opcode = opcode;
  line.by_instruction.push_back(std::move(traffic));
}

}  // namespace

std::vector<SourceLine> counted_lines(const std::vector<InstructionTraffic>& instructions,
                                      const MachineCode& machine_code, SourceTree& tree) {
  std::map<Key, SourceLine> lines;
  for (const InstructionTraffic& traffic : instructions) {
    const auto* const code = machine_code.accesses_of(traffic.kernel);
    if (code == nullptr || traffic.requests == 0) continue;
    const Instruction* const instruction = at_offset(*code, traffic.offset_bytes);
    if (instruction == nullptr) continue;
    const auto place = place_of(*instruction, tree);
    if (!place) continue;
    const auto& [file, number] = *place;
    const int width = instruction->access.width_bytes;
    for (const Access access : accesses(instruction->access.operation, traffic)) {
      SourceLine& line = lines[Key(file, number, traffic.kernel, access, width)];
      line.file = file;
      line.line = number;
      line.function = traffic.kernel;
      line.access = access;
      line.width_bytes = width;
      add(line, traffic, opcode_of(instruction->access));
    }
  }
  std::vector<SourceLine> sorted;
  sorted.reserve(lines.size());
  for (auto& [key, line] : lines) sorted.push_back(std::move(line));
  return sorted;
}

std::set<std::string> kernels_with_lines(const MachineCode& machine_code, SourceTree& tree) {
  std::set<std::string> kernels = machine_code.kernels();
  std::erase_if(kernels, [&](const std::string& kernel) {
    const auto& code = *machine_code.accesses_of(kernel);
    return std::none_of(code.begin(), code.end(),
                        [&](const Instruction& each) { return place_of(each, tree).has_value(); });
  });
  return kernels;
}

void add_places(const MachineCode& machine_code, SourceTree& tree,
                std::vector<results::KernelCode>& codes) {
  for (results::KernelCode& code : codes) {
    std::set<results::CodePlace> places;
    for (const auto& [kind, compiled] : machine_code.places_of(code)) {
      const bool known = kind == machine_code::kFirstInstruction ||
                         (code.accesses && code.accesses->contains(kind));
      if (!known) continue;
      if (auto place = first_in(tree, compiled)) {
        places.insert({kind, std::move(place->first), place->second, ""});
      }
    }
    code.places.assign(places.begin(), places.end());
  }
}

}  // namespace warpgauge::ci
