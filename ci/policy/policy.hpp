// SPDX-License-Identifier: Apache-2.0
// What results are held to, as ci/policy.toml says it. Documented there. Which floor a metric has
// is decided in floors/, and which limits hold in limits/.
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

// What takes a time: a GPU's timestamps of the kernel, CUDA events around it, a processor's clock,
// or a GPU's timestamps in a program that is not a suite, whose caches and clocks are as they are.
enum class Clock { gpu, event, cpu, program };

enum class MetricClass { exact, statistical, shown };
enum class Better { lower, higher };

// Not measured but derived: what a benchmark achieves of the bandwidth that the device showed in
// the same run, 1 being all of it. Only a [[limit]] names it.
inline constexpr const char* kShareOfCeilingMetric = "share_of_ceiling";

// As the policy writes them.
[[nodiscard]] std::string to_string(MetricClass metric_class);
[[nodiscard]] std::string to_string(Clock clock);

// How the times of two sides come to be: what their floors go by.
struct Timing {
  Design design = Design::apart;
  Clock clock = Clock::gpu;
  std::string device = {};   // its key, as a folder of baselines names it; empty: not known
  std::string command = {};  // of a program that is no suite, as its session has it
};

// Where in a policy's text something stands. Both counted from 1; 0: not from a text.
struct Place {
  int line = 0;
  int column = 0;
};

// Floors of two sides that are interleaved and repeat so well that they allow them
// (ci/verdict/metrics/narrowed_floor.hpp).
struct SteadyFloors {
  double relative_floor = 0;
  double absolute_floor = 0;  // in the metric's unit, as the next
  double resolution = 0;

  bool operator==(const SteadyFloors&) const = default;
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
  std::optional<SteadyFloors> steady;            // of interleaved sides; absent: the above hold
  // As a share. Present: the floors above are those of `steady` by now, and this is what holds
  // without them. What is no worse than it passes.
  std::optional<double> usual_floor;
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
  // What is measured of a clock, instead of what the [[metric]] says of times.
  struct Floor {
    Clock clock = Clock::gpu;
    std::vector<std::string> devices = {};  // keys; empty: any
    std::string benchmarks = "*";           // pattern of ids
    std::string command = {};               // of the program; empty: any
    double relative_floor = 0;
    std::optional<double> relative_floor_against = std::nullopt;
    double absolute_floor = 0;  // in nanoseconds, as the next
    double resolution = 0;
    std::optional<SteadyFloors> steady = std::nullopt;
    std::string measured = {};  // by what
    Place place = {};

    // By clock, device and command. Of a device that is not known, any may be.
    [[nodiscard]] bool is_of(const Timing& timing) const;
  };
  // What a figure may be, whatever it was before. Of a new side alone. A [[ratio]] is one whose
  // value is in units of another variant's figure.
  enum class Bound { most, least };
  struct Limit {
    std::string metric;
    Bound bound = Bound::most;
    double value = 0;                       // in the metric's unit
    std::string benchmarks = "*";           // pattern of ids
    std::vector<std::string> devices = {};  // keys; empty: any
    std::string reason = {};
    std::string expires = {};  // as of an override
    Place place = {};
    // Of a [[ratio]]: parts of ids between slashes; the rule is of ids that have the first, and
    // against those that have the second in its place. Empty: a [[limit]].
    std::string variant = {};
    std::string against = {};

    // Of a device that is not known, any may be.
    [[nodiscard]] bool is_of(const std::string& device) const;
    [[nodiscard]] bool is_ratio() const { return !against.empty(); }
    [[nodiscard]] const char* table() const { return is_ratio() ? "ratio" : "limit"; }
    // "registers"; "time of padded against shared".
    [[nodiscard]] std::string subject() const;
    // The id that a [[ratio]] holds this one against; absent: it does not speak of this one.
    [[nodiscard]] std::optional<std::string> counterpart(const std::string& id) const;
    // Whether the rule speaks of the benchmark.
    [[nodiscard]] bool is_about(const std::string& id) const;
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
  // By how much, as a share, a counter may grow where the clock shows no loss; not wavefronts
  // beyond the ideal ones.
  double counter_limit = 0.02;
  // What takes a smaller share of a program's GPU time is only shown: its range stands for it.
  double least_share = 0.005;
  // For how many days benchmarks of the same code may go without being timed in full; absent: any.
  std::optional<int> max_age;
  // What time may lose since its anchor, as a share, in however many steps.
  double creep_limit = 0.02;
  // Patterns of ids: benchmarks whose times tell what a machine is like.
  std::vector<std::string> controls;
  int processes = 5;
  int most_processes = 10;  // where fewer do not make it clear
  int budget_s = 120;       // for all that a gate measures after its first look
  std::vector<Named> metrics;
  std::vector<Floor> floors;  // the last that matches wins
  std::vector<Limit> limits;  // of a subject and a bound the last that matches wins
  std::vector<Override> overrides;
  std::vector<std::string> notes;  // that every report by this policy says

  // Of two sides that are measured interleaved, floors are those against revisions. Absolute floors
  // and resolutions of [[metric]] and [[override]] are of a GPU's timestamps: for another clock
  // only a [[floor]] has them. `cpu_time` is by a processor's clock whatever takes the time.
  [[nodiscard]] Rule rule_for(const std::string& benchmark, const std::string& metric,
                              const Timing& timing = {}) const;
  // The [[floor]] that a time goes by, before overrides. nullptr: none.
  [[nodiscard]] const Floor* floor_for(const std::string& benchmark, const Timing& timing) const;

  // Those that hold of the benchmark on this device, but for metrics that an [[override]] does not
  // gate there.
  [[nodiscard]] std::vector<const Limit*> limits_for(const std::string& benchmark,
                                                     const std::string& device) const;
  // Whether an [[override]] lets the metric of this benchmark be absent.
  [[nodiscard]] bool may_be_absent(const std::string& benchmark, const std::string& metric) const;

  // Whether no allowance softens a verdict on this benchmark.
  [[nodiscard]] bool is_critical(const std::string& benchmark) const;
};

// Throws Error (not measured): what is wrong or contradicts itself, with `name`, line and column.
[[nodiscard]] Policy parse_policy(std::string_view text, const std::string& name);

// A policy as far as it can be read, and every mistake in it, in the words that parse_policy()
// throws. Without mistakes it is the policy.
struct PolicyReading {
  Policy policy;
  std::vector<std::string> mistakes;
};
[[nodiscard]] PolicyReading read_with_mistakes(std::string_view text, const std::string& name);

[[nodiscard]] Policy read_policy(const std::filesystem::path& path);

// The policy as it is on this day (UTC, "2026-12-31"): without the overrides and limits that have
// expired, each of them in the notes.
[[nodiscard]] Policy on_day(Policy policy, const std::string& today);

// The policy for two sides that are measured interleaved, of which one is an anchor: no floor of
// `metric` is lower than the limit of creep.
[[nodiscard]] Policy with_creep_limit(Policy policy, const std::string& metric);

// The same without [[limit]]s, for questions about a change alone.
[[nodiscard]] Policy without_limits(Policy policy);

// Which pattern of an [[override]], [[floor]] or [[limit]] matches none of the ids, or which
// [[ratio]] finds no two of them, so that it would be taken for a rule that is in force, in words
// that name the nearest id; empty: each matches some. A [[floor]] of one program is left out: these
// may be another's.
[[nodiscard]] std::string idle_pattern(const Policy& policy, const std::vector<std::string>& ids);
// … all of them.
[[nodiscard]] std::vector<std::string> idle_patterns(const Policy& policy,
                                                     const std::vector<std::string>& ids);

// The same of a device that a [[limit]] names: none of these keys.
[[nodiscard]] std::string idle_device(const Policy& policy, const std::vector<std::string>& keys);

// Remarks on devices that a [[floor]] names and that are none of these keys. They may be misspelt,
// or other machines that share the policy.
[[nodiscard]] std::vector<std::string> idle_floors(const Policy& policy,
                                                   const std::vector<std::string>& keys);

// Those of them that may be meant for `device`: its key is near, and of this clock it has floors,
// but none of the same benchmarks.
[[nodiscard]] std::vector<std::string> floors_that_may_be_meant_for(
    const std::string& device, const Policy& policy, const std::vector<std::string>& keys);

// Throws Error (not measured) for an idle pattern.
void refuse_idle_patterns(const Policy& policy, const std::vector<std::string>& ids);
void refuse_idle_devices(const Policy& policy, const std::vector<std::string>& keys);

// The policy.toml that this program was built with, less its overrides: they speak of Warpgauge's
// own kernels.
[[nodiscard]] Policy built_in_policy();
[[nodiscard]] std::string built_in_policy_text();

}  // namespace warpgauge::ci
