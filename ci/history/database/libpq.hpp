// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's client library, which a program that is to run anywhere loads only where a history
// lies on a server: with it would come those of Kerberos, LDAP and TLS, and of none is there an
// archive.
#pragma once

#include <string>

namespace warpgauge::ci {

// Why no history on a server can be read or written here; empty: it can. Loads the library, once.
[[nodiscard]] std::string libpq_problem();

}  // namespace warpgauge::ci
