// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/approve/approve_collect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "ci/support/errors.hpp"
#include "ci/support/id_filter.hpp"
#include "ci/support/utc_time.hpp"
#include "ci/verdict/compare.hpp"
#include "ci/verdict/estimate.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "profiling/results/environment.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

using results::BenchmarkResult;
using results::Metric;
using results::Results;
using results::SourceLine;
using results::Status;

// Whether there was an nvcc to look at must not show in a baseline; nor do a line's instructions,
// of which it is the sum.
std::vector<SourceLine> without_machine_code(std::vector<SourceLine> lines) {
  for (SourceLine& line : lines) {
    line.compiled = results::Compiled::unknown;
    line.instructions.clear();
    line.by_instruction.clear();
  }
  return lines;
}

// They move with every edit above, and the next results have their own.
std::vector<results::KernelCode> without_places(std::vector<results::KernelCode> codes) {
  for (results::KernelCode& each : codes) each.places.clear();
  return codes;
}

bool is_file_name(const std::string& family) {
  return !family.empty() && family.front() != '.' && family != "device" &&
         std::all_of(family.begin(), family.end(), [](unsigned char character) {
           return std::isalnum(character) != 0 || character == '_' || character == '-' ||
                  character == '.';
         });
}

[[noreturn]] void refuse(const Results& results, const std::string& what) {
  throw Error(kExitNotMeasured, fmt::format("{}: {}", results.name, what));
}

void check_session(const Results& first, const Results& results, const std::string& now) {
  refuse_shard(results);
  if (results.session && !results.session->dies.empty()) {
    refuse(results,
           "its shards are of several devices, and a baseline's session is a whole run on "
           "one: approve runs without --shard, or whose shards were on one device");
  }
  if (!results.session) {
    refuse(results, "does not say on what device; approve what 'warpgauge run' wrote");
  }
  const std::string why = why_no_time_until(now, results.session->created);
  if (!why.empty()) refuse(results, "context.warpgauge.created: " + why);
  const auto& device = results.session->device;
  if (device.key != first.session->device.key) {
    refuse(results, fmt::format("measured on '{}', but {} on '{}'; approve one device at a time",
                                device.name, first.name, first.session->device.name));
  }
  if (hot_and_cold(*first.session, *results.session)) {
    refuse(results,
           fmt::format("timed {}, but {} {}; approve one of both", caches_of(*results.session),
                       first.name, caches_of(*first.session)));
  }
}

class Collector {
 public:
  Collector(const ApprovalRequest& request, const Policy& policy)
      : request_(request), wanted_(request.filter), policy_(policy) {}

  // labels: of the request's sessions.
  Family collect(const std::vector<std::string>& labels) const {
    Family all;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const Results& results = request_.sessions[i];
      for (const BenchmarkResult& benchmark : results.benchmarks) {
        if (wanted_.matches(benchmark.id)) add(results, labels[i], benchmark, all);
      }
    }
    if (all.empty()) {
      std::vector<std::string> ids;
      for (const Results& results : request_.sessions) {
        for (const BenchmarkResult& benchmark : results.benchmarks) ids.push_back(benchmark.id);
      }
      throw Error(kExitUsage, fmt::format("--filter '{}' matches no benchmark of {}{}",
                                          request_.filter, request_.sessions.front().name,
                                          meant_by_filter(request_.filter, ids)));
    }
    forget_untold_launches(all);
    forget_other_input(all);
    return all;
  }

 private:
  // In a session that does not tell, kernels may have been launched in any way.
  void forget_untold_launches(Family& all) const {
    for (const Results& results : request_.sessions) {
      for (const BenchmarkResult& benchmark : results.benchmarks) {
        const auto place = all.find(benchmark.id);
        if (place != all.end() && benchmark.launches.empty()) place->second.launches.clear();
      }
    }
  }

  // Sessions on other input may share a baseline, but no digest stands for both.
  void forget_other_input(Family& all) const {
    for (const Results& results : request_.sessions) {
      for (const BenchmarkResult& benchmark : results.benchmarks) {
        const auto place = all.find(benchmark.id);
        if (place != all.end() && benchmark.input_digest != place->second.input_digest) {
          place->second.input_digest.clear();
        }
      }
    }
  }

  void add(const Results& results, const std::string& label, const BenchmarkResult& benchmark,
           Family& all) const {
    const std::string& id = benchmark.id;
    if (benchmark.outcome.status != Status::ok) {
      refuse(results, fmt::format("{} failed ({}: {}); fix it, or leave it out with --filter", id,
                                  to_string(benchmark.outcome.status), benchmark.outcome.message));
    }
    if (!is_file_name(family_of(id))) {
      refuse(results, fmt::format("{}: its family '{}' cannot name a file; use letters, digits, _, "
                                  "- and ., and not 'device'",
                                  id, family_of(id)));
    }

    const auto [place, is_new] = all.try_emplace(id);
    Approved& approved = place->second;
    for (const auto& [name, metric] : benchmark.metrics) {
      const Rule rule = policy_.rule_for(id, name);
      if (!rule.gated()) continue;
      if (!metric.problem.empty()) {
        refuse(results, fmt::format("{}: {} {}; measure again", id, name, metric.problem));
      }
      if (rule.metric_class == MetricClass::statistical) {
        for (const auto& figures : metric.sessions) {
          add_session(results, label, id, name, figures, approved);
        }
      } else {
        add_exact(results, id, name, metric, is_new || rule.optional, approved);
      }
    }
    // Of several sessions the lines are the same: their sums are exact counters.
    if (is_new) {
      approved.counted = label;
      approved.lines = without_machine_code(benchmark.lines);
      approved.input_digest = benchmark.input_digest;
    }
    add_launches(results, benchmark, approved);
    add_machine_code(results, benchmark, approved);
  }

  static void add_launches(const Results& results, const BenchmarkResult& benchmark,
                           Approved& approved) {
    if (approved.launches.empty()) approved.launches = benchmark.launches;
    const LaunchIdentity launches = compare_launches(approved.launches, benchmark.launches);
    if (launches.is != Identity::different) return;
    refuse(results,
           fmt::format("{} is launched differently than in an earlier session ({}); approve "
                       "sessions of one build",
                       benchmark.id, launches.difference));
  }

  // Times of other machine code are no sessions of one baseline.
  static void add_machine_code(const Results& results, const BenchmarkResult& benchmark,
                               Approved& approved) {
    if (approved.machine_code.empty()) {
      approved.machine_code = without_places(benchmark.machine_code);
    }
    const MachineCodeIdentity code =
        compare_machine_code(approved.machine_code, benchmark.machine_code);
    if (code.is != Identity::different) return;
    refuse(results, fmt::format("{}: {} is other machine code than in an earlier session; approve "
                                "sessions of one build",
                                benchmark.id, code.different_kernels.front()));
  }

  static void add_session(const Results& results, const std::string& label, const std::string& id,
                          const std::string& name, const std::vector<double>& figures,
                          Approved& approved) {
    if (std::find(figures.begin(), figures.end(), 0.0) != figures.end()) {
      refuse(results, fmt::format("{}: {} is 0 in some process, which has no ratio; class it "
                                  "as exact or shown in the policy",
                                  id, name));
    }
    // The same session twice would make sessions look more alike than they are.
    auto& sessions = approved.statistical[name];
    const bool known = std::any_of(sessions.begin(), sessions.end(), [&](const auto& each) {
      return each.session == label && each.figures == figures;
    });
    if (known) {
      refuse(results, fmt::format("{}: its session of {} is given twice; name each session once",
                                  id, results.session->created));
    }
    sessions.push_back({label, figures});
  }

  static void add_exact(const Results& results, const std::string& id, const std::string& name,
                        const Metric& metric, bool may_be_first, Approved& approved) {
    for (const auto& figures : metric.sessions) {
      for (const double figure : figures) {
        const auto [known, inserted] = approved.exact.try_emplace(name, figure);
        if (!inserted && known->second == figure) continue;
        if (inserted && may_be_first) continue;
        refuse(
            results,
            fmt::format("{}: {} should be exact, but {} here and {} in an earlier session; class "
                        "it as shown in the policy, or measure again",
                        id, name, figure, inserted ? "absent" : fmt::format("{}", known->second)));
      }
    }
  }

  const ApprovalRequest& request_;
  IdFilter wanted_;
  const Policy& policy_;
};

}  // namespace

void check_sessions(const ApprovalRequest& request) {
  for (const Results& results : request.sessions) {
    check_session(request.sessions.front(), results, request.now);
  }
}

Family collect(const ApprovalRequest& request, const Policy& policy,
               const std::vector<std::string>& labels) {
  return Collector(request, policy).collect(labels);
}

void refuse_bad_machine(const Results& before, const ApprovalRequest& request,
                        const Policy& policy) {
  // What begins anew is held against nothing.
  if (request.code_only || (request.new_environment && !request.beside)) return;
  for (const Results& each : request.sessions) {
    const std::string why = estimate(before, each, policy).machine_is_too_far;
    if (why.empty()) continue;
    throw Error(kExitNoVerdict,
                fmt::format("{}: {}; measure again once that is settled, or raise same_code_limit "
                            "in the policy to accept such a machine",
                            each.name, why));
  }
}

}  // namespace warpgauge::ci
