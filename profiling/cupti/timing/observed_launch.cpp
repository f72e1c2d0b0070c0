// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/timing/observed_launch.hpp"

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

// Device memory that a launch allocates and frees.
class AllocatedMemory {
 public:
  void allocated(CUdeviceptr address, std::size_t bytes) {
    blocks_[address] = bytes;
    now_ += bytes;
    most_ = std::max(most_, now_);
  }
  // What the fixture allocated is not ours.
  void freed(CUdeviceptr address) {
    const auto block = blocks_.find(address);
    if (block == blocks_.end()) return;
    now_ -= block->second;
    blocks_.erase(block);
  }
  [[nodiscard]] std::uint64_t most() const { return most_; }

 private:
  std::map<CUdeviceptr, std::uint64_t> blocks_;
  std::uint64_t now_ = 0;
  std::uint64_t most_ = 0;
};

struct Listener {
  Driver driver;
  std::vector<Launch> launches;
  bool counts = false;  // while the benchmark launches, not the harness
  results::HostCalls calls;
  AllocatedMemory memory;
  bool all_sizes_known = true;

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

// After a call that succeeded.
void follow_memory(CUpti_CallbackId id, const CUpti_CallbackData& call, Listener& listener) {
  const auto allocated = [&](const auto& parameters, std::size_t bytes) {
    listener.memory.allocated(*parameters.dptr, bytes);
  };
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2: {
      const auto& asked = *static_cast<const cuMemAlloc_v2_params*>(call.functionParams);
      return allocated(asked, asked.bytesize);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged: {
      const auto& asked = *static_cast<const cuMemAllocManaged_params*>(call.functionParams);
      return allocated(asked, asked.bytesize);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocPitch_v2: {
      const auto& asked = *static_cast<const cuMemAllocPitch_v2_params*>(call.functionParams);
      return allocated(asked, *asked.pPitch * asked.Height);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocAsync_ptsz: {
      const auto& asked = *static_cast<const cuMemAllocAsync_params*>(call.functionParams);
      return allocated(asked, asked.bytesize);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocFromPoolAsync_ptsz: {
      const auto& asked = *static_cast<const cuMemAllocFromPoolAsync_params*>(call.functionParams);
      return allocated(asked, asked.bytesize);
    }
    case CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2:
      return listener.memory.freed(
          static_cast<const cuMemFree_v2_params*>(call.functionParams)->dptr);
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuMemFreeAsync_ptsz:
      return listener.memory.freed(
          static_cast<const cuMemFreeAsync_params*>(call.functionParams)->dptr);
    case CUPTI_DRIVER_TRACE_CBID_cuMemHostAlloc:  // of the host, as the next
    case CUPTI_DRIVER_TRACE_CBID_cuMemAllocHost_v2:
      return;
    default: {
      results::HostCalls one;
      one.count(call.functionName);
      listener.all_sizes_known = listener.all_sizes_known && one.allocations == 0;
    }
  }
}

void count_call(CUpti_CallbackId id, const CUpti_CallbackData& call, Listener& listener) {
  if (call.callbackSite == CUPTI_API_ENTER) return listener.calls.count(call.functionName);
  const auto* const result = static_cast<const CUresult*>(call.functionReturnValue);
  if (result != nullptr && *result == CUDA_SUCCESS) follow_memory(id, call, listener);
}

void CUPTIAPI on_call(void* user, CUpti_CallbackDomain /*domain*/, CUpti_CallbackId id,
                      const void* data) {
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  auto& listener = *static_cast<Listener*>(user);
  if (listener.counts) count_call(id, call, listener);
  if (call.callbackSite != CUPTI_API_ENTER) return;
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

ObservedLaunch::ObservedLaunch(const std::function<void()>& open,
                               const std::function<void()>& launch,
                               const std::function<void()>& close) {
  Listener listener;
  CUpti_SubscriberHandle subscriber = nullptr;
  const bool subscribed = cuptiSubscribe(&subscriber, on_call, &listener) == CUPTI_SUCCESS;
  if (subscribed) cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
  try {
    open();
    listener.counts = true;
    launch();
    listener.counts = false;
    close();
  } catch (...) {
    if (subscribed) cuptiUnsubscribe(subscriber);
    throw;
  }
  if (subscribed) {
    cuptiUnsubscribe(subscriber);
    listener.calls.most_bytes =
        listener.all_sizes_known ? std::optional(listener.memory.most()) : std::nullopt;
    host_calls_ = listener.calls;
  }

  std::map<std::string, std::uint64_t> digests;
  std::set<std::string> unknown;
  for (const Launch& each : listener.launches) {
    if (!each.known) unknown.insert(each.symbol);
    std::uint64_t& digest = digests[each.symbol];
    for (const auto& parameter : each.parameters) {
      digest = digest_of(parameter, listener.driver, digest);
    }
  }
  for (const auto& [symbol, digest] : digests) {
    if (!unknown.contains(symbol)) digests_[symbol] = fmt::format("{:016x}", digest);
  }
}

void ObservedLaunch::add_to(std::vector<results::KernelLaunch>& launches) const {
  for (results::KernelLaunch& launch : launches) {
    const auto found = digests_.find(launch.kernel);
    if (found != digests_.end()) launch.arguments = found->second;
  }
}

}  // namespace warpgauge::cupti
