// SPDX-License-Identifier: Apache-2.0
// What a change approves by itself: its edits of baselines and policy since a merge base. Plain
// data; see merge_base.hpp for where it comes from.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace warpgauge::ci {

// A figure that the baseline has otherwise now; of a statistical metric the mean of its sessions.
struct FigureEdit {
  std::string metric;
  std::optional<double> before;  // absent: the metric is new
  std::optional<double> after;   // absent: it is gone
};

struct BaselineEdit {
  enum class Kind {
    anchors,  // sets, moves or takes away the anchor of a benchmark that both sides have
    approves,
    adds,
    removes
  };
  Kind kind = Kind::approves;
  std::string device;  // key
  std::string benchmark;
  std::vector<FigureEdit> figures;  // empty: those are as they were
  // Of the newest session that is new, or of the anchor; empty: none is, the figures were edited by
  // hand or removed.
  std::string reason;
  std::string by;
  // What else is another, in words: "time of 3 sessions, was 6", "machine code". A mean may stay
  // where it was while all that it is made of moves.
  std::vector<std::string> also = {};
};

struct PolicyEdit {
  enum class Kind { loosens, tightens, changes };
  Kind kind = Kind::changes;
  std::string what;  // the effect, for which benchmarks, and the reason that the policy gives
};

struct Edits {
  std::string since;                    // the merge base's revision
  std::vector<BaselineEdit> baselines;  // the greatest change first
  std::vector<PolicyEdit> policy;       // what loosens first
  std::vector<std::string> unclear;     // what could not be compared, and why
};

// "approves", "loosens", …
[[nodiscard]] std::string to_string(BaselineEdit::Kind kind);
[[nodiscard]] std::string to_string(PolicyEdit::Kind kind);

// "transpose/padded/256x192 (nvidia-h200): time +4.0 %, reason: one barrier less".
[[nodiscard]] std::string describe(const BaselineEdit& edit);

// All of them in one line for a headline, a few of each kind by name: "edits since 1a2b3c4:
// approves …; loosens: …".
[[nodiscard]] std::string headline(const Edits& edits);

// Whether the headline names each of them.
[[nodiscard]] bool all_in_headline(const Edits& edits);

// One line each, beginning with the kind.
[[nodiscard]] std::vector<std::string> all_lines(const Edits& edits);

}  // namespace warpgauge::ci
