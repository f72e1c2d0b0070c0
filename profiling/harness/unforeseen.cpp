// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/unforeseen.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace warpgauge {

std::uint64_t unforeseen_number() {
  std::uint64_t number = 0;
  if (::syscall(SYS_getrandom, &number, sizeof number, 0) != sizeof number) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  return number;
}

}  // namespace warpgauge
