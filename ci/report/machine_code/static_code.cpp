// SPDX-License-Identifier: Apache-2.0
#include "ci/report/machine_code/static_code.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "ci/support/text.hpp"
#include "profiling/machine_code/instructions/code_shape.hpp"
#include "profiling/results/json/json_writer.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::ImageKernel;
using machine_code::ImageKernels;
using results::Json;
using results::KernelCode;
using results::put;

using Row = std::array<std::string, 9>;

std::string or_unknown(const std::optional<std::uint64_t>& figure) {
  return figure ? fmt::format("{}", *figure) : "?";
}

std::string in_warps(const std::optional<KernelOccupancy>& occupancy) {
  if (!occupancy) return "-";
  return fmt::format("{}/{} of {}", occupancy->occupancy.warps, occupancy->occupancy.most_warps,
                     occupancy->block_threads);
}

Row row_of(const ImageKernel& kernel, const StaticBlocks& blocks) {
  const KernelCode& code = kernel.code;
  const auto occupancy = occupancy_of(kernel, blocks);
  return {
      code.architecture,
      fmt::format("{}", code.registers),
      fmt::format("{}/{}", or_unknown(code.spill_store_bytes), or_unknown(code.spill_load_bytes)),
      or_unknown(code.stack_bytes),
      kernel.dynamic_shared_bytes.value_or(0) == 0
          ? fmt::format("{}", code.static_shared_bytes)
          : fmt::format("{}+{}", code.static_shared_bytes, *kernel.dynamic_shared_bytes),
      fmt::format("{}", code.code_bytes),
      in_warps(occupancy),
      occupancy && !occupancy->occupancy.limit.empty() ? occupancy->occupancy.limit : "-",
      code.name};
}

std::string aligned(const std::vector<Row>& rows) {
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      // Figures to the right.
      const bool is_text = i == 0 || i == 7;
      text += is_text ? fmt::format("{:<{}}  ", row[i], widths[i])
                      : fmt::format("{:>{}}  ", row[i], widths[i]);
    }
    text += row.back() + "\n";
  }
  return text;
}

Json json_of(const ImageKernel& kernel, const StaticBlocks& blocks) {
  const KernelCode& code = kernel.code;
  Json json{{"name", code.name},
            {"architecture", code.architecture},
            {"sass_hash", code.sass_hash},
            {"registers", code.registers},
            {"static_shared_bytes", code.static_shared_bytes},
            {"code_bytes", code.code_bytes},
            {"instructions", code.instructions},
            {"mix", kernel.shape.mix}};
  put(json, "dynamic_shared_bytes", kernel.dynamic_shared_bytes);
  if (kernel.cluster) json["cluster"] = *kernel.cluster;
  put(json, "barriers", code.barriers);
  put(json, "stack_bytes", code.stack_bytes);
  put(json, "spill_store_bytes", code.spill_store_bytes);
  put(json, "spill_load_bytes", code.spill_load_bytes);
  if (const auto occupancy = occupancy_of(kernel, blocks)) {
    json["block_threads"] = occupancy->block_threads;
    json["block_from"] = occupancy->from;
    json["resident_warps"] = occupancy->occupancy.warps;
    json["most_warps"] = occupancy->occupancy.most_warps;
    if (!occupancy->occupancy.limit.empty()) json["limited_by"] = occupancy->occupancy.limit;
  }
  return json;
}

Json json_of(const std::vector<ImageKernel>& kernels, const StaticBlocks& blocks) {
  Json json = Json::array();
  for (const ImageKernel& each : kernels) json.push_back(json_of(each, blocks));
  return json;
}

// "compute_90 (143 kernels)".
std::vector<std::string> named_with_kernels(const ImageKernels& kernels) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [key, hashes] : kernels.entries) {
    if (key.first != machine_code::kNoKernel) ++counts[key.second];
  }
  std::vector<std::string> names;
  for (const std::string& each : kernels.to_be_compiled) {
    const std::size_t count = counts[each];
    names.push_back(count == 0 ? each : fmt::format("{} ({})", each, counted(count, "kernel")));
  }
  return names;
}

// What a question mark in the table stands for.
std::string named_unknown(const ImageKernels& kernels) {
  bool no_stack = false;
  bool no_spills = false;
  for (const auto& [key, all] : kernels.kernels) {
    for (const ImageKernel& each : all) {
      no_stack = no_stack || !each.code.stack_bytes;
      no_spills = no_spills || !each.code.spill_store_bytes || !each.code.spill_load_bytes;
    }
  }
  std::string text;
  if (no_stack) {
    text +=
        "Stack ?: some of this is relocatable code. What its kernels take is known for certain "
        "once it is linked: read the program or library.\n";
  }
  if (no_spills) text += "Spills ?: compilers before CUDA 13 do not say what they spilled.\n";
  return text;
}

// Where there is nothing else.
std::string named_entries(const ImageKernels& kernels) {
  std::string text = "No machine code, so nothing is known of what kernels take:\n";
  for (const auto& [key, hashes] : kernels.entries) {
    text += fmt::format("  {} {}\n", key.second, key.first);
  }
  return text;
}

}  // namespace

std::string static_table(const ImageKernels& kernels, const StaticBlocks& blocks) {
  std::vector<Row> rows{
      {"for", "registers", "spills", "stack", "shared", "code", "warps", "limited by", "kernel"}};
  for (const auto& [key, all] : kernels.kernels) {
    for (const ImageKernel& each : all) rows.push_back(row_of(each, blocks));
  }
  std::string text;
  if (rows.size() > 1) {
    text = aligned(rows);
    text += fmt::format(
        "\n{} for {}. Spills: bytes stored and loaded; warps: resident and "
        "possible, of blocks of so many threads.\n",
        counted(rows.size() - 1, "kernel"), fmt::join(kernels.architectures, ", "));
    text += named_unknown(kernels);
  } else if (!kernels.architectures.empty()) {
    text = fmt::format("No kernel in the machine code for {}, only functions that kernels call.\n",
                       fmt::join(kernels.architectures, ", "));
  } else {
    text = named_entries(kernels);
  }
  if (!kernels.to_be_compiled.empty()) {
    text += fmt::format("Compiled only where it runs, or by the linker: {}.\n",
                        fmt::join(named_with_kernels(kernels), ", "));
  }
  if (!kernels.unread.empty()) {
    text += fmt::format("Not read, since their instructions are not known here: {}.\n",
                        fmt::join(kernels.unread, ", "));
  }
  return text + named_broken(kernels.broken);
}

Json static_json(const ImageKernels& kernels, const StaticBlocks& blocks) {
  Json json{{"kernels", Json::array()},
            {"architectures", kernels.architectures},
            {"to_be_compiled", kernels.to_be_compiled},
            {"entries", Json::array()},
            {"unread", kernels.unread},
            {"broken", kernels.broken}};
  for (const auto& [key, all] : kernels.kernels) {
    for (const ImageKernel& each : all) json["kernels"].push_back(json_of(each, blocks));
  }
  for (const auto& [key, hashes] : kernels.entries) {
    json["entries"].push_back(
        {{"name", key.first}, {"architecture", key.second}, {"ptx_hashes", hashes}});
  }
  return json;
}

Json static_changes_json(const machine_code::ImageChanges& changes, const StaticBlocks& blocks,
                         const std::vector<StaticFinding>& worse) {
  Json json{{"changes", Json::array()},
            {"same", 0},
            {"worse", Json::array()},
            {"entries", Json::array()},
            {"images_removed", changes.images_removed},
            {"images_added", changes.images_added},
            {"unknown_spills", unknown_spills(changes)},
            {"broken", changes.broken}};
  std::size_t same = 0;
  for (const machine_code::KernelChange& each : changes.kernels) {
    if (each.change == machine_code::CodeChange::same && each.name_before.empty()) {
      ++same;
      continue;
    }
    Json& change = json["changes"].emplace_back(Json{{"name", each.key.first},
                                                     {"architecture", each.key.second},
                                                     {"change", to_string(each.change)},
                                                     {"before", json_of(each.before, blocks)},
                                                     {"after", json_of(each.after, blocks)}});
    if (!each.name_before.empty()) change["name_before"] = each.name_before;
  }
  json["same"] = same;
  for (const machine_code::EntryChange& each : changes.entries) {
    json["entries"].push_back({{"name", each.key.first},
                               {"architecture", each.key.second},
                               {"change", to_string(each.change)}});
  }
  for (const StaticFinding& each : worse) {
    Json& finding = json["worse"].emplace_back(
        Json{{"name", each.key.first}, {"architecture", each.key.second}, {"what", each.what}});
    if (!each.line.empty()) finding["line"] = each.line;
  }
  return json;
}

std::string named_broken(const std::vector<std::string>& broken) {
  std::string text;
  for (const std::string& each : broken) text += fmt::format("Not read: {}\n", each);
  return text;
}

}  // namespace warpgauge::ci
