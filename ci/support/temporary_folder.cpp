// SPDX-License-Identifier: Apache-2.0
#include "ci/support/temporary_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {

TemporaryFolder::TemporaryFolder() {
  std::string name = std::filesystem::temp_directory_path() / "warpgauge-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(kExitNotMeasured,
                fmt::format("cannot make a folder in {}: {}; set TMPDIR to one that can be written",
                            std::filesystem::temp_directory_path().string(),
                            std::generic_category().message(errno)));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;  // left behind at worst
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace warpgauge::ci
