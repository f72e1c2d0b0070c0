// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/launches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "ci/support/text.hpp"
#include "ci/verdict/kernel_name.hpp"

namespace warpgauge::ci {
namespace {

using results::KernelLaunch;

constexpr std::size_t kMostDifferencesNamed = 3;

// Of one kernel.
struct Sides {
  std::vector<KernelLaunch> before;
  std::vector<KernelLaunch> after;
};

// "32×16" of 32, 16 and 1.
std::string extents_text(const results::Extents& extents) {
  std::size_t dimensions = extents.size();
  while (dimensions > 1 && extents[dimensions - 1] == 1) --dimensions;
  return fmt::format("{}", fmt::join(extents.begin(), extents.begin() + dimensions, "×"));
}

std::string carveout_text(const std::optional<std::uint32_t>& percent) {
  return percent ? fmt::format("{} %", *percent) : "left to the driver";
}

// What differs of a kernel, without the launches that both sides share.
std::string launch_difference(const std::vector<KernelLaunch>& all_before,
                              const std::vector<KernelLaunch>& all_after) {
  if (all_before.empty()) return "is launched now";
  if (all_after.empty()) return "is launched no longer";
  std::vector<KernelLaunch> before;
  std::vector<KernelLaunch> after;
  std::ranges::set_difference(all_before, all_after, std::back_inserter(before));
  std::ranges::set_difference(all_after, all_before, std::back_inserter(after));
  if (before.size() != 1 || after.size() != 1) return "other launches";
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const std::string& old_text, const std::string& new_text) {
    if (old_text != new_text) parts.push_back(fmt::format("{} {} → {}", what, old_text, new_text));
  };
  const KernelLaunch& old_launch = before.front();
  const KernelLaunch& new_launch = after.front();
  add("grid", extents_text(old_launch.grid), extents_text(new_launch.grid));
  add("block", extents_text(old_launch.block), extents_text(new_launch.block));
  add("dynamic shared memory", fmt::format("{} bytes", old_launch.dynamic_shared_bytes),
      fmt::format("{} bytes", new_launch.dynamic_shared_bytes));
  add("cluster", extents_text(old_launch.cluster), extents_text(new_launch.cluster));
  add("shared memory carve-out", carveout_text(old_launch.shared_carveout),
      carveout_text(new_launch.shared_carveout));
  add("launches", fmt::format("{}", old_launch.count), fmt::format("{}", new_launch.count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string launch_text(const KernelLaunch& launch) {
  std::string text = fmt::format("{}: grid {}, block {}", without_parameters(launch.kernel),
                                 extents_text(launch.grid), extents_text(launch.block));
  if (launch.dynamic_shared_bytes > 0) {
    text += fmt::format(", {} bytes of dynamic shared memory", launch.dynamic_shared_bytes);
  }
  if (launch.cluster != KernelLaunch().cluster) {
    text += fmt::format(", cluster {}", extents_text(launch.cluster));
  }
  if (launch.shared_carveout) {
    text += fmt::format(", shared memory carve-out {}", carveout_text(launch.shared_carveout));
  }
  if (launch.count > 1) text += fmt::format(", {} times", launch.count);
  return text;
}

LaunchComparison compare_launches(const std::vector<KernelLaunch>& before,
                                  const std::vector<KernelLaunch>& after) {
  LaunchComparison comparison;
  if (before.empty() || after.empty()) return comparison;
  comparison.result = LaunchComparison::Result::same;
  if (before == after) return comparison;

  comparison.result = LaunchComparison::Result::other;
  std::map<std::string, Sides> kernels;
  for (const KernelLaunch& each : before) kernels[each.kernel].before.push_back(each);
  for (const KernelLaunch& each : after) kernels[each.kernel].after.push_back(each);
  std::map<std::string_view, int> overloads;
  for (const auto& [kernel, sides] : kernels) ++overloads[without_parameters(kernel)];
  std::vector<std::string> differences;
  for (const auto& [kernel, sides] : kernels) {
    if (sides.before == sides.after) continue;
    comparison.other_kernels |= sides.before.empty() || sides.after.empty();
    const std::string_view name = without_parameters(kernel);
    differences.push_back(fmt::format("{}: {}", overloads[name] > 1 ? kernel : name,
                                      launch_difference(sides.before, sides.after)));
  }
  comparison.difference = some_of(differences, kMostDifferencesNamed, "; ");
  return comparison;
}

bool launched_otherwise(const std::vector<KernelLaunch>& before,
                        const std::vector<KernelLaunch>& after) {
  return !before.empty() && !after.empty() && before != after;
}

bool launched_alike(const std::vector<KernelLaunch>& before,
                    const std::vector<KernelLaunch>& after) {
  return before.empty() || before == after;
}

}  // namespace warpgauge::ci
