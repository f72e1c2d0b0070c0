// SPDX-License-Identifier: Apache-2.0
// What results are held to, as ci/policy.toml says it. Documented there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::ci {

enum class MetricClass { exact, statistical, shown };
enum class Better { lower, higher };

// How one metric of one benchmark is judged.
struct Rule {
  MetricClass metric_class = MetricClass::shown;
  Better better = Better::lower;
  double relative_floor = 0;
  double absolute_floor = 0;  // in the metric's unit
  double resolution = 0;      // in the metric's unit
  bool optional = false;
  std::string reason;  // of the last override that matched

  [[nodiscard]] bool gated() const { return metric_class != MetricClass::shown; }
};

struct Policy {
  struct Named {
    std::vector<std::string> names;
    Rule rule;
  };
  struct Override {
    std::string benchmarks;            // pattern of ids
    std::vector<std::string> metrics;  // empty: all
    std::optional<bool> gate;
    std::optional<bool> optional;
    std::optional<double> relative_floor;
    std::optional<double> absolute_floor;
    std::string reason;
  };

  double alpha = 0.01;  // chance of a false alarm, for the suite as a whole
  double beta =
      0.05;  // chance, for each benchmark, that "same" hides a change as large as its floor
  int processes = 5;
  int most_processes = 10;  // where fewer do not make it clear
  std::vector<Named> metrics;
  std::vector<Override> overrides;

  [[nodiscard]] Rule rule_for(const std::string& benchmark, const std::string& metric) const;
};

// Throws Error (not measured): what is wrong, with `name`, line and column.
[[nodiscard]] Policy parse_policy(std::string_view text, const std::string& name);

[[nodiscard]] Policy read_policy(const std::filesystem::path& path);

// The policy.toml that this program was built with, less its overrides: they speak of Warpgauge's
// own kernels.
[[nodiscard]] Policy built_in_policy();

}  // namespace warpgauge::ci
