// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/anchor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "ci/statistics/mean.hpp"
#include "ci/support/errors.hpp"
#include "ci/support/text.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {
namespace {

using results::Results;

constexpr std::size_t kShortSha = 12;
constexpr std::size_t kDate = 10;  // of a time in UTC, its date

// The clean revision that all results are of.
std::string clean_revision_of(const ApprovalRequest& request) {
  const Results& first = request.sessions.front();
  for (const Results& results : request.sessions) {
    const results::Source& source = results.session->source;
    const auto refuse = [&](const std::string& what) {
      throw Error(kExitNotMeasured, fmt::format("--anchor: {} {}", results.name, what));
    };
    if (!is_whole_sha(source.revision)) {
      refuse(
          "does not name the commit that was measured: build the suite in a git checkout and "
          "measure again");
    }
    if (source.modified) {
      refuse(fmt::format(
          "was measured with changes beside {:.12}, which nobody can build again: commit "
          "them, build and measure again",
          source.revision));
    }
    if (source.revision != first.session->source.revision) {
      refuse(fmt::format("is of {:.12}, but {} of {:.12}: approve one revision at a time",
                         source.revision, first.name, first.session->source.revision));
    }
  }
  return first.session->source.revision;
}

std::string add_anchor(const Anchor& anchor, std::map<std::string, Anchor>& anchors) {
  for (const auto& [label, known] : anchors) {
    if (known.revision == anchor.revision && known.by == anchor.by &&
        known.reason == anchor.reason) {
      return label;
    }
  }
  const std::string plain = fmt::format("{} {}", anchor.set, anchor.revision.substr(0, kShortSha));
  std::string label = plain;
  for (int i = 2; !anchors.try_emplace(label, anchor).second; ++i) {
    label = fmt::format("{} ({})", plain, i);
  }
  return label;
}

// Mean of each session, to a picosecond: a file of digits that mean nothing is hard to read.
std::vector<double> means_of_time(const ApprovalRequest& request, const std::string& id) {
  std::vector<double> means;
  for (const Results& results : request.sessions) {
    const results::BenchmarkResult* const benchmark = results.find(id);
    const results::Metric* const time =
        benchmark == nullptr ? nullptr : benchmark->find(results::kTimeMetric);
    if (time == nullptr) continue;
    for (const auto& figures : time->sessions)
      means.push_back(std::round(1000 * mean_of(figures)) / 1000);
  }
  return means;
}

void set_anchor(const ApprovalRequest& request, const Policy& policy,
                std::map<std::string, Anchor>& anchors, Family& approved, Approval& approval) {
  const std::string label =
      add_anchor({clean_revision_of(request), request.now, request.by, request.reason}, anchors);
  constexpr std::size_t kMostNamed = 3;
  std::vector<std::string> untimed;
  for (auto& [id, benchmark] : approved) {
    if (!policy.rule_for(id, results::kTimeMetric).gated()) continue;
    std::vector<double> times = means_of_time(request, id);
    if (times.empty()) untimed.push_back(id);
    benchmark.anchored = Anchored{label, std::move(times)};
    approval.anchored.push_back(id);
  }
  if (!untimed.empty()) {
    throw Error(
        kExitNotMeasured,
        fmt::format("--anchor: {} has no time of {}: measure with --all, on a GPU, or leave "
                    "them out with --filter",
                    request.sessions.front().name, some_of(untimed, kMostNamed)));
  }
  if (approval.anchored.empty()) {
    throw Error(kExitUsage, fmt::format("--anchor: {} gates no time of these benchmarks, and an "
                                        "anchor is of nothing else; leave it out",
                                        policy.name.empty() ? "the policy" : policy.name));
  }
}

}  // namespace

bool is_whole_sha(const std::string& text) {
  constexpr std::size_t kSha1 = 40;
  constexpr std::size_t kSha256 = 64;
  return (text.size() == kSha1 || text.size() == kSha256) &&
         text.find_first_not_of("0123456789abcdef") == text.npos;
}

void settle_anchors(const ApprovalRequest& request, const Policy& policy, const Baseline& baseline,
                    std::map<std::string, Anchor>& anchors, Family& approved, Approval& approval) {
  for (auto& [id, benchmark] : approved) {
    const Approved* const old = find_approved(baseline, id);
    if (old != nullptr) benchmark.anchored = old->anchored;
  }
  if (request.anchor) set_anchor(request, policy, anchors, approved, approval);
}

const Anchor& anchor_of(const Baseline& baseline, const Approved& approved) {
  return baseline.anchors.at(approved.anchored->anchor);
}

std::string approvals_since_anchor(const Baseline& baseline, const Approved& approved) {
  const Anchor& anchor = anchor_of(baseline, approved);
  std::set<std::pair<std::string, std::string>> approvals;  // when, and what is said of it
  for (const std::string& label : sessions_of(approved)) {
    const ApprovedSession& session = baseline.sessions.at(label);
    // Others may be of the same second.
    const bool is_the_anchors = session.session.source.revision == anchor.revision;
    if (session.approved < anchor.set || is_the_anchors) continue;
    approvals.emplace(session.approved, fmt::format("{} {}: {}", session.approved.substr(0, kDate),
                                                    session.by, session.reason));
  }
  constexpr std::size_t kMostTold = 12;
  std::vector<std::string> told;
  for (const auto& [when, what] : approvals) {
    if (told.size() < kMostTold) told.push_back(what);
  }
  if (told.size() < approvals.size()) {
    told.push_back(fmt::format("and {} more", approvals.size() - told.size()));
  }
  return fmt::format("{}", fmt::join(told, "; "));
}

std::string name_of(const Anchor& anchor) {
  return fmt::format("{} of {}", anchor.revision.substr(0, kShortSha), anchor.set.substr(0, kDate));
}

}  // namespace warpgauge::ci
