// SPDX-License-Identifier: Apache-2.0
// What a database complains of, in our words.
#pragma once

#include <soci/soci.h>

#include <string>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {

// What the database complains of, as an error of ours (not measured) about the history at `where`:
// without the statement, which says nothing to who did not write it, and without passwords.
[[nodiscard]] Error complaint_as_error(const soci::soci_error& error, const std::string& where);

}  // namespace warpgauge::ci
