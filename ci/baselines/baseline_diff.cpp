// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/baseline_diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "ci/baselines/anchor.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/support/text.hpp"

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

// How far sessions' means lie apart, as a share of their mean; 0 for one session.
double spread_of(const std::vector<SessionFigures>& sessions) {
  if (sessions.size() < 2) return 0;
  const double mean = mean_of_sessions(sessions);
  double squares = 0;
  for (const SessionFigures& session : sessions) {
    const double off = mean_of(session.figures) / mean - 1;
    squares += off * off;
  }
  return std::sqrt(squares / static_cast<double>(sessions.size() - 1));
}

// How far processes lie apart within a session, the same way.
double scatter_of(const std::vector<SessionFigures>& sessions) {
  double squares = 0;
  double degrees = 0;
  for (const SessionFigures& session : sessions) {
    const double mean = mean_of(session.figures);
    for (const double figure : session.figures) squares += std::pow(figure / mean - 1, 2);
    degrees += static_cast<double>(session.figures.size() - 1);
  }
  return degrees > 0 ? std::sqrt(squares / degrees) : 0;
}

// Of two shares, whether one is so much more that a verdict may be another.
bool far_apart(double before, double after) {
  constexpr double kLeast = 0.001;
  constexpr double kRatio = 1.5;
  const double less = std::max(std::min(before, after), kLeast);
  return std::max(before, after) > kRatio * less;
}

std::size_t figures_in(const std::vector<SessionFigures>& sessions) {
  std::size_t count = 0;
  for (const SessionFigures& session : sessions) count += session.figures.size();
  return count;
}

// Sessions that both sides name, with other figures: an approval never does that.
std::size_t rewritten(const std::vector<SessionFigures>& before,
                      const std::vector<SessionFigures>& after) {
  return static_cast<std::size_t>(
      std::count_if(after.begin(), after.end(), [&](const SessionFigures& now) {
        const auto is_it = [&](const SessionFigures& then) { return then.session == now.session; };
        const auto is_same = [&](const SessionFigures& then) {
          return is_it(then) && then.figures == now.figures;
        };
        return std::any_of(before.begin(), before.end(), is_it) &&
               std::none_of(before.begin(), before.end(), is_same);
      }));
}

// Sessions that both sides name, whose figures are said to be carried over by something else: an
// approval gives what it carries over a new name.
std::size_t carried_otherwise(const std::vector<SessionFigures>& before,
                              const std::vector<SessionFigures>& after) {
  return static_cast<std::size_t>(
      std::count_if(after.begin(), after.end(), [&](const SessionFigures& now) {
        return std::any_of(before.begin(), before.end(), [&](const SessionFigures& then) {
          return then.session == now.session && then.carried != now.carried;
        });
      }));
}

void add_edits_of_sessions(const std::string& metric, const std::vector<SessionFigures>& before,
                           const std::vector<SessionFigures>& after,
                           std::vector<std::string>& also) {
  if (const std::size_t count = rewritten(before, after); count > 0) {
    also.push_back(fmt::format("{} of {} rewritten", metric, counted(count, "known session")));
  }
  if (const std::size_t count = carried_otherwise(before, after); count > 0) {
    also.push_back(
        fmt::format("by what {} of {} was carried over", metric, counted(count, "known session")));
  }
  if (before.size() != after.size()) {
    also.push_back(
        fmt::format("{} of {}, was {}", metric, counted(after.size(), "session"), before.size()));
  } else if (figures_in(before) != figures_in(after)) {
    also.push_back(fmt::format("{} of {}, was {}", metric, counted(figures_in(after), "figure"),
                               figures_in(before)));
  }
  for (const auto& [what, measure] :
       {std::pair("between sessions", &spread_of), {"between processes", &scatter_of}}) {
    const double then = measure(before);
    const double now = measure(after);
    if (before.size() < 2 || after.size() < 2 || !far_apart(then, now)) continue;
    also.push_back(
        fmt::format("spread of {} {} {:.2g} % → {:.2g} %", metric, what, 100 * then, 100 * now));
  }
}

// By how much figures were carried over to sessions that are new; nothing where none were.
std::optional<double> carried_over(const std::vector<SessionFigures>& before,
                                   const std::vector<SessionFigures>& after) {
  const auto plain = [](const std::string& label) { return label.substr(0, label.find(" (")); };
  for (const SessionFigures& now : after) {
    if (!now.carried) continue;
    for (const SessionFigures& then : before) {
      if (then.session == now.session || plain(then.session) != plain(now.session)) continue;
      return mean_of(now.figures) / mean_of(then.figures);
    }
  }
  return std::nullopt;
}

// All that is kept of a benchmark besides its figures.
std::vector<std::string> other_edits(const Approved& before, const Approved& after) {
  std::vector<std::string> also;
  for (const auto& [metric, sessions] : after.statistical) {
    const auto then = before.statistical.find(metric);
    if (then == before.statistical.end()) continue;
    if (same_figures(then->second, sessions) && carried_otherwise(then->second, sessions) == 0) {
      continue;
    }
    if (const auto ratio = carried_over(then->second, sessions)) {
      also.push_back(fmt::format("{} carried over by {}", metric, readable_change(1, *ratio)));
    }
    add_edits_of_sessions(metric, then->second, sessions, also);
  }
  const auto add = [&](bool same, const char* what) {
    if (!same) also.emplace_back(what);
  };
  add(before.machine_code == after.machine_code, "machine code");
  add(before.launches == after.launches, "launches");
  add(before.input_digest == after.input_digest, "digest of its input");
  add(before.ranges == after.ranges, "ranges of counters");
  add(before.lines == after.lines, "source lines");
  return also;
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

std::string name_of_anchor(const Baseline& baseline, const Approved& approved) {
  return approved.anchored ? name_of(anchor_of(baseline, approved)) : "none";
}

// Whether the times of an anchor are those of before, carried over as the sessions' are that are
// new: what its line says of that is not enough.
bool is_carried_over(const Approved& before, const Approved& after) {
  constexpr double kDigitsInFile = 1e-5;
  const Anchored& then = *before.anchored;
  const Anchored& now = *after.anchored;
  const auto old = before.statistical.find(results::kTimeMetric);
  const auto fresh = after.statistical.find(results::kTimeMetric);
  if (old == before.statistical.end() || fresh == after.statistical.end()) return false;
  const std::optional<double> ratio = carried_over(old->second, fresh->second);
  const auto is_by_it = [&](double from, double to) {
    return std::abs(to / (from * *ratio) - 1) < kDigitsInFile;
  };
  return ratio && is_by_it(then.carried.value_or(1), now.carried.value_or(1)) &&
         std::equal(then.times.begin(), then.times.end(), now.times.begin(), now.times.end(),
                    is_by_it);
}

// Nothing where it stays. One that no approval set has no reason.
std::optional<BaselineEdit> anchor_edit(const Baseline& before, const Approved& then,
                                        const Baseline& after, const Approved& now) {
  if (then.anchored == now.anchored) return std::nullopt;
  BaselineEdit edit;
  edit.kind = BaselineEdit::Kind::anchors;
  if (!then.anchored || !now.anchored || then.anchored->anchor != now.anchored->anchor) {
    edit.also.push_back(
        fmt::format("{} → {}", name_of_anchor(before, then), name_of_anchor(after, now)));
    if (now.anchored) {
      const Anchor& anchor = anchor_of(after, now);
      edit.reason = anchor.reason;
      edit.by = anchor.by;
    }
    return edit;
  }
  if (is_carried_over(then, now)) {
    edit.also.push_back(fmt::format(
        "times carried over by {}",
        readable_change(then.anchored->carried.value_or(1), now.anchored->carried.value_or(1))));
    add_reason(before, after, now, edit);
    return edit;
  }
  if (then.anchored->times != now.anchored->times) edit.also.emplace_back("other times");
  if (then.anchored->carried != now.anchored->carried) {
    edit.also.emplace_back("by what its times were carried over");
  }
  return edit;
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
    const auto add = [&](BaselineEdit edit) {
      edit.device = device;
      edit.benchmark = id;
      edits.push_back(std::move(edit));
    };
    BaselineEdit edit;
    if (fresh == now.end()) {
      edit.kind = BaselineEdit::Kind::removes;
    } else if (old == then.end()) {
      edit.kind = BaselineEdit::Kind::adds;
      add_reason(before, after, *fresh->second, edit);
    } else {
      const auto of_anchor = anchor_edit(before, *old->second, after, *fresh->second);
      if (of_anchor) add(*of_anchor);
      Approved anchored_alike = *fresh->second;
      anchored_alike.anchored = old->second->anchored;
      // By the text: all that is kept of a benchmark is in it.
      if (to_text(id, *old->second) == to_text(id, anchored_alike)) continue;
      edit.figures = figure_edits(*old->second, *fresh->second);
      edit.also = other_edits(*old->second, *fresh->second);
      add_reason(before, after, *fresh->second, edit);
      // A new session is another one anyway.
      const bool by_hand = edit.reason.empty() && edit.by.empty();
      if (by_hand && old->second->counted != fresh->second->counted) {
        edit.also.emplace_back("the session of its counters");
      }
    }
    add(std::move(edit));
  }
  return edits;
}

std::vector<std::string> rewritten_sessions(const Baseline& before, const Baseline& after) {
  std::vector<std::string> labels;
  for (const auto& [label, now] : after.sessions) {
    const auto found = before.sessions.find(label);
    if (found == before.sessions.end()) continue;
    const ApprovedSession& then = found->second;
    std::vector<std::string> facts;
    const auto add = [&](bool same, const char* what) {
      if (!same) facts.emplace_back(what);
    };
    add(then.session.created == now.session.created, "when it was measured");
    add(then.approved == now.approved, "when it was approved");
    add(then.by == now.by, "by whom");
    add(then.reason == now.reason, "why");
    add(then.carried == now.carried, "what it was carried over from");
    results::Session dated = then.session;
    dated.created = now.session.created;
    add(dated == now.session, "its environment");
    if (!facts.empty()) labels.push_back(fmt::format("{} ({})", label, fmt::join(facts, ", ")));
  }
  return labels;
}

std::vector<std::string> rewritten_anchors(const Baseline& before, const Baseline& after) {
  std::vector<std::string> labels;
  for (const auto& [label, now] : after.anchors) {
    const auto then = before.anchors.find(label);
    if (then != before.anchors.end() && then->second != now) {
      labels.push_back(fmt::format("{} (now {})", label, name_of(now)));
    }
  }
  return labels;
}

double magnitude(const BaselineEdit& edit) {
  double greatest = 0;
  for (const FigureEdit& figure : edit.figures) greatest = std::max(greatest, magnitude(figure));
  return greatest;
}

}  // namespace warpgauge::ci
