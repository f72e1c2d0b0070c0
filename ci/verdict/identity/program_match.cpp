// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/program_match.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "ci/support/text.hpp"
#include "profiling/results/program_id.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::ProgramKernel;
using results::Results;

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

// By what two kernels are the same; empty: by nothing.
using Sameness = std::function<std::string(const BenchmarkResult&)>;

class Matcher {
 public:
  Matcher(Kernels before, Kernels after, std::map<std::string, std::string>& now)
      : before_(std::move(before)), after_(std::move(after)), now_(now) {}

  // Pairs those of a sameness that there is one of on either side.
  void pair_by(const Sameness& sameness) {
    std::map<std::string, std::pair<Kernels, Kernels>> alike;
    for (const BenchmarkResult* each : before_) alike[sameness(*each)].first.push_back(each);
    for (const BenchmarkResult* each : after_) alike[sameness(*each)].second.push_back(each);
    for (const auto& [what, sides] : alike) {
      const auto& [old_ones, new_ones] = sides;
      if (what.empty() || old_ones.size() != 1 || new_ones.size() != 1) continue;
      now_[old_ones.front()->id] = new_ones.front()->id;
      std::erase(before_, old_ones.front());
      std::erase(after_, new_ones.front());
    }
  }

 private:
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
    matcher.pair_by([](const BenchmarkResult&) { return "the only one"; });
  }
  ProgramMatch match{before, {}};
  for (BenchmarkResult& each : match.before.benchmarks) {
    const auto found = now.find(each.id);
    if (found == now.end()) continue;
    match.was[found->second] = each.id;
    each.id = found->second;
  }
  return match;
}

std::string note_on_match(const ProgramMatch& match) {
  if (match.was.empty()) return "";
  constexpr std::size_t kMostNamed = 5;
  std::vector<std::string> pairs;
  for (const auto& [now, was] : match.was) pairs.push_back(fmt::format("{} (was {})", now, was));
  return "launched otherwise than before: " + some_of(pairs, kMostNamed);
}

ProgramSides::ProgramSides(const Results& before, const Results& after, double least_share)
    : before_(&before), after_(&after) {
  for (const BenchmarkResult& each : after.benchmarks) {
    const auto share = each.figure(results::kGpuTimeShare);
    if (share && *share < least_share) small_.insert(each.id);
  }
}

std::string ProgramSides::range_for(const BenchmarkResult* before,
                                    const BenchmarkResult* after) const {
  const bool both = before != nullptr && after != nullptr;
  if (both || before_ == nullptr) return "";
  const auto is_timed = [](const Results& side, const std::string& range) {
    const BenchmarkResult* const found = side.find(range);
    return found != nullptr && found->find(results::kTimeMetric) != nullptr;
  };
  const std::string& id = (after != nullptr ? after : before)->id;
  for (std::string range = results::range_around(id); !range.empty();
       range = results::range_around(range)) {
    if (is_timed(*before_, range) && is_timed(*after_, range)) return range;
  }
  return "";
}

}  // namespace warpgauge::ci
