// SPDX-License-Identifier: Apache-2.0
// What a verdict says beside its verdicts: nothing here decides.
#pragma once

#include <iterator>
#include <string>
#include <vector>

#include "ci/verdict/estimate.hpp"
#include "ci/verdict/identity/control_benchmarks.hpp"
#include "ci/verdict/identity/same_code_timing.hpp"
#include "ci/verdict/verdict.hpp"
#include "profiling/results/results.hpp"

namespace warpgauge::ci {

inline void append(std::vector<std::string> more, std::vector<std::string>& notes) {
  notes.insert(notes.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

// What the benchmarks remarked, for whoever reads the report.
[[nodiscard]] std::vector<std::string> notes_of_benchmarks(const results::Results& results);

// How many metrics the threshold judges.
[[nodiscard]] std::string note_on_threshold(const std::vector<BenchmarkEstimate>& benchmarks,
                                            double threshold);

// That most of the suite moved as one. It silences nothing: a compiler flag moves a suite as one,
// just as another machine does.
[[nodiscard]] std::vector<std::string> notes_on_common_shifts(
    const std::vector<BenchmarkEstimate>& benchmarks, const std::string& what_differs);

// How far the machine is from the other side's, or why that is too far, and controls that no longer
// qualify.
[[nodiscard]] std::vector<std::string> notes_on_machine(const SideScores& scores,
                                                        bool against_baseline,
                                                        const std::string& too_far);

// That `after` is no new measurement: a session of `before` itself, or older than the newest of
// its.
[[nodiscard]] std::vector<std::string> notes_on_sessions(const results::Results& before,
                                                         const results::Results& after);

// How many benchmarks were not timed since their code is the same, for how long, and why the others
// were.
[[nodiscard]] std::vector<std::string> notes_on_same_code(const results::Results& after,
                                                          const CodeIdentities& identities,
                                                          const SameCode& same_code,
                                                          const Untimed& untimed);

// Outliers among the processes of the side before, behind which a change may hide.
[[nodiscard]] std::vector<std::string> notes_on_processes(
    const std::vector<BenchmarkEstimate>& benchmarks, bool against_baseline);

// Of results without a baseline: times with two modes that are further apart than the floor.
[[nodiscard]] std::vector<std::string> notes_on_new_modes(const results::Results& after,
                                                          const Policy& policy);

// What was compiled or launched differently, as far as no metric's reason says it.
[[nodiscard]] std::vector<std::string> notes_on_code(const Estimates& estimates,
                                                     const std::vector<BenchmarkVerdict>& verdicts);

// How many benchmarks have one session to be compared with: what is usual of sessions is assumed.
[[nodiscard]] std::string note_on_single_sessions(const std::vector<BenchmarkEstimate>& benchmarks,
                                                  bool against_baseline);

// Of the policy, and of how the new side was measured.
[[nodiscard]] std::vector<std::string> first_notes(const results::Results& after,
                                                   const Policy& policy);

}  // namespace warpgauge::ci
