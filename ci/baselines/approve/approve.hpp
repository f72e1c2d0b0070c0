// SPDX-License-Identifier: Apache-2.0
// Makes results the baseline, where they may be, and says what that changes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ci/baselines/baseline.hpp"
#include "ci/policy/policy.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// Of a benchmark's sessions, the newest are kept: enough to know how sessions and dies differ, and
// few enough that a kernel of long ago does not decide.
inline constexpr std::size_t kMostSessions = 12;
// Fewer say too little of the spread between sessions (docs/explain/statistics.md).
inline constexpr std::size_t kFewestSessions = 5;

struct ApprovalRequest {
  std::vector<results::Results> sessions;  // each of them one, all of one device
  std::string filter;                      // regular expression on ids; empty: all
  std::vector<std::string> remove;         // ids to take out of the baseline
  // Sessions of another driver or toolkit than these results', or hot ones where these are cold and
  // cold ones where these are hot, do not count any more.
  bool new_environment = false;
  // Beside a new environment that only the build makes: what was approved, built as it was then and
  // measured in turns with the one session of this request. Its sessions are carried over.
  std::optional<results::Results> beside;
  // Takes machine code, launches, input and counters of benchmarks that have a baseline, and leaves
  // their times as they are. Refused where something got worse.
  bool code_only = false;
  // The results' revision becomes the anchor of the benchmarks in them.
  bool anchor = false;
  // Lets go of figures that the baseline has and the policy does not gate any more.
  bool drop_figures = false;
  std::string by;
  std::string reason;
  std::string now;  // UTC
};

struct Approval {
  struct Moved {
    std::string id;
    std::string metric;
    std::optional<double> before;
    std::optional<double> after;
  };
  // A metric whose sessions stand for the new build.
  struct CarriedOver {
    std::string id;
    std::string metric;
    Carried by;
  };
  std::vector<std::string> changed;  // ids whose baseline is new or another than before
  std::vector<std::string> added;    // of these, the new ones
  std::vector<std::string> removed;
  std::vector<Moved> moved;  // figures of the others that are another than before
  // Of the statistical metrics of the others: how many got sessions in addition, and how many have
  // the new sessions only.
  std::size_t extended = 0;
  std::size_t of_the_machine = 0;  // of the extended, those that were inconclusive
  std::size_t replaced = 0;
  std::vector<std::string> relaunched;  // "ID: what differs" of those that are launched differently
  // Exact counters that are another though the machine code is the same, and the launches for all
  // that is known: "ID: METRIC".
  std::vector<std::string> not_repeated;
  // By their code alone: those whose time is better or unclear, so that it is looked at again.
  // Theirs stays as it is.
  std::vector<std::string> left_out;
  // Names of results of sources with changes that no commit has: they cannot be built again.
  std::vector<std::string> of_modified_sources;
  std::vector<std::string> anchored;  // ids whose anchor is the results' revision now
  std::vector<CarriedOver> carried;
  std::size_t carried_sessions = 0;     // of all of these metrics together
  std::vector<std::string> begun_anew;  // "ID: METRIC: why" of what could not be carried over
  std::vector<std::filesystem::path> written;  // or removed
};

// Benchmarks that the results do not contain keep theirs, but for `remove`. Exact metrics and
// source lines are those of the results. What the policy no longer gates is taken out, if
// drop_figures says so. Of a statistical metric the new sessions are added to the
// old ones if it is the same by the policy, or if it is inconclusive, but may be of the machine
// (verdict/decide.hpp), since machine code, all exact counters and the environment are the same;
// and else, since then the code changed, take their place. What is only shown extends the ranges
// that there are, as long as the kernels are the same for all that is known.
//
// Only a request for an anchor sets or moves one; it goes with its benchmark alone.
//
// Throws Error, and changes nothing: what settle_anchors() and carry_over() throw; wrong usage for
// a filter that matches nothing, an id in `remove` that has no baseline or is in the results, a new
// environment that is none; no verdict for what else is inconclusive against the baseline, for a
// machine that its unchanged benchmarks show to be off (see same_code_limit), and for hot times
// where it has cold ones or the reverse; not measured for a failed benchmark, a gated metric that
// is no usable number or that the baseline has and the results lack, a figure that would be
// dropped, a policy that gates what is not there, or nothing of the results, exact metrics that
// differ between sessions, another device, a plain Google Benchmark file, a baseline that cannot be
// read.
[[nodiscard]] Approval approve(const ApprovalRequest& request, const std::filesystem::path& folder,
                               const Policy& policy);

}  // namespace warpgauge::ci
