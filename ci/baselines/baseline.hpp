// SPDX-License-Identifier: Apache-2.0
// Approved results: baselines/<device key>/<family>.json, one metric or session a line so that a
// change is a small diff, and device.json beside them: the device, and of each session its
// environment and who approved it, when and why.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiling/results/json/record_json.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

// A session whose figures are in a baseline.
struct ApprovedSession {
  results::Session session;
  std::string approved;  // when, UTC
  std::string by;
  std::string reason;
  // What it was carried over from and to, as in "CUDA '12.8' → '13.0'"; empty: it was measured so.
  std::string carried = {};
};

// Where benchmarks started, for what they may have lost since then: a revision that can be built.
struct Anchor {
  std::string revision;  // SHA
  std::string set;       // when, UTC
  std::string by;
  std::string reason;

  friend bool operator==(const Anchor&, const Anchor&) = default;
};

// A benchmark's part in an anchor.
struct Anchored {
  std::string anchor;         // its label
  std::vector<double> times;  // ns, the mean of each session that it was set by
  // By what the times were multiplied since then; absent: they are as they were measured.
  std::optional<double> carried = std::nullopt;

  friend bool operator==(const Anchored&, const Anchored&) = default;
};

// By what figures were multiplied that another build's stand for, and how well that is known: one
// error of all sessions together, relative.
struct Carried {
  double ratio = 1;
  double standard_error = 0;

  friend bool operator==(const Carried&, const Carried&) = default;
};

struct SessionFigures {
  std::string session;                            // its label
  std::vector<double> figures;                    // one a process
  std::optional<Carried> carried = std::nullopt;  // absent: they are as they were measured
};

// A benchmark's place in the baseline.
struct Approved {
  std::string counted;  // label of the session that exact metrics and lines are of
  std::optional<Anchored> anchored;
  std::map<std::string, std::vector<SessionFigures>> statistical;  // by metric, the newest last
  std::map<std::string, double> exact;
  std::vector<results::SourceLine> lines;
  std::vector<results::KernelLaunch> launches;    // empty: not observed
  std::vector<results::KernelCode> machine_code;  // empty: not read
  std::string input_digest;                       // empty: not known
  results::CounterRanges ranges;                  // of counters that are shown, not gated
};

using Family = std::map<std::string, Approved>;  // by id

// What a folder baselines/<device key> holds.
struct Baseline {
  std::filesystem::path folder;
  std::string device;  // what its sessions' devices have in common, as JSON; empty: no session
  std::map<std::string, ApprovedSession> sessions;  // by label
  std::map<std::string, Anchor> anchors;            // by label
  std::map<std::string, Family> families;           // by name
  // Those that device.json names, each of which has its file; absent: it is of the days before
  // that.
  std::optional<std::set<std::string>> named = std::nullopt;
  // When all of it was last timed in full by a gate that passed, UTC, though no time of that was
  // approved; empty: no time is known but those of the sessions.
  std::string timed = {};
};

[[nodiscard]] std::set<std::string> names_of_families(const Baseline& baseline);

// The family that an id belongs to.
[[nodiscard]] std::string family_of(const std::string& id);

// Absent: nullptr.
[[nodiscard]] const Approved* find_approved(const Baseline& baseline, const std::string& id);
[[nodiscard]] Approved* find_approved(Baseline& baseline, const std::string& id);

// When the benchmark was last timed in full, UTC; empty: it has no time.
[[nodiscard]] std::string last_timed(const Baseline& baseline, const Approved& approved);

// Mean of the sessions' means; of at least one, each with figures.
[[nodiscard]] double mean_of_sessions(const std::vector<SessionFigures>& sessions);

// Nothing when `folder`/`device_key` is not there or empty. Throws FileError, FormatError, and
// Error (not measured) when it is there and no whole baseline: that is not the same as none.
[[nodiscard]] std::optional<Baseline> load_baseline(const std::filesystem::path& folder,
                                                    const std::string& device_key);

// Keys of the devices that `folder` holds baselines for. Throws Error when it cannot be read.
[[nodiscard]] std::vector<std::string> devices_with_baseline(const std::filesystem::path& folder);

// `top` itself, and the folders in it that are no device's: `warpgauge init` gives each kind of
// benchmark one. Throws as devices_with_baseline() does.
[[nodiscard]] std::vector<std::filesystem::path> folders_of_baselines(
    const std::filesystem::path& top);

// Its benchmarks as results of several sessions; as a whole of the newest one.
[[nodiscard]] results::Results to_results(const Baseline& baseline);

// The commit of the newest session, if it timed all benchmarks of the baseline that have times.
// Empty: it did not, or was of changes that git does not know.
[[nodiscard]] std::string approved_revision(const results::Results& baseline);

// Throws Error (not measured) for one that has both hot and cold times.
void refuse_hot_beside_cold(const Baseline& baseline);

// load_baseline and to_results, while nobody approves. Throws Error (not measured) also for one
// that has both hot and cold times.
[[nodiscard]] std::optional<results::Results> read_baseline(const std::filesystem::path& folder,
                                                            const std::string& device_key);

// A benchmark as it stands in its file.
[[nodiscard]] std::string to_text(const std::string& id, const Approved& approved);

// The labels of all sessions that a benchmark's figures are of.
[[nodiscard]] std::vector<std::string> sessions_of(const Approved& approved);

// Whether who saved it was stopped: its files still wait for their places, or, as approvals of
// earlier versions left it, it has sessions or anchors that no benchmark refers to.
[[nodiscard]] bool is_half_saved(Baseline baseline);

// Makes the folder say this; sessions and anchors that no benchmark refers to any more are left
// out, files of families without a change are not touched, and a baseline without benchmarks is
// removed. Stopped at any moment, it leaves what is read as the baseline of before or as this one;
// the next one puts all files into their places. Returns the files that were written or removed.
// The caller holds the FolderLock.
[[nodiscard]] std::vector<std::filesystem::path> save_baseline(Baseline baseline);

}  // namespace warpgauge::ci
