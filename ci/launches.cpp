// SPDX-License-Identifier: Apache-2.0
#include "ci/launches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>

#include "ci/kernel_name.hpp"

namespace warpgauge::ci {
namespace {

using results::KernelLaunch;

constexpr std::size_t kMostDifferencesNamed = 3;

using LaunchesByKernel = std::map<std::string, std::vector<KernelLaunch>>;

// Sorted: in which order they come differs between a GPU and the emulator.
LaunchesByKernel launches_by_kernel(const std::vector<KernelLaunch>& launches) {
  LaunchesByKernel all;
  for (const KernelLaunch& each : launches) all[each.kernel].push_back(each);
  const auto key = [](const KernelLaunch& each) {
    return std::tie(each.grid, each.block, each.dynamic_shared_bytes, each.count);
  };
  for (auto& [kernel, of_kernel] : all) {
    std::sort(of_kernel.begin(), of_kernel.end(),
              [&](const KernelLaunch& a, const KernelLaunch& b) { return key(a) < key(b); });
  }
  return all;
}

// "32×16" of 32, 16 and 1.
std::string extents_text(const std::array<std::uint32_t, 3>& extents) {
  std::size_t dimensions = extents.size();
  while (dimensions > 1 && extents[dimensions - 1] == 1) --dimensions;
  return fmt::format("{}", fmt::join(extents.begin(), extents.begin() + dimensions, "×"));
}

// What differs, where each side launches it in one way.
std::string launch_difference(const std::vector<KernelLaunch>& before,
                              const std::vector<KernelLaunch>& after) {
  if (before.empty()) return "is launched now";
  if (after.empty()) return "is launched no longer";
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
  add("launches", fmt::format("{}", old_launch.count), fmt::format("{}", new_launch.count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

LaunchComparison compare_launches(const std::vector<KernelLaunch>& before,
                                  const std::vector<KernelLaunch>& after) {
  LaunchComparison comparison;
  if (before.empty() || after.empty()) return comparison;
  LaunchesByKernel old_launches = launches_by_kernel(before);
  LaunchesByKernel new_launches = launches_by_kernel(after);
  comparison.result = LaunchComparison::Result::same;
  if (old_launches == new_launches) return comparison;

  comparison.result = LaunchComparison::Result::other;
  for (const auto& [kernel, launches] : new_launches) old_launches.try_emplace(kernel);
  std::vector<std::string> differences;
  for (const auto& [kernel, launches] : old_launches) {
    const std::vector<KernelLaunch>& now = new_launches[kernel];
    if (launches == now) continue;
    differences.push_back(
        fmt::format("{}: {}", without_parameters(kernel), launch_difference(launches, now)));
  }
  const std::size_t named = std::min(differences.size(), kMostDifferencesNamed);
  comparison.difference =
      fmt::format("{}", fmt::join(differences.begin(),
                                  differences.begin() + static_cast<std::ptrdiff_t>(named), "; "));
  if (named < differences.size()) {
    comparison.difference += fmt::format(" and {} more", differences.size() - named);
  }
  return comparison;
}

}  // namespace warpgauge::ci
