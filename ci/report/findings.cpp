// SPDX-License-Identifier: Apache-2.0
#include "ci/report/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "ci/report/formats/report_formats.hpp"
#include "ci/support/figures.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "ci/verdict/text/verdict_text.hpp"

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

// Of one side of a benchmark. Thousands of lines are asked for one by one.
class LineFigures {
 public:
  explicit LineFigures(const std::vector<SourceLine>& lines) {
    for (const SourceLine& line : lines) {
      auto& [figure, ideal] = traffic_[{line.file, line.text, line.access}];
      figure += is_shared(line.access) ? line.wavefronts : line.sectors;
      ideal += is_shared(line.access) ? line.ideal_wavefronts : line.ideal_sectors;
      requests_[{line.file, line.line, line.access}] += line.requests;
    }
  }

  // Wavefronts (of shared memory) or sectors, relative to the least that the same requests need;
  // 0: unknown.
  [[nodiscard]] double excess(const SourceLine& at) const {
    const auto found = traffic_.find({at.file, at.text, at.access});
    if (found == traffic_.end() || found->second.second == 0) return 0;
    return static_cast<double>(found->second.first) / static_cast<double>(found->second.second);
  }

  [[nodiscard]] std::uint64_t requests(const SourceLine& at) const {
    const auto found = requests_.find({at.file, at.line, at.access});
    return found == requests_.end() || found->second == 0 ? at.requests : found->second;
  }

 private:
  using Text = std::string_view;
  std::map<std::tuple<Text, Text, results::Access>, std::pair<std::uint64_t, std::uint64_t>>
      traffic_;
  std::map<std::tuple<Text, int, results::Access>, std::uint64_t> requests_;
};

// "32-way bank conflict, was none: 16.8 M wavefronts for 524.3 k requests".
std::string describe(const LineFigures& before, const LineFigures& after,
                     const MetricVerdict& metric, const LineGrowth& growth) {
  const SourceLine& line = growth.line;
  const auto large = [](std::uint64_t value) { return readable_large(static_cast<double>(value)); };
  const std::uint64_t requests = after.requests(line);
  if (metric.metric.ends_with("_wavefronts")) {
    const double now = after.excess(line);
    const double then = before.excess(line);
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
  std::string text = readable_arrow(metric.metric, metric.before, metric.after);
  if (metric.before && metric.after && *metric.before != 0) {
    text += fmt::format(" ({})", readable_change(metric.before, metric.after));
  }
  return text;
}

std::optional<FindingPlace> place_of(const SourceLine& line) {
  if (line.file.empty() || line.line < 1) return std::nullopt;
  return FindingPlace{line.file, line.line, line.column};
}

// Whatever reads a report would look for it elsewhere than among the sources.
bool leads_out(const std::string& file) {
  const std::filesystem::path path(file);
  return path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
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

// "kernels/scan.cuh:31" anywhere in a message.
std::optional<FindingPlace> place_in(const std::string& message) {
  constexpr std::string_view kEndings[] = {
      ".cu:", ".cuh:", ".cpp:", ".cxx:", ".cc:", ".hpp:", ".h:", ".inl:", ".inc:", ".py:"};
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

  Findings collect() {
    for (const Shortfall& each : verdict_.shortfalls) {
      add_if_listed({kRuleOfAll, Level::error, "", "", std::nullopt, ""}, [&](Finding& finding) {
        finding.message = one_line(each.what);
        finding.fingerprint = hash(fmt::format("{}\n{}", kRuleOfAll, each.what));
      });
    }
    for (const BenchmarkVerdict& benchmark : verdict_.benchmarks) {
      if (!benchmark.message.empty() && is_finding(benchmark.verdict)) {
        add(benchmark, rule_of(benchmark.verdict), benchmark.verdict, place_in(benchmark.message),
            "",
            [&] { return fmt::format("{}: {}", to_string(benchmark.verdict), benchmark.message); });
      }
      std::optional<Places> places;
      for (const MetricVerdict& metric : benchmark.metrics) {
        if (!is_finding(metric.verdict)) continue;
        if (!places) places.emplace(benchmark);
        add_metric(benchmark, metric, *places);
      }
    }
    std::stable_partition(findings_.list.begin(), findings_.list.end(),
                          [](const Finding& each) { return each.level == Level::error; });
    return std::move(findings_);
  }

 private:
  struct Places {
    explicit Places(const BenchmarkVerdict& benchmark)
        : before(benchmark.lines_before),
          after(benchmark.lines_after),
          grown_most(greatest_growth(benchmark)),
          busiest(busiest_line(benchmark)) {}

    LineFigures before;
    LineFigures after;
    std::optional<FindingPlace> grown_most;
    std::optional<FindingPlace> busiest;
  };

  void add_metric(const BenchmarkVerdict& benchmark, const MetricVerdict& metric,
                  const Places& places) {
    const std::string said = fmt::format("{} {}: {}", shortened(metric.metric, kLongestMessage),
                                         to_string(metric.verdict), change_of(metric));
    if (metric.cause && !metric.cause->lines.empty()) {
      for (const LineGrowth& growth : metric.cause->lines) {
        add(benchmark, metric.metric, metric.verdict, place_of(growth.line),
            growth.line.file + '\n' + growth.line.text, [&] {
              return fmt::format("{}; {}", describe(places.before, places.after, metric, growth),
                                 said);
            });
      }
      return;
    }
    auto place = place_in(metric.reason);
    if (!place) place = places.grown_most;
    const bool guessed = !place && places.busiest;
    if (guessed) place = places.busiest;
    add(benchmark, metric.metric, metric.verdict, place, "", [&] {
      const std::string why = explain(metric);
      return fmt::format(
          "{}{}{}{}", said, why.empty() ? "" : "; ", why,
          guessed ? "; no line is known to cause it: this one has the most traffic" : "");
    });
  }

  // message: what makes one, for findings that are listed.
  template <class Message>
  void add(const BenchmarkVerdict& benchmark, const std::string& rule, Verdict verdict,
           std::optional<FindingPlace> place, const std::string& distinction, Message message) {
    const bool grave = verdict >= Verdict::regressed && !verdict_.allowed.contains(verdict);
    std::string outside;
    if (place && leads_out(place->file)) {
      outside = fmt::format("; at {}:{}", place->file, place->line);
      place.reset();
    }
    add_if_listed(
        {"", grave ? Level::error : Level::warning, "", "", std::move(place), ""},
        [&](Finding& finding) {
          finding.rule = one_line(shortened(rule, kLongestMessage));
          finding.benchmark = one_line(shortened(benchmark.id, kLongestMessage));
          finding.message = fmt::format("{}: {}", finding.benchmark,
                                        one_line(shortened(message() + outside, kLongestMessage)));
          finding.fingerprint = fingerprint(benchmark.id + '\n' + rule + '\n' + distinction);
        });
  }

  // A hostile verdict has hundreds of thousands.
  template <class Fill>
  void add_if_listed(Finding finding, Fill fill) {
    if (++findings_.counts[{finding.level, finding.place.has_value()}] > kMostListed) return;
    fill(finding);
    findings_.list.push_back(std::move(finding));
  }

  std::string fingerprint(const std::string& key) {
    std::string first = hash(key);
    if (fingerprints_.insert(first).second) return first;
    // From where the last one of the same key left off.
    for (int& again = again_[first];; ++again) {
      std::string next = hash(fmt::format("{}\n{}", key, again + 2));
      if (fingerprints_.insert(next).second) return next;
    }
  }

  const GateVerdict& verdict_;
  Findings findings_;
  std::set<std::string> fingerprints_;
  std::map<std::string, int> again_;  // by the first fingerprint
};

}  // namespace

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

std::size_t Findings::count() const { return count(Level::error) + count(Level::warning); }

std::size_t Findings::count(Level level) const {
  std::size_t all = 0;
  for (const auto& [kind, number] : counts) all += kind.first == level ? number : 0;
  return all;
}

std::size_t Findings::count_placed(bool placed) const {
  std::size_t all = 0;
  for (const auto& [kind, number] : counts) all += kind.second == placed ? number : 0;
  return all;
}

Findings findings(const GateVerdict& verdict) { return Collector(verdict).collect(); }

std::string describe_rule(std::string_view rule) {
  if (rule == results::kTimeMetric) return "The benchmark takes longer than its baseline.";
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
