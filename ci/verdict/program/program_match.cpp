// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/program/program_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/id_glob.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/environment.hpp"
#include "profiling/results/program_id.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::ProgramKernel;
using results::Results;
using results::Status;

// Kernels that one side alone has.
using Kernels = std::vector<const BenchmarkResult*>;

std::string code_of(const BenchmarkResult& kernel) {
  std::set<std::string> hashes;
  for (const results::KernelCode& each : kernel.machine_code) hashes.insert(each.sass_hash);
  std::string text;
  for (const std::string& each : hashes) text += each;
  return text;
}

ProgramKernel parts(const BenchmarkResult& kernel) { return *results::program_kernel(kernel.id); }

// How often it is launched in one time that its range is entered. 0: not always as often.
std::uint64_t launches_of(const BenchmarkResult& kernel) {
  std::uint64_t launches = 0;
  for (const results::KernelLaunch& each : kernel.launches) launches += each.count;
  return launches;
}

// By what two kernels are the same; empty: by nothing.
using Sameness = std::function<std::string(const BenchmarkResult&)>;

class Matcher {
 public:
  Matcher(Kernels before, Kernels after, std::map<std::string, std::string>& now)
      : before_(std::move(before)), after_(std::move(after)), now_(now) {}

  // Pairs those of a sameness that there is one of on either side, if the two can be compared.
  void pair_by(const Sameness& sameness) {
    std::map<std::string, std::pair<Kernels, Kernels>> alike;
    for (const BenchmarkResult* each : before_) alike[sameness(*each)].first.push_back(each);
    for (const BenchmarkResult* each : after_) alike[sameness(*each)].second.push_back(each);
    for (const auto& [what, sides] : alike) {
      const auto& [old_ones, new_ones] = sides;
      if (what.empty() || old_ones.size() != 1 || new_ones.size() != 1) continue;
      if (!are_comparable(*old_ones.front(), *new_ones.front())) continue;
      now_[old_ones.front()->id] = new_ones.front()->id;
      std::erase(before_, old_ones.front());
      std::erase(after_, new_ones.front());
    }
  }

 private:
  // In another shape a launch does another part of the work.
  static bool are_comparable(const BenchmarkResult& before, const BenchmarkResult& after) {
    if (parts(before).shape == parts(after).shape) return true;
    return launches_of(before) > 0 && launches_of(after) > 0;
  }

  Kernels before_;
  Kernels after_;
  std::map<std::string, std::string>& now_;
};

std::map<std::string, Kernels> alone_by_range(const Results& side, const Results& other) {
  const auto there = other.by_id();
  std::map<std::string, Kernels> alone;
  for (const BenchmarkResult& each : side.benchmarks) {
    const auto kernel = results::program_kernel(each.id);
    if (kernel && !there.contains(each.id)) alone[std::string(kernel->range)].push_back(&each);
  }
  return alone;
}

// By what all its launches take of one time that the range is entered, where they are other ones:
// half as many of twice the work each are no slower. What is kept is the time of one launch, had
// there been as many as now.
void compare_by_entering(const Results& after, ProgramMatch& match) {
  for (BenchmarkResult& old : match.before.benchmarks) {
    if (!results::program_kernel(old.id)) continue;
    const BenchmarkResult* const now = after.find(old.id);
    const auto time = old.metrics.find(results::kTimeMetric);
    if (now == nullptr || time == old.metrics.end()) continue;
    const std::uint64_t before = launches_of(old);
    const std::uint64_t after_it = launches_of(*now);
    if (before == after_it || before == 0 || after_it == 0) continue;
    const double factor = static_cast<double>(before) / static_cast<double>(after_it);
    for (auto& figures : time->second.sessions) {
      for (double& each : figures) each *= factor;
    }
    match.by_entering[old.id] = {before, after_it};
  }
}

bool launched_alike(const BenchmarkResult& before, const BenchmarkResult& after,
                    const CodeIdentity& identity) {
  if (identity.launches.is != Identity::unknown) return identity.launches.is == Identity::same;
  const auto was = before.figure(results::kKernelLaunches);
  return was && was == after.figure(results::kKernelLaunches);
}

// Whether what this is of lies within the range: a kernel, or a range, itself too.
bool is_within(std::string_view id, std::string_view range) {
  if (range == results::kWholeProgram || id == range) return true;
  return id.starts_with(range) && id[range.size()] == '/';
}

// Of communication a range has no time.
bool is_kernel(const BenchmarkResult& each) {
  const auto kernel = results::program_kernel(each.id);
  return kernel && !results::waits_for_others(kernel->kernel);
}

std::set<std::string> kernels_within(const Results& side, std::string_view range) {
  std::set<std::string> kernels;
  for (const BenchmarkResult& each : side.benchmarks) {
    if (is_kernel(each) && is_within(each.id, range)) kernels.insert(each.id);
  }
  return kernels;
}

// In ns, the most that a process can have spent in kernels that have no entry of their own.
double others_within(std::string_view range, const Results& side) {
  double most = 0;
  for (const BenchmarkResult& each : side.benchmarks) {
    const results::Metric* const metric = each.find(results::kOtherTime);
    if (metric == nullptr || !is_within(each.id, range)) continue;
    const std::vector<double> figures = metric->figures();
    most += *std::max_element(figures.begin(), figures.end());
  }
  return most;
}

// The part of the program's GPU time that a range takes. 0: not measured.
double share_of(const BenchmarkResult& range) {
  if (range.id == results::kWholeProgram) return 1;
  return range.figure(results::kGpuTimeShare).value_or(0);
}

// All launches of the range together, in ns.
std::optional<double> time_of_all(const BenchmarkResult& range, const Results& side) {
  const BenchmarkResult* const whole = side.find(results::kWholeProgram);
  if (whole == nullptr) return std::nullopt;
  const auto time = whole->figure(results::kTimeMetric);
  const auto all = time ? time : whole->figure(results::kGpuTime);
  const double share = share_of(range);
  if (!all || !(*all * share > 0)) return std::nullopt;
  return *all * share;
}

// Whether what has no machine code here takes less than the floor. By more than all that it takes
// it cannot have slowed the range.
bool others_are_small(const BenchmarkResult& range, const Results& side, double floor) {
  const std::optional<double> all = time_of_all(range, side);
  return all && others_within(range.id, side) < *all * floor;
}

// Whether ranges cover the program is a matter of chance where they nearly do: where they do on
// either side, they judge. (A baseline does not keep why the whole has no time.)
void leave_whole_to_ranges(const Results& after, ProgramMatch& match) {
  const auto is_whole = [](const BenchmarkResult& each) {
    return each.id == results::kWholeProgram;
  };
  std::vector<BenchmarkResult>& all = match.before.benchmarks;
  const auto old = std::find_if(all.begin(), all.end(), is_whole);
  const BenchmarkResult* const now = after.find(results::kWholeProgram);
  if (old == all.end() || now == nullptr) return;
  if (now->find(results::kTimeMetric) == nullptr) {
    const auto why = now->not_measured.find(results::kTimeMetric);
    if (why == now->not_measured.end() || why->second != results::kRangesAreTimed) return;
    old->metrics.erase(results::kTimeMetric);
  } else if (old->find(results::kTimeMetric) == nullptr && old->outcome.status == Status::ok) {
    match.after = after;
    BenchmarkResult& left =
        *std::find_if(match.after->benchmarks.begin(), match.after->benchmarks.end(), is_whole);
    auto time = left.metrics.extract(results::kTimeMetric);
    time.key() = results::kGpuTime;
    left.metrics.insert(std::move(time));
    left.not_measured[results::kTimeMetric] = results::kRangesAreTimed;
  }
}

}  // namespace

bool is_of_program(const Results& results) {
  return results.session && results.session->program.has_value();
}

ProgramMatch match_programs(const Results& before, const Results& after) {
  std::map<std::string, std::string> now;  // by id of the side before
  auto alone_after = alone_by_range(after, before);
  for (auto& [range, kernels] : alone_by_range(before, after)) {
    Matcher matcher(kernels, alone_after[range], now);
    matcher.pair_by([](const BenchmarkResult& each) {
      const std::string code = code_of(each);
      return code.empty() ? code : fmt::format("{} {}", code, parts(each).shape);
    });
    matcher.pair_by([](const BenchmarkResult& each) { return std::string(parts(each).kernel); });
  }
  ProgramMatch match{before, {}, {}, {}};
  for (BenchmarkResult& each : match.before.benchmarks) {
    const auto found = now.find(each.id);
    if (found == now.end()) continue;
    match.was[found->second] = each.id;
    each.id = found->second;
  }
  compare_by_entering(after, match);
  leave_whole_to_ranges(after, match);
  return match;
}

std::set<std::string> same_in_program(const Results& before, const Results& after,
                                      const CodeIdentities& identities, const Policy& policy) {
  std::set<std::string> same;
  if (!before.session || !after.session || environments_differ(*before.session, *after.session)) {
    return same;
  }
  for (const BenchmarkResult& each : after.benchmarks) {
    const auto identity = identities.find(each.id);
    if (!is_kernel(each) || identity == identities.end()) continue;
    const bool is_copy = results::is_copy(results::program_kernel(each.id)->kernel);
    if (!is_copy && identity->second.machine_code.is != Identity::same) continue;
    if (launched_alike(*before.find(each.id), each, identity->second)) same.insert(each.id);
  }
  const std::set<std::string> of_kernels = same;
  const Timing timing{.clock = Clock::program,
                      .device = after.session->device.key,
                      .command = after.session->program->command};
  for (const BenchmarkResult& each : after.benchmarks) {
    if (results::program_kernel(each.id)) continue;
    const std::set<std::string> within = kernels_within(after, each.id);
    if (within.empty() || within != kernels_within(before, each.id)) continue;
    if (!std::includes(of_kernels.begin(), of_kernels.end(), within.begin(), within.end()))
      continue;
    const Rule rule = policy.rule_for(each.id, results::kTimeMetric, timing);
    if (others_are_small(each, after, rule.relative_floor)) same.insert(each.id);
  }
  return same;
}

std::map<std::string, double> added_in_program(const Results& before, const Results& after,
                                               const std::set<std::string>& same) {
  std::map<std::string, double> added;
  for (const BenchmarkResult& range : after.benchmarks) {
    if (results::program_kernel(range.id) || same.contains(range.id)) continue;
    const double share = share_of(range);
    std::set<std::string> rest = kernels_within(before, range.id);
    double of_new = 0;
    for (const std::string& id : kernels_within(after, range.id)) {
      if (rest.erase(id) == 0) {
        of_new += after.find(id)->figure(results::kGpuTimeShare).value_or(0);
      } else if (!same.contains(id)) {
        rest.insert(id);
      }
    }
    if (rest.empty() && of_new > 0 && of_new < share) added[range.id] = of_new / (share - of_new);
  }
  return added;
}

std::vector<std::string> notes_on_match(const ProgramMatch& match) {
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> notes;
  std::vector<std::string> pairs;
  for (const auto& [now, was] : match.was) pairs.push_back(fmt::format("{} (was {})", now, was));
  if (!pairs.empty()) {
    notes.push_back("launched otherwise than before: " + some_of(pairs, kMostNamed));
  }
  std::vector<std::string> counts;
  for (const auto& [id, launches] : match.by_entering) {
    counts.push_back(fmt::format("{} ({} before, {} now)", id, launches.first, launches.second));
  }
  if (!counts.empty()) {
    notes.push_back(
        "launched more or less often each time that the range is entered, and compared by what all "
        "of these launches take together: " +
        some_of(counts, kMostNamed));
  }
  if (match.after) {
    notes.push_back(
        "program: the baseline has no time of the whole, so its ranges and kernels alone are "
        "judged");
  }
  return notes;
}

void refuse_other_program(const Results& before, const Results& after) {
  const std::string programs = different_programs(*before.session, *after.session);
  if (programs.empty()) return;
  throw Error(kExitNoVerdict,
              fmt::format("{} and {}: {}; measure the same command, keep this one's baselines in a "
                          "folder of their own with --baselines, or start over with warpgauge "
                          "approve --new-environment",
                          before.name, after.name, programs));
}

ProgramSides::ProgramSides(const Results& before, const Results& after, const Policy& policy)
    : before_(&before), after_(&after), policy_(&policy) {
  for (const BenchmarkResult& each : after.benchmarks) {
    const auto share = each.figure(results::kGpuTimeShare);
    if (share && *share < policy.least_share) small_.insert(each.id);
  }
  // A baseline does not keep shares: of what the program takes now.
  const BenchmarkResult* const whole = after.find(results::kWholeProgram);
  const auto all = whole == nullptr ? std::nullopt : time_of_all(*whole, after);
  const auto now = after.by_id();
  for (const BenchmarkResult& each : before.benchmarks) {
    if (!all || !results::program_kernel(each.id) || now.contains(each.id)) continue;
    const auto time = each.figure(results::kTimeMetric);
    const auto launches = each.figure(results::kKernelLaunches);
    if (time && launches && *time * *launches < policy.least_share * *all) small_.insert(each.id);
  }
}

bool ProgramSides::only_shows(const std::string& id, const std::string& metric) const {
  if (small_.contains(id)) return true;
  const auto kernel = results::program_kernel(id);
  const bool waits = policy_ != nullptr && results::is_of_timestamps(metric) && kernel &&
                     results::waits_for_others(kernel->kernel);
  if (!waits) return false;
  return std::none_of(policy_->overrides.begin(), policy_->overrides.end(), [&](const auto& each) {
    const bool is_of_metric =
        each.metrics.empty() ||
        std::find(each.metrics.begin(), each.metrics.end(), metric) != each.metrics.end();
    return each.gate.value_or(false) && is_of_metric && matches(each.benchmarks, id);
  });
}

std::string ProgramSides::why_left_to_others(const BenchmarkResult* before,
                                             const BenchmarkResult* after) const {
  const bool both = before != nullptr && after != nullptr;
  if (both || before_ == nullptr) return "";
  const std::string& id = (after != nullptr ? after : before)->id;
  const char* const when = before == nullptr ? "only now" : "no longer";
  if (const std::string range = range_for(id); !range.empty()) {
    return fmt::format("launched {}: {} decides", when, range);
  }
  if (!small_.contains(id) || !results::program_kernel(id)) return "";
  return fmt::format("launched {}, and takes less than {:.2g} % of the GPU time (least_share)",
                     when, 100 * policy_->least_share);
}

std::string ProgramSides::range_for(const std::string& id) const {
  const auto is_timed = [](const Results& side, const std::string& range) {
    const BenchmarkResult* const found = side.find(range);
    return found != nullptr && found->find(results::kTimeMetric) != nullptr;
  };
  for (std::string range = results::range_around(id); !range.empty();
       range = results::range_around(range)) {
    if (is_timed(*before_, range) && is_timed(*after_, range)) return range;
  }
  return "";
}

}  // namespace warpgauge::ci
