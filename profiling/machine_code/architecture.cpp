// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/architecture.hpp"

#include <charconv>
#include <cstdio>
#include <system_error>

namespace warpgauge::machine_code {

Architecture architecture_of(int number, std::string_view variant) {
  return {number, variant == "a" ? 2 : variant == "f" ? 1 : 0};
}

std::optional<Architecture> architecture_named(std::string_view name) {
  constexpr std::string_view kPrefix = "sm_";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  name.remove_prefix(kPrefix.size());
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  const std::string_view variant = name.substr(static_cast<std::size_t>(stop - name.data()));
  if (error != std::errc() || (!variant.empty() && variant != "a" && variant != "f")) {
    return std::nullopt;
  }
  return architecture_of(number, variant);
}

std::optional<int> gpu_number(const std::string& compute_capability) {
  int major = 0;
  int minor = 0;
  if (std::sscanf(compute_capability.c_str(), "%d.%d", &major, &minor) != 2) return std::nullopt;
  return 10 * major + minor;
}

bool runs_on(const Architecture& code, int gpu) {
  if (code.number / 10 != gpu / 10) return false;
  return code.preference == 2 ? code.number == gpu : code.number <= gpu;
}

}  // namespace warpgauge::machine_code
