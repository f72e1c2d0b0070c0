// SPDX-License-Identifier: Apache-2.0
// kernel<<<grid, block, shared, stream>>>(arguments), as the build rewrites it for the host
// compiler: chevrons(ask, call, name, grid, block, shared, stream)(arguments), where `ask` gives
// the kernel to what is asked for it, `call` calls it, and `name` is how it is written.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "../abi.h"
#include "runtime_api.h"

namespace warpgauge_emulator {

// For a name that means one function; launches it like cudaLaunchKernelEx.
struct AskForFunction {
  template <class... Parameters>
  constexpr auto operator()(void (*kernel)(Parameters...)) const {
    return kernel;
  }
};

// A kernel known by its call only: a template whose arguments follow from the call, an overload, or
// one that is called with default arguments.
template <class Call, class... Values>
struct CallByName {
  const Call& call;
  std::tuple<Values...> values;

  cudaError_t launch_by(const cudaLaunchConfig_t* config, const char* name) const {
    return launch(config,
                  {reinterpret_cast<const void*>(&invoke), &invoke, this, sizeof *this, name});
  }

  __attribute__((noinline, no_sanitize("thread"), no_sanitize_coverage)) static void invoke(
      const void* self) {
    const auto& [call, values] = *static_cast<const CallByName*>(self);
    expand(call, values, std::index_sequence_for<Values...>{});
  }

 private:
  template <std::size_t... I>
  __attribute__((always_inline, no_sanitize("thread"), no_sanitize_coverage)) static void expand(
      const Call& call, const std::tuple<Values...>& values, std::index_sequence<I...>) {
    call(std::get<I>(values)...);
  }
};

template <class Call>
class LaunchByName {
 public:
  LaunchByName(const cudaLaunchConfig_t& config, const Call& call, const char* name)
      : config_(config), call_(call), name_(name) {}

  template <class... Values>
  void operator()(Values... values) const {
    const CallByName<Call, Values...> launch{call_, {std::move(values)...}};
    (void)launch.launch_by(&config_, name_);
  }

 private:
  cudaLaunchConfig_t config_;
  const Call& call_;
  const char* name_;
};

template <class Call, class... Parameters>
class LaunchFunction {
 public:
  LaunchFunction(const LaunchByName<Call>& by_name, const cudaLaunchConfig_t& config,
                 void (*kernel)(Parameters...))
      : by_name_(by_name), config_(config), kernel_(kernel) {}

  void operator()(Parameters... arguments) const {
    (void)cudaLaunchKernelEx(&config_, kernel_, std::forward<Parameters>(arguments)...);
  }

  template <class... Fewer, class = std::enable_if_t<(sizeof...(Fewer) < sizeof...(Parameters))>>
  void operator()(Fewer... arguments) const {
    by_name_(std::move(arguments)...);
  }

 private:
  LaunchByName<Call> by_name_;
  cudaLaunchConfig_t config_;
  void (*kernel_)(Parameters...);
};

template <class Call, class... Parameters>
auto launch_of(const LaunchByName<Call>& by_name, const cudaLaunchConfig_t& config,
               void (*kernel)(Parameters...)) {
  return LaunchFunction<Call, Parameters...>(by_name, config, kernel);
}

// cudaGetLastError returns the error, as on a GPU.
template <class Ask, class Call>
WARPGAUGE_DEVICE_CALL auto chevrons(const Ask& ask, const Call& call, const char* name, dim3 grid,
                                    dim3 block, std::size_t shared_bytes = 0,
                                    cudaStream_t stream = nullptr) {
  require_host("launch by a kernel, which the emulator lacks: launch from the host",
               WARPGAUGE_CALL_SITE);
  const cudaLaunchConfig_t config{grid, block, shared_bytes, stream, nullptr, 0};
  const LaunchByName<Call> by_name(config, call, name);
  if constexpr (std::is_invocable_v<const Ask&, AskForFunction>) {
    return launch_of(by_name, config, ask(AskForFunction()));
  } else {
    return by_name;
  }
}

}  // namespace warpgauge_emulator
