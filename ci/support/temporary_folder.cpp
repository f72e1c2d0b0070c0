// SPDX-License-Identifier: Apache-2.0
#include "ci/support/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "ci/support/errors.hpp"
#include "profiling/results/files/leftovers.hpp"

namespace warpgauge::ci {
namespace {

constexpr const char* kPrefix = "warpgauge-tmp-";

[[noreturn]] void cannot_make_one_in(const std::filesystem::path& folder, int error) {
  throw Error(kExitNotMeasured,
              fmt::format("cannot make a folder in {}: {}; set TMPDIR to one that can be written",
                          folder.string(), std::generic_category().message(error)));
}

}  // namespace

TemporaryFolder::TemporaryFolder() : TemporaryFolder(-1) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  results::sweep(folder, kPrefix);
  for (;;) {
    std::string name = folder / (std::string(kPrefix) + "XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) cannot_make_one_in(folder, errno);
    try {
      path_ = name;
    } catch (...) {
      ::rmdir(name.c_str());
      throw;
    }
    descriptor_ = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0 && errno != ENOENT) cannot_make_one_in(folder, errno);
    if (descriptor_ >= 0 && results::keep_from_sweep(descriptor_, path_)) return;
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
}

TemporaryFolder::~TemporaryFolder() {
  // Once more where the system lacked a descriptor or memory for a moment. What then stays is for
  // the next sweep.
  for (int i = 0; i < 2; ++i) {
    try {
      std::error_code error;
      std::filesystem::remove_all(path_, error);
      if (!error) break;
    } catch (const std::exception&) {
    }
  }
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace warpgauge::ci
