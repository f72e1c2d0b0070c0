// SPDX-License-Identifier: Apache-2.0
// Which machine code a GPU runs, and which of several it prefers.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace warpgauge::machine_code {

// Of several that run on one GPU the driver takes the largest.
struct Architecture {
  int number = 0;      // 90 of sm_90a
  int preference = 0;  // 2 for "a", which runs on this very one; 1 for "f", on its family

  friend auto operator<=>(const Architecture&, const Architecture&) = default;
};

// variant: "a", "f" or empty.
[[nodiscard]] Architecture architecture_of(int number, std::string_view variant);

// Of "sm_90a". Absent: it is none.
[[nodiscard]] std::optional<Architecture> architecture_named(std::string_view name);

// Orders names by number where they differ in that alone: sm_80, sm_90, sm_90a, sm_100.
struct ByNumber {
  using is_transparent = void;
  [[nodiscard]] bool operator()(std::string_view a, std::string_view b) const;
};

// The number of a GPU of compute capability "9.0": 90. Absent: it is none.
[[nodiscard]] std::optional<int> gpu_number(const std::string& compute_capability);

// Machine code runs on GPUs of the same major version and the same or a later minor version; that
// of an "a" on the very same alone.
[[nodiscard]] bool runs_on(const Architecture& code, int gpu);

}  // namespace warpgauge::machine_code
