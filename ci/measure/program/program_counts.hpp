// SPDX-License-Identifier: Apache-2.0
// What the starts that count say of a kernel that was timed. Pure, but for source files.
#pragma once

#include <string>
#include <vector>

#include "ci/measure/program/program_entries.hpp"
#include "ci/measure/program/program_sums.hpp"
#include "ci/support/files/source_tree.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

class CountedKernels {
 public:
  // further and terms must outlive it. sums: of further.counting, where that is there, then of
  // further.lines.
  CountedKernels(const FurtherStarts& further, std::vector<StartSum> sums, const EntryTerms& terms);

  // Whether counters were asked for.
  [[nodiscard]] bool counts() const { return further_.counting.has_value(); }

  // Records of the passes that count. Counters and lines are those of one launch: of those that
  // were counted but for the first, which may be odd; where there is no other, of that. A counter
  // that differs between them has their mean, lines are the second launch's.
  [[nodiscard]] std::vector<results::Record> of(const std::string& id, const KernelSum& timed);

 private:
  [[nodiscard]] results::Record counters(const std::string& id, const KernelSum& timed,
                                         const KernelSum* counted) const;
  [[nodiscard]] results::Record lines(const std::string& id, const KernelSum& timed,
                                      const KernelSum* counted, const LinesStart& start);
  void add_lines(const launches::RecordedEntry& entry, const LinesStart& start,
                 results::Record& record);

  const FurtherStarts& further_;
  std::vector<StartSum> sums_;
  const EntryTerms& terms_;
  SourceTree sources_;
};

}  // namespace warpgauge::ci
