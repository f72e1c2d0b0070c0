// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/profiles.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "ci/policy/policy.hpp"
#include "ci/policy/policy_toml.hpp"
#include "ci/support/errors.hpp"
#include "profiling/results/nearest.hpp"

namespace warpgauge::ci {
namespace {

// Without `controls`, which name kernels of Warpgauge's own suite, and the comment above them.
std::string text_for_gpus() {
  std::istringstream lines(built_in_policy_text());
  std::string text;
  std::string comment;
  for (std::string line; std::getline(lines, line);) {
    line += '\n';
    if (line.starts_with('#')) {
      comment += line;
      continue;
    }
    if (!line.starts_with("controls")) text += comment + line;
    comment.clear();
  }
  return text + comment;
}

std::string text_of(std::string_view name) {
  for (const ProfileText& each : kProfileTexts) {
    if (name == each.name) return each.text;
  }
  throw std::logic_error("no profile " + std::string(name));
}

}  // namespace

std::vector<Profile> policy_profiles() {
  return {
      {"gpu", "a suite of kernels on a GPU or on the emulator, built with warpgauge_add_benchmark",
       text_for_gpus()},
      {"cpu", "a suite of Google Benchmark on a CPU", text_of("cpu")},
      {"imported", "results of NVBench, ncu, BabelStream and others", text_of("imported")},
      {"program", "any program that launches kernels: gate -- COMMAND", text_of("program")}};
}

Profile policy_profile(const std::string& name) {
  std::vector<std::string> names;
  for (Profile& each : policy_profiles()) {
    if (each.name == name) return std::move(each);
    names.push_back(each.name);
  }
  throw Error(kExitUsage, fmt::format("there is no profile '{}'{}; there are {}", name,
                                      results::did_you_mean(name, names), fmt::join(names, ", ")));
}

}  // namespace warpgauge::ci
