// SPDX-License-Identifier: Apache-2.0
#include "ci/policy/approved_changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>

#include "ci/support/figures.hpp"
#include "ci/support/text.hpp"

namespace warpgauge::ci {
namespace {

constexpr std::size_t kNamed = 3;  // of each kind, in a headline
constexpr std::size_t kFiguresShown = 3;
constexpr std::size_t kShortRevision = 10;

std::string figure_text(const FigureEdit& figure) {
  if (figure.before && figure.after && *figure.before != 0) {
    return fmt::format("{} {}", figure.metric, readable_change(figure.before, figure.after));
  }
  return fmt::format("{} {}", figure.metric,
                     readable_arrow(figure.metric, figure.before, figure.after));
}

std::string figures_text(const BaselineEdit& edit) {
  using Kind = BaselineEdit::Kind;
  if (edit.kind != Kind::approves && edit.kind != Kind::anchors) return {};
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < edit.figures.size() && i < kFiguresShown; ++i) {
    texts.push_back(figure_text(edit.figures[i]));
  }
  if (const std::size_t more = edit.figures.size() - texts.size(); more > 0) {
    texts.push_back(counted(more, "more metric"));
  }
  texts.insert(texts.end(), edit.also.begin(), edit.also.end());
  return texts.empty() ? "" : fmt::format(": {}", fmt::join(texts, ", "));
}

// "approves a, b and 3 more": those of one kind.
void add_group(const std::string& kind, const std::vector<std::string>& all,
               std::vector<std::string>& groups) {
  if (all.empty()) return;
  groups.push_back(fmt::format("{}: {}", kind, some_of(all, kNamed)));
}

}  // namespace

std::string to_string(BaselineEdit::Kind kind) {
  switch (kind) {
    case BaselineEdit::Kind::anchors:
      return "anchors";
    case BaselineEdit::Kind::approves:
      return "approves";
    case BaselineEdit::Kind::adds:
      return "adds";
    case BaselineEdit::Kind::removes:
      return "removes";
  }
  return "";
}

std::string to_string(PolicyEdit::Kind kind) {
  switch (kind) {
    case PolicyEdit::Kind::loosens:
      return "loosens";
    case PolicyEdit::Kind::tightens:
      return "tightens";
    case PolicyEdit::Kind::changes:
      return "changes";
  }
  return "";
}

std::string describe(const BaselineEdit& edit) {
  using Kind = BaselineEdit::Kind;
  const bool approved = !edit.reason.empty() || !edit.by.empty();
  const std::string reason = approved                     ? ", reason: " + edit.reason
                             : edit.kind == Kind::removes ? ""
                             : edit.kind == Kind::anchors ? ", by no approval"
                                                          : ", without a new session";
  return fmt::format("{} ({}){}{}", edit.benchmark, edit.device, figures_text(edit), reason);
}

std::string headline(const Edits& edits) {
  const std::string since = edits.since.substr(0, kShortRevision);
  std::vector<std::string> groups;
  for (const auto kind : {BaselineEdit::Kind::anchors, BaselineEdit::Kind::approves,
                          BaselineEdit::Kind::adds, BaselineEdit::Kind::removes}) {
    std::vector<std::string> texts;
    for (const BaselineEdit& edit : edits.baselines) {
      if (edit.kind == kind) texts.push_back(describe(edit));
    }
    add_group(to_string(kind), texts, groups);
  }
  for (const auto kind :
       {PolicyEdit::Kind::loosens, PolicyEdit::Kind::tightens, PolicyEdit::Kind::changes}) {
    std::vector<std::string> texts;
    for (const PolicyEdit& edit : edits.policy) {
      if (edit.kind == kind) texts.push_back(edit.what);
    }
    add_group(to_string(kind), texts, groups);
  }
  add_group("unclear", edits.unclear, groups);
  if (groups.empty()) return fmt::format("no edits of baselines or policy since {}", since);
  return one_line(fmt::format("edits since {}: {}", since, fmt::join(groups, "; ")));
}

bool all_in_headline(const Edits& edits) {
  std::map<std::string, std::size_t> counts{{"unclear", edits.unclear.size()}};
  for (const BaselineEdit& edit : edits.baselines) ++counts[to_string(edit.kind)];
  for (const PolicyEdit& edit : edits.policy) ++counts[to_string(edit.kind)];
  return std::all_of(counts.begin(), counts.end(),
                     [](const auto& each) { return each.second <= kNamed; });
}

std::vector<std::string> all_lines(const Edits& edits) {
  std::vector<std::string> lines;
  for (const BaselineEdit& edit : edits.baselines) {
    lines.push_back(one_line(fmt::format("{}: {}", to_string(edit.kind), describe(edit))));
  }
  for (const PolicyEdit& edit : edits.policy) {
    lines.push_back(one_line(fmt::format("{}: {}", to_string(edit.kind), edit.what)));
  }
  for (const std::string& what : edits.unclear) lines.push_back(one_line("unclear: " + what));
  return lines;
}

}  // namespace warpgauge::ci
