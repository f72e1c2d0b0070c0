// SPDX-License-Identifier: Apache-2.0
// How a build was configured, by CMake's own record of it, so that another can be made alike.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge::ci {

struct CMakeCache {
  struct Entry {
    std::string name;
    std::string type;  // "STRING", "BOOL", "INTERNAL" …
    std::string value;
  };

  std::filesystem::path folder;    // in which it was found
  std::filesystem::path recorded;  // in which it was made: another one, if it was moved
  std::filesystem::path source;
  std::string generator;
  std::vector<Entry> entries;
};

// That of the build to which this file belongs: in the nearest folder above it that has one.
// Nothing where there is none. Throws results::FileError.
[[nodiscard]] std::optional<CMakeCache> cmake_cache_of(const std::filesystem::path& built);

// A script for `cmake -C` that configures another source alike: compilers, flags, options and where
// dependencies were found. What lies in the source is taken from `source` instead; what lies in the
// build folder, and what was not found, is searched again.
[[nodiscard]] std::string initial_cache(const CMakeCache& cache,
                                        const std::filesystem::path& source);

// What it compiles and links with, as far as CMake knows it: compilers, build type and flags.
[[nodiscard]] results::Toolchain toolchain_of(const CMakeCache& cache);

// "CMAKE_CUDA_FLAGS '' → '-use_fast_math'": compilers, flags and options that are not the same in
// both builds. Where either has its source and itself, and where dependencies were found, is left
// out.
[[nodiscard]] std::vector<std::string> settings_that_differ(const CMakeCache& before,
                                                            const CMakeCache& after);

}  // namespace warpgauge::ci
