// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/metrics/line_attribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

using results::Access;
using results::SourceLine;

constexpr std::size_t kMaxLinesNamed = 3;

// "shared_load_wavefronts": which access, and which of its figures.
struct Traffic {
  Access access;
  std::uint64_t SourceLine::*figure;
};

std::optional<Traffic> traffic_of(const std::string& metric) {
  constexpr std::array kAccesses{Access::shared_load, Access::shared_store, Access::shared_atomic,
                                 Access::global_load, Access::global_store, Access::global_atomic};
  constexpr std::array<std::pair<const char*, std::uint64_t SourceLine::*>, 3> kFigures{
      {{"requests", &SourceLine::requests},
       {"wavefronts", &SourceLine::wavefronts},
       {"sectors", &SourceLine::sectors}}};
  for (const Access access : kAccesses) {
    for (const auto& [name, figure] : kFigures) {
      if (metric == fmt::format("{}_{}", to_string(access), name)) return Traffic{access, figure};
    }
  }
  return std::nullopt;
}

std::optional<double> counter(const results::BenchmarkResult& result, const std::string& metric) {
  const results::Metric* const found = result.find(metric);
  if (found == nullptr) return std::nullopt;
  return found->figures().front();
}

std::optional<double> a_request(const results::BenchmarkResult& result, const std::string& metric,
                                Access access) {
  const auto figure = counter(result, metric);
  const auto requests = counter(result, to_string(access) + "_requests");
  if (!figure || !requests || *requests == 0) return std::nullopt;
  return *figure / *requests;
}

struct Requests {
  std::uint64_t before = 0;
  std::uint64_t after = 0;

  Requests& operator+=(const Requests& other) {
    before += other.before;
    after += other.after;
    return *this;
  }
};

struct Growth {
  LineGrowth of_line;
  Requests requests;
};

std::vector<Growth> match(const results::BenchmarkResult& before,
                          const results::BenchmarkResult& after, Traffic traffic) {
  std::vector<const SourceLine*> old_lines;
  for (const SourceLine& line : before.lines) {
    if (line.access == traffic.access) old_lines.push_back(&line);
  }
  std::vector<Growth> growths;
  for (const SourceLine& line : after.lines) {
    if (line.access != traffic.access) continue;
    growths.push_back({{line, 0, line.*traffic.figure}, {0, line.requests}});
  }

  std::vector<bool> matched(growths.size(), false);
  const auto match_by = [&](auto equal) {
    for (std::size_t i = 0; i < growths.size(); ++i) {
      if (matched[i]) continue;
      const auto found = std::find_if(old_lines.begin(), old_lines.end(), [&](const auto* line) {
        const SourceLine& now = growths[i].of_line.line;
        return line->file == now.file && equal(*line, now);
      });
      if (found == old_lines.end()) continue;
      growths[i].of_line.before = (**found).*traffic.figure;
      growths[i].requests.before = (**found).requests;
      matched[i] = true;
      old_lines.erase(found);
    }
  };
  match_by([](const SourceLine& a, const SourceLine& b) {
    return a.function == b.function && a.text == b.text;
  });
  match_by([](const SourceLine& a, const SourceLine& b) { return a.text == b.text; });
  match_by([](const SourceLine&, const SourceLine&) { return true; });
  return growths;
}

// One growth a source line, whatever widths and columns the accesses there have.
std::vector<Growth> by_line(const std::vector<Growth>& growths) {
  std::map<std::pair<std::string, int>, Growth> lines;
  for (const Growth& growth : growths) {
    const SourceLine& line = growth.of_line.line;
    Growth& merged =
        lines.try_emplace({line.file, line.line}, Growth{{line, 0, 0}, {}}).first->second;
    merged.of_line.before += growth.of_line.before;
    merged.of_line.after += growth.of_line.after;
    merged.requests += growth.requests;
  }
  std::vector<Growth> merged;
  merged.reserve(lines.size());
  for (auto& [place, growth] : lines) merged.push_back(std::move(growth));
  return merged;
}

// The lines that grew, the greatest growth first; those far behind it are left out.
std::vector<Growth> greatest(std::vector<Growth> growths) {
  std::erase_if(growths,
                [](const Growth& each) { return each.of_line.after <= each.of_line.before; });
  const auto growth = [](const Growth& each) { return each.of_line.after - each.of_line.before; };
  std::stable_sort(growths.begin(), growths.end(),
                   [&](const Growth& a, const Growth& b) { return growth(a) > growth(b); });
  if (growths.empty()) return growths;
  const std::uint64_t worth_naming = (growth(growths.front()) + 3) / 4;
  std::erase_if(growths, [&](const Growth& each) { return growth(each) < worth_naming; });
  if (growths.size() > kMaxLinesNamed) growths.resize(kMaxLinesNamed);
  return growths;
}

// Of the lines that are named, together: what they do is seldom what the rest of the benchmark
// does.
void add_lines(const std::vector<Growth>& growths, bool by_request, Cause& cause) {
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  Requests requests;
  for (const Growth& each : growths) {
    cause.lines.push_back(each.of_line);
    before += each.of_line.before;
    after += each.of_line.after;
    requests += each.requests;
  }
  if (!by_request || requests.after == 0) return;
  const auto ratio = [](std::uint64_t figure, std::uint64_t count) {
    return count == 0 ? std::nullopt
                      : std::optional(static_cast<double>(figure) / static_cast<double>(count));
  };
  cause.before_a_request = ratio(before, requests.before);
  cause.after_a_request = ratio(after, requests.after);
}

}  // namespace

std::optional<Cause> find_cause(const std::string& metric, const results::BenchmarkResult& before,
                                const results::BenchmarkResult& after) {
  const auto traffic = traffic_of(metric);
  if (!traffic) return std::nullopt;
  Cause cause;
  const bool by_request = traffic->figure != &SourceLine::requests;
  if (by_request) {
    cause.before_a_request = a_request(before, metric, traffic->access);
    cause.after_a_request = a_request(after, metric, traffic->access);
  }
  const std::vector<Growth> lines = by_line(match(before, after, *traffic));
  // What was counted before, but not by line, came from any of them.
  const bool unknown_before = before.lines.empty() && counter(before, metric).value_or(0) > 0;
  if (unknown_before && lines.size() > 1) {
    cause.no_lines_because = "the baseline has none to compare with; the next approval stores them";
    return cause;
  }
  const std::vector<Growth> named = greatest(lines);
  if (named.empty()) {
    const auto reason = after.not_measured.find("source_lines");
    cause.no_lines_because = reason != after.not_measured.end() ? reason->second : "not recorded";
    return cause;
  }
  add_lines(named, by_request && !unknown_before, cause);
  return cause;
}

}  // namespace warpgauge::ci
