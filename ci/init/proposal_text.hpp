// SPDX-License-Identifier: Apache-2.0
// A proposal to be read.
#pragma once

#include <string>
#include <vector>

#include "ci/init/proposal.hpp"

namespace warpgauge::ci {

// Of the files, new and kept. begun: of long new ones how they begin.
enum class Contents { whole, begun, left_out };

[[nodiscard]] std::string to_text(const Repository& repository, const Proposal& proposal,
                                  Contents contents);

// Numbered.
[[nodiscard]] std::string to_text(const std::vector<NextStep>& steps);

}  // namespace warpgauge::ci
