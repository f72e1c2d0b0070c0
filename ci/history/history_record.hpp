// SPDX-License-Identifier: Apache-2.0
// Writes the rows of a run: the run itself, its environment, its results file and its figures.
// Throws soci::soci_error besides what History::record() throws.
#pragma once

#include "ci/history/connection/database.hpp"
#include "ci/history/history.hpp"

namespace warpgauge::ci {

// As History::record().
RecordedRun record_run(Database& database, const NewRun& run);

}  // namespace warpgauge::ci
