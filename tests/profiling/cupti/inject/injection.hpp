// SPDX-License-Identifier: Apache-2.0
// The variables that bring the injection library into a program; for tests, which define INJECT.
#pragma once

#include <filesystem>
#include <string>

#include "profiling/results/launches/record_reader.hpp"
#include "tests/helpers/process.hpp"

namespace warpgauge::launches {

// What stands before a shell command whose processes leave their records in `folder`.
inline std::string injection_into(const std::filesystem::path& folder) {
  const std::string library = quoted(INJECT);
  return "CUDA_INJECTION64_PATH=" + library + " NVTX_INJECTION64_PATH=" + library + " " +
         kFolderVariable + "=" + quoted(folder.string()) + " ";
}

}  // namespace warpgauge::launches
