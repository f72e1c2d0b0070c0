// SPDX-License-Identifier: Apache-2.0
// Whether the schema of a shared PostgreSQL database may be used: a view, a rule or a default of
// someone else's would run with the rights of whoever reads or writes the history.
#pragma once

#include <soci/soci.h>

#include <string>

namespace warpgauge::ci {

// Looks at the schema by the catalog alone and runs nothing of it; the search path is empty of it
// meanwhile, and the schema alone thereafter. False: there is no such schema yet. Throws Error (not
// measured) unless the schema and all in it belong to the current user, to a superuser or to the
// owner of the database, and it holds plain tables and nothing that runs on its own.
bool may_use_schema(soci::session& sql, const std::string& database_name);

}  // namespace warpgauge::ci
