// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/launch_arguments.hpp"

#include <cuda.h>
#include <cuda_runtime.h>
#include <cupti.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "profiling/harness/random_input.hpp"

namespace warpgauge::cupti {
namespace {

// Functions of the driver, which the suite is not linked with. Null: the driver lacks it.
template <class Function>
Function* driver_function(const char* name, unsigned int since_cuda) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  const cudaError_t error =
      cudaGetDriverEntryPointByVersion(name, &function, since_cuda, cudaEnableDefault, &found);
  return error == cudaSuccess && found == cudaDriverEntryPointSuccess
             ? reinterpret_cast<Function*>(function)
             : nullptr;
}

struct Driver {
  decltype(cuFuncGetParamInfo)* parameter =
      driver_function<decltype(cuFuncGetParamInfo)>("cuFuncGetParamInfo", 12040);
  decltype(cuKernelGetParamInfo)* parameter_of_kernel =
      driver_function<decltype(cuKernelGetParamInfo)>("cuKernelGetParamInfo", 12040);
  decltype(cuPointerGetAttribute)* pointer_attribute =
      driver_function<decltype(cuPointerGetAttribute)>("cuPointerGetAttribute", 4000);
};

// A launch as it was asked for: the bytes of each parameter.
struct Launch {
  std::string symbol;
  std::vector<std::vector<unsigned char>> parameters;
  bool known = false;
};

struct Listener {
  Driver driver;
  std::vector<Launch> launches;

  // Size of a parameter; nothing: there are no more of them.
  [[nodiscard]] std::optional<std::size_t> size_of(CUfunction function, std::size_t index) const {
    std::size_t offset = 0;
    std::size_t size = 0;
    if (driver.parameter(function, index, &offset, &size) == CUDA_SUCCESS) return size;
    // Launches take kernels in the place of functions.
    if (driver.parameter_of_kernel != nullptr &&
        driver.parameter_of_kernel(reinterpret_cast<CUkernel>(function), index, &offset, &size) ==
            CUDA_SUCCESS) {
      return size;
    }
    return std::nullopt;
  }

  void listen(const char* symbol, CUfunction function, void** parameters) {
    Launch& launch = launches.emplace_back();
    launch.symbol = symbol == nullptr ? "" : symbol;
    if (driver.parameter == nullptr || driver.pointer_attribute == nullptr) return;
    for (std::size_t i = 0;; ++i) {
      const auto size = size_of(function, i);
      if (!size) break;
      if (parameters == nullptr) return;  // handed over in a buffer instead
      const auto* bytes = static_cast<const unsigned char*>(parameters[i]);
      launch.parameters.emplace_back(bytes, bytes + *size);
    }
    launch.known = true;
  }
};

void CUPTIAPI on_launch(void* user, CUpti_CallbackDomain /*domain*/, CUpti_CallbackId id,
                        const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.callbackSite != CUPTI_API_ENTER) return;
  auto& listener = *static_cast<Listener*>(user);
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz: {
      const auto& launch = *static_cast<const cuLaunchKernel_params*>(call.functionParams);
      return listener.listen(call.symbolName, launch.f, launch.kernelParams);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
      const auto& launch = *static_cast<const cuLaunchKernelEx_params*>(call.functionParams);
      return listener.listen(call.symbolName, launch.f, launch.kernelParams);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz: {
      const auto& launch =
          *static_cast<const cuLaunchCooperativeKernel_params*>(call.functionParams);
      return listener.listen(call.symbolName, launch.f, launch.kernelParams);
    }
    default:
      return;
  }
}

// Of a word that points into memory known to CUDA: how it is aligned, and what memory it is. Where
// it points differs from process to process, and says nothing.
std::optional<std::uint64_t> place_of(std::uint64_t word, const Driver& driver) {
  constexpr std::uint64_t kLeastAddress = 4096;
  constexpr std::uint64_t kMostAlignment = 256;
  unsigned int type = 0;
  if (word < kLeastAddress ||
      driver.pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, word) != CUDA_SUCCESS) {
    return std::nullopt;
  }
  unsigned int managed = 0;
  if (driver.pointer_attribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, word) != CUDA_SUCCESS) {
    managed = 0;
  }
  const std::uint64_t alignment =
      std::min(std::uint64_t{1} << std::countr_zero(word), kMostAlignment);
  return alignment << 8U | type << 1U | managed;
}

std::uint64_t add_to_digest(std::uint64_t digest, std::uint64_t value) {
  return split_mix(digest ^ split_mix(value));
}

std::uint64_t digest_of(const std::vector<unsigned char>& parameter, const Driver& driver,
                        std::uint64_t digest) {
  digest = add_to_digest(digest, parameter.size());
  std::size_t at = 0;
  for (; at + sizeof(std::uint64_t) <= parameter.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, parameter.data() + at, sizeof word);
    digest = add_to_digest(digest, place_of(word, driver).value_or(word));
  }
  for (; at < parameter.size(); ++at) digest = add_to_digest(digest, parameter[at]);
  return digest;
}

}  // namespace

LaunchArguments::LaunchArguments(const std::function<void()>& run) {
  Listener listener;
  CUpti_SubscriberHandle subscriber = nullptr;
  const bool subscribed = cuptiSubscribe(&subscriber, on_launch, &listener) == CUPTI_SUCCESS;
  if (subscribed) cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
  try {
    run();
  } catch (...) {
    if (subscribed) cuptiUnsubscribe(subscriber);
    throw;
  }
  if (subscribed) cuptiUnsubscribe(subscriber);

  std::map<std::string, std::uint64_t> digests;
  std::set<std::string> unknown;
  for (const Launch& launch : listener.launches) {
    if (!launch.known) unknown.insert(launch.symbol);
    std::uint64_t& digest = digests[launch.symbol];
    for (const auto& parameter : launch.parameters) {
      digest = digest_of(parameter, listener.driver, digest);
    }
  }
  for (const auto& [symbol, digest] : digests) {
    if (!unknown.contains(symbol)) digests_[symbol] = fmt::format("{:016x}", digest);
  }
}

void LaunchArguments::add_to(std::vector<results::KernelLaunch>& launches) const {
  for (results::KernelLaunch& launch : launches) {
    const auto found = digests_.find(launch.kernel);
    if (found != digests_.end()) launch.arguments = found->second;
  }
}

}  // namespace warpgauge::cupti
