// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/program_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>

#include "ci/measure/line_traffic.hpp"
#include "ci/measure/source.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using launches::InstructionRecord;
using launches::RecordedCount;
using launches::RecordedEntry;
using results::InstructionTraffic;
using results::Record;

// Of several kinds of launches that have one id, as of a kernel that was tuned, the commonest of
// those that were counted. nullptr: none was.
template <class Counts>
const RecordedEntry* commonest(const KernelSum* counted, Counts RecordedEntry::*counts) {
  const RecordedEntry* found = nullptr;
  if (counted == nullptr) return found;
  for (const RecordedEntry* each : counted->recorded) {
    if ((each->*counts).empty()) continue;
    if (found == nullptr || found->total.launches < each->total.launches) found = each;
  }
  return found;
}

// By counter, one a launch.
std::map<std::string, std::vector<double>> values_of(const RecordedEntry& entry) {
  const bool has_more =
      std::any_of(entry.counts.begin(), entry.counts.end(),
                  [](const RecordedCount& each) { return each.record.order > 0; });
  std::map<std::string, std::vector<double>> values;
  for (const RecordedCount& each : entry.counts) {
    if (each.record.order > 0 || !has_more) values[each.counter].push_back(each.record.value);
  }
  return values;
}

void add_counter(const std::string& name, const std::vector<double>& values,
                 const EntryTerms& terms, Record& record) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) {
    record.counters[name] = *least;
    return;
  }
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  if (!terms.is_exact || !terms.is_exact(record.id, name)) {
    record.counters[name] = mean;
    return;
  }
  record.counters[name + "_mean"] = mean;
  record.not_measured[name] =
      fmt::format("differs from launch to launch, from {} to {}: {}_mean shows their mean",
                  readable_count(*least), readable_count(*most), name);
}

std::vector<InstructionTraffic> instructions_of(const RecordedEntry& entry,
                                                const std::string& kernel) {
  std::uint32_t order = 0;
  for (const InstructionRecord& each : entry.instructions) {
    if (each.order > 0 && (order == 0 || each.order < order)) order = each.order;
  }
  std::vector<InstructionTraffic> instructions;
  for (const InstructionRecord& each : entry.instructions) {
    if (each.order != order) continue;
    InstructionTraffic& traffic = instructions.emplace_back();
    traffic.kernel = kernel;
    traffic.offset_bytes = each.offset_bytes;
    traffic.requests = each.requests;
    traffic.wavefronts = each.wavefronts;
    traffic.ideal_wavefronts = each.ideal_wavefronts;
    traffic.sectors = each.sectors;
    traffic.ideal_sectors = each.ideal_sectors;
  }
  return instructions;
}

std::string why_without(const KernelSum& timed, const KernelSum* counted,
                        const std::string& why_not) {
  if (counted != nullptr) {
    for (const RecordedEntry* each : counted->recorded) {
      const auto reason = each->not_counted.find("");
      if (reason != each->not_counted.end()) return reason->second;
    }
  }
  const bool of_graph = std::all_of(timed.recorded.begin(), timed.recorded.end(),
                                    [](const auto* each) { return each->alike.in_graph != 0; });
  if (of_graph) return "it runs in CUDA graphs, whose kernels cannot be replayed one by one";
  if (!why_not.empty()) return why_not;
  return counted == nullptr ? "the start that counts did not launch it"
                            : "its launches were no longer among those that are counted";
}

const KernelSum* find(const StartSum& start, const std::string& id) {
  const auto found = start.kernels.find(id);
  return found == start.kernels.end() ? nullptr : &found->second;
}

}  // namespace

CountedKernels::CountedKernels(const FurtherStarts& further, std::vector<StartSum> sums,
                               const EntryTerms& terms)
    : further_(further), sums_(std::move(sums)), terms_(terms), sources_(further.source_root) {}

std::vector<Record> CountedKernels::of(const std::string& id, const KernelSum& timed) {
  std::vector<Record> records;
  std::size_t next = 0;
  if (further_.counting) records.push_back(counters(id, timed, find(sums_[next++], id)));
  for (const LinesStart& each : further_.lines) {
    const StartSum& sum = sums_[next++];
    if (each.kernel == timed.name) records.push_back(lines(id, timed, find(sum, id), each));
  }
  return records;
}

Record CountedKernels::counters(const std::string& id, const KernelSum& timed,
                                const KernelSum* counted) const {
  Record record;
  record.id = id;
  record.pass = results::Pass::counters;
  const RecordedEntry* const entry = commonest(counted, &RecordedEntry::counts);
  if (entry == nullptr) {
    record.not_measured["counters"] = why_without(timed, counted, further_.counting->why_not);
    return record;
  }
  record.counter_passes = static_cast<int>(entry->counts.front().record.passes);
  for (const auto& [name, values] : values_of(*entry)) add_counter(name, values, terms_, record);
  for (const auto& [name, reason] : entry->not_counted) {
    if (!name.empty() && !record.counters.contains(name)) record.not_measured[name] = reason;
  }
  return record;
}

Record CountedKernels::lines(const std::string& id, const KernelSum& timed,
                             const KernelSum* counted, const LinesStart& start) {
  Record record;
  record.id = id;
  record.pass = results::Pass::lines;
  record.kernels = {timed.name};
  const RecordedEntry* const entry = commonest(counted, &RecordedEntry::instructions);
  if (entry == nullptr) {
    record.not_measured["source_lines"] = why_without(timed, counted, start.why_not);
  } else {
    add_lines(*entry, start, record);
  }
  return record;
}

void CountedKernels::add_lines(const RecordedEntry& entry, const LinesStart& start,
                               Record& record) {
  const launches::ModuleRecord module{{entry.alike.code[0], entry.alike.code[1]}};
  auto code = start.code.find(launches::code_file(module));
  if (code == start.code.end() && start.code.size() == 1) code = start.code.begin();
  if (code == start.code.end()) {
    record.not_measured["source_lines"] =
        start.code.empty() ? "no module that was loaded has this kernel"
                           : "several modules have a kernel of this name, and which of them is "
                             "launched is not known";
    return;
  }
  record.lines = counted_lines(instructions_of(entry, start.kernel), code->second, sources_);
  add_source_text(record.lines, further_.source_root);
  if (!record.lines.empty()) return;
  record.not_measured["source_lines"] = fmt::format(
      "the machine code of {} names no file below {}: it is a library's, or nvcc made it without "
      "-lineinfo, Triton with TRITON_DISABLE_LINE_INFO, or its source is elsewhere (--source-root)",
      start.kernel, further_.source_root.string());
}

}  // namespace warpgauge::ci
