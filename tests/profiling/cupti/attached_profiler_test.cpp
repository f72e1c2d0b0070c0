// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/device/attached_profiler.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace warpgauge::cupti {
namespace {

std::optional<std::string> attached_with(const std::map<std::string, std::string>& variables) {
  return attached_profiler([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(AttachedProfiler, NoneInAPlainEnvironment) {
  EXPECT_EQ(attached_with({{"PATH", "/usr/bin"}, {"CUDA_VISIBLE_DEVICES", "0"}}), std::nullopt);
  EXPECT_EQ(attached_with({{"CUDA_INJECTION64_PATH", ""}}), std::nullopt);
}

TEST(AttachedProfiler, NamesTheTool) {
  EXPECT_EQ(attached_with({{"NSYS_PROFILING_SESSION_ID", "10704"},
                           {"CUDA_INJECTION64_PATH", "/opt/nsys/libToolsInjection64.so"}}),
            "nsys");
  EXPECT_EQ(attached_with({{"NV_COMPUTE_PROFILER_PERFWORKS_DIR", "/opt/nsight-compute"}}), "ncu");
  EXPECT_EQ(attached_with({{"NV_SANITIZER_INJECTION_PORT_BASE", "49152"}}), "compute-sanitizer");
}

TEST(AttachedProfiler, SeesAnyInjectedLibrary) {
  EXPECT_EQ(attached_with({{"CUDA_INJECTION64_PATH", "/opt/tool/libinjection.so"}}),
            "a CUDA injection library");
}

}  // namespace
}  // namespace warpgauge::cupti
