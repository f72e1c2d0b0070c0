// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/program/program_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "ci/measure/program/launch_figure.hpp"
#include "ci/measure/program/program_counts.hpp"
#include "ci/measure/program/program_record.hpp"
#include "ci/measure/program/program_sums.hpp"
#include "ci/measure/program/steady_starts.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/program_id.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

using results::KernelCode;
using results::Observation;
using results::Record;

constexpr std::size_t kMostNamed = 5;
// Ranges that cover so much of the GPU time stand for the whole program.
constexpr double kCoversAll = 0.95;

// A kernel as one of the starts launched it.
struct Seen {
  std::size_t start;
  const KernelSum* kernel;
};

std::string code_of(const KernelSum& kernel) {
  std::set<std::string> hashes;
  for (const KernelCode& each : kernel.code) hashes.insert(each.sass_hash);
  std::string text;
  for (const std::string& each : hashes) text += each;
  return text;
}

// Those of the machine code that most of them have.
std::vector<Seen> of_one_code(const std::vector<Seen>& seen) {
  std::vector<std::string> codes;
  codes.reserve(seen.size());
  for (const Seen& each : seen) codes.push_back(code_of(*each.kernel));
  std::vector<Seen> alike;
  for (const std::size_t i : most_alike(codes)) alike.push_back(seen[i]);
  return alike;
}

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

// How often each kind is launched in one time that its range is entered. Empty: not always as
// often.
std::vector<results::KernelLaunch> in_one_entering(std::vector<results::KernelLaunch> launches,
                                                   std::uint64_t entered) {
  for (results::KernelLaunch& each : launches) {
    if (entered == 0 || each.count % entered != 0) return {};
    each.count /= entered;
  }
  return launches;
}

class Observer {
 public:
  Observer(const std::vector<ProgramStart>& starts, const EntryTerms& terms,
           const FurtherStarts& further)
      : terms_(terms), on_records_(remarks_on_records(starts)) {
    std::vector<const ProgramStart*> all;
    all.reserve(starts.size() + 1 + further.lines.size());
    for (const ProgramStart& each : starts) all.push_back(&each);
    if (further.counting) all.push_back(&further.counting->start);
    for (const LinesStart& each : further.lines) all.push_back(&each.start);
    starts_ = summed_up(all);
    const auto timed = starts_.begin() + static_cast<std::ptrdiff_t>(starts.size());
    counted_.emplace(further, std::vector<StartSum>(timed, starts_.end()), terms);
    starts_.erase(timed, starts_.end());
  }

  std::vector<Observation> observe() {
    std::set<std::string> ids;
    std::set<std::string> ranges;
    for (const StartSum& start : starts_) {
      for (const auto& [id, kernel] : start.kernels) ids.insert(id);
      for (const auto& [id, range] : start.ranges) ranges.insert(id);
    }
    for (const std::string& id : ids) add_kernel(id);
    for (const std::string& id : ranges) {
      if (!is_said_by_range_around(starts_, id)) add_range(id);
    }
    return std::move(observations_);
  }

 private:
  // What is small, launched too rarely to be timed well, or not the same in nearly every start, is
  // left to its range.
  void add_kernel(const std::string& id) {
    std::vector<Seen> seen;
    double greatest_share = 0;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const auto found = starts_[i].kernels.find(id);
      if (found == starts_[i].kernels.end()) continue;
      seen.push_back({i, &found->second});
      greatest_share = std::max(greatest_share, starts_[i].share_of(found->second));
    }
    const std::vector<Seen> steady = of_one_code(seen);
    const std::string why = why_left(seen, steady);
    const bool is_small = greatest_share < terms_.least_share;
    if (!why.empty() && !is_small) {
      left_[seen.front().kernel->range].push_back(fmt::format("{} ({})", id, why));
    }
    if (!why.empty() || is_small) return leave_to_range(id, {});
    leave_to_range(id, steady);
    observe_kernel(id, steady);
    if (results::is_copy(steady.front().kernel->name)) return;
    for (Record& each : counted_->of(id, *steady.front().kernel)) {
      observations_.push_back({0, std::move(each), std::nullopt});
    }
  }

  void observe_kernel(const std::string& id, const std::vector<Seen>& steady) {
    const KernelSum& first = *steady.front().kernel;
    const bool repeats = steady.size() == starts_.size() &&
                         std::all_of(steady.begin(), steady.end(), [&](const Seen& each) {
                           return each.kernel->all.launches == first.all.launches;
                         });
    for (const auto& [start, kernel] : steady) {
      Record record = record_of(id);
      time_kernel(kernel->samples_ns, record);
      record.kernels = {kernel->name};
      record.machine_code = kernel->code;
      if (!results::is_copy(kernel->name)) say_what_lacks(*kernel, record);
      record.counters[results::kGpuTimeShare] = starts_[start].share_of(*kernel);
      count_launches(*kernel, starts_[start], repeats, record);
      if (&first == kernel) add_remarks(id, steady, record);
      add(start, std::move(record), kernel->all.launches);
    }
  }

  void say_what_lacks(const KernelSum& kernel, Record& record) const {
    if (kernel.code.empty()) {
      record.not_measured["machine_code"] = "no module that was loaded has this kernel";
    }
    if (!counted_->counts()) {
      record.not_measured["counters"] = "counters were not asked for (--counters)";
    }
  }

  static void count_launches(const KernelSum& kernel, const StartSum& start, bool repeats,
                             Record& record) {
    if (!repeats) {
      record.not_measured[results::kKernelLaunches] = "differs from process to process";
      record.not_measured[results::kLaunches] = "their number differs from process to process";
      return;
    }
    record.counters[results::kKernelLaunches] = static_cast<double>(kernel.all.launches);
    if (results::is_copy(kernel.name)) return;
    const auto range = start.ranges.find(kernel.range);
    const std::uint64_t entered = range == start.ranges.end() ? 0 : range->second.entered;
    record.launches = in_one_entering(kernel.alike, entered);
    if (record.launches.empty()) {
      record.not_measured[results::kLaunches] =
          "their number differs from one time that the range is entered to the next";
    }
  }

  void add_remarks(const std::string& id, const std::vector<Seen>& steady, Record& record) const {
    if (steady.size() < starts_.size()) {
      record.remarks.push_back(
          fmt::format("launched, of this machine code, in {} of {} processes, which it is timed by",
                      steady.size(), starts_.size()));
    }
    const std::string spread = spread_over_processes(*steady.front().kernel);
    if (!spread.empty()) record.remarks.push_back(spread);
    const std::string_view kernel = results::program_kernel(id)->kernel;
    if (results::waits_for_others(kernel)) {
      record.remarks.push_back(fmt::format(
          "{}: its time is shown and not gated, unless an [[override]] of the policy "
          "has gate = true for it",
          results::is_transfer(kernel) ? "takes as long as the host or another GPU lets it"
                                       : "waits for others"));
    }
  }

  std::string why_left(const std::vector<Seen>& seen, const std::vector<Seen>& steady) const {
    if (steady.size() < enough_of(starts_.size())) {
      return seen.size() < starts_.size()
                 ? fmt::format("in {} of {} processes", seen.size(), starts_.size())
                 : "not the same machine code in all processes";
    }
    const bool timed = std::all_of(steady.begin(), steady.end(), [](const Seen& each) {
      return !each.kernel->samples_ns.empty();
    });
    if (!timed) return "never timed";
    // Short ones differ by what ran before them and by the clock's steps, which only many even out.
    constexpr std::uint64_t kFew = 10;
    constexpr std::uint64_t kShortNs = 100'000;
    const LaunchSum& first = steady.front().kernel->all;
    const bool rare = first.launches < kFew && first.gpu_ns < first.launches * kShortNs;
    return rare ? "launched " + counted(first.launches, "time") : "";
  }

  // In all starts but those by which it is timed. Of communication a range has no time.
  void leave_to_range(const std::string& id, const std::vector<Seen>& timed) {
    if (results::waits_for_others(results::program_kernel(id)->kernel)) return;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const auto found = starts_[i].kernels.find(id);
      if (found == starts_[i].kernels.end()) continue;
      const bool is_timed = std::any_of(timed.begin(), timed.end(),
                                        [&](const Seen& each) { return each.start == i; });
      if (is_timed) continue;
      other_ns_[{found->second.range, i}] += static_cast<double>(found->second.all.gpu_ns);
    }
  }

  // Of each start. Entered in some of them only, a range tells nothing; the one around it does.
  [[nodiscard]] std::vector<const RangeSum*> ranges_of(const std::string& id) const {
    std::vector<const RangeSum*> ranges;
    for (const StartSum& start : starts_) {
      const auto found = start.ranges.find(id);
      if (found == start.ranges.end()) return {};
      ranges.push_back(&found->second);
    }
    return ranges;
  }

  [[nodiscard]] bool is_judged_by_range(std::string range) const {
    for (; !range.empty() && range != results::kWholeProgram;
         range = results::range_around(range)) {
      const std::vector<const RangeSum*> all = ranges_of(range);
      const bool is_timed =
          !all.empty() && std::none_of(all.begin(), all.end(),
                                       [](const RangeSum* each) { return each->gpu_ns.empty(); });
      if (is_timed) return true;
    }
    return false;
  }

  // Whether what lies in ranges is nearly all of the GPU time, in each start.
  [[nodiscard]] bool ranges_cover_all() const {
    return std::all_of(starts_.begin(), starts_.end(), [&](const StartSum& start) {
      std::map<std::string, std::uint64_t> by_range;
      for (const auto& [id, kernel] : start.kernels) {
        if (!results::is_transfer(kernel.name)) by_range[kernel.range] += kernel.all.gpu_ns;
      }
      std::uint64_t covered = 0;
      for (const auto& [range, gpu_ns] : by_range) {
        if (is_judged_by_range(range)) covered += gpu_ns;
      }
      return share(covered, start.gpu_ns) >= kCoversAll;
    });
  }

  void add_range(const std::string& id) {
    const std::vector<const RangeSum*> ranges = ranges_of(id);
    if (ranges.empty()) return;
    if (id == results::kWholeProgram) return add_whole(ranges);
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const RangeSum& range = *ranges[i];
      Record record = record_of(id);
      if (range.gpu_ns.empty()) {
        record.not_measured[results::kTimeMetric] = "its entering was never finished";
      } else {
        time_range(range.gpu_ns, record);
        record.counters[results::kRangeSpan] = launch_figure(range.span_ns);
        record.counters[results::kRangeIdle] = launch_figure(range.idle_ns);
        count_launches(ranges, record);
      }
      record.counters[results::kOtherTime] = other_ns_[{id, i}];
      if (starts_[i].gpu_ns > 0) {
        record.counters[results::kGpuTimeShare] = share(range.all.gpu_ns, starts_[i].gpu_ns);
      }
      if (i == 0) add_left(id, true, record);
      add(i, std::move(record), range.all.launches);
    }
  }

  void add_left(const std::string& id, bool is_timed, Record& record) const {
    const auto left = left_.find(id);
    if (left == left_.end()) return;
    record.remarks.push_back(
        fmt::format("kernels without a steady time of their own, {}: {}",
                    is_timed ? "which the range's time stands for" : "for which no time stands",
                    some_of(left->second, kMostNamed)));
  }

  // Like a kernel, it is timed by the starts that launch as many as nearly all do.
  void add_whole(const std::vector<const RangeSum*>& all) {
    std::vector<std::uint64_t> numbers;
    numbers.reserve(all.size());
    for (const RangeSum* each : all) numbers.push_back(each->all.launches);
    std::vector<std::size_t> timed = most_alike(numbers);
    const bool repeats = timed.size() == all.size();
    const Whole whole{ranges_cover_all(), timed.size() >= enough_of(all.size())};
    if (!whole.is_timed()) {
      timed.resize(all.size());
      std::iota(timed.begin(), timed.end(), std::size_t{0});
    }
    for (const std::size_t start : timed) {
      const RangeSum& range = *all[start];
      Record record = record_of(results::kWholeProgram);
      time_whole(range, whole, record);
      if (repeats) {
        record.counters[results::kRangeLaunches] = static_cast<double>(range.all.launches);
      } else {
        record.not_measured[results::kRangeLaunches] = "differs from process to process";
      }
      record.counters[results::kOtherTime] = other_ns_[{results::kWholeProgram, start}];
      if (start == timed.front()) {
        record.remarks = on_records_;
        add_left(results::kWholeProgram, whole.is_timed(), record);
        if (timed.size() < all.size()) {
          record.remarks.push_back(
              fmt::format("launched {} in {} of {} processes, which it is timed by",
                          counted(range.all.launches, "kernel"), timed.size(), all.size()));
        }
      }
      add(start, std::move(record), range.all.launches);
    }
  }

  struct Whole {
    bool covered;    // by ranges, which say what matters: what is around them is the start
    bool is_steady;  // nearly all starts launch as many kernels

    [[nodiscard]] bool is_timed() const { return is_steady && !covered; }
  };

  static void time_whole(const RangeSum& range, Whole whole, Record& record) {
    record.counters[results::kRangeSpan] = static_cast<double>(range.span_ns_of_all);
    record.counters[results::kRangeIdle] = static_cast<double>(
        range.span_ns_of_all - std::min(range.busy_ns_of_all, range.span_ns_of_all));
    if (whole.is_timed()) return time_range({static_cast<double>(range.all.gpu_ns)}, record);
    record.not_measured[results::kTimeMetric] =
        whole.covered ? results::kRangesAreTimed : results::kLaunchesDiffer;
    record.counters[results::kGpuTime] = static_cast<double>(range.all.gpu_ns);
  }

  // Of one entering, where all are alike in all processes.
  static void count_launches(const std::vector<const RangeSum*>& ranges, Record& record) {
    std::set<std::uint64_t> numbers;
    for (const RangeSum* each : ranges) {
      numbers.insert(each->launches.begin(), each->launches.end());
    }
    if (numbers.size() == 1) {
      record.counters[results::kRangeLaunches] = static_cast<double>(*numbers.begin());
    } else {
      record.not_measured[results::kRangeLaunches] = "differs from one entering to the next";
    }
  }

  void add(std::size_t start, Record record, std::uint64_t launches) {
    observations_.push_back(observed(start, std::move(record), launches));
  }

  EntryTerms terms_;
  std::vector<StartSum> starts_;
  std::optional<CountedKernels> counted_;
  std::vector<std::string> on_records_;                             // remarks
  std::map<std::string, std::vector<std::string>> left_;            // by range
  std::map<std::pair<std::string, std::size_t>, double> other_ns_;  // by range and start
  std::vector<Observation> observations_;
};

}  // namespace

std::vector<Observation> program_observations(const std::vector<ProgramStart>& starts,
                                              const EntryTerms& terms,
                                              const FurtherStarts& further) {
  if (starts.empty()) return {};
  return Observer(starts, terms, further).observe();
}

}  // namespace warpgauge::ci
