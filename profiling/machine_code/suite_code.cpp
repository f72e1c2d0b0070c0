// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/suite_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "profiling/machine_code/instructions/code_shape.hpp"
#include "profiling/machine_code/resource_metrics.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::Architecture;
using machine_code::Instruction;
using machine_code::MemoryAccess;
using machine_code::Operation;
using results::Access;
using results::Compiled;
using results::SourceLine;

using FileLine = std::pair<std::string, int>;  // file and line
using Found = std::map<FileLine, std::vector<MemoryAccess>>;

bool is_generic(Operation operation) {
  return operation == Operation::generic_load || operation == Operation::generic_store ||
         operation == Operation::generic_atomic;
}

// The instructions that an access in the source may become.
bool may_be(Access access, Operation operation) {
  switch (access) {
    case Access::shared_load:
      return operation == Operation::shared_load || operation == Operation::matrix_load ||
             operation == Operation::generic_load;
    case Access::shared_store:
      return operation == Operation::shared_store || operation == Operation::matrix_store ||
             operation == Operation::async_copy || operation == Operation::generic_store;
    case Access::shared_atomic:
      return operation == Operation::shared_atomic || operation == Operation::shared_count ||
             operation == Operation::shared_exchange || operation == Operation::generic_atomic;
    case Access::global_load:
      return operation == Operation::global_load || operation == Operation::async_copy ||
             operation == Operation::generic_load;
    case Access::global_store:
      return operation == Operation::global_store || operation == Operation::generic_store;
    case Access::global_atomic:
      return operation == Operation::global_atomic || operation == Operation::generic_atomic;
  }
  return false;
}

std::string name_of(const MemoryAccess& access) {
  return opcode_of(access) + (is_generic(access.operation) ? " (generic)" : "");
}

// The widest first.
std::string names_of(const std::vector<MemoryAccess>& accesses) {
  std::map<std::pair<int, std::string>, int> counts;
  for (const MemoryAccess& each : accesses) ++counts[{-each.width_bytes, name_of(each)}];
  std::vector<std::string> names;
  names.reserve(counts.size());
  for (const auto& [key, count] : counts) {
    names.push_back(fmt::format("{} × {}", count, key.second));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// The file that the compiler knew under this path; absent when no file matches.
std::optional<std::string> file_of(const std::string& path, const std::set<std::string>& files) {
  for (const std::string& file : files) {
    if (path == file || path.ends_with("/" + file)) return file;
  }
  return std::nullopt;
}

std::optional<FileLine> place_of(const Instruction& instruction,
                                 const std::set<std::string>& files) {
  for (const machine_code::Place& each : instruction.places) {
    if (auto file = file_of(each.file, files)) return FileLine(std::move(*file), each.line);
  }
  return std::nullopt;
}

// How many accesses of each width a line has, by its columns.
using Written = std::map<int, std::size_t>;

// Unrolled loops and inlined calls compile a line several times, which gives multiples of the
// accesses in the source.
Compiled judge(const Written& written, const std::vector<MemoryAccess>& found) {
  if (found.empty()) return Compiled::absent;
  Written left;
  for (const MemoryAccess& each : found) {
    if (is_generic(each.operation) || each.operation == Operation::shared_count) {
      return Compiled::different;
    }
    // An unknown width counts as the source's width.
    ++left[each.width_bytes == 0 ? written.begin()->first : each.width_bytes];
  }
  if (left.rbegin()->first > written.rbegin()->first) return Compiled::merged;
  for (const auto& [width, count] : left) {
    if (!written.contains(width)) return Compiled::different;
  }
  for (const auto& [width, count] : written) {
    const std::size_t there = left.contains(width) ? left.at(width) : 0;
    if (there < count || there % count != 0) return Compiled::fewer;
  }
  return Compiled::confirmed;
}

// For atomics that the hardware lacks, nvcc makes a load and a loop around compare-and-swap.
bool is_loop(const std::vector<MemoryAccess>& all) {
  const auto has = [&](Operation wanted) {
    return std::any_of(all.begin(), all.end(),
                       [&](const MemoryAccess& each) { return each.operation == wanted; });
  };
  return has(Operation::shared_exchange) && has(Operation::shared_load);
}

}  // namespace

MachineCode::MachineCode(std::vector<machine_code::Cubin> cubins,
                         const std::string& compute_capability)
    : gpu_(machine_code::gpu_number(compute_capability)), compute_capability_(compute_capability) {
  bool runs_any = false;
  for (const machine_code::Cubin& each : cubins) {
    if (compute_capability.empty()) gpu_ = std::max(gpu_.value_or(0), each.architecture);
    runs_any = runs_any || runs(machine_code::architecture_of(each.architecture, each.variant));
  }
  if (!runs_any && !compute_capability.empty()) gpu_.reset();
  std::map<std::string, Accesses> functions;
  for (machine_code::Cubin& cubin : cubins) {
    const Architecture architecture =
        machine_code::architecture_of(cubin.architecture, cubin.variant);
    for (results::KernelCode& code : cubin.kernels) {
      auto& same_name = codes_[code.name][architecture];
      // A template that several files instantiate gives the same code.
      if (std::find(same_name.begin(), same_name.end(), code) == same_name.end()) {
        same_name.push_back(std::move(code));
      }
    }
    if (runs(architecture)) take_accesses(cubin, functions);
  }
  for (auto& [name, accesses] : functions) {
    std::move(accesses.instructions.begin(), accesses.instructions.end(),
              std::back_inserter(functions_));
  }
}

bool MachineCode::runs(const Architecture& architecture) const {
  return gpu_ && runs_on(architecture, *gpu_);
}

const MachineCode::ByArchitecture::value_type* MachineCode::best_of(
    const ByArchitecture& codes) const {
  const auto best = std::find_if(codes.rbegin(), codes.rend(),
                                 [&](const auto& each) { return runs(each.first); });
  return best == codes.rend() ? nullptr : &*best;
}

// Of a name in several files the first kernel counts, and every function.
void MachineCode::take_accesses(machine_code::Cubin& cubin,
                                std::map<std::string, Accesses>& functions) {
  const Architecture architecture =
      machine_code::architecture_of(cubin.architecture, cubin.variant);
  for (machine_code::Function& function : cubin.functions) {
    if (function.is_kernel) {
      const auto accesses = std::make_shared<const Accesses>(
          Accesses{architecture, std::move(function.accesses), std::move(function.local_accesses),
                   std::move(function.first)});
      versions_.try_emplace({function.name, function.sass_hash}, accesses);
      auto& known = kernels_[function.name];
      if (!known || known->architecture < architecture) known = accesses;
      continue;
    }
    const auto [place, is_new] = functions.try_emplace(function.name);
    Accesses& known = place->second;
    if (is_new || known.architecture < architecture) {
      known = {architecture, std::move(function.accesses), std::move(function.local_accesses),
               std::move(function.first)};
    } else if (known.architecture == architecture) {
      std::move(function.accesses.begin(), function.accesses.end(),
                std::back_inserter(known.instructions));
    }
  }
}

MachineCode MachineCode::read(const std::vector<std::filesystem::path>& paths,
                              const std::string& compute_capability) {
  std::vector<machine_code::Cubin> cubins;
  for (const auto& path : paths) {
    auto some = machine_code::read_cubins(path);
    std::move(some.begin(), some.end(), std::back_inserter(cubins));
  }
  return MachineCode(std::move(cubins), compute_capability);
}

void MachineCode::add_kernels(results::Record& record) const {
  std::string& reason = record.not_measured["machine_code"];
  std::vector<results::KernelCode> codes;
  std::vector<results::KernelCode> that_count;
  if (!gpu_) {
    reason = fmt::format(
        "holds no machine code for a GPU of compute capability {}: the driver compiles it when it "
        "loads",
        compute_capability_);
    return;
  }
  if (record.kernels.empty()) {
    reason = "which kernels ran was not observed";
    return;
  }
  for (const std::string& name : record.kernels) {
    const auto found = codes_.find(name);
    const auto* const best = found == codes_.end() ? nullptr : best_of(found->second);
    if (best == nullptr) {
      reason = fmt::format("there is none of {}", name);
      return;
    }
    for (const auto& [architecture, same_name] : found->second) {
      if (same_name.size() > 1) {
        reason = fmt::format("several files have a kernel {}, and not the same", name);
        return;
      }
      codes.push_back(same_name.front());
      if (architecture == best->first) that_count.push_back(same_name.front());
    }
  }
  record.not_measured.erase("machine_code");
  record.machine_code = std::move(codes);
  for (const auto& [metric, figure] : resource_metrics(that_count)) {
    record.counters[metric] = figure;
  }
}

void MachineCode::annotate(results::Record& record) const {
  std::set<std::string> files;
  std::map<std::tuple<std::string, int, Access>, std::set<std::pair<int, int>>> places_in_line;
  for (const SourceLine& line : record.lines) {
    files.insert(line.file);
    places_in_line[{line.file, line.line, line.access}].insert({line.column, line.width_bytes});
  }

  Found found;
  const auto look_at = [&](const Instructions& instructions) {
    for (const Instruction& each : instructions) {
      if (const auto place = place_of(each, files)) found[*place].push_back(each.access);
    }
  };
  bool all_there = !record.kernels.empty();
  for (const std::string& name : record.kernels) {
    const auto kernel = kernels_.find(name);
    if (kernel == kernels_.end()) {
      all_there = false;
    } else {
      look_at(kernel->second->instructions);
    }
  }
  if (!all_there) return;
  look_at(functions_);

  for (SourceLine& line : record.lines) {
    Written written;
    for (const auto& [column, width] : places_in_line[{line.file, line.line, line.access}]) {
      ++written[width];
    }
    const std::vector<MemoryAccess>& all = found[{line.file, line.line}];
    std::vector<MemoryAccess> of_kind;
    std::copy_if(all.begin(), all.end(), std::back_inserter(of_kind),
                 [&](const MemoryAccess& each) { return may_be(line.access, each.operation); });
    line.instructions = names_of(of_kind);
    line.compiled = judge(written, of_kind);
    if (line.access == Access::shared_atomic && is_loop(all) &&
        !places_in_line.contains({line.file, line.line, Access::shared_load})) {
      line.compiled = Compiled::different;
    }
  }
}

const std::vector<Instruction>* MachineCode::accesses_of(const std::string& kernel) const {
  const auto found = kernels_.find(kernel);
  if (found == kernels_.end()) return nullptr;
  const auto code = codes_.find(kernel);
  if (code == codes_.end()) return nullptr;
  const auto* const best = best_of(code->second);
  const bool is_one = best != nullptr && best->second.size() == 1;
  return is_one ? &found->second->instructions : nullptr;
}

std::vector<MachineCode::AccessPlaces> MachineCode::places_of(const std::string& kernel) const {
  if (accesses_of(kernel) == nullptr) return {};
  return places_of(*kernels_.at(kernel));
}

std::vector<MachineCode::AccessPlaces> MachineCode::places_of(
    const results::KernelCode& code) const {
  const auto found = versions_.find({code.name, code.sass_hash});
  return found == versions_.end() ? places_of(code.name) : places_of(*found->second);
}

std::vector<MachineCode::AccessPlaces> MachineCode::places_of(const Accesses& known) {
  std::vector<AccessPlaces> all;
  for (const Instruction& each : known.instructions) {
    std::string kind = machine_code::kind_of(each.access);
    if (machine_code::is_load_or_local(kind)) all.push_back({std::move(kind), each.places});
  }
  for (const machine_code::LocalInstruction& each : known.local) {
    all.push_back({machine_code::kind_of(each.access), each.places});
  }
  if (!known.first.empty()) all.push_back({machine_code::kFirstInstruction, known.first});
  return all;
}

std::set<std::string> MachineCode::kernels() const {
  std::set<std::string> names;
  for (const auto& [name, accesses] : kernels_) {
    if (accesses_of(name) != nullptr) names.insert(name);
  }
  return names;
}

std::string opcode_of(const MemoryAccess& access) {
  // Assemblers give the width in bits.
  const std::string name = to_string(access.operation);
  return access.width_bytes > 0 ? fmt::format("{}.{}", name, 8 * access.width_bytes) : name;
}

std::string describe_compiled(const SourceLine& line) {
  if (line.compiled == Compiled::unknown) return "";
  const std::string tag = to_string(line.compiled);
  return line.instructions.empty() ? tag : fmt::format("{}: {}", tag, line.instructions);
}

}  // namespace warpgauge::ci
