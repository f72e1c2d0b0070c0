// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/limits/limit_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "ci/support/errors.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.find_first_of(" \t*") == text.npos && text.front() != '/' &&
         text.back() != '/';
}

struct RatioRule {
  std::string variant;
  Policy::Bound bound = Policy::Bound::most;
  double value = 1;
  std::string against;
};

// "padded <= 0.6 * shared"; without a factor it is 1. Absent: it is written otherwise.
std::optional<RatioRule> ratio_rule(std::string_view text) {
  const std::size_t sign = std::min(text.find("<="), text.find(">="));
  if (sign == text.npos) return std::nullopt;
  RatioRule rule;
  rule.bound = text[sign] == '<' ? Policy::Bound::most : Policy::Bound::least;
  const std::string_view left = trimmed(text.substr(0, sign));
  std::string_view right = trimmed(text.substr(sign + 2));
  if (const std::size_t times = right.find('*'); times != right.npos) {
    const std::string_view factor = trimmed(right.substr(0, times));
    const auto read = std::from_chars(factor.data(), factor.data() + factor.size(), rule.value);
    const bool whole = read.ec == std::errc() && read.ptr == factor.data() + factor.size();
    if (!whole || !(rule.value > 0) || !std::isfinite(rule.value)) return std::nullopt;
    right = trimmed(right.substr(times + 1));
  }
  if (!is_name(left) || !is_name(right)) return std::nullopt;
  rule.variant = left;
  rule.against = right;
  return rule;
}

}  // namespace

void LimitReader::read_common(const toml::table& table, Policy::Limit& limit) const {
  limit.place = place_of(table.source());
  limit.benchmarks = pattern(table, "benchmarks").value_or(limit.benchmarks);
  limit.devices = devices(table);
  limit.reason = text(table, "reason").value_or("");
  limit.expires = date(table, "expires");
}

void LimitReader::add_limit(const toml::table& table, std::vector<Policy::Limit>& limits) const {
  refuse_unknown(table, {"metric", "most", "least", "benchmarks", "devices", "reason", "expires"});
  Policy::Limit limit;
  read_common(table, limit);
  const auto metric = text(table, "metric");
  if (!metric) fail(table.source(), "[[limit]] needs a metric");
  limit.metric = *metric;
  const auto most = number(table, "most");
  const auto least = number(table, "least");
  if (most.has_value() == least.has_value()) {
    fail(table.source(), fmt::format("[[limit]] of '{}' needs either most or least{}", *metric,
                                     most ? ", not both; write two of them" : ""));
  }
  limit.bound = most ? Policy::Bound::most : Policy::Bound::least;
  limit.value = most ? *most : *least;
  add(std::move(limit), limits);
}

void LimitReader::add_ratio(const toml::table& table, std::vector<Policy::Limit>& limits) const {
  refuse_unknown(table, {"rule", "metric", "benchmarks", "devices", "reason", "expires"});
  Policy::Limit limit;
  read_common(table, limit);
  const auto written = pattern(table, "rule");
  if (!written) fail(table.source(), "[[ratio]] needs a rule, as in \"padded <= 0.6 * shared\"");
  const auto rule = ratio_rule(*written);
  if (!rule) {
    fail(table.get("rule")->source(),
         fmt::format("rule '{}' is not NAME <= FACTOR * NAME, as in padded <= 0.6 * shared; >= is "
                     "possible, too, and a name is a part of ids between slashes",
                     *written));
  }
  if (rule->variant == rule->against) {
    fail(table.get("rule")->source(),
         fmt::format("rule '{}' holds '{}' against itself; name two variants", *written,
                     rule->variant));
  }
  limit.metric = text(table, "metric").value_or(results::kTimeMetric);
  limit.bound = rule->bound;
  limit.value = rule->value;
  limit.variant = rule->variant;
  limit.against = rule->against;
  add(std::move(limit), limits);
}

// Two for the same: one of them was forgotten.
void LimitReader::add(Policy::Limit limit, std::vector<Policy::Limit>& limits) const {
  const auto is_same = [&](const Policy::Limit& other) {
    return other.subject() == limit.subject() && other.bound == limit.bound &&
           other.benchmarks == limit.benchmarks && other.devices == limit.devices &&
           other.expires == limit.expires;
  };
  const auto other = std::find_if(limits.begin(), limits.end(), is_same);
  if (other != limits.end()) {
    throw Error(kExitNotMeasured,
                fmt::format("{}: [[{}]] has the same {}, benchmarks and devices as line {}; "
                            "keep one",
                            at(name_, limit.place), limit.table(),
                            limit.is_ratio() ? "variants, metric" : "metric", other->place.line));
  }
  limits.push_back(std::move(limit));
}

}  // namespace warpgauge::ci
