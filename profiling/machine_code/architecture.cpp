// SPDX-License-Identifier: Apache-2.0
#include "profiling/machine_code/architecture.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <system_error>
#include <tuple>

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

bool ByNumber::operator()(std::string_view a, std::string_view b) const {
  const auto parts = [](std::string_view name) {
    const std::size_t begin = std::min(name.find('_'), name.size());
    const std::string_view digits = name.substr(std::min(begin + 1, name.size()));
    int number = 0;
    (void)std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return std::tuple(name.substr(0, begin), number, name);
  };
  return parts(a) < parts(b);
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
