// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/baseline_diff.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>

namespace warpgauge::ci {
namespace {

using Benchmarks = std::map<std::string, const Approved*>;

Benchmarks benchmarks_of(const Baseline& baseline) {
  Benchmarks benchmarks;
  for (const auto& [name, family] : baseline.families) {
    for (const auto& [id, approved] : family) benchmarks[id] = &approved;
  }
  return benchmarks;
}

bool same_figures(const std::vector<SessionFigures>& a, const std::vector<SessionFigures>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.session == y.session && x.figures == y.figures;
  });
}

double magnitude(const FigureEdit& figure) {
  if (!figure.before || !figure.after || *figure.before <= 0 || *figure.after <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  return std::abs(std::log(*figure.after / *figure.before));
}

std::vector<FigureEdit> figure_edits(const Approved& before, const Approved& after) {
  std::map<std::string, FigureEdit> edits;
  for (const auto& [metric, sessions] : before.statistical) {
    const auto now = after.statistical.find(metric);
    if (now != after.statistical.end() && same_figures(sessions, now->second)) continue;
    edits[metric].before = mean_of_sessions(sessions);
  }
  for (const auto& [metric, sessions] : after.statistical) {
    const auto then = before.statistical.find(metric);
    if (then != before.statistical.end() && same_figures(sessions, then->second)) continue;
    edits[metric].after = mean_of_sessions(sessions);
  }
  const auto exact = [&](const Approved& from, const Approved& other, auto member) {
    for (const auto& [metric, value] : from.exact) {
      const auto found = other.exact.find(metric);
      if (found == other.exact.end() || found->second != value) edits[metric].*member = value;
    }
  };
  exact(before, after, &FigureEdit::before);
  exact(after, before, &FigureEdit::after);
  std::vector<FigureEdit> all;
  for (auto& [metric, edit] : edits) {
    edit.metric = metric;
    all.push_back(edit);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return magnitude(a) > magnitude(b); });
  return all;
}

// Who brought the newest of the sessions that `before` does not have, and why.
void add_reason(const Baseline& before, const Baseline& after, const Approved& approved,
                BaselineEdit& edit) {
  const ApprovedSession* newest = nullptr;
  for (const std::string& label : sessions_of(approved)) {
    const auto found = after.sessions.find(label);
    if (found == after.sessions.end() || before.sessions.contains(label)) continue;
    if (newest == nullptr || newest->approved <= found->second.approved) newest = &found->second;
  }
  if (newest == nullptr) return;
  edit.reason = newest->reason;
  edit.by = newest->by;
}

}  // namespace

std::vector<BaselineEdit> baseline_edits(const std::string& device, const Baseline& before,
                                         const Baseline& after) {
  const Benchmarks then = benchmarks_of(before);
  const Benchmarks now = benchmarks_of(after);
  std::set<std::string> ids;
  for (const auto& [id, approved] : then) ids.insert(id);
  for (const auto& [id, approved] : now) ids.insert(id);
  std::vector<BaselineEdit> edits;
  for (const std::string& id : ids) {
    const auto old = then.find(id);
    const auto fresh = now.find(id);
    BaselineEdit edit;
    edit.device = device;
    edit.benchmark = id;
    if (fresh == now.end()) {
      edit.kind = BaselineEdit::Kind::removes;
    } else if (old == then.end()) {
      edit.kind = BaselineEdit::Kind::adds;
      add_reason(before, after, *fresh->second, edit);
    } else {
      // By the text: all that is kept of a benchmark is in it.
      if (to_text(id, *old->second) == to_text(id, *fresh->second)) continue;
      edit.figures = figure_edits(*old->second, *fresh->second);
      add_reason(before, after, *fresh->second, edit);
    }
    edits.push_back(edit);
  }
  return edits;
}

std::vector<std::string> rewritten_sessions(const Baseline& before, const Baseline& after) {
  std::vector<std::string> labels;
  const auto facts = [](const ApprovedSession& session) {
    return std::tie(session.session, session.approved, session.by, session.reason);
  };
  for (const auto& [label, session] : after.sessions) {
    const auto found = before.sessions.find(label);
    if (found == before.sessions.end() || facts(found->second) == facts(session)) continue;
    labels.push_back(label);
  }
  return labels;
}

double magnitude(const BaselineEdit& edit) {
  double greatest = 0;
  for (const FigureEdit& figure : edit.figures) greatest = std::max(greatest, magnitude(figure));
  return greatest;
}

}  // namespace warpgauge::ci
