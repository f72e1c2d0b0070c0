// SPDX-License-Identifier: Apache-2.0
#include "ci/report/annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "ci/support/text.hpp"
#include "ci/verdict/verdict_text.hpp"

namespace warpgauge::ci {
namespace {

using results::SourceLine;

// 64-bit FNV-1a: short and the same everywhere; it need not resist an adversary.
std::string hash(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char character : text) {
    value ^= static_cast<unsigned char>(character);
    value *= 0x100000001b3;
  }
  return fmt::format("{:016x}", value);
}

// Wavefronts (of shared memory) or sectors, relative to the least that the same requests need;
// 0: unknown.
double excess(const std::vector<SourceLine>& lines, const SourceLine& at) {
  std::uint64_t figure = 0;
  std::uint64_t ideal = 0;
  for (const SourceLine& line : lines) {
    if (line.file != at.file || line.text != at.text || line.access != at.access) continue;
    figure += is_shared(line.access) ? line.wavefronts : line.sectors;
    ideal += is_shared(line.access) ? line.ideal_wavefronts : line.ideal_sectors;
  }
  return ideal == 0 ? 0 : static_cast<double>(figure) / static_cast<double>(ideal);
}

std::uint64_t requests_at(const std::vector<SourceLine>& lines, const SourceLine& at) {
  std::uint64_t requests = 0;
  for (const SourceLine& line : lines) {
    if (line.file == at.file && line.line == at.line && line.access == at.access) {
      requests += line.requests;
    }
  }
  return requests == 0 ? at.requests : requests;
}

// "32-way bank conflict, was none: 16.8 M wavefronts for 524.3 k requests".
std::string describe(const BenchmarkVerdict& benchmark, const MetricVerdict& metric,
                     const LineGrowth& growth) {
  const SourceLine& line = growth.line;
  const auto large = [](std::uint64_t value) { return readable_large(static_cast<double>(value)); };
  const std::uint64_t requests = requests_at(benchmark.lines_after, line);
  if (metric.metric.ends_with("_wavefronts")) {
    const double now = excess(benchmark.lines_after, line);
    const double then = excess(benchmark.lines_before, line);
    const std::string counts =
        fmt::format("{} wavefronts for {} requests", large(growth.after), large(requests));
    constexpr double kNone = 1.005;
    if (now < kNone) return fmt::format("{}, was {}", counts, large(growth.before));
    const std::string was =
        growth.before == 0 || then == 0
            ? ""
            : fmt::format(", was {}", then < kNone ? "none" : fmt::format("{:.3g}-way", then));
    return fmt::format("{:.3g}-way bank conflict{}: {}", now, was, counts);
  }
  if (metric.metric.ends_with("_sectors") && requests > 0) {
    return fmt::format("{:.3g} sectors a request: {} sectors for {} requests, was {}",
                       static_cast<double>(growth.after) / static_cast<double>(requests),
                       large(growth.after), large(requests), large(growth.before));
  }
  return fmt::format("{}, was {}", readable_count(static_cast<double>(growth.after)),
                     readable_count(static_cast<double>(growth.before)));
}

std::string change_of(const MetricVerdict& metric) {
  std::string text = fmt::format("{} → {}", readable_figure(metric.metric, metric.before),
                                 readable_figure(metric.metric, metric.after));
  if (metric.before && metric.after && *metric.before != 0) {
    text += fmt::format(" ({})", readable_change(metric.before, metric.after));
  }
  return text;
}

std::optional<FindingPlace> place_of(const SourceLine& line) {
  if (line.file.empty() || line.line < 1) return std::nullopt;
  return FindingPlace{line.file, line.line, line.column};
}

// The line of the first cause that has lines.
std::optional<FindingPlace> greatest_growth(const BenchmarkVerdict& benchmark) {
  for (const MetricVerdict& metric : benchmark.metrics) {
    if (metric.cause && !metric.cause->lines.empty()) {
      return place_of(metric.cause->lines.front().line);
    }
  }
  return std::nullopt;
}

std::optional<FindingPlace> busiest_line(const BenchmarkVerdict& benchmark) {
  std::map<std::pair<std::string, int>, std::uint64_t> traffic;
  for (const SourceLine& line : benchmark.lines_after) {
    traffic[{line.file, line.line}] += line.wavefronts + line.sectors;
  }
  const auto busiest =
      std::max_element(traffic.begin(), traffic.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  if (busiest == traffic.end()) return std::nullopt;
  SourceLine line;
  line.file = busiest->first.first;
  line.line = busiest->first.second;
  return place_of(line);
}

// "kernels/scan.cuh:31" anywhere in a message.
std::optional<FindingPlace> place_in(const std::string& message) {
  constexpr std::string_view kEndings[] = {".cu:", ".cuh:", ".cpp:", ".hpp:", ".h:"};
  const auto of_a_name = [](char character) {
    return std::isalnum(static_cast<unsigned char>(character)) != 0 ||
           std::string_view("_-./+").find(character) != std::string_view::npos;
  };
  for (std::size_t colon = message.find(':'); colon != message.npos;
       colon = message.find(':', colon + 1)) {
    std::size_t begin = colon;
    while (begin > 0 && of_a_name(message[begin - 1])) --begin;
    const std::string_view name = std::string_view(message).substr(begin, colon + 1 - begin);
    const bool is_source = std::any_of(std::begin(kEndings), std::end(kEndings),
                                       [&](auto ending) { return name.ends_with(ending); });
    int line = 0;
    const auto [rest, error] =
        std::from_chars(message.data() + colon + 1, message.data() + message.size(), line);
    if (!is_source || error != std::errc() || line < 1) continue;
    return FindingPlace{std::string(name.substr(0, name.size() - 1)), line, 0};
  }
  return std::nullopt;
}

bool is_finding(Verdict verdict) { return verdict > Verdict::improved; }

std::string rule_of(Verdict verdict) {
  std::string rule = to_string(verdict);
  std::replace(rule.begin(), rule.end(), ' ', '_');
  return rule;
}

// Of what is short of the comparison as a whole.
constexpr const char* kRuleOfAll = "comparison";

class Collector {
 public:
  explicit Collector(const GateVerdict& verdict) : verdict_(verdict) {}

  std::vector<Finding> collect() {
    for (const Shortfall& each : verdict_.shortfalls) {
      findings_.push_back({kRuleOfAll, Level::error, "", one_line(each.what), std::nullopt,
                           hash(fmt::format("{}\n{}", kRuleOfAll, each.what))});
    }
    for (const BenchmarkVerdict& benchmark : verdict_.benchmarks) {
      if (!benchmark.message.empty() && is_finding(benchmark.verdict)) {
        add(benchmark, rule_of(benchmark.verdict), benchmark.verdict,
            fmt::format("{}: {}", to_string(benchmark.verdict), benchmark.message),
            place_in(benchmark.message), "");
      }
      for (const MetricVerdict& metric : benchmark.metrics) {
        if (is_finding(metric.verdict)) add_metric(benchmark, metric);
      }
    }
    return std::move(findings_);
  }

 private:
  void add_metric(const BenchmarkVerdict& benchmark, const MetricVerdict& metric) {
    const std::string said =
        fmt::format("{} {}: {}", metric.metric, to_string(metric.verdict), change_of(metric));
    if (metric.cause && !metric.cause->lines.empty()) {
      for (const LineGrowth& growth : metric.cause->lines) {
        add(benchmark, metric.metric, metric.verdict,
            fmt::format("{}; {}", describe(benchmark, metric, growth), said), place_of(growth.line),
            growth.line.file + '\n' + growth.line.text);
      }
      return;
    }
    const std::string why = explain(metric);
    std::string message = why.empty() ? said : fmt::format("{}; {}", said, why);
    auto place = greatest_growth(benchmark);
    if (!place && (place = busiest_line(benchmark))) {
      message += "; no line is known to cause it: this one has the most traffic";
    }
    add(benchmark, metric.metric, metric.verdict, message, place, "");
  }

  void add(const BenchmarkVerdict& benchmark, const std::string& rule, Verdict verdict,
           const std::string& message, std::optional<FindingPlace> place,
           const std::string& distinction) {
    const bool grave = verdict >= Verdict::regressed && !verdict_.allowed.contains(verdict);
    const std::string key = benchmark.id + '\n' + rule + '\n' + distinction;
    std::string fingerprint = hash(key);
    for (int again = 2; !fingerprints_.insert(fingerprint).second; ++again) {
      fingerprint = hash(fmt::format("{}\n{}", key, again));
    }
    findings_.push_back({one_line(rule), grave ? Level::error : Level::warning,
                         one_line(benchmark.id),
                         fmt::format("{}: {}", one_line(benchmark.id), one_line(message)),
                         std::move(place), fingerprint});
  }

  const GateVerdict& verdict_;
  std::vector<Finding> findings_;
  std::set<std::string> fingerprints_;
};

}  // namespace

std::vector<Finding> findings(const GateVerdict& verdict) { return Collector(verdict).collect(); }

std::string describe_rule(std::string_view rule) {
  if (rule == results::kTimeMetric) return "The kernel takes longer than its baseline.";
  if (rule.ends_with("_wavefronts")) {
    return "Shared memory is accessed in more steps than in the baseline: lanes of a warp meet in "
           "a bank.";
  }
  if (rule.ends_with("_sectors")) {
    return "A warp's accesses of global memory touch more sectors of 32 bytes than in the "
           "baseline.";
  }
  if (rule.ends_with("_requests")) {
    return "The kernel executes more memory instructions than in the baseline.";
  }
  if (rule == kRuleOfAll) return "The comparison as a whole does not pass, whatever was measured.";
  if (rule == "failed") return "The benchmark failed: a wrong result, an error, a crash or a hang.";
  if (rule == "missing") return "The benchmark is in the baseline, but was not measured.";
  if (rule == "not_measured") return "What the baseline holds was not measured.";
  if (rule == "new") return "There is no baseline to compare with.";
  return "A gated metric differs from its baseline.";
}

}  // namespace warpgauge::ci
