// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/program_hooks/profiler_hooks.hpp"

#include <dlfcn.h>

#include <string>

#include "profiling/cupti/inject/guarded.hpp"
#include "profiling/cupti/inject/recording/recording.hpp"

namespace warpgauge::inject {
namespace {

// What takes a function's place has no other way to it.
Recording* told_of_profilers = nullptr;

constexpr const char* kLeaveItOut =
    ": leave its profiler (such as torch.profiler) out of what is measured";

// The library that this address is in.
std::string library_of(void* address) {
  Dl_info found{};
  const bool known = ::dladdr(address, &found) != 0 && found.dli_fname != nullptr;
  const std::string path = known ? found.dli_fname : "a library";
  return path.substr(path.rfind('/') + 1);
}

void say_problem(void* caller, const char* did) {
  guarded([&] { told_of_profilers->say_problem(library_of(caller) + did + kLeaveItOut); });
}

CUptiResult CUPTIAPI take_over(CUpti_BuffersCallbackRequestFunc request,
                               CUpti_BuffersCallbackCompleteFunc complete) {
  say_problem(__builtin_return_address(0), " recorded the kernels of this process instead");
  return told_of_profilers->cupti().register_callbacks(request, complete);
}

CUptiResult CUPTIAPI change_clock(std::uint64_t(CUPTIAPI* clock)()) {
  say_problem(__builtin_return_address(0), " gave kernels another clock");
  const auto original = told_of_profilers->cupti().register_timestamp;
  return original == nullptr ? CUPTI_ERROR_NOT_SUPPORTED : original(clock);
}

CUptiResult CUPTIAPI switch_off(CUpti_ActivityKind kind) {
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || kind == CUPTI_ACTIVITY_KIND_KERNEL) {
    say_problem(__builtin_return_address(0), " switched the recording of kernels off");
  }
  const auto original = told_of_profilers->cupti().disable;
  return original == nullptr ? CUPTI_ERROR_NOT_SUPPORTED : original(kind);
}

CUptiResult CUPTIAPI end_all() {
  say_problem(__builtin_return_address(0), " ended all profiling of this process");
  const auto original = told_of_profilers->cupti().finalize;
  return original == nullptr ? CUPTI_ERROR_NOT_SUPPORTED : original();
}

CUptiResult say_refused(CUptiResult result, void* caller) {
  if (result == CUPTI_SUCCESS) return result;
  guarded([&] {
    told_of_profilers->say_remark(
        library_of(caller) +
        " asked for a profiler (such as torch.profiler), and got none while this "
        "one records");
  });
  return result;
}

CUptiResult CUPTIAPI subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                               void* user) {
  return say_refused(told_of_profilers->cupti().subscribe(subscriber, callback, user),
                     __builtin_return_address(0));
}

CUptiResult CUPTIAPI subscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                                  void* user, void* params) {
  const auto original = told_of_profilers->cupti().subscribe_v2;
  if (original == nullptr) return CUPTI_ERROR_NOT_SUPPORTED;
  return say_refused(original(subscriber, callback, user, params), __builtin_return_address(0));
}

}  // namespace

const std::vector<ImportHook>& profiler_hooks(Recording& recording) {
  told_of_profilers = &recording;
  static const std::vector<ImportHook> hooks{
      {"cuptiSubscribe", reinterpret_cast<void*>(&subscribe)},
      {"cuptiSubscribe_v2", reinterpret_cast<void*>(&subscribe_v2)},
      {"cuptiActivityRegisterCallbacks", reinterpret_cast<void*>(&take_over)},
      {"cuptiActivityRegisterTimestampCallback", reinterpret_cast<void*>(&change_clock)},
      {"cuptiActivityDisable", reinterpret_cast<void*>(&switch_off)},
      {"cuptiFinalize", reinterpret_cast<void*>(&end_all)},
  };
  return hooks;
}

}  // namespace warpgauge::inject
