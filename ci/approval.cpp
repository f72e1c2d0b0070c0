// SPDX-License-Identifier: Apache-2.0
#include "ci/approval.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <set>
#include <tuple>
#include <utility>

#include "ci/baseline.hpp"
#include "ci/circumstances.hpp"
#include "ci/compare.hpp"
#include "ci/counter_range.hpp"
#include "ci/errors.hpp"
#include "ci/id_filter.hpp"
#include "ci/machine_cause.hpp"
#include "ci/resources.hpp"
#include "ci/shard.hpp"
#include "ci/text.hpp"
#include "ci/whole_folder.hpp"

namespace warpgauge::ci {
namespace {

namespace fs = std::filesystem;
using results::BenchmarkResult;
using results::Metric;
using results::Results;
using results::Session;
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

bool is_file_name(const std::string& family) {
  return !family.empty() && family.front() != '.' && family != "device" &&
         std::all_of(family.begin(), family.end(), [](unsigned char character) {
           return std::isalnum(character) != 0 || character == '_' || character == '-' ||
                  character == '.';
         });
}

// Adds a session to those of the baseline, and returns its name in the baseline's files. One that
// is approved twice, by others or for other reasons, is listed twice.
std::string add_label(const ApprovalRequest& request, Session session,
                      std::map<std::string, ApprovedSession>& sessions) {
  session.filter.clear();  // of a run, not of what is kept of it
  const std::string plain =
      session.device.uuid.empty() ? session.created : session.created + " " + session.device.uuid;
  std::string label = plain;
  for (int i = 2;; ++i) {
    const auto [place, is_new] = sessions.try_emplace(
        label, ApprovedSession{session, request.now, request.by, request.reason});
    const ApprovedSession& known = place->second;
    if (is_new ||
        (known.session == session && known.by == request.by && known.reason == request.reason)) {
      return label;
    }
    label = fmt::format("{} ({})", plain, i);
  }
}

// One for each of the request's sessions.
std::vector<std::string> add_labels(const ApprovalRequest& request,
                                    std::map<std::string, ApprovedSession>& sessions) {
  std::vector<std::string> labels;
  for (const Results& results : request.sessions) {
    labels.push_back(add_label(request, *results.session, sessions));
  }
  return labels;
}

// Turns results into what is approved of them, or says why they cannot be.
class Collector {
 public:
  Collector(const ApprovalRequest& request, const Policy& policy)
      : request_(request), wanted_(request.filter), policy_(policy) {
    for (const Results& results : request.sessions) check_session(results);
  }

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
      throw Error(kExitUsage, fmt::format("--filter '{}' matches no benchmark of {}",
                                          request_.filter, request_.sessions.front().name));
    }
    return all;
  }

 private:
  [[noreturn]] static void refuse(const Results& results, const std::string& what) {
    throw Error(kExitNotMeasured, fmt::format("{}: {}", results.name, what));
  }

  void check_session(const Results& results) const {
    refuse_shard(results);
    if (results.session && !results.session->dies.empty()) {
      refuse(results,
             "its shards are of several devices, and a baseline's session is a whole run on "
             "one: approve runs without --shard, or whose shards were on one device");
    }
    if (!results.session) {
      refuse(results, "does not say on what device; approve what 'warpgauge run' wrote");
    }
    const auto& device = results.session->device;
    const auto& first = request_.sessions.front();
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

  void add(const Results& results, const std::string& label, const BenchmarkResult& benchmark,
           Family& all) const {
    const std::string& id = benchmark.id;
    if (benchmark.outcome.status != Status::ok) {
      refuse(results, fmt::format("{} failed ({}: {}); mend it, or leave it out with --filter", id,
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
    }
    add_machine_code(results, benchmark, approved);
  }

  // Times of other machine code are no sessions of one baseline.
  static void add_machine_code(const Results& results, const BenchmarkResult& benchmark,
                               Approved& approved) {
    if (approved.machine_code.empty()) approved.machine_code = benchmark.machine_code;
    const CodeComparison code = compare_code(approved.machine_code, benchmark.machine_code);
    if (code.result != CodeComparison::Result::other) return;
    refuse(results, fmt::format("{}: {} is other machine code than in an earlier session; approve "
                                "sessions of one build",
                                benchmark.id, code.kernels.front()));
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

bool environments_differ(const Session& before, const Session& after) {
  return !comparability(before, after, std::nullopt).no_verdict_on_time.empty();
}

Approved* find(Baseline& baseline, const std::string& id) {
  const auto family = baseline.families.find(family_of(id));
  if (family == baseline.families.end()) return nullptr;
  const auto found = family->second.find(id);
  return found == family->second.end() ? nullptr : &found->second;
}

// Drops from the benchmarks to be approved what was measured in another environment.
void begin_environment(const ApprovalRequest& request, const Family& approved, Baseline& baseline) {
  std::size_t dropped = 0;
  std::set<std::string> foreign;
  const auto is_foreign = [&](const SessionFigures& figures) {
    const Session& then = baseline.sessions.at(figures.session).session;
    const bool differs =
        std::any_of(request.sessions.begin(), request.sessions.end(),
                    [&](const Results& now) { return environments_differ(then, *now.session); });
    if (differs) foreign.insert(figures.session);
    return differs;
  };
  for (const auto& [id, ignored] : approved) {
    Approved* old = find(baseline, id);
    if (old == nullptr) continue;
    for (auto& [metric, sessions] : old->statistical)
      dropped += std::erase_if(sessions, is_foreign);
    std::erase_if(old->statistical, [](const auto& metric) { return metric.second.empty(); });
    old->ranges.clear();
  }
  // Where the rest was measured is not said by what was dropped.
  if (foreign.size() < baseline.sessions.size()) {
    std::erase_if(baseline.sessions,
                  [&](const auto& each) { return foreign.contains(each.first); });
  }
  if (dropped > 0) return;
  throw Error(kExitUsage,
              fmt::format("--new-environment: {} has no session of these benchmarks with another "
                          "driver or CUDA toolkit than that of the results, or with hot times for "
                          "cold; leave it out",
                          baseline.folder.string()));
}

void check_one_environment(const ApprovalRequest& request) {
  const Results& first = request.sessions.front();
  for (const Results& results : request.sessions) {
    if (!environments_differ(*first.session, *results.session)) continue;
    throw Error(kExitUsage, fmt::format("--new-environment: {} and {} are of two environments; "
                                        "approve one at a time",
                                        first.name, results.name));
  }
}

// A baseline's times are all hot or all cold, so that whatever is compared with it is compared with
// its like.
void check_caches(const ApprovalRequest& request, const Family& approved,
                  const Baseline& baseline) {
  const Session& now = *request.sessions.front().session;
  std::vector<std::string> others;
  for (const auto& [name, family] : baseline.families) {
    for (const auto& [id, old] : family) {
      if (request.new_environment && approved.contains(id)) continue;
      const bool is_other =
          std::any_of(old.statistical.begin(), old.statistical.end(), [&](const auto& metric) {
            return std::any_of(
                metric.second.begin(), metric.second.end(), [&](const SessionFigures& each) {
                  return hot_and_cold(baseline.sessions.at(each.session).session, now);
                });
          });
      if (is_other) others.push_back(id);
    }
  }
  if (others.empty()) return;
  const std::string folder = baseline.folder.string();
  const std::string caches = caches_of(now);
  const char* other = now.hot ? "cold" : "hot";
  if (!request.new_environment) {
    throw Error(kExitNoVerdict,
                fmt::format("{0} has {1} times and these are {2}, which cannot be compared: keep "
                            "{2} ones in a folder of their own with --baselines, or have them take "
                            "the place of the {1} ones with --new-environment",
                            folder, other, caches));
  }
  throw Error(kExitUsage,
              fmt::format("--new-environment: beside these {} times {} would keep the {} ones of "
                          "{}{}; approve results of the whole suite, or take the others out with "
                          "--remove",
                          caches, folder, other, others.front(),
                          others.size() > 1 ? fmt::format(" and {} more", others.size() - 1) : ""));
}

// The same figures of the same session: approved before.
bool is_known(const Baseline& before, const std::vector<SessionFigures>& old,
              const SessionFigures& figures, const ApprovedSession& session) {
  return std::any_of(old.begin(), old.end(), [&](const SessionFigures& each) {
    const Session& known = before.sessions.at(each.session).session;
    return each.figures == figures.figures && known.created == session.session.created &&
           known.device.uuid == session.session.device.uuid;
  });
}

void forget_known(const Baseline& before, const std::map<std::string, ApprovedSession>& sessions,
                  const Approved& old, Approved& approved) {
  for (auto& [metric, figures] : approved.statistical) {
    const auto known = old.statistical.find(metric);
    if (known == old.statistical.end()) continue;
    std::erase_if(figures, [&](const SessionFigures& each) {
      return is_known(before, known->second, each, sessions.at(each.session));
    });
  }
}

// All results as one, to be held against the baseline as the gate does, with the whole suite. Of
// what is approved, only the sessions that are not in the baseline yet.
Results merged(const ApprovalRequest& request, const std::vector<std::string>& labels,
               const Family& approved, const Policy& policy) {
  Results merged;
  merged.name = request.sessions.front().name;
  merged.session = request.sessions.front().session;
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    for (const BenchmarkResult& benchmark : request.sessions[i].benchmarks) {
      const bool usable =
          std::all_of(benchmark.metrics.begin(), benchmark.metrics.end(), [&](const auto& metric) {
            return metric.second.problem.empty() ||
                   !policy.rule_for(benchmark.id, metric.first).gated();
          });
      if (!usable) continue;  // only what is not to be approved
      const auto [place, is_new] = places.try_emplace(benchmark.id, merged.benchmarks.size());
      if (is_new) {
        merged.benchmarks.push_back(benchmark);
        for (auto& [name, metric] : merged.benchmarks.back().metrics) {
          metric.labels.assign(metric.sessions.size(), labels[i]);
        }
        continue;
      }
      for (const auto& [name, metric] : benchmark.metrics) {
        Metric& all = merged.benchmarks[place->second].metrics[name];
        all.sessions.insert(all.sessions.end(), metric.sessions.begin(), metric.sessions.end());
        all.labels.insert(all.labels.end(), metric.sessions.size(), labels[i]);
      }
    }
  }
  for (BenchmarkResult& benchmark : merged.benchmarks) {
    const auto wanted = approved.find(benchmark.id);
    if (wanted == approved.end()) continue;
    for (const auto& [metric, sessions] : wanted->second.statistical) {
      Metric& all = benchmark.metrics[metric];
      all.sessions.clear();
      all.labels.clear();
      for (const SessionFigures& session : sessions) {
        all.sessions.push_back(session.figures);
        all.labels.push_back(session.session);
      }
    }
  }
  return merged;
}

void keep_newest(std::size_t count, const std::map<std::string, ApprovedSession>& known,
                 std::vector<SessionFigures>& sessions,
                 const std::function<void(const std::string&)>& dropped = {}) {
  std::sort(sessions.begin(), sessions.end(), [&](const auto& a, const auto& b) {
    return std::tie(known.at(a.session).session.created, a.session) <
           std::tie(known.at(b.session).session.created, b.session);
  });
  while (sessions.size() > count) {
    if (dropped) dropped(sessions.front().session);
    sessions.erase(sessions.begin());
  }
}

std::size_t count_figures(const std::vector<SessionFigures>& sessions) {
  std::size_t count = 0;
  for (const SessionFigures& session : sessions) count += session.figures.size();
  return count;
}

double mean(const std::vector<SessionFigures>& sessions) {
  double sum = 0;
  for (const SessionFigures& session : sessions) {
    double of_session = 0;
    for (const double figure : session.figures) of_session += figure;
    sum += of_session / static_cast<double>(session.figures.size());
  }
  return sum / static_cast<double>(sessions.size());
}

// Joins what is approved with what the baseline has of the same benchmarks.
class Merger {
 public:
  Merger(const Policy& policy, const std::map<std::string, ApprovedSession>& known,
         Approval& approval)
      : policy_(policy), known_(known), approval_(approval) {}

  void join(const std::string& id, const Approved& old, const BenchmarkVerdict& verdict,
            Approved& approved) {
    const bool gated = !old.exact.empty() || !old.statistical.empty();
    if (gated && verdict.metrics.empty() && verdict.verdict == Verdict::not_measured) {
      lacking_.push_back(fmt::format("{}: {}", id, verdict.message));
    }
    for (const MetricVerdict& metric : verdict.metrics) {
      if (metric.metric_class == MetricClass::statistical) {
        join_sessions(id, old, metric, approved);
      } else if (metric.metric_class == MetricClass::exact) {
        join_exact(id, old, metric, approved);
      }
    }
    join_machine_code(id, old, approved);
    if (approved.exact == old.exact && approved.lines == old.lines) approved.counted = old.counted;
  }

  // Complains of all that cannot be approved at once.
  void finish(const fs::path& baseline) const {
    throw_refused(lacking_, kExitNotMeasured,
                  fmt::format("not measured, though {} has it", baseline.string()),
                  "Measure it, or declare it optional in the policy");
    throw_refused(inconclusive_, kExitNoVerdict,
                  fmt::format("inconclusive against {}", baseline.string()),
                  "Measure again, with more processes or in more sessions that are approved "
                  "together, with the machine code read on both sides, by which a machine is told "
                  "from a change, or leave out with --filter what is inconclusive");
  }

 private:
  void join_sessions(const std::string& id, const Approved& old, const MetricVerdict& metric,
                     Approved& approved) {
    const auto found = old.statistical.find(metric.metric);
    if (found == old.statistical.end()) return;
    const std::vector<SessionFigures>& before = found->second;
    const auto place = approved.statistical.find(metric.metric);
    if (place == approved.statistical.end()) {
      keep_or_refuse(id, metric);
      approved.statistical[metric.metric] = before;
      return;
    }
    std::vector<SessionFigures>& now = place->second;
    if (now.empty()) {  // all of its sessions are in the baseline already
      now = before;
      return;
    }
    // Of one figure nothing can be told: better ones take its place.
    const bool comparable = count_figures(before) > 1;
    const bool inconclusive = comparable && metric.verdict == Verdict::inconclusive;
    const bool of_the_machine =
        inconclusive && runs_the_same(old, approved) && in_one_environment(before, now);
    if (inconclusive && !of_the_machine) {
      inconclusive_.push_back(fmt::format("{}: {}: {}", id, metric.metric, metric.reason));
      return;
    }
    if (of_the_machine || (comparable && metric.verdict == Verdict::same)) {
      now.insert(now.end(), before.begin(), before.end());
      ++approval_.extended;
      if (of_the_machine) ++approval_.of_the_machine;
      return;
    }
    approval_.moved.push_back({id, metric.metric, mean(before), mean(now)});
    ++approval_.replaced;
  }

  void join_exact(const std::string& id, const Approved& old, const MetricVerdict& metric,
                  Approved& approved) {
    const auto before = old.exact.find(metric.metric);
    const auto now = approved.exact.find(metric.metric);
    if (before != old.exact.end() && now == approved.exact.end()) {
      keep_or_refuse(id, metric);
      approved.exact.insert(*before);
      return;
    }
    if (now == approved.exact.end()) return;
    if (before != old.exact.end() && before->second == now->second) return;
    approval_.moved.push_back(
        {id, metric.metric,
         before == old.exact.end() ? std::nullopt : std::optional(before->second), now->second});
    const bool is_counter = before != old.exact.end() && !is_resource_metric(metric.metric);
    const auto code = compare_code(old.machine_code, approved.machine_code).result;
    if (is_counter && code == CodeComparison::Result::same) {
      approval_.not_repeated.push_back(fmt::format("{}: {}", id, metric.metric));
    }
  }

  // The same instructions, which moved the same data: by what their time differs is the machine's,
  // and hides no change.
  [[nodiscard]] static bool runs_the_same(const Approved& old, const Approved& approved) {
    const auto is_counter = [](const auto& metric) { return !is_resource_metric(metric.first); };
    const bool counted = std::any_of(old.exact.begin(), old.exact.end(), is_counter);
    const bool same = std::all_of(old.exact.begin(), old.exact.end(), [&](const auto& metric) {
      const auto now = approved.exact.find(metric.first);
      return now != approved.exact.end() && now->second == metric.second;
    });
    const CodeComparison code = compare_code(old.machine_code, approved.machine_code);
    return counted && same && code.result == CodeComparison::Result::same;
  }

  [[nodiscard]] bool in_one_environment(const std::vector<SessionFigures>& before,
                                        const std::vector<SessionFigures>& now) const {
    return std::none_of(before.begin(), before.end(), [&](const SessionFigures& old) {
      return std::any_of(now.begin(), now.end(), [&](const SessionFigures& each) {
        return environments_differ(known_.at(old.session).session, known_.at(each.session).session);
      });
    });
  }

  // Of a machine without nvcc, results leave the machine code alone that they confirm otherwise;
  // that of kernels which count otherwise now is not theirs, and is said to be gone.
  void join_machine_code(const std::string& id, const Approved& old, Approved& approved) {
    if (!approved.machine_code.empty() || old.machine_code.empty()) return;
    if (approved.exact == old.exact && approved.lines == old.lines) {
      approved.machine_code = old.machine_code;
      return;
    }
    std::erase_if(approved.exact, [&](const auto& each) {
      if (!is_resource_metric(each.first)) return false;
      approval_.moved.push_back({id, each.first, each.second, std::nullopt});
      return true;
    });
  }

  // What may be absent from a measurement is not lost by approving one without it.
  void keep_or_refuse(const std::string& id, const MetricVerdict& metric) {
    if (policy_.rule_for(id, metric.metric).optional) return;
    lacking_.push_back(fmt::format("{}: {}: {}", id, metric.metric, metric.reason));
  }

  static void throw_refused(const std::vector<std::string>& refused, int exit_status,
                            const std::string& what, const char* remedy) {
    if (refused.empty()) return;
    constexpr std::size_t kShown = 5;
    const auto shown = std::min(refused.size(), kShown);
    throw Error(
        exit_status,
        fmt::format(
            "{}: {}{}. {}", what,
            fmt::join(refused.begin(), refused.begin() + static_cast<std::ptrdiff_t>(shown), "; "),
            refused.size() > shown ? fmt::format("; and {} more", refused.size() - shown) : "",
            remedy));
  }

  const Policy& policy_;
  const std::map<std::string, ApprovedSession>& known_;
  Approval& approval_;
  std::vector<std::string> inconclusive_;
  std::vector<std::string> lacking_;
};

// The metrics of which the new environment left no session to compare with.
void note_replaced(const std::string& id, const Approved& old, const Approved* compared,
                   const Approved& approved, Approval& approval) {
  for (const auto& [metric, sessions] : approved.statistical) {
    const auto before = old.statistical.find(metric);
    if (before == old.statistical.end() || compared->statistical.contains(metric)) continue;
    approval.moved.push_back({id, metric, mean(before->second), mean(sessions)});
    ++approval.replaced;
  }
}

// Neither other machine code nor other counts: for all that is known the same kernels.
bool may_be_the_same(const Approved& old, const Approved& approved) {
  const bool counts_alike =
      std::all_of(old.exact.begin(), old.exact.end(), [&](const auto& metric) {
        const auto now = approved.exact.find(metric.first);
        return now == approved.exact.end() || now->second == metric.second;
      });
  const CodeComparison code = compare_code(old.machine_code, approved.machine_code);
  return counts_alike && code.result != CodeComparison::Result::other;
}

bool has_session(const Baseline& baseline, const Approved& approved, const Session& session) {
  const std::vector<std::string> labels = sessions_of(approved);
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& label) {
    const auto known = baseline.sessions.find(label);
    return known != baseline.sessions.end() && known->second.session.created == session.created &&
           known->second.session.device.uuid == session.device.uuid;
  });
}

// What the sessions counted of all that is not gated, beside what earlier ones did. An emulator
// repeats by construction, and whether another program's figures are counts is not known.
void join_ranges(const ApprovalRequest& request, const Policy& policy, Baseline& baseline,
                 Family& approved) {
  for (auto& [id, benchmark] : approved) {
    const Approved* old = find(baseline, id);
    if (old == nullptr || !may_be_the_same(*old, benchmark)) continue;
    benchmark.ranges = old->ranges;
    std::erase_if(benchmark.ranges, [&, &id = id](const auto& range) {
      return policy.rule_for(id, range.first).gated();
    });
  }
  for (const Results& results : request.sessions) {
    const Session& session = *results.session;
    if (session.device.kind != results::DeviceKind::gpu || session.imported) continue;
    for (const BenchmarkResult& counted : results.benchmarks) {
      const auto place = approved.find(counted.id);
      if (place == approved.end()) continue;
      const Approved* old = find(baseline, counted.id);
      const bool is_known = old != nullptr && !old->ranges.empty() &&
                            may_be_the_same(*old, place->second) &&
                            has_session(baseline, *old, session);
      if (!is_known) take_in(counted, policy, place->second.ranges);
    }
  }
}

void remove_benchmarks(const ApprovalRequest& request, const Family& approved, Baseline& baseline,
                       Approval& approval) {
  for (const std::string& id : request.remove) {
    if (approved.contains(id)) {
      throw Error(
          kExitUsage,
          fmt::format("--remove {}: the results contain it; leave out one or the other", id));
    }
    const auto family = baseline.families.find(family_of(id));
    if (family == baseline.families.end() || family->second.erase(id) == 0) {
      throw Error(kExitUsage, fmt::format("--remove {}: {} has no such benchmark", id,
                                          baseline.folder.string()));
    }
    approval.removed.push_back(id);
  }
}

void merge_with_baseline(const ApprovalRequest& request, const Policy& policy,
                         const std::map<std::string, ApprovedSession>& sessions,
                         const std::vector<std::string>& labels, Baseline& baseline,
                         Family& approved, Approval& approval) {
  for (auto& [id, benchmark] : approved) {
    if (const Approved* old = find(baseline, id)) {
      forget_known(baseline, sessions, *old, benchmark);
    }
  }
  const GateVerdict verdict =
      compare(to_results(baseline), merged(request, labels, approved, policy), policy);
  Merger merger(policy, sessions, approval);
  for (const BenchmarkVerdict& each : verdict.benchmarks) {
    const auto place = approved.find(each.id);
    const Approved* old = find(baseline, each.id);
    if (place != approved.end() && old != nullptr) {
      merger.join(each.id, *old, each, place->second);
    }
  }
  merger.finish(baseline.folder);
}

}  // namespace

Approval approve(const ApprovalRequest& request, const fs::path& folder, const Policy& policy) {
  const Collector collector(request, policy);
  const std::string& device_key = request.sessions.front().session->device.key;
  const FolderLock lock(folder, FolderLock::Kind::exclusive);
  const std::optional<Baseline> found = load_baseline(folder, device_key);
  Baseline baseline = found.value_or(Baseline{folder / device_key, {}, {}, {}});

  Approval approval;
  std::map<std::string, ApprovedSession> sessions = baseline.sessions;
  const std::vector<std::string> labels = add_labels(request, sessions);
  Family approved = collector.collect(labels);
  remove_benchmarks(request, approved, baseline, approval);
  check_caches(request, approved, baseline);
  Baseline compared = baseline;
  if (request.new_environment) {
    check_one_environment(request);
    begin_environment(request, approved, compared);
  }
  if (found) merge_with_baseline(request, policy, sessions, labels, compared, approved, approval);
  join_ranges(request, policy, compared, approved);

  for (auto& [id, benchmark] : approved) {
    for (auto& [metric, figures] : benchmark.statistical) {
      keep_newest(kMostSessions, sessions, figures);
    }
    const Approved* old = find(baseline, id);
    if (old != nullptr && to_text(id, *old) == to_text(id, benchmark)) continue;
    approval.changed.push_back(id);
    if (old == nullptr) {
      approval.added.push_back(id);
    } else if (request.new_environment) {
      note_replaced(id, *old, find(compared, id), benchmark, approval);
    }
    baseline.families[family_of(id)][id] = std::move(benchmark);
  }
  baseline.sessions = std::move(sessions);
  if (!approval.changed.empty() || !approval.removed.empty()) {
    approval.written = save_baseline(std::move(baseline));
  }
  return approval;
}

std::map<std::string, std::map<std::string, std::size_t>> prune_baselines(
    const fs::path& folder, const std::vector<std::string>& devices, std::size_t keep) {
  const FolderLock lock(folder, FolderLock::Kind::exclusive);
  std::map<std::string, std::map<std::string, std::size_t>> dropped;
  for (const std::string& device : devices) {
    std::optional<Baseline> baseline = load_baseline(folder, device);
    if (!baseline) continue;
    for (auto& [name, family] : baseline->families) {
      for (auto& [id, approved] : family) {
        std::set<std::string> of_benchmark;
        for (auto& [metric, sessions] : approved.statistical) {
          keep_newest(keep, baseline->sessions, sessions,
                      [&](const std::string& label) { of_benchmark.insert(label); });
        }
        for (const std::string& label : of_benchmark) ++dropped[device][label];
      }
    }
    if (dropped.contains(device)) (void)save_baseline(std::move(*baseline));
  }
  return dropped;
}

}  // namespace warpgauge::ci
