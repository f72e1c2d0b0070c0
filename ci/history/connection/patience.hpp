// SPDX-License-Identifier: Apache-2.0
// How long a PostgreSQL server is waited for, and what it says besides. libpq waits for an answer
// for as long as the connection stands, and prints notices as they come.
#pragma once

#include <libpq-fe.h>

#include <chrono>

namespace warpgauge::ci {

struct Patience {
  std::chrono::milliseconds limit{0};  // for each answer
  int notices = 10;                    // that are still shown
};

// From now on the connection has this patience, which must outlive it: an answer that is not whole
// in time closes the connection and throws soci::soci_error, and notices are printed on standard
// error as text that anyone may have written. Until then an answer may take as long as connecting.
void be_patient(PGconn* connection, Patience& patience);

}  // namespace warpgauge::ci
