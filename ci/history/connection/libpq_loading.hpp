// SPDX-License-Identifier: Apache-2.0
// PostgreSQL's client library, which a program that is to run anywhere loads only where a history
// lies on a server: with it would come those of Kerberos, LDAP and TLS, and of none is there an
// archive.
#pragma once

#include <string>

namespace warpgauge::ci {

// The library's name where it is loaded, "libpq.so.5"; empty: it is linked.
[[nodiscard]] std::string name_of_loaded_libpq();

}  // namespace warpgauge::ci
