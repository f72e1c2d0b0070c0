// SPDX-License-Identifier: Apache-2.0
// Where a repository is hosted, by the configuration that git keeps of it.
#pragma once

#include "ci/init/repository.hpp"

namespace warpgauge::ci {

// Fills in host, owner and branch.
void find_host(Repository& repository);

}  // namespace warpgauge::ci
