// SPDX-License-Identifier: Apache-2.0
// libwarpgauge_inject.so: what CUDA loads into a program by CUDA_INJECTION64_PATH, and NVTX by
// NVTX_INJECTION64_PATH. Without a folder to write to it does nothing.
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/cupti/inject/counting/counting.hpp"
#include "profiling/cupti/inject/guarded.hpp"
#include "profiling/cupti/inject/nvtx_ranges.hpp"
#include "profiling/cupti/inject/program_hooks/exit_hooks.hpp"
#include "profiling/cupti/inject/recording/recording.hpp"
#include "profiling/results/launches/format.hpp"

#define WARPGAUGE_EXPORTED extern "C" __attribute__((visibility("default")))

namespace warpgauge::inject {
namespace {

// There is one of these two. None is ever destroyed: the program's threads go on while it ends.
std::atomic<Recording*> recording{nullptr};
std::atomic<Counting*> counting{nullptr};

launches::Ranges& program_ranges() {
  static auto& ranges = *new launches::Ranges;
  return ranges;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

const std::string& skip_until() {
  static const auto& name = *new std::string(variable(launches::kSkipUntilVariable));
  return name;
}

// The range at which recording begins was opened before CUDA was used.
std::atomic<bool> may_begin{false};

void range_opened(std::string_view name) {
  if (Recording* const begun = recording) {
    begun->range_opened(name);
  } else if (Counting* const counts = counting) {
    counts->range_opened(name);
  } else if (!may_begin && name == skip_until()) {
    may_begin = true;
  }
}

// "a,b" in parts.
std::vector<std::string> parts_of(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void begin_counting(const std::string& folder, const std::string& what) {
  CountingTerms terms{what, parts_of(variable(launches::kMoreCountersVariable)),
                      variable(launches::kKernelVariable), may_begin ? "" : skip_until()};
  static auto* const made = new Counting(folder, std::move(terms), program_ranges());
  std::atexit([] { made->finish(); });
  ::pthread_atfork([] { made->before_fork(); }, [] { made->after_fork(); },
                   [] { made->after_fork(); });
  counting = made;
  try {
    made->begin();
  } catch (const std::exception& error) {
    made->give_up(error.what());
  }
}

void begin(const std::string& folder) {
  const std::string what = variable(launches::kCountVariable);
  if (!what.empty()) return begin_counting(folder, what);
  auto* const made = new Recording(folder, may_begin ? "" : skip_until(), program_ranges());
  try {
    watch_exits(*made);
    made->begin();
  } catch (const std::exception& error) {
    made->give_up(error.what());
  }
  recording = made;
}

}  // namespace
}  // namespace warpgauge::inject

// Called by the driver in cuInit.
WARPGAUGE_EXPORTED int InitializeInjection() {
  using namespace warpgauge::inject;
  guarded([] {
    const std::string folder = variable(warpgauge::launches::kFolderVariable);
    if (!folder.empty() && recording == nullptr && counting == nullptr) begin(folder);
  });
  return 1;
}

WARPGAUGE_EXPORTED int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t table) {
  using namespace warpgauge::inject;
  bool taken = false;
  guarded([&] {
    if (variable(warpgauge::launches::kFolderVariable).empty()) return;
    take_ranges(table, program_ranges(), range_opened);
    taken = true;
  });
  return taken ? 1 : 0;
}

// Called for each extension of NVTX that a library uses, after it has told its ranges.
WARPGAUGE_EXPORTED int InitializeInjectionNvtxExtension(nvtxExtModuleInfo_t* module) {
  return module != nullptr && warpgauge::inject::take_payload_ranges(*module) ? 1 : 0;
}

// For languages that NVTX's headers do not reach: see package/python.
WARPGAUGE_EXPORTED void warpgauge_push_range(const char* name) {
  using namespace warpgauge::inject;
  guarded([&] {
    const std::string_view text = name == nullptr ? "" : name;
    range_opened(text);
    (void)program_ranges().push("", text);
  });
}

WARPGAUGE_EXPORTED void warpgauge_pop_range() {
  using namespace warpgauge::inject;
  guarded([] { (void)program_ranges().pop(""); });
}
