// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/exit_hooks.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "profiling/cupti/inject/import_hooks.hpp"
#include "profiling/cupti/inject/recording.hpp"

namespace warpgauge::inject {
namespace {

// What takes a function's place has no other way to it.
Recording* watched = nullptr;

[[noreturn]] void exit_at_once(int status) {
  watched->finish(launches::End::ended);
  ::_exit(status);
}

template <class Exec>
int replace(Exec exec) {
  watched->finish(launches::End::replaced);
  const int result = exec();
  watched->not_replaced();
  return result;
}

int execute(const char* path, char* const* arguments) {
  return replace([&] { return ::execv(path, arguments); });
}

int execute_in(const char* path, char* const* arguments, char* const* environment) {
  return replace([&] { return ::execve(path, arguments, environment); });
}

int execute_found(const char* file, char* const* arguments) {
  return replace([&] { return ::execvp(file, arguments); });
}

// The library that this address is in.
std::string library_of(void* address) {
  Dl_info found{};
  const bool known = ::dladdr(address, &found) != 0 && found.dli_fname != nullptr;
  const std::string path = known ? found.dli_fname : "a library";
  return path.substr(path.rfind('/') + 1);
}

CUptiResult take_over(CUpti_BuffersCallbackRequestFunc request,
                      CUpti_BuffersCallbackCompleteFunc complete) {
  watched->taken_over_by(library_of(__builtin_return_address(0)));
  return watched->cupti().register_callbacks(request, complete);
}

CUptiResult subscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void* user) {
  const CUptiResult result = watched->cupti().subscribe(subscriber, callback, user);
  if (result != CUPTI_SUCCESS) watched->found_no_place(library_of(__builtin_return_address(0)));
  return result;
}

}  // namespace

void watch_exits(Recording& recording) {
  watched = &recording;
  std::atexit([] { watched->finish(launches::End::ended); });
  ::pthread_atfork(nullptr, nullptr, [] { watched->forget(); });
}

void hook_exits() {
  static const ImportHook kHooks[] = {
      {"_exit", reinterpret_cast<void*>(&exit_at_once)},
      {"_Exit", reinterpret_cast<void*>(&exit_at_once)},
      {"execv", reinterpret_cast<void*>(&execute)},
      {"execve", reinterpret_cast<void*>(&execute_in)},
      {"execvp", reinterpret_cast<void*>(&execute_found)},
      {"cuptiSubscribe", reinterpret_cast<void*>(&subscribe)},
      {"cuptiActivityRegisterCallbacks", reinterpret_cast<void*>(&take_over)},
  };
  hook_imports(kHooks, static_cast<int>(std::size(kHooks)));
}

}  // namespace warpgauge::inject
