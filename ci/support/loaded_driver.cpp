// SPDX-License-Identifier: Apache-2.0
#include "ci/support/loaded_driver.hpp"

#include <filesystem>
#include <system_error>

#include "ci/support/text.hpp"
#include "profiling/results/files/files.hpp"
#include "profiling/results/limits.hpp"

namespace warpgauge::ci {

std::optional<std::string> loaded_driver() {
  constexpr const char* kVersion = "/proc/driver/nvidia/version";
  constexpr const char* kOfWindows = "/usr/lib/wsl/lib/libcuda.so.1";
  try {
    const std::string text = results::read_file(kVersion, results::kAnswerLimit);
    return one_line(text.substr(0, text.find('\n')));
  } catch (const results::FileError&) {
    std::error_code unseen;
    if (std::filesystem::exists(kOfWindows, unseen)) return kOfWindows;
    return std::nullopt;
  }
}

}  // namespace warpgauge::ci
