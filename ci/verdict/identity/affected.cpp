// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/identity/affected.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/ceilings.hpp"

namespace warpgauge::ci {
namespace {

using machine_code::CodeChange;
using machine_code::ImageKernels;
using results::BenchmarkResult;
using results::Results;

using Names = std::set<std::string>;

constexpr std::size_t kMostNamed = 3;

std::vector<std::string> doubts_about(const ImageKernels& before, const ImageKernels& after,
                                      const machine_code::ImageChanges& changes) {
  std::vector<std::string> doubts;
  Names unread = before.unread;
  unread.insert(after.unread.begin(), after.unread.end());
  for (const std::string& each : unread) {
    doubts.push_back(fmt::format("machine code for {} is not read here", each));
  }
  const auto moved = [&](const Names& images, const char* how) {
    for (const std::string& each : images) {
      if (!unread.contains(each)) {
        doubts.push_back(fmt::format("{}, which a driver compiles, is {}", each, how));
      }
    }
  };
  moved(changes.images_removed, "gone");
  moved(changes.images_added, "new");
  for (const machine_code::EntryChange& each : changes.entries) {
    if (each.key.first == machine_code::kNoKernel) {
      doubts.push_back(
          fmt::format("the code for {} that a linker joins with kernels changed", each.key.second));
    }
  }
  for (const std::string& each : changes.broken) doubts.push_back("not read: " + each);
  return doubts;
}

Names launched_by(const BenchmarkResult& benchmark) {
  Names names;
  for (const results::KernelLaunch& each : benchmark.launches) names.insert(each.kernel);
  return names;
}

std::string short_names(const Names& kernels) {
  std::vector<std::string> names;
  for (const std::string& each : kernels) {
    std::string name(without_parameters(each));
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return some_of(names, kMostNamed);
}

template <class Set>
Names shared_with(const Names& names, const Set& others) {
  Names shared;
  std::copy_if(names.begin(), names.end(), std::inserter(shared, shared.end()),
               [&](const std::string& each) { return others.contains(each); });
  return shared;
}

// What the images have, by name.
struct KnownKernels {
  Names changed;
  Names other_ptx;
  Names gone;  // from the build after, for every architecture
  Names all;

  explicit KnownKernels(const machine_code::ImageChanges& changes, const ImageKernels& before,
                        const ImageKernels& after) {
    for (const auto* entries : {&before.entries, &after.entries}) {
      for (const auto& [key, hashes] : *entries) all.insert(key.first);
    }
    for (const machine_code::EntryChange& each : changes.entries) {
      if (each.key.first != machine_code::kNoKernel) other_ptx.insert(each.key.first);
    }
    for (const machine_code::KernelChange& each : changes.kernels) {
      all.insert(each.key.first);
      if (each.change != CodeChange::same) changed.insert(each.key.first);
      if (each.change == CodeChange::removed || each.change == CodeChange::architecture_removed) {
        gone.insert(each.key.first);
      }
    }
    for (const machine_code::KernelChange& each : changes.kernels) {
      const bool is_there =
          each.change != CodeChange::removed && each.change != CodeChange::architecture_removed;
      if (is_there) gone.erase(each.key.first);
    }
  }
};

// Holds one benchmark's two sides against each other.
class Held {
 public:
  Held(const KnownKernels& kernels, const Policy& policy) : kernels_(kernels), policy_(policy) {}

  AffectedBenchmark compare(const BenchmarkResult* before, const BenchmarkResult& after) {
    found_ = {after.id, Identity::same, {}};
    if (before == nullptr) {
      different("new");
      return std::move(found_);
    }
    compare_outcomes(*before, after);
    compare_kernels(*before, after);
    compare_launches_of(*before, after);
    compare_observed(code_identity(*before, after, policy_));
    return std::move(found_);
  }

 private:
  void different(std::string because) {
    found_.is = Identity::different;
    found_.because.push_back(std::move(because));
  }

  void unknown(std::string because) {
    if (found_.is == Identity::same) found_.is = Identity::unknown;
    found_.because.push_back(std::move(because));
  }

  void compare_outcomes(const BenchmarkResult& before, const BenchmarkResult& after) {
    for (const auto& [side, when] : {std::pair(&before, "before"), {&after, "now"}}) {
      if (side->outcome.status != results::Status::ok) unknown(fmt::format("failed {}", when));
    }
  }

  void compare_kernels(const BenchmarkResult& before, const BenchmarkResult& after) {
    Names launched = launched_by(before);
    launched.merge(launched_by(after));
    const Names gone = shared_with(launched, kernels_.gone);
    if (!gone.empty()) different("machine code is gone: " + short_names(gone));
    Names changed = shared_with(launched, kernels_.changed);
    for (const std::string& each : gone) changed.erase(each);
    if (!changed.empty()) different("other machine code: " + short_names(changed));
    Names other_ptx = shared_with(launched, kernels_.other_ptx);
    for (const std::string& each : gone) other_ptx.erase(each);
    for (const std::string& each : changed) other_ptx.erase(each);
    if (!other_ptx.empty()) different("other PTX: " + short_names(other_ptx));
    Names absent;
    std::set_difference(launched.begin(), launched.end(), kernels_.all.begin(), kernels_.all.end(),
                        std::inserter(absent, absent.end()));
    if (!absent.empty()) unknown("no machine code of " + short_names(absent));
  }

  void compare_launches_of(const BenchmarkResult& before, const BenchmarkResult& after) {
    const LaunchIdentity launches = compare_launches(before.launches, after.launches);
    if (launches.is == Identity::unknown) unknown("launches are not known on both sides");
    if (launches.is == Identity::different)
      different("launched differently: " + launches.difference);
  }

  // What is observed on one side at most, such as the input in the emulator's results, tells
  // nothing.
  void compare_observed(const CodeIdentity& code) {
    if (code.input == Identity::different) different("other input");
    if (code.knows_host_calls && code.host_calls == Identity::different) {
      different("other copies, allocations or synchronizations");
    }
    if (code.knows_host_calls && code.host_calls == Identity::unknown) {
      unknown("copies, allocations and synchronizations are not known on both sides");
    }
    if (!code.counted) return;
    if (code.counters == Identity::different) different("other counters");
    if (code.counters == Identity::unknown) unknown("a counter is missing on one side");
  }

  const KnownKernels& kernels_;
  const Policy& policy_;
  AffectedBenchmark found_;
};

std::string device_of(const Results& results) {
  return results.session ? results.session->device.key : "an unknown device";
}

void require_one_device(const Results& before, const Results& after) {
  if (before.session && after.session && device_of(before) == device_of(after)) return;
  throw Error(kExitUsage,
              fmt::format("{} was observed on {} and {} on {}: observe both builds' suites on one "
                          "kind of device",
                          before.name, device_of(before), after.name, device_of(after)));
}

Affected of_kernels(const ImageKernels& before, const ImageKernels& after,
                    const machine_code::ImageChanges& changes) {
  Affected affected;
  affected.doubts = doubts_about(before, after, changes);
  Names same;
  for (const machine_code::KernelChange& each : changes.kernels) {
    same.insert(each.key.first);
    if (each.change != CodeChange::same) affected.kernels.push_back({each.key, each.change});
  }
  for (const auto& [key, hashes] : after.entries) {
    if (before.entries.contains(key) && key.first != machine_code::kNoKernel)
      same.insert(key.first);
  }
  for (const machine_code::EntryChange& each : changes.entries) {
    if (each.key.first == machine_code::kNoKernel) continue;  // a doubt
    affected.kernels.push_back({each.key, each.change});
  }
  for (const std::string& each : affected.changed_kernels()) same.erase(each);
  affected.same_kernels = same.size();
  return affected;
}

Affected with_benchmarks(const ImageKernels& images_before, const ImageKernels& images_after,
                         const Results& before, const Results& after, const Policy& policy) {
  const machine_code::ImageChanges changes = machine_code::changes(images_before, images_after);
  const KnownKernels kernels(changes, images_before, images_after);
  Affected affected = of_kernels(images_before, images_after, changes);
  const auto old_results = before.by_id();
  Names of_no_benchmark = kernels.changed;
  of_no_benchmark.insert(kernels.other_ptx.begin(), kernels.other_ptx.end());
  affected.knows_benchmarks = true;
  for (const BenchmarkResult& benchmark : after.benchmarks) {
    const auto old_result = old_results.find(benchmark.id);
    AffectedBenchmark held =
        Held(kernels, policy)
            .compare(old_result == old_results.end() ? nullptr : old_result->second, benchmark);
    if (!affected.doubts.empty() && held.is == Identity::same) {
      held.is = Identity::unknown;
      held.because = affected.doubts;
    }
    for (const std::string& each : launched_by(benchmark)) of_no_benchmark.erase(each);
    if (held.is == Identity::same) {
      ++affected.same_benchmarks;
    } else {
      affected.benchmarks.push_back(std::move(held));
    }
  }
  const auto new_results = after.by_id();
  for (const BenchmarkResult& benchmark : before.benchmarks) {
    if (new_results.contains(benchmark.id)) continue;
    affected.removed.push_back(benchmark.id);
    for (const std::string& each : launched_by(benchmark)) of_no_benchmark.erase(each);
  }
  affected.launched_by_none.assign(of_no_benchmark.begin(), of_no_benchmark.end());
  return affected;
}

// "transpose/padded/" of "transpose/padded/256x192"; what has fewer parts, whole.
std::string all_sizes_of(const std::string& id) {
  const std::string_view size = results::parts_of(id).size;
  return size.empty() ? id : id.substr(0, id.size() - size.size());
}

}  // namespace

std::set<std::string> Affected::changed_kernels() const {
  Names names;
  for (const AffectedKernel& each : kernels) names.insert(each.key.first);
  return names;
}

bool Affected::nothing() const {
  return kernels.empty() && doubts.empty() && benchmarks.empty() && removed.empty();
}

Affected affected_kernels(const ImageKernels& before, const ImageKernels& after) {
  return of_kernels(before, after, machine_code::changes(before, after));
}

Affected affected_benchmarks(const ImageKernels& before, const ImageKernels& after,
                             const Results& suite_before, const Results& suite_after,
                             const Policy& policy) {
  require_one_device(suite_before, suite_after);
  Affected affected = with_benchmarks(before, after, suite_before, suite_after, policy);
  affected.compared_launches = true;
  return affected;
}

Affected affected_benchmarks(const ImageKernels& before, const ImageKernels& after,
                             const Results& suite, const Policy& policy) {
  return with_benchmarks(before, after, suite, suite, policy);
}

std::string filter_for(const Affected& affected) {
  if (!affected.knows_benchmarks) return affected.nothing() ? "" : kAllBenchmarks;
  if (!affected.doubts.empty() || !affected.launched_by_none.empty()) return kAllBenchmarks;
  // A filter that no benchmark of the suite matches is an error.
  if (affected.benchmarks.empty()) return affected.removed.empty() ? "" : kAllBenchmarks;
  Names beginnings;
  for (const AffectedBenchmark& each : affected.benchmarks) {
    beginnings.insert(all_sizes_of(each.id));
  }
  for (const std::string& id : affected.removed) beginnings.insert(all_sizes_of(id));
  std::vector<std::string> patterns;
  for (const std::string& each : beginnings) {
    patterns.push_back(escaped(each) + (each.ends_with('/') ? "" : "$"));
  }
  std::string filter = fmt::format("^({})", fmt::join(patterns, "|"));
  return filter.size() <= IdFilter::kLongestPattern ? filter : kAllBenchmarks;
}

}  // namespace warpgauge::ci
