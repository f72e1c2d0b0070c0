// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/baseline_commands.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_report.hpp"
#include "ci/support/atomic_directory.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/json_text.hpp"

namespace warpgauge::ci {
namespace {

std::vector<std::string> wanted_devices(const BaselineOptions& options) {
  std::vector<std::string> devices = devices_with_baseline(options.baselines);
  if (devices.empty()) {
    throw Error(kExitNotMeasured,
                fmt::format("{} holds no baseline; name the folder with --baselines, or make one "
                            "with warpgauge approve",
                            options.baselines.string()));
  }
  if (options.device.empty()) return devices;
  if (std::find(devices.begin(), devices.end(), options.device) == devices.end()) {
    throw Error(kExitUsage, fmt::format("--device {}: {} has baselines for {} only", options.device,
                                        options.baselines.string(), fmt::join(devices, ", ")));
  }
  return {options.device};
}

std::vector<Baseline> load_baselines(const BaselineOptions& options) {
  const FolderLock lock(options.baselines, FolderLock::Kind::shared);
  std::vector<Baseline> baselines;
  for (const std::string& device : wanted_devices(options)) {
    if (auto baseline = load_baseline(options.baselines, device)) {
      baselines.push_back(std::move(*baseline));
    }
  }
  return baselines;
}

bool holds(const std::vector<Baseline>& baselines, const std::string& id) {
  return std::any_of(baselines.begin(), baselines.end(), [&](const Baseline& baseline) {
    const auto family = baseline.families.find(family_of(id));
    return family != baseline.families.end() && family->second.contains(id);
  });
}

}  // namespace

int list_command(const BaselineOptions& options) {
  const std::vector<Baseline> baselines = load_baselines(options);
  fmt::print("{}", options.json ? json_text(list_json(baselines)) : list_text(baselines));
  return kExitPass;
}

int show_command(const BaselineOptions& options) {
  const std::vector<Baseline> baselines = load_baselines(options);
  // "a/b/1" means itself, not "a/b/10" as well.
  const bool is_id = holds(baselines, options.pattern);
  const IdFilter matching(is_id ? std::string() : options.pattern);
  std::string text;
  results::Json json = results::Json::array();
  for (const Baseline& baseline : baselines) {
    for (const auto& [name, family] : baseline.families) {
      for (const auto& [id, approved] : family) {
        if (is_id ? id != options.pattern : !matching.matches(id)) continue;
        text += benchmark_text(baseline, id, approved);
        if (options.json) json.push_back(benchmark_json(baseline, id, approved));
      }
    }
  }
  if (text.empty()) {
    throw Error(kExitUsage,
                fmt::format("'{}' matches no benchmark in {}; see warpgauge baseline list",
                            options.pattern, options.baselines.string()));
  }
  fmt::print("{}", options.json ? json_text({{"benchmarks", std::move(json)}}) : text);
  return kExitPass;
}

int prune_command(const BaselineOptions& options) {
  const auto dropped = prune_baselines(options.baselines, wanted_devices(options), options.keep);
  fmt::print("{}", options.json ? json_text(pruned_json(dropped)) : pruned_text(dropped));
  return kExitPass;
}

}  // namespace warpgauge::ci
