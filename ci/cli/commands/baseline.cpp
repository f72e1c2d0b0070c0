// SPDX-License-Identifier: Apache-2.0
// `warpgauge baseline`: list, show, check and prune.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "ci/baselines/approve/approve.hpp"
#include "ci/baselines/approve/session_retention.hpp"
#include "ci/baselines/baseline.hpp"
#include "ci/baselines/baseline_check.hpp"
#include "ci/baselines/baseline_report.hpp"
#include "ci/cli/common_options.hpp"
#include "ci/cli/named_baselines.hpp"
#include "ci/cli/subcommands.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/files/folder_lock.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/json_text.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kBaselineExamples =
    "Examples:\n"
    "  warpgauge baseline list\n"
    "  warpgauge baseline show transpose/padded/256x192\n"
    "  warpgauge baseline check\n"
    "  warpgauge baseline prune --keep 6";

struct BaselineOptions {
  std::filesystem::path baselines = kProjectBaselines;
  std::string device;   // its folder; empty: all
  std::string pattern;  // of show: an id, or a regular expression on ids
  std::size_t keep = kFewestSessions;
  bool json = false;
};

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
  return read_locked(options.baselines, [&] {
    std::vector<Baseline> baselines;
    for (const std::string& device : wanted_devices(options)) {
      if (auto baseline = load_baseline(options.baselines, device)) {
        baselines.push_back(std::move(*baseline));
      }
    }
    return baselines;
  });
}

bool holds(const std::vector<Baseline>& baselines, const std::string& id) {
  return std::any_of(baselines.begin(), baselines.end(), [&](const Baseline& baseline) {
    const auto family = baseline.families.find(family_of(id));
    return family != baseline.families.end() && family->second.contains(id);
  });
}

int list_baselines(const BaselineOptions& options) {
  const std::vector<Baseline> baselines = load_baselines(options);
  return print(options.json ? json_text(list_json(baselines)) : log_text(list_text(baselines)));
}

int show_baselines(const BaselineOptions& options) {
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
  return print(options.json ? json_text({{"benchmarks", std::move(json)}}) : log_text(text));
}

// The exit status is that of what is not whole.
int check_folder(const BaselineOptions& options) {
  const BaselineCheck check = check_baselines(
      options.baselines, [&] { return wanted_devices(options); }, now_utc());
  (void)print(options.json ? json_text(check_json(check)) : log_text(check_text(check)));
  return check.faults.empty() ? kExitPass : kExitNotMeasured;
}

int prune_oldest(const BaselineOptions& options) {
  const auto dropped = prune_baselines(options.baselines, wanted_devices(options), options.keep);
  return print(options.json ? json_text(pruned_json(dropped)) : log_text(pruned_text(dropped)));
}

}  // namespace

void add_baseline(CLI::App& program, Context& context) {
  CLI::App& baseline = *program.add_subcommand("baseline", "Shows and trims what was approved");
  baseline.require_subcommand(1);
  baseline.footer(kBaselineExamples);
  const auto options = std::make_shared<BaselineOptions>();
  CLI::App& list = *baseline.add_subcommand("list", "Lists devices and families");
  CLI::App& show = *baseline.add_subcommand(
      "show",
      "Shows figures by session, exact metrics, lines, and who approved them, when and why");
  CLI::App& check = *baseline.add_subcommand(
      "check", "Checks that the baselines can be read, and are as an approval writes them");
  CLI::App& prune = *baseline.add_subcommand("prune", "Drops the oldest sessions");
  show.add_option("PATTERN", options->pattern, "Id, or regular expression on ids")->required();
  prune.add_option("--keep", options->keep, "Sessions of each benchmark to keep, the newest")
      ->check(whole_number_between(kFewestSessions, 1000))
      ->capture_default_str();
  for (CLI::App* command : {&list, &show, &check, &prune}) {
    command->add_option("--baselines", options->baselines, "Folder of baselines")
        ->type_name("FOLDER")
        ->capture_default_str();
    command->add_option("--device", options->device, "Its folder there (default: all)");
    add_json(*command, options->json);
  }
  const auto on_call = [&](CLI::App& command, int (*run)(const BaselineOptions&)) {
    context.on_call(command, [options, run, &command] {
      require_named_baselines(command, options->baselines);
      return run(*options);
    });
  };
  on_call(list, list_baselines);
  on_call(show, show_baselines);
  on_call(check, check_folder);
  on_call(prune, prune_oldest);
}

}  // namespace warpgauge::ci
