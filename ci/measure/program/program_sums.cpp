// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/program_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "ci/measure/program/kernel_label.hpp"
#include "ci/support/text.hpp"
#include "profiling/machine_code/names/symbol_names.hpp"
#include "profiling/results/program_id.hpp"

namespace warpgauge::ci {
namespace {

using launches::InstanceRecord;
using launches::LaunchRecord;
using launches::ProcessRecords;
using launches::RecordedEntry;
using launches::RecordedRange;
using results::KernelCode;

// The first ones bring code, data and clocks to where they stay: a tenth, at most fifty.
std::uint64_t warm_up(std::uint64_t count) {
  constexpr std::uint64_t kMost = 50;
  return count < 3 ? 0 : std::clamp<std::uint64_t>(count / 10, 1, kMost);
}

// Those of the coarsest stride alone stand for all alike.
template <class Sample>
std::vector<Sample> even(const std::vector<Sample>& samples) {
  std::uint32_t coarsest = 1;
  for (const Sample& each : samples) coarsest = std::max(coarsest, each.stride);
  std::vector<Sample> kept;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(kept),
               [&](const Sample& each) { return each.order % coarsest == 0; });
  return kept;
}

// XLA tries out what it compiles, and says so in ranges of its own.
bool is_of_compilation(std::string_view path) {
  return path.find("TSL:XlaCompile") != path.npos || path.find("TSL:XlaAutotun") != path.npos;
}

std::string shape_of(const RecordedEntry& entry) {
  if (launches::is_copy(entry.alike)) {
    return fmt::format("{}{}bytes", launches::copied_bytes(entry.alike), results::kOfThreads);
  }
  results::Extents grid;
  results::Extents block;
  std::copy_n(entry.alike.grid, 3, grid.begin());
  std::copy_n(entry.alike.block, 3, block.begin());
  return shape_text(grid, block);
}

results::KernelLaunch launch_of(const RecordedEntry& entry, const std::string& name) {
  results::KernelLaunch launch;
  launch.kernel = name;
  std::copy_n(entry.alike.grid, 3, launch.grid.begin());
  std::copy_n(entry.alike.block, 3, launch.block.begin());
  launch.dynamic_shared_bytes = entry.alike.dynamic_shared_bytes;
  launch.count = entry.total.launches;
  return launch;
}

// Ids of kernels and ranges, of all starts: which names share one is only known from all.
class Ids {
 public:
  explicit Ids(const std::vector<const ProgramStart*>& starts) {
    std::set<std::string> paths;
    for (const ProgramStart* start : starts) {
      for (const ProcessRecords& process : start->processes) {
        for (const RecordedEntry& each : process.entries) paths.insert(each.range);
        for (const RecordedRange& each : process.ranges) paths.insert(each.path);
      }
    }
    ranges_ = range_ids(paths);
    for (const ProgramStart* start : starts) {
      for (const ProcessRecords& process : start->processes) {
        for (const RecordedEntry& each : process.entries) {
          const std::string& name = names_.emplace(each.kernel, "").first->second;
          if (name.empty()) names_[each.kernel] = machine_code::demangled(each.kernel);
          sharing_[id_as_labelled(each, short_kernel_name(name))].insert(name);
        }
      }
    }
  }

  [[nodiscard]] const std::string& name(const RecordedEntry& entry) const {
    return names_.at(entry.kernel);
  }
  [[nodiscard]] const std::string& range(const std::string& path) const { return ranges_.at(path); }
  [[nodiscard]] std::string kernel(const RecordedEntry& entry) const {
    const std::string label = short_kernel_name(name(entry));
    std::string id = id_as_labelled(entry, label);
    if (sharing_.at(id).size() == 1) return id;
    return id_as_labelled(entry, told_apart(label, name(entry)));
  }

 private:
  [[nodiscard]] std::string id_as_labelled(const RecordedEntry& entry,
                                           const std::string& label) const {
    return fmt::format("{}/{}/{}", range(entry.range), label, shape_of(entry));
  }

  std::map<std::string, std::string> ranges_;             // by path
  std::map<std::string, std::string> names_;              // demangled, by symbol
  std::map<std::string, std::set<std::string>> sharing_;  // names, by id
};

// Modules may have kernels of one name, as those that Triton tries out: by the module that was
// launched, and where that is not known, by what they take.
void add_code(const RecordedEntry& entry, const ProgramStart& start, KernelSum& kernel) {
  const auto named = start.code.find(kernel.name);
  if (named == start.code.end()) return;
  const launches::ModuleRecord module{{entry.alike.code[0], entry.alike.code[1]}};
  const auto launched = start.code_of_modules.find({launches::code_file(module), kernel.name});
  const bool is_known = launched != start.code_of_modules.end();
  const std::vector<KernelCode>& of_name = is_known ? launched->second : named->second;
  std::vector<KernelCode> fitting;
  std::copy_if(of_name.begin(), of_name.end(), std::back_inserter(fitting),
               [&](const KernelCode& each) {
                 return static_cast<std::uint32_t>(each.registers) == entry.alike.registers;
               });
  for (const KernelCode& each : fitting.empty() ? of_name : fitting) {
    if (std::find(kernel.code.begin(), kernel.code.end(), each) == kernel.code.end()) {
      kernel.code.push_back(each);
    }
  }
}

void add_kernel(const RecordedEntry& entry, std::size_t process, const ProgramStart& start,
                const Ids& ids, StartSum& all) {
  (results::is_transfer(entry.kernel) ? all.transfer_ns : all.gpu_ns) += entry.total.gpu_ns;
  KernelSum& kernel = all.kernels[ids.kernel(entry)];
  kernel.range = ids.range(entry.range);
  kernel.name = ids.name(entry);
  kernel.recorded.push_back(&entry);
  std::vector<LaunchSum*> sums{&kernel.all, &kernel.by_process[process]};
  const std::int32_t rank = start.processes[process].header.rank_from_1 - 1;
  if (rank >= 0) sums.push_back(&kernel.by_rank[rank]);
  for (LaunchSum* sum : sums) {
    sum->launches += entry.total.launches;
    sum->gpu_ns += entry.total.gpu_ns;
  }
  if (!launches::is_copy(entry.alike)) {
    results::add_launch(launch_of(entry, kernel.name), kernel.alike);
  }
  for (const LaunchRecord& each : even(entry.launches)) {
    if (each.order < warm_up(entry.total.launches)) continue;
    kernel.samples_ns.push_back(static_cast<double>(each.duration_ns));
  }
  add_code(entry, start, kernel);
}

// A process that was killed leaves totals, and of the ranges that it entered last no single times:
// each took their mean. Of one alone it is not known whether it had ended.
std::vector<InstanceRecord> instances_of(const RecordedRange& recorded) {
  const launches::RangeTotal& total = recorded.total;
  if (!recorded.instances.empty() || total.instances < 2) return even(recorded.instances);
  InstanceRecord mean{};
  mean.stride = 1;
  mean.order = total.instances - 1;
  mean.launches = total.launches / total.instances;
  mean.gpu_ns = total.gpu_ns / total.instances;
  mean.busy_ns = total.busy_ns / total.instances;
  mean.span_ns = total.span_ns / total.instances;
  if (total.launches % total.instances == 0) return {mean};
  InstanceRecord more = mean;
  ++more.launches;
  return {mean, more};
}

void add_range(const RecordedRange& recorded, const Ids& ids, StartSum& all) {
  RangeSum& range = all.ranges[ids.range(recorded.path)];
  range.entered += recorded.total.instances;
  range.all.launches += recorded.total.launches;
  range.all.gpu_ns += recorded.total.gpu_ns;
  range.span_ns_of_all += recorded.total.span_ns;
  range.busy_ns_of_all += recorded.total.busy_ns;
  for (const InstanceRecord& each : instances_of(recorded)) {
    if (each.order < warm_up(recorded.total.instances)) continue;
    range.gpu_ns.push_back(static_cast<double>(each.gpu_ns));
    range.span_ns.push_back(static_cast<double>(each.span_ns));
    range.idle_ns.push_back(
        static_cast<double>(each.span_ns - std::min(each.busy_ns, each.span_ns)));
    range.launches.insert(each.launches);
  }
}

// Takes what was launched while something was compiled out of the whole.
void take_out(const RecordedEntry& compiling, RangeSum& whole) {
  whole.all.launches -= std::min(whole.all.launches, compiling.total.launches);
  whole.all.gpu_ns -= std::min(whole.all.gpu_ns, compiling.total.gpu_ns);
}

StartSum summed_up(const ProgramStart& start, const Ids& ids) {
  StartSum all;
  for (const ProcessRecords& process : start.processes) {
    for (const RecordedRange& range : process.ranges) {
      if (!is_of_compilation(range.path)) add_range(range, ids, all);
    }
  }
  for (std::size_t i = 0; i < start.processes.size(); ++i) {
    for (const RecordedEntry& entry : start.processes[i].entries) {
      const auto whole = all.ranges.find(results::kWholeProgram);
      if (!is_of_compilation(entry.range)) {
        add_kernel(entry, i, start, ids, all);
      } else if (whole != all.ranges.end()) {
        take_out(entry, whole->second);
      }
    }
  }
  return all;
}

double mean_of(const LaunchSum& sum) {
  return sum.launches == 0 ? 0
                           : static_cast<double>(sum.gpu_ns) / static_cast<double>(sum.launches);
}

}  // namespace

double StartSum::share_of(const KernelSum& kernel) const {
  const std::uint64_t all = gpu_ns + (results::is_transfer(kernel.name) ? transfer_ns : 0);
  return all == 0 ? 0 : static_cast<double>(kernel.all.gpu_ns) / static_cast<double>(all);
}

std::vector<StartSum> summed_up(const std::vector<const ProgramStart*>& starts) {
  const Ids ids(starts);
  std::vector<StartSum> all;
  all.reserve(starts.size());
  for (const ProgramStart* each : starts) all.push_back(summed_up(*each, ids));
  return all;
}

bool is_said_by_range_around(const std::vector<StartSum>& starts, const std::string& id) {
  const std::string around = results::range_around(id);
  const bool is_xla = id.substr(id.rfind('/') + 1).starts_with("TSL:");
  if (!is_xla || around == results::kWholeProgram) return false;
  return std::all_of(starts.begin(), starts.end(), [&](const StartSum& start) {
    const auto inner = start.ranges.find(id);
    const auto outer = start.ranges.find(around);
    if (outer == start.ranges.end()) return false;
    return inner == start.ranges.end() ||
           (inner->second.entered == outer->second.entered &&
            inner->second.all.launches == outer->second.all.launches);
  });
}

std::string spread_over_processes(const KernelSum& kernel) {
  using Mean = std::pair<double, std::int32_t>;
  std::vector<Mean> means;
  for (const auto& [rank, sum] : kernel.by_rank) {
    means.emplace_back(mean_of(sum), rank);
  }
  const bool has_ranks = means.size() > 1;
  if (!has_ranks) {
    means.clear();
    for (const auto& [process, sum] : kernel.by_process) {
      means.emplace_back(mean_of(sum), 0);
    }
  }
  if (means.size() < 2) return "";
  const auto [least, most] = std::minmax_element(means.begin(), means.end());
  const auto figure = [&](const Mean& mean) {
    const std::string time = readable_time(mean.first);
    return has_ranks ? fmt::format("{} (rank {})", time, mean.second) : time;
  };
  return fmt::format("over {} {} from {} to {} ({:.1f} %)", means.size(),
                     has_ranks ? "ranks" : "processes of a start", figure(*least), figure(*most),
                     least->first > 0 ? 100 * (most->first / least->first - 1) : 0);
}

namespace {

// Whether ranks that the launcher started left no records.
std::string lacking_ranks(const std::vector<ProgramStart>& starts) {
  for (const ProgramStart& start : starts) {
    std::set<std::int32_t> seen;
    std::int32_t ranks = 0;
    for (const ProcessRecords& process : start.processes) {
      ranks = std::max(ranks, process.header.ranks);
      if (process.header.rank_from_1 > 0) seen.insert(process.header.rank_from_1);
    }
    if (seen.empty() || seen.size() >= static_cast<std::size_t>(ranks)) continue;
    return fmt::format(
        "{} of {} ranks left records; the others ran on another machine, used no CUDA, or could "
        "not write: nothing of them is measured",
        seen.size(), ranks);
  }
  return "";
}

}  // namespace

std::vector<std::string> remarks_on_records(const std::vector<ProgramStart>& starts) {
  std::uint64_t folded = 0;
  std::uint64_t folded_ranges = 0;
  std::size_t cut_off = 0;
  for (const ProgramStart& start : starts) {
    for (const ProcessRecords& process : start.processes) {
      folded += process.header.counts.folded;
      folded_ranges += process.header.counts.folded_ranges;
      const bool ended = process.header.end != launches::End::none;
      if (!ended && !process.entries.empty()) ++cut_off;
    }
  }
  std::vector<std::string> remarks;
  if (std::string lacking = lacking_ranks(starts); !lacking.empty()) {
    remarks.push_back(std::move(lacking));
  }
  if (folded > 0) {
    remarks.push_back(
        fmt::format("of kernels of more kinds than {}, the rest counts with its range "
                    "alone: {}",
                    launches::kMostEntriesRecorded, counted(folded, "time")));
  }
  if (folded_ranges > 0) {
    remarks.push_back(
        fmt::format("ranges beyond the first {} were entered {}: they count with the "
                    "range around them",
                    launches::kMostRanges, counted(folded_ranges, "time")));
  }
  if (cut_off > 0) {
    remarks.push_back(
        fmt::format("how it ended was not seen {}, as where a process is killed: what "
                    "was launched last may be missing",
                    counted(cut_off, "time")));
  }
  return remarks;
}

}  // namespace warpgauge::ci
