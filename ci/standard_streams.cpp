// SPDX-License-Identifier: Apache-2.0
#include "ci/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>

#include "ci/errors.hpp"

namespace warpgauge::ci {

void occupy_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest that is free is taken, which is this one.
    (void)::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void require_printed() {
  if (std::ferror(stdout) == 0 && std::fflush(stdout) == 0) return;
  throw Error(kExitNotMeasured,
              "cannot write all of the output: standard output is closed, or its disk is full");
}

}  // namespace warpgauge::ci
