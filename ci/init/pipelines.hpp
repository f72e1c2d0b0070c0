// SPDX-License-Identifier: Apache-2.0
// The pipelines of the hosts: what they keep from run to run, and when they ask for a GPU.
#pragma once

#include <string>

#include "ci/init/repository.hpp"

namespace warpgauge::ci {

// Whether both sides of a change can be built by what is known, so that a GPU is asked for only
// where their builds differ.
[[nodiscard]] bool asks_affected(const Repository& repository);

// Says by both builds whether a change can have touched what is measured.
[[nodiscard]] std::string affected_script(const Repository& repository);

[[nodiscard]] std::string github_workflow(const Repository& repository);
[[nodiscard]] std::string gitlab_jobs(const Repository& repository);

}  // namespace warpgauge::ci
