// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/counting/other_profilers.hpp"

#include <cupti.h>
#include <dlfcn.h>

#include <string>

#include "profiling/cupti/inject/counting/counting.hpp"
#include "profiling/cupti/inject/guarded.hpp"
#include "profiling/cupti/inject/program_hooks/import_hooks.hpp"

namespace warpgauge::inject {
namespace {

// What takes a function's place has no other way to it.
Counting* watched = nullptr;

std::string library_of(void* address) {
  Dl_info found{};
  const bool known = ::dladdr(address, &found) != 0 && found.dli_fname != nullptr;
  const std::string path = known ? found.dli_fname : "a library";
  return path.substr(path.rfind('/') + 1);
}

// Libraries subscribe as they are loaded, and may never profile.
CUptiResult refuse() { return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED; }

CUptiResult refuse_and_say() {
  void* const caller = __builtin_return_address(0);
  guarded([&] {
    watched->give_up(library_of(caller) +
                     " profiles this process itself, and beside that no kernel can be counted: "
                     "leave its profiler (such as torch.profiler) out of what is measured");
  });
  return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

}  // namespace

void hook_other_profilers(Counting& counting) {
  watched = &counting;
  // Callers pass arguments, which nobody takes.
  static const ImportHook kHooks[] = {
      {"cuptiSubscribe", reinterpret_cast<void*>(&refuse)},
      {"cuptiSubscribe_v2", reinterpret_cast<void*>(&refuse)},
      {"cuptiActivityRegisterCallbacks", reinterpret_cast<void*>(&refuse)},
      {"cuptiActivityEnable", reinterpret_cast<void*>(&refuse_and_say)},
      {"cuptiActivityEnableContext", reinterpret_cast<void*>(&refuse_and_say)},
      {"cuptiFinalize", reinterpret_cast<void*>(&refuse_and_say)},
      {"cuptiProfilerInitialize", reinterpret_cast<void*>(&refuse_and_say)},
      {"cuptiRangeProfilerEnable", reinterpret_cast<void*>(&refuse_and_say)},
      {"cuptiPmSamplingEnable", reinterpret_cast<void*>(&refuse_and_say)},
      {"cuptiSassMetricsEnable", reinterpret_cast<void*>(&refuse_and_say)},
  };
  hook_imports(kHooks, static_cast<int>(std::size(kHooks)));
}

}  // namespace warpgauge::inject
