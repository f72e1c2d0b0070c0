// SPDX-License-Identifier: Apache-2.0
// CMake's own record of a build, and the script that configures another one alike.
#include "ci/measure/revision/cmake_cache.hpp"

#include <fstream>

#include "ci/support/files/temporary_folder.hpp"
#include "tests/fuzz/target.hpp"

void warpgauge::read_hostile(const std::string& text) {
  static const ci::TemporaryFolder folder;
  std::ofstream(folder.path() / "CMakeCache.txt", std::ios::binary | std::ios::trunc) << text;
  std::ofstream(folder.path() / "suite") << "";
  const auto cache = ci::cmake_cache_of(folder.path() / "suite");
  if (!cache) found("the record beside the program is not found");
  (void)ci::initial_cache(*cache, "/elsewhere");
  (void)ci::toolchain_of(*cache);
}
