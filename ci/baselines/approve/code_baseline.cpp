// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/approve/code_baseline.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "ci/baselines/baseline.hpp"
#include "ci/support/files/folder_lock.hpp"
#include "profiling/machine_code/architecture.hpp"

namespace warpgauge::ci {
namespace {

std::set<std::string> architectures_in(const results::Results& results) {
  std::set<std::string> all;
  for (const results::BenchmarkResult& benchmark : results.benchmarks) {
    for (const results::KernelCode& each : benchmark.machine_code) all.insert(each.architecture);
  }
  return all;
}

bool is_of_machine_code(const results::Results& results) {
  return results.session && results.session->device.kind == results::DeviceKind::machine_code;
}

// The key of a device is "sm-90" for sm_90.
std::optional<machine_code::Architecture> architecture_of_key(std::string key) {
  std::replace(key.begin(), key.end(), '-', '_');
  return machine_code::architecture_named(key);
}

std::string last_approved(const Baseline& baseline) {
  std::string last;
  for (const auto& [label, session] : baseline.sessions) last = std::max(last, session.approved);
  return last;
}

}  // namespace

std::optional<results::Device> device_of_shared_code(const std::filesystem::path& baselines,
                                                     const results::Results& results) {
  if (!is_of_machine_code(results)) return std::nullopt;
  const std::string& own_key = results.session->device.key;
  const std::set<std::string> own = architectures_in(results);
  using Rank = std::tuple<std::string, bool, machine_code::Architecture>;
  std::optional<Rank> best;
  std::optional<results::Device> device;
  for (const std::string& key : devices_with_baseline(baselines)) {
    const auto architecture = architecture_of_key(key);
    if (!architecture) continue;
    const auto baseline = read_locked(baselines, [&] { return load_baseline(baselines, key); });
    if (!baseline) continue;
    const results::Results approved = to_results(*baseline);
    if (!is_of_machine_code(approved)) continue;
    const std::set<std::string> others = architectures_in(approved);
    const bool shares = std::any_of(own.begin(), own.end(),
                                    [&](const std::string& each) { return others.contains(each); });
    const Rank rank(last_approved(*baseline), key == own_key, *architecture);
    if (!shares || (best && rank < *best)) continue;
    best = rank;
    device = approved.session->device;
  }
  if (device && device->key == own_key) return std::nullopt;
  return device;
}

}  // namespace warpgauge::ci
