// SPDX-License-Identifier: Apache-2.0
// Recorded sessions of the whole suite on H200s, with the policy that goes with them (see
// docs/explain/statistics.md), and gates that are drawn from them.
#pragma once

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <numeric>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ci/policy/policy.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/statistics/proportion.hpp"
#include "profiling/results/results.hpp"
#include "tests/tools/recorded_file.hpp"

namespace warpgauge {

// Of one build of a suite.
struct RecordedSet {
  const char* name;
  const char* files;  // how their names begin
  const char* policy;
  bool is_told;  // sessions say what they launched, and on what
};

// Seven H200s of three kinds, each process with its data in one place.
inline constexpr RecordedSet kInOnePlace{"in_one_place", "h200-",
                                         "tests/verdict/recorded/policy.toml", false};
// Data in many places; kernels of 1 to 5 ms stay in one.
inline constexpr RecordedSet kInManyPlaces{"in_many_places", "places-", "ci/policy.toml", true};
// Today's sampling: kernels of 1 to 5 ms move, too.
inline constexpr RecordedSet kAllMove{"all_move", "moving-", "ci/policy.toml", true};

inline void PrintTo(const RecordedSet& set, std::ostream* stream) { *stream << set.name; }

inline std::vector<results::Results> recorded_sessions(const RecordedSet& set = kInOnePlace) {
  std::set<std::filesystem::path> files;
  for (const auto& each :
       std::filesystem::directory_iterator(SOURCE_ROOT "/tests/verdict/recorded")) {
    if (each.path().filename().string().starts_with(set.files)) files.insert(each.path());
  }
  std::vector<results::Results> sessions;
  for (const auto& file : files) sessions.push_back(ci::read_recorded(file));
  // Only what all of them measured: a gate on anything else would end with "new" or "missing".
  for (results::Results& session : sessions) {
    std::erase_if(session.benchmarks, [&sessions](const results::BenchmarkResult& each) {
      return std::any_of(sessions.begin(), sessions.end(), [&each](const results::Results& other) {
        return other.find(each.id) == nullptr;
      });
    });
  }
  return sessions;
}

inline ci::Policy policy_of(const RecordedSet& set) {
  return ci::read_policy(std::string(SOURCE_ROOT "/") + set.policy);
}

// Of all sessions but those that are left out.
inline results::Results baseline_of(const std::vector<results::Results>& sessions,
                                    const std::function<bool(const results::Results&)>& left_out) {
  results::Results baseline;
  baseline.is_baseline = true;
  std::map<std::string, results::BenchmarkResult> joined;
  for (const results::Results& each : sessions) {
    if (left_out(each)) continue;
    baseline.session = each.session;
    for (const results::BenchmarkResult& benchmark : each.benchmarks) {
      const auto time = benchmark.metrics.find(results::kTimeMetric);
      if (time == benchmark.metrics.end()) continue;
      const auto [place, is_new] = joined.try_emplace(benchmark.id, benchmark);
      if (is_new) continue;
      results::Metric& all = place->second.metrics[results::kTimeMetric];
      all.sessions.push_back(time->second.sessions.at(0));
      all.labels.push_back(time->second.labels.at(0));
    }
  }
  for (const auto& [id, benchmark] : joined) baseline.benchmarks.push_back(benchmark);
  return baseline;
}

// These sessions are of one build on one input, from before a session said so.
inline results::Results as_if_told(results::Results session) {
  for (results::BenchmarkResult& each : session.benchmarks) {
    each.input_digest = std::string(16, 'd');
    each.launches = {{.kernel = "the same", .arguments = std::string(16, 'a')}};
  }
  return session;
}

inline std::vector<results::Results> told_sessions(const RecordedSet& set = kInOnePlace) {
  std::vector<results::Results> sessions;
  for (results::Results& each : recorded_sessions(set)) {
    sessions.push_back(set.is_told ? std::move(each) : as_if_told(std::move(each)));
  }
  return sessions;
}

// What gates of each session come to. Sessions are independent, gates of one session are not.
struct BySession {
  explicit BySession(std::size_t sessions) : passed(sessions) {}

  std::vector<ci::Proportion> passed;  // of each session's gates
  ci::Proportion alarmed;

  BySession& operator+=(const BySession& other) {
    for (std::size_t s = 0; s < passed.size(); ++s) passed[s] += other.passed[s];
    alarmed += other.alarmed;
    return *this;
  }

  [[nodiscard]] double share() const {
    ci::Proportion all;
    for (const ci::Proportion& each : passed) all += each;
    return all.share();
  }

  // One-sided, 95 %, by Student's t over the sessions.
  [[nodiscard]] double lower_limit() const {
    std::vector<double> shares;
    for (const ci::Proportion& each : passed) shares.push_back(each.share());
    const double mean = ci::mean_of(shares);
    double squares = 0;
    for (const double each : shares) squares += (each - mean) * (each - mean);
    const auto count = static_cast<double>(shares.size());
    const boost::math::students_t distribution(count - 1);
    return mean -
           boost::math::quantile(distribution, 0.95) * std::sqrt(squares / (count - 1) / count);
  }

  // Sessions of which some gate did not pass.
  [[nodiscard]] ci::Proportion failing() const {
    ci::Proportion sessions;
    for (const ci::Proportion& each : passed) sessions.add(each.hits < each.of);
    return sessions;
  }
};

// Each number of sessions that is less than all, but of many not every one.
inline std::vector<std::size_t> numbers_approved(std::size_t sessions) {
  std::vector<std::size_t> numbers;
  for (const std::size_t each : {1U, 2U, 3U, 4U, 6U, 8U}) {
    if (each + 1 < sessions) numbers.push_back(each);
  }
  numbers.push_back(sessions - 1);
  return numbers;
}

// A session, and a baseline of some of the others.
struct Drawn {
  const results::Results& target;
  results::Results baseline;
};

// order: of the sessions. The first one is the target, as many of the next are approved.
inline Drawn draw_in(const std::vector<results::Results>& sessions,
                     const std::vector<std::size_t>& order, std::size_t approved) {
  std::set<const results::Results*> chosen;
  for (std::size_t i = 1; i <= approved; ++i) chosen.insert(&sessions[order[i]]);
  return {sessions[order[0]],
          baseline_of(sessions, [&](const auto& each) { return !chosen.contains(&each); })};
}

inline std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

inline Drawn draw(const std::vector<results::Results>& sessions, std::size_t approved,
                  std::mt19937_64& random) {
  return draw_in(sessions, shuffled(sessions.size(), random), approved);
}

inline Drawn draw_for(const std::vector<results::Results>& sessions, std::size_t target,
                      std::size_t approved, std::mt19937_64& random) {
  std::vector<std::size_t> order = shuffled(sessions.size(), random);
  std::swap(*std::find(order.begin(), order.end(), target), order.front());
  return draw_in(sessions, order, approved);
}

}  // namespace warpgauge
