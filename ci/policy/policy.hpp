// SPDX-License-Identifier: Apache-2.0
// What results are held to, as ci/policy.toml says it. Documented there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpgauge::ci {

// How two sides come to be measured. Interleaved (ABBA) on one device, they are one session:
// nothing but the source differs, and the process is the replicate.
enum class Design { apart, interleaved };

enum class MetricClass { exact, statistical, shown };
enum class Better { lower, higher };

// As the policy writes it.
[[nodiscard]] std::string to_string(MetricClass metric_class);

// Where in a policy's text something stands. Both counted from 1; 0: not from a text.
struct Place {
  int line = 0;
  int column = 0;
};

// How one metric of one benchmark is judged.
struct Rule {
  // An override that has its say, in the order of the text: the last wins.
  struct Change {
    Place place;
    std::string benchmarks;  // its pattern
    std::string reason;
  };

  MetricClass metric_class = MetricClass::shown;
  Better better = Better::lower;
  double relative_floor = 0;
  std::optional<double> relative_floor_against;  // instead, where both sides are interleaved
  double absolute_floor = 0;                     // in the metric's unit
  double resolution = 0;                         // in the metric's unit
  bool optional = false;
  // Where the above comes from.
  MetricClass own_class = MetricClass::shown;  // before any override
  Place place;                                 // of the [[metric]]; none names it: line 0
  Place relative_floor_place;
  Place relative_floor_against_place;
  Place absolute_floor_place;
  std::vector<Change> changes;

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
    std::optional<bool> critical = std::nullopt;
    std::string expires = {};  // the last day on which it counts, "2026-12-31"; empty: none
    Place place = {};
    std::optional<double> relative_floor_against = std::nullopt;
  };

  std::string name;     // of the text, for messages
  double alpha = 0.01;  // chance of a false alarm, for the suite as a whole
  double beta =
      0.05;  // chance, for each benchmark, that "same" hides a change as large as its floor
  // By how much, as a share, the time of the same code may be off from that of all other same code
  // before it is judged as if it had changed.
  double same_code_limit = 0.05;
  // Patterns of ids: benchmarks whose times tell what a machine is like.
  std::vector<std::string> controls;
  int processes = 5;
  int most_processes = 10;  // where fewer do not make it clear
  std::vector<Named> metrics;
  std::vector<Override> overrides;
  std::vector<std::string> notes;  // that every report by this policy says

  // Of two sides that are measured interleaved, floors are those against revisions.
  [[nodiscard]] Rule rule_for(const std::string& benchmark, const std::string& metric,
                              Design design = Design::apart) const;

  // Whether no allowance softens a verdict on this benchmark.
  [[nodiscard]] bool is_critical(const std::string& benchmark) const;
};

// Throws Error (not measured): what is wrong or contradicts itself, with `name`, line and column.
[[nodiscard]] Policy parse_policy(std::string_view text, const std::string& name);

[[nodiscard]] Policy read_policy(const std::filesystem::path& path);

// The policy as it is on this day (UTC, "2026-12-31"): without the overrides that have expired,
// each of them in the notes.
[[nodiscard]] Policy on_day(Policy policy, const std::string& today);

// Throws Error (not measured) for an override whose pattern matches none of the ids: it would be
// taken for a rule that is in force. Names the nearest id, where there is one.
void refuse_idle_overrides(const Policy& policy, const std::vector<std::string>& ids);

// The policy.toml that this program was built with, less its overrides: they speak of Warpgauge's
// own kernels.
[[nodiscard]] Policy built_in_policy();

}  // namespace warpgauge::ci
