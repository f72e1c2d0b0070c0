// SPDX-License-Identifier: Apache-2.0
// libwarpgauge_inject.so: what CUDA loads into a program by CUDA_INJECTION64_PATH, and NVTX by
// NVTX_INJECTION64_PATH. Without a folder to write to it does nothing.
#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include "profiling/cupti/inject/exit_hooks.hpp"
#include "profiling/cupti/inject/nvtx_ranges.hpp"
#include "profiling/cupti/inject/recording.hpp"
#include "profiling/results/launches/format.hpp"

#define WARPGAUGE_EXPORTED extern "C" __attribute__((visibility("default")))

namespace warpgauge::inject {
namespace {

// Neither is ever destroyed: the program's threads go on while it ends.
Recording* recording = nullptr;

launches::Ranges& program_ranges() {
  static auto& ranges = *new launches::Ranges;
  return ranges;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The range at which recording begins was opened before CUDA was used.
bool may_begin = false;

void range_opened(std::string_view name) {
  if (recording != nullptr) {
    recording->range_opened(name);
  } else if (!may_begin) {
    may_begin = name == variable(launches::kSkipUntilVariable);
  }
}

}  // namespace
}  // namespace warpgauge::inject

// Called by the driver in cuInit. What is thrown must not reach it.
WARPGAUGE_EXPORTED int InitializeInjection() {
  using namespace warpgauge;
  const std::string folder = inject::variable(launches::kFolderVariable);
  if (folder.empty() || inject::recording != nullptr) return 1;
  try {
    auto* const recording = new inject::Recording(
        folder, inject::may_begin ? "" : inject::variable(launches::kSkipUntilVariable),
        inject::program_ranges());
    inject::watch_exits(*recording);
    recording->begin();
    inject::recording = recording;
  } catch (const std::bad_alloc&) {
  }
  return 1;
}

WARPGAUGE_EXPORTED int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table) {
  using namespace warpgauge;
  if (inject::variable(launches::kFolderVariable).empty()) return 0;
  inject::take_ranges(table, inject::program_ranges(), inject::range_opened);
  return 1;
}

// For languages that NVTX's headers do not reach: see package/python.
WARPGAUGE_EXPORTED void warpgauge_push_range(const char* name) {
  using namespace warpgauge;
  const std::string_view text = name == nullptr ? "" : name;
  inject::range_opened(text);
  (void)inject::program_ranges().push("", text);
}

WARPGAUGE_EXPORTED void warpgauge_pop_range() { (void)warpgauge::inject::program_ranges().pop(""); }
