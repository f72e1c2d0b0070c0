// SPDX-License-Identifier: Apache-2.0
#include "ci/cli/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <initializer_list>

namespace warpgauge::ci {

void occupy_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    // The lowest that is free is taken, which is this one.
    (void)::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

bool all_is_printed() { return std::ferror(stdout) == 0 && std::fflush(stdout) == 0; }

}  // namespace warpgauge::ci
