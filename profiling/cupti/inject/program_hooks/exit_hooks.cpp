// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/program_hooks/exit_hooks.hpp"

#include <alloca.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdarg>
#include <cstddef>
#include <cstdlib>

#include "profiling/cupti/inject/recording/recording.hpp"

namespace warpgauge::inject {
namespace {

// What takes a function's place has no other way to it.
Recording* finished_at_exit = nullptr;

[[noreturn]] void exit_at_once(int status) {
  finished_at_exit->finish(launches::End::ended);
  ::_exit(status);
}

template <class Exec>
int replace(Exec exec) {
  finished_at_exit->finish(launches::End::replaced);
  const int result = exec();
  finished_at_exit->not_replaced();
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

int execute_found_in(const char* file, char* const* arguments, char* const* environment) {
  return replace([&] { return ::execvpe(file, arguments, environment); });
}

int execute_opened(int file, char* const* arguments, char* const* environment) {
  return replace([&] { return ::fexecve(file, arguments, environment); });
}

// Arguments up to a null pointer, in a list that ends with one. In the caller's stack, since a
// child of vfork has no heap of its own.
std::size_t count_of(std::va_list arguments) {
  std::size_t count = 1;
  while (va_arg(arguments, char*) != nullptr) ++count;
  return count;
}

#define WARPGAUGE_LISTED(first, list)                                           \
  std::va_list to_count;                                                        \
  va_start(to_count, first);                                                    \
  const std::size_t count = count_of(to_count) + 1;                             \
  va_end(to_count);                                                             \
  auto** const list = static_cast<char**>(alloca((count + 1) * sizeof(char*))); \
  std::va_list arguments;                                                       \
  va_start(arguments, first);                                                   \
  list[0] = const_cast<char*>(first);                                           \
  for (std::size_t i = 1; i < count; ++i) list[i] = va_arg(arguments, char*)

int execute_listed(const char* path, const char* first, ...) {
  WARPGAUGE_LISTED(first, list);
  va_end(arguments);
  return execute(path, list);
}

int execute_found_listed(const char* file, const char* first, ...) {
  WARPGAUGE_LISTED(first, list);
  va_end(arguments);
  return execute_found(file, list);
}

int execute_listed_in(const char* path, const char* first, ...) {
  WARPGAUGE_LISTED(first, list);
  char* const* const environment = va_arg(arguments, char* const*);
  va_end(arguments);
  return execute_in(path, list, environment);
}

#undef WARPGAUGE_LISTED

}  // namespace

void watch_exits(Recording& recording) {
  finished_at_exit = &recording;
  std::atexit([] { finished_at_exit->finish(launches::End::ended); });
  ::at_quick_exit([] { finished_at_exit->finish(launches::End::ended); });
  ::pthread_atfork([] { finished_at_exit->before_fork(); }, [] { finished_at_exit->after_fork(); },
                   [] { finished_at_exit->in_fork(); });
}

const std::vector<ImportHook>& exit_hooks() {
  static const std::vector<ImportHook> hooks{
      {"_exit", reinterpret_cast<void*>(&exit_at_once)},
      {"_Exit", reinterpret_cast<void*>(&exit_at_once)},
      {"execv", reinterpret_cast<void*>(&execute)},
      {"execve", reinterpret_cast<void*>(&execute_in)},
      {"execvp", reinterpret_cast<void*>(&execute_found)},
      {"execvpe", reinterpret_cast<void*>(&execute_found_in)},
      {"fexecve", reinterpret_cast<void*>(&execute_opened)},
      {"execl", reinterpret_cast<void*>(&execute_listed)},
      {"execlp", reinterpret_cast<void*>(&execute_found_listed)},
      {"execle", reinterpret_cast<void*>(&execute_listed_in)},
  };
  return hooks;
}

}  // namespace warpgauge::inject
