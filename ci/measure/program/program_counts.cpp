// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/program_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

using launches::RecordedCount;
using launches::RecordedEntry;
using results::Record;

// Of several kinds of launches that have one id, as of a kernel that was tuned, the commonest.
const RecordedEntry& commonest(const KernelSum& counted) {
  const auto rank = [](const RecordedEntry* entry) {
    return std::pair(!entry->counts.empty(), entry->total.launches);
  };
  return **std::max_element(counted.recorded.begin(), counted.recorded.end(),
                            [&](const auto* a, const auto* b) { return rank(a) < rank(b); });
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

}  // namespace

Record counters_record(const std::string& id, const KernelSum& timed, const KernelSum* counted,
                       const std::string& why_not, const EntryTerms& terms) {
  Record record;
  record.id = id;
  record.pass = results::Pass::counters;
  const bool has_counts =
      counted != nullptr && std::any_of(counted->recorded.begin(), counted->recorded.end(),
                                        [](const auto* each) { return !each->counts.empty(); });
  if (!has_counts) {
    record.not_measured["counters"] = why_without(timed, counted, why_not);
    return record;
  }
  const RecordedEntry& entry = commonest(*counted);
  record.counter_passes = static_cast<int>(entry.counts.front().record.passes);
  for (const auto& [name, values] : values_of(entry)) add_counter(name, values, terms, record);
  for (const auto& [name, reason] : entry.not_counted) {
    if (!name.empty() && !record.counters.contains(name)) record.not_measured[name] = reason;
  }
  return record;
}

}  // namespace warpgauge::ci
