// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/program_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ci/measure/program/kernel_label.hpp"
#include "ci/support/text.hpp"
#include "profiling/machine_code/symbol_names.hpp"
#include "profiling/results/program_id.hpp"
#include "profiling/results/trimmed_mean.hpp"

namespace warpgauge::ci {
namespace {

using launches::InstanceRecord;
using launches::LaunchRecord;
using launches::ProcessRecords;
using launches::RecordedEntry;
using launches::RecordedRange;
using results::KernelCode;
using results::Observation;
using results::Record;

constexpr double kTrimmed = 0.25;
constexpr std::size_t kMostSamplesKept = 400;  // of a process, in results
constexpr std::size_t kMostNamed = 5;

// Of one start.
struct Kernel {
  std::string range;  // id
  std::vector<double> samples_ns;
  std::uint64_t launches = 0;
  std::uint64_t gpu_ns = 0;
  std::set<std::string> names;
  std::vector<results::KernelLaunch> alike;
  std::vector<KernelCode> code;
};

struct Range {
  std::vector<double> gpu_ns;  // of each time that it was entered
  std::vector<double> span_ns;
  std::vector<double> idle_ns;
  std::set<std::uint64_t> launches;  // each number of launches that an entering made
  std::uint64_t total_launches = 0;
  std::uint64_t total_gpu_ns = 0;
  std::uint64_t total_span_ns = 0;
  std::uint64_t total_busy_ns = 0;
};

struct Start {
  std::map<std::string, Kernel> kernels;
  std::map<std::string, Range> ranges;
  std::uint64_t gpu_ns = 0;
};

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

void add_kernel(const RecordedEntry& entry, const ProgramStart& start, Start& all) {
  all.gpu_ns += entry.total.gpu_ns;
  const std::string name = machine_code::demangled(entry.kernel);
  results::KernelLaunch launch;
  launch.kernel = name;
  std::copy_n(entry.alike.grid, 3, launch.grid.begin());
  std::copy_n(entry.alike.block, 3, launch.block.begin());
  launch.dynamic_shared_bytes = entry.alike.dynamic_shared_bytes;
  launch.count = entry.total.launches;
  const std::string range = range_id(entry.range);
  Kernel& kernel = all.kernels[fmt::format("{}/{}/{}", range, short_kernel_name(name),
                                           shape_text(launch.grid, launch.block))];
  kernel.range = range;
  kernel.names.insert(name);
  kernel.launches += entry.total.launches;
  kernel.gpu_ns += entry.total.gpu_ns;
  results::add_launch(std::move(launch), kernel.alike);
  for (const LaunchRecord& each : even(entry.launches)) {
    if (each.order < warm_up(entry.total.launches)) continue;
    kernel.samples_ns.push_back(static_cast<double>(each.duration_ns));
  }
  const auto code = start.code.find(name);
  if (code == start.code.end()) return;
  // Modules may have kernels of one name, as those that Triton tries out: by what they take.
  std::vector<KernelCode> fitting;
  std::copy_if(code->second.begin(), code->second.end(), std::back_inserter(fitting),
               [&](const KernelCode& each) {
                 return static_cast<std::uint32_t>(each.registers) == entry.alike.registers;
               });
  for (const KernelCode& each : fitting.empty() ? code->second : fitting) {
    if (std::find(kernel.code.begin(), kernel.code.end(), each) == kernel.code.end()) {
      kernel.code.push_back(each);
    }
  }
}

void add_range(const RecordedRange& recorded, Start& all) {
  Range& range = all.ranges[range_id(recorded.path)];
  range.total_launches += recorded.total.launches;
  range.total_gpu_ns += recorded.total.gpu_ns;
  range.total_span_ns += recorded.total.span_ns;
  range.total_busy_ns += recorded.total.busy_ns;
  for (const InstanceRecord& each : even(recorded.instances)) {
    if (each.order < warm_up(recorded.total.instances)) continue;
    range.gpu_ns.push_back(static_cast<double>(each.gpu_ns));
    range.span_ns.push_back(static_cast<double>(each.span_ns));
    range.idle_ns.push_back(
        static_cast<double>(each.span_ns - std::min(each.busy_ns, each.span_ns)));
    range.launches.insert(each.launches);
  }
}

Start summed_up(const ProgramStart& start) {
  Start all;
  for (const ProcessRecords& process : start.processes) {
    for (const RecordedEntry& entry : process.entries) {
      if (!is_of_compilation(entry.range)) add_kernel(entry, start, all);
    }
    for (const RecordedRange& range : process.ranges) {
      if (!is_of_compilation(range.path)) add_range(range, all);
    }
  }
  return all;
}

std::string code_of(const Kernel& kernel) {
  std::set<std::string> hashes;
  for (const KernelCode& each : kernel.code) hashes.insert(each.sass_hash);
  std::string text;
  for (const std::string& each : hashes) text += each;
  return text;
}

double share_of(const Kernel& kernel, const Start& start) {
  return start.gpu_ns == 0 ? 0
                           : static_cast<double>(kernel.gpu_ns) / static_cast<double>(start.gpu_ns);
}

class Observer {
 public:
  Observer(const std::vector<ProgramStart>& starts, const EntryTerms& terms) : terms_(terms) {
    for (const ProgramStart& each : starts) starts_.push_back(summed_up(each));
  }

  std::vector<Observation> observe() {
    std::set<std::string> ids;
    std::set<std::string> ranges;
    for (const Start& start : starts_) {
      for (const auto& [id, kernel] : start.kernels) ids.insert(id);
      for (const auto& [id, range] : start.ranges) ranges.insert(id);
    }
    for (const std::string& id : ids) add_kernel(id);
    for (const std::string& id : ranges) add_range(id);
    return std::move(observations_);
  }

 private:
  // What is small, launched too rarely to be timed well, or not the same in every start, is left to
  // its range.
  void add_kernel(const std::string& id) {
    std::vector<const Kernel*> kernels;
    double greatest_share = 0;
    for (const Start& start : starts_) {
      const auto found = start.kernels.find(id);
      if (found == start.kernels.end()) continue;
      kernels.push_back(&found->second);
      greatest_share = std::max(greatest_share, share_of(found->second, start));
    }
    const std::string why = why_left(kernels);
    const bool is_small = greatest_share < terms_.least_share;
    if (!why.empty() && !is_small) {
      left_[kernels.front()->range].push_back(fmt::format("{} ({})", id, why));
    }
    if (!why.empty() || is_small) return leave_to_range(id);
    const bool repeats = std::all_of(kernels.begin(), kernels.end(), [&](const Kernel* each) {
      return each->launches == kernels.front()->launches;
    });
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const Kernel& kernel = *kernels[i];
      Record record = begun(id);
      time(kernel.samples_ns, record);
      record.kernels.assign(kernel.names.begin(), kernel.names.end());
      record.machine_code = kernel.code;
      if (kernel.code.empty()) {
        record.not_measured["machine_code"] = "no module that was loaded has this kernel";
      }
      record.launches = kernel.alike;
      record.counters[results::kGpuTimeShare] = share_of(kernel, starts_[i]);
      if (repeats) {
        record.counters[results::kKernelLaunches] = static_cast<double>(kernel.launches);
      } else {
        record.not_measured[results::kKernelLaunches] = "differs from process to process";
        record.launches.clear();
        record.not_measured[results::kLaunches] = "their number differs from process to process";
      }
      add(i, std::move(record), kernel.launches);
    }
  }

  std::string why_left(const std::vector<const Kernel*>& kernels) const {
    if (kernels.size() < starts_.size()) {
      return fmt::format("in {} of {} processes", kernels.size(), starts_.size());
    }
    const bool same_code = std::all_of(kernels.begin(), kernels.end(), [&](const Kernel* each) {
      return code_of(*each) == code_of(*kernels.front());
    });
    if (!same_code) return "not the same machine code in all processes";
    const bool timed = std::all_of(kernels.begin(), kernels.end(),
                                   [](const Kernel* each) { return !each->samples_ns.empty(); });
    if (!timed) return "never timed";
    // Short ones differ by what ran before them and by the clock's steps, which only many even out.
    constexpr std::uint64_t kFew = 10;
    constexpr std::uint64_t kShortNs = 100'000;
    const Kernel& first = *kernels.front();
    const bool rare = first.launches < kFew && first.gpu_ns < first.launches * kShortNs;
    return rare ? "launched " + counted(first.launches, "time") : "";
  }

  void leave_to_range(const std::string& id) {
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const auto found = starts_[i].kernels.find(id);
      if (found == starts_[i].kernels.end()) continue;
      other_ns_[{found->second.range, i}] += static_cast<double>(found->second.gpu_ns);
    }
  }

  void add_range(const std::string& id) {
    std::vector<const Range*> ranges;
    for (const Start& start : starts_) {
      const auto found = start.ranges.find(id);
      if (found != start.ranges.end()) ranges.push_back(&found->second);
    }
    // Entered in some of the starts only, it tells nothing; the one around it does.
    if (ranges.size() < starts_.size()) return;
    const bool whole = id == results::kWholeProgram;
    const bool has_ranges = starts_.front().ranges.size() > 1;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const Range& range = *ranges[i];
      Record record = begun(id);
      if (whole) {
        time_whole(range, ranges, has_ranges, record);
      } else if (range.gpu_ns.empty()) {
        record.not_measured[results::kTimeMetric] = "its entering was never finished";
      } else {
        time(range.gpu_ns, record);
        record.counters[results::kRangeSpan] = results::trimmed_mean(range.span_ns, kTrimmed);
        record.counters[results::kRangeIdle] = results::trimmed_mean(range.idle_ns, kTrimmed);
        count_launches(ranges, record);
      }
      record.counters[results::kOtherTime] = other_ns_[{id, i}];
      if (starts_[i].gpu_ns > 0 && !whole) {
        record.counters[results::kGpuTimeShare] =
            static_cast<double>(range.total_gpu_ns) / static_cast<double>(starts_[i].gpu_ns);
      }
      if (i == 0 && !left_[id].empty()) {
        record.remarks.push_back(
            fmt::format("kernels that differ from process to process, which "
                        "the range's time stands for: {}",
                        some_of(left_[id], kMostNamed)));
      }
      add(i, std::move(record), range.total_launches);
    }
  }

  // Where ranges say what matters, what is around them is the program's start.
  static void time_whole(const Range& range, const std::vector<const Range*>& all, bool has_ranges,
                         Record& record) {
    const bool repeats = std::all_of(all.begin(), all.end(), [&](const Range* each) {
      return each->total_launches == all.front()->total_launches;
    });
    if (repeats) {
      record.counters[results::kRangeLaunches] = static_cast<double>(range.total_launches);
    } else {
      record.not_measured[results::kRangeLaunches] = "differs from process to process";
    }
    record.counters[results::kRangeSpan] = static_cast<double>(range.total_span_ns);
    record.counters[results::kRangeIdle] = static_cast<double>(
        range.total_span_ns - std::min(range.total_busy_ns, range.total_span_ns));
    if (has_ranges) {
      record.not_measured[results::kTimeMetric] = "the program's ranges are timed";
      record.counters[results::kGpuTime] = static_cast<double>(range.total_gpu_ns);
    } else if (!repeats) {
      record.not_measured[results::kTimeMetric] = "it launches another number of kernels each time";
      record.counters[results::kGpuTime] = static_cast<double>(range.total_gpu_ns);
    } else {
      time({static_cast<double>(range.total_gpu_ns)}, record);
    }
  }

  // Of one entering, where all are alike in all processes.
  static void count_launches(const std::vector<const Range*>& ranges, Record& record) {
    std::set<std::uint64_t> numbers;
    for (const Range* each : ranges) numbers.insert(each->launches.begin(), each->launches.end());
    if (numbers.size() == 1) {
      record.counters[results::kRangeLaunches] = static_cast<double>(*numbers.begin());
    } else {
      record.not_measured[results::kRangeLaunches] = "differs from one entering to the next";
    }
  }

  static Record begun(const std::string& id) {
    Record record;
    record.id = id;
    record.pass = results::Pass::time;
    return record;
  }

  static void time(const std::vector<double>& samples_ns, Record& record) {
    record.time_ns = results::trimmed_mean(samples_ns, kTrimmed);
    record.time_method = "cupti_activity, as the program runs";
    const std::size_t step = (samples_ns.size() + kMostSamplesKept - 1) / kMostSamplesKept;
    for (std::size_t i = 0; i < samples_ns.size(); i += step) {
      record.samples_ns.push_back(samples_ns[i]);
    }
  }

  void add(std::size_t start, Record record, std::uint64_t launches) {
    // What other readers of Google Benchmark's JSON show.
    const double time_ns = record.time_ns.value_or(0);
    results::Json entry{{"name", record.id},   {"run_name", record.id},  {"run_type", "iteration"},
                        {"threads", 1},        {"iterations", launches}, {"real_time", time_ns},
                        {"cpu_time", time_ns}, {"time_unit", "ns"}};
    observations_.push_back({static_cast<int>(start), std::move(record), std::move(entry)});
  }

  EntryTerms terms_;
  std::vector<Start> starts_;
  std::map<std::string, std::vector<std::string>> left_;            // by range
  std::map<std::pair<std::string, std::size_t>, double> other_ns_;  // by range and start
  std::vector<Observation> observations_;
};

}  // namespace

std::vector<Observation> program_observations(const std::vector<ProgramStart>& starts,
                                              const EntryTerms& terms) {
  if (starts.empty()) return {};
  return Observer(starts, terms).observe();
}

}  // namespace warpgauge::ci
