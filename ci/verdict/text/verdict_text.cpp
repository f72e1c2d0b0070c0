// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/text/verdict_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "ci/support/errors.hpp"
#include "ci/support/figures.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/attribute.hpp"
#include "ci/verdict/exit_status.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kMaxCriticalNamed = 3;
constexpr std::size_t kMaxShortfallsNamed = 3;

std::string explain(const Cause& cause) {
  std::string text;
  if (cause.before_a_request && cause.after_a_request) {
    const std::string then = fmt::format("{:.4g}", *cause.before_a_request);
    const std::string now = fmt::format("{:.4g}", *cause.after_a_request);
    // Where only the requests grew, a request is what it was.
    if (then != now) text = fmt::format("{} → {} a request", then, now);
  } else if (cause.after_a_request) {
    text = fmt::format("{:.4g} a request", *cause.after_a_request);
  }
  if (cause.lines.empty()) {
    return fmt::format("{}{}no source line: {}", text, text.empty() ? "" : "; ",
                       cause.no_lines_because);
  }
  std::vector<std::string> places;
  for (const LineGrowth& growth : cause.lines) {
    places.push_back(fmt::format("{}:{}", growth.line.file, growth.line.line));
  }
  text += fmt::format("{}at {}", text.empty() ? "" : " ", fmt::join(places, ", "));
  const std::string& source = cause.lines.front().line.text;
  return cause.lines.size() == 1 && !source.empty() ? text + ": " + one_line(source) : text;
}

// "1 failed, 2 regressed, 15 same", the gravest first.
std::string tally(const GateVerdict& verdict) {
  std::vector<std::string> parts;
  for (auto each = kVerdicts.rbegin(); each != kVerdicts.rend(); ++each) {
    if (const std::size_t count = verdict.count(*each); count > 0) {
      parts.push_back(
          fmt::format("{} {}", readable_count(static_cast<double>(count)), to_string(*each)));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// The critical benchmarks that do not pass, which lead the report.
std::string critical_ones(const GateVerdict& verdict) {
  std::vector<std::string> ids;
  std::size_t more = 0;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    if (!benchmark.critical || exit_status(benchmark.verdict) == kExitPass) continue;
    if (ids.size() < kMaxCriticalNamed) {
      ids.push_back(benchmark.id);
    } else {
      ++more;
    }
  }
  if (ids.empty()) return {};
  return fmt::format(" Critical: {}{}.", fmt::join(ids, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

// Where no baseline can be made. Nothing softens what is critical.
std::string allow_new(const GateVerdict& verdict) {
  const bool critical =
      std::any_of(verdict.benchmarks.begin(), verdict.benchmarks.end(),
                  [](const auto& each) { return each.critical && each.verdict == Verdict::added; });
  return critical || verdict.count(Verdict::added) == 0 ? ""
                                                        : " Let pass what is new: --allow new.";
}

// Of the gravest shortfalls; empty: they are not what decides.
std::string shortfalls_that_decide(const GateVerdict& verdict) {
  std::vector<std::string> parts;
  for (const Shortfall& each : verdict.shortfalls) {
    if (each.exit_status == verdict.exit_status) parts.push_back(each.what);
  }
  const std::size_t shown = std::min(parts.size(), kMaxShortfallsNamed);
  const std::size_t more = parts.size() - shown;
  parts.resize(shown);
  if (more > 0) parts.push_back(fmt::format("and {} more such", more));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// The figures by which a time has moved.
std::string evidence_text(const MetricVerdict& metric) {
  std::string p_and_floor =
      fmt::format("p {}, floor {}", readable_p(*metric.p), floor_percent(*metric.floor));
  if (!interval_agrees(metric)) return p_and_floor;
  return fmt::format("interval {:+.2f} to {:+.2f} %, {}", 100 * (*metric.low - 1),
                     100 * (*metric.high - 1), p_and_floor);
}

// What a baseline that is still slower than the code would let the next changes lose, unnoticed.
std::string unapproved_gain(const GateVerdict& verdict) {
  const std::string gain = gain_text(verdict, "the baseline");
  return verdict.approve_command.empty() || gain.empty()
             ? ""
             : fmt::format(" {}: until that is approved, as much may be lost unnoticed.", gain);
}

// Approving leaves them where they are.
bool only_limits_regressed(const GateVerdict& verdict) {
  bool any = false;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    for (const MetricVerdict& metric : benchmark.metrics) {
      if (metric.verdict != Verdict::regressed) continue;
      if (!metric.by_limit) return false;
      any = true;
    }
  }
  return any;
}

std::string fix_what_was_measured(const GateVerdict& verdict) {
  const bool on_cpu =
      verdict.after_session && verdict.after_session->device.kind == results::DeviceKind::cpu;
  return on_cpu ? " Fix the code" : " Fix the kernel";
}

// The options by which approve takes what is missing out of the baseline.
std::string removals(const GateVerdict& verdict) {
  std::string options;
  for (const BenchmarkVerdict& each : verdict.benchmarks) {
    if (each.verdict == Verdict::missing) options += " --remove " + shell_word(each.id);
  }
  return options;
}

// Where something is missing. While something regressed, approving what is left would approve that,
// too: it is said.
std::string step_for_missing(const GateVerdict& verdict) {
  const std::string& approve = verdict.approve_command;
  const bool regressed = verdict.count(Verdict::regressed) > 0;
  const std::string fix = regressed ? fix_what_was_measured(verdict) + " and bring" : " Bring";
  if (regressed && only_limits_regressed(verdict)) {
    return fix + " back what is missing, or move the limit in the policy and approve then.";
  }
  // No baseline to take it out of: two files or two revisions are compared.
  if (approve.empty()) {
    return fix +
           " back what is missing, or leave out what was removed on purpose by a --filter "
           "that matches the others alone.";
  }
  if (!regressed) {
    return fmt::format("{} back what is missing, or remove it: {}{}", fix, approve,
                       removals(verdict));
  }
  return fmt::format(
      "{} back what is missing. If all of it is intended, this approves what regressed{}, and "
      "removes what is missing: {}{}",
      fix, verdict.count(Verdict::added) > 0 ? " and what is new" : "", approve, removals(verdict));
}

// "host compiler 'GNU 12.2.0' → 'Clang 14.0.6'": what the two sides were built with. Empty: with
// the same, as far as both say.
std::string built_otherwise(const GateVerdict& verdict) {
  if (!verdict.before_session || !verdict.after_session) return "";
  auto rows = results::differences(*verdict.before_session, *verdict.after_session);
  std::erase_if(rows, [](const auto& row) { return !row.field->of_build; });
  return rows.empty() ? "" : results::listed(rows);
}

// Of a gate that passes.
std::string keep_the_gain(const GateVerdict& verdict) {
  if (verdict.count(Verdict::improved) == 0 || verdict.approve_command.empty()) return "";
  const std::string built = built_otherwise(verdict);
  if (built.empty()) return " Keep the gain: " + verdict.approve_command;
  return fmt::format(" It was built otherwise: {}. If that is to stay, keep the gain: {}", built,
                     verdict.approve_command);
}

std::string next_step(const GateVerdict& verdict) {
  if (!shortfalls_that_decide(verdict).empty()) return "";
  const std::string& approve = verdict.approve_command;
  const auto approve_to = [&](const char* purpose) {
    return approve.empty() ? std::string() : fmt::format(" {}: {}", purpose, approve);
  };
  switch (verdict.exit_status) {
    case kExitPass:
      return keep_the_gain(verdict);
    case kExitRegressed: {
      const std::string fix = fix_what_was_measured(verdict);
      if (only_limits_regressed(verdict)) return fix + ", or move the limit in the policy.";
      if (approve.empty()) return fix + ".";
      return fix + "," +
             approve_to(verdict.count(Verdict::added) > 0 ? "or approve the change and what is new"
                                                          : "or approve the change");
    }
    case kExitNoVerdict:
      if (verdict.count(Verdict::inconclusive) > 0) return " Each says what would settle it.";
      return approve.empty() ? allow_new(verdict) : approve_to("Make the baseline");
    default:
      if (verdict.count(Verdict::failed) > 0) return " Fix what failed.";
      if (verdict.count(Verdict::missing) > 0) return step_for_missing(verdict);
      return verdict.after_session &&
                     verdict.after_session->device.kind == results::DeviceKind::machine_code
                 ? " Do what the reason says, or declare it optional in the policy."
                 : " Measure it, or declare it optional in the policy.";
  }
}

// "regressed: registers 32 → 40 (+25.0 %), …; shown: …", those with one reason together.
std::string listed_together(const std::vector<const MetricVerdict*>& metrics,
                            const std::string& known_why) {
  struct Group {
    std::string verdict;
    std::string why;
    std::vector<std::string> changes;
  };
  std::vector<Group> groups;
  for (const MetricVerdict* metric : metrics) {
    const std::string verdict =
        metric->metric_class == MetricClass::shown ? "shown" : to_string(metric->verdict);
    std::string why = explain(*metric);
    if (why == known_why) why.clear();
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& each) {
      return each.verdict == verdict && each.why == why;
    });
    if (group == groups.end()) group = groups.insert(groups.end(), {verdict, why, {}});
    group->changes.push_back(change_text(*metric));
  }
  std::vector<std::string> parts;
  parts.reserve(groups.size());
  for (const Group& each : groups) {
    parts.push_back(fmt::format("{}: {}{}", each.verdict, fmt::join(each.changes, ", "),
                                each.why.empty() ? "" : fmt::format(" ({})", each.why)));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

// Of a reason: without the part that begins so.
std::string without_part(const std::string& reason, std::string_view begins) {
  const std::size_t at = reason.find(begins);
  if (at == reason.npos || (at > 0 && !reason.substr(0, at).ends_with("; "))) return reason;
  const std::size_t end = reason.find("; ", at);
  if (end != reason.npos) return reason.substr(0, at) + reason.substr(end + 2);
  return reason.substr(0, at == 0 ? 0 : at - 2);
}

}  // namespace

std::string floor_percent(double share) {
  return share < 0.01 ? fmt::format("{:.2g} %", 100 * share) : fmt::format("{:.1f} %", 100 * share);
}

bool interval_agrees(const MetricVerdict& metric) {
  const double most = 1 + *metric.floor;
  return *metric.low > most || *metric.high < 1 / most;
}

bool worth_listing(const MetricVerdict& metric) {
  if (metric.verdict != Verdict::same) return true;
  return metric.metric_class == MetricClass::shown && metric.before && metric.after &&
         *metric.before != *metric.after;
}

const MetricVerdict* explaining_counter(const BenchmarkVerdict& benchmark) {
  const auto growth = [](const MetricVerdict& metric) {
    return *metric.before == 0 ? std::numeric_limits<double>::infinity()
                               : *metric.after / *metric.before;
  };
  const MetricVerdict* greatest = nullptr;
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (!metric.cause || metric.cause->lines.empty() || !metric.before || !metric.after) continue;
    if (greatest == nullptr || growth(metric) > growth(*greatest)) greatest = &metric;
  }
  return greatest;
}

std::string cause_text(const MetricVerdict& metric) {
  std::vector<std::string> parts;
  std::string reason = without_part(metric.reason, kNotAsInSessions);
  if (!reason.empty()) parts.push_back(one_line(reason));
  if (metric.cause) parts.push_back(explain(*metric.cause));
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string change_text(const MetricVerdict& metric) {
  std::string name = one_line(metric.metric);
  if (!metric.before || !metric.after) return name;
  // A limit was not kept before either.
  if (metric.by_limit && metric.before == metric.after) {
    return fmt::format("{} {}", name, readable_figure(metric.metric, *metric.after));
  }
  return fmt::format("{} {} ({})", name, readable_arrow(metric.metric, metric.before, metric.after),
                     readable_change(metric.before, metric.after));
}

ReportBlock report_block(const BenchmarkVerdict& benchmark) {
  ReportBlock block;
  std::vector<const MetricVerdict*> others;
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (!worth_listing(metric)) continue;
    if (block.rows.empty() || metric.metric_class == MetricClass::statistical) {
      block.rows.push_back({&metric, explain(metric)});
    } else {
      others.push_back(&metric);
    }
  }
  if (block.rows.empty()) return block;
  ReportBlock::Row& first = block.rows.front();
  const std::string known_why = first.why;
  const MetricVerdict* const counter = explaining_counter(benchmark);
  if (!first.metric->cause && counter != nullptr) {
    first.why += fmt::format("{}{}: {}", first.why.empty() ? "" : "; ", change_text(*counter),
                             explain(*counter));
    std::erase(others, counter);
  }
  block.also = listed_together(others, known_why);
  return block;
}

std::string explain(const MetricVerdict& metric) {
  std::vector<std::string> parts;
  const bool moved = metric.verdict > Verdict::not_worse && metric.verdict != Verdict::inconclusive;
  if (metric.low && metric.high && metric.p && metric.floor && moved && !metric.by_limit) {
    parts.push_back(evidence_text(metric));
  }
  if (!metric.reason.empty()) parts.push_back(one_line(metric.reason));
  if (metric.cause) parts.push_back(explain(*metric.cause));
  return fmt::format("{}", fmt::join(parts, "; "));
}

SideNames names_of_sides(const GateVerdict& verdict) {
  SideNames names{verdict.before, verdict.after};
  const auto& before = verdict.before_session;
  const auto& after = verdict.after_session;
  const bool of_files = names.before.ends_with(".json") && names.after.ends_with(".json");
  if (!of_files || !before || !after || !are_in_turns(*before, *after)) return names;
  if (!before->source.revision.empty()) names.before = label(before->source);
  if (!after->source.revision.empty()) names.after = label(after->source);
  return names;
}

std::string headline(const GateVerdict& verdict) {
  const std::string device = verdict.device.empty() ? "" : verdict.device + ": ";
  if (!verdict.no_baseline.empty()) return device + verdict.after;
  const SideNames sides = names_of_sides(verdict);
  return fmt::format("{}{} → {}", device, sides.before, sides.after);
}

std::string outcome(const GateVerdict& verdict) {
  switch (verdict.exit_status) {
    case kExitPass:
      return "pass";
    case kExitRegressed:
      return "regressed";
    case kExitNoVerdict:
      return "no verdict";
    default:
      return "not measured";
  }
}

std::string conclusion(const GateVerdict& verdict) {
  std::string why = shortfalls_that_decide(verdict);
  if (why.empty()) why = verdict.no_baseline;
  if (!why.empty()) why += ": ";
  return one_line(fmt::format("{}: {}{} of {}.{}{}{}", outcome(verdict), why, tally(verdict),
                              counted(verdict.benchmarks.size(), "benchmark"),
                              critical_ones(verdict), unapproved_gain(verdict),
                              next_step(verdict)));
}

std::string gain_text(const GateVerdict& verdict, const std::string& than) {
  std::size_t faster = 0;
  double most = 0;
  for (const BenchmarkVerdict& benchmark : verdict.benchmarks) {
    for (const MetricVerdict& metric : benchmark.metrics) {
      const bool counts = metric.verdict == Verdict::improved &&
                          metric.metric == results::kTimeMetric && metric.before && metric.after;
      if (!counts) continue;
      ++faster;
      most = std::max(most, 1 - *metric.after / *metric.before);
    }
  }
  if (faster == 0) return "";
  return fmt::format("{} faster than {}, by {:.1f} %{}",
                     faster == 1 ? "1 benchmark is" : fmt::format("{} benchmarks are", faster),
                     than, 100 * most, faster == 1 ? "" : " at most");
}

}  // namespace warpgauge::ci
