// SPDX-License-Identifier: Apache-2.0
// What a start that counts says of a kernel. Pure.
#pragma once

#include <string>

#include "ci/measure/program/program_entries.hpp"
#include "ci/measure/program/program_sums.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::ci {

// The counters of one launch, of those that were counted but for the first, which may be odd; where
// there is no other, of that. A counter that differs between them has their mean.
// timed: the kernel as it was timed; counted: in the start that counts, nullptr: it was not
// launched there. why_not: of CountingStart.
[[nodiscard]] results::Record counters_record(const std::string& id, const KernelSum& timed,
                                              const KernelSum* counted, const std::string& why_not,
                                              const EntryTerms& terms);

}  // namespace warpgauge::ci
