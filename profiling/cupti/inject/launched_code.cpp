// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/launched_code.hpp"

#include <cuda.h>

#include <array>
#include <string_view>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "profiling/cupti/inject/launch_functions.hpp"

namespace warpgauge::inject {
namespace {

constexpr std::size_t kMostHandles = 1'000'000;

// Of this thread: the source whose call is under way.
thread_local std::uint32_t source_under_way = 0;

struct Known {
  const void* function = nullptr;
  std::uint64_t changes = 0;
  std::uint32_t source = 0;
};
thread_local std::array<Known, 64> known_here;

// What a call loads or looks in, and what it makes.
struct Handles {
  const void* container = nullptr;  // nothing: it loads
  const void* const* made = nullptr;
  bool unloads = false;
};

template <class Params, class Made>
Handles loads(const CUpti_CallbackData& call, Made Params::*made) {
  return {nullptr, reinterpret_cast<const void* const*>(params_of<Params>(call).*made), false};
}

Handles handles_of(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const auto address = [](auto* made) { return reinterpret_cast<const void* const*>(made); };
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoad:
      return loads(call, &cuModuleLoad_params::module);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData:
      return loads(call, &cuModuleLoadData_params::module);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx:
      return loads(call, &cuModuleLoadDataEx_params::module);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary:
      return loads(call, &cuModuleLoadFatBinary_params::module);
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData:
      return loads(call, &cuLibraryLoadData_params::library);
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile:
      return loads(call, &cuLibraryLoadFromFile_params::library);
    case CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction: {
      const auto& params = params_of<cuModuleGetFunction_params>(call);
      return {params.hmod, address(params.hfunc), false};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel: {
      const auto& params = params_of<cuLibraryGetKernel_params>(call);
      return {params.library, address(params.pKernel), false};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule: {
      const auto& params = params_of<cuLibraryGetModule_params>(call);
      return {params.library, address(params.pMod), false};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction: {
      const auto& params = params_of<cuKernelGetFunction_params>(call);
      return {params.kernel, address(params.pFunc), false};
    }
    case CUPTI_DRIVER_TRACE_CBID_cuModuleUnload:
      return {params_of<cuModuleUnload_params>(call).hmod, nullptr, true};
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload:
      return {params_of<cuLibraryUnload_params>(call).library, nullptr, true};
    default:
      return {};
  }
}

}  // namespace

const std::vector<CUpti_CallbackId>& LaunchedCode::calls() {
  static const std::vector<CUpti_CallbackId> all{
      CUPTI_DRIVER_TRACE_CBID_cuModuleLoad,        CUPTI_DRIVER_TRACE_CBID_cuModuleLoadData,
      CUPTI_DRIVER_TRACE_CBID_cuModuleLoadDataEx,  CUPTI_DRIVER_TRACE_CBID_cuModuleLoadFatBinary,
      CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData,   CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadFromFile,
      CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction, CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel,
      CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule,  CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction,
      CUPTI_DRIVER_TRACE_CBID_cuModuleUnload,      CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload,
  };
  return all;
}

void LaunchedCode::called(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const Handles handles = handles_of(id, call);
  const bool begins = call.callbackSite == CUPTI_API_ENTER;
  if (handles.unloads) {
    if (begins) forget(handles.container);
    return;
  }
  if (begins) return begin_call(handles.container, handles.container == nullptr);
  const auto* const result = static_cast<const CUresult*>(call.functionReturnValue);
  const bool made = result != nullptr && *result == CUDA_SUCCESS && handles.made != nullptr;
  end_call(made ? *handles.made : nullptr);
}

void LaunchedCode::begin_call(const void* container, bool loads) {
  source_under_way = 0;
  const std::lock_guard lock(mutex_);
  if (!loads) {
    source_under_way = source_of(container);
  } else if (sources_.size() < kMostHandles) {
    sources_.emplace_back();
    source_under_way = static_cast<std::uint32_t>(sources_.size());
  }
}

void LaunchedCode::end_call(const void* made) {
  const std::uint32_t source = source_under_way;
  source_under_way = 0;
  if (made == nullptr) return;
  const std::lock_guard lock(mutex_);
  bind(made, source);
}

std::optional<launches::ModuleRecord> LaunchedCode::loaded(const CUpti_ModuleResourceData& module,
                                                           const std::string& folder) {
  const std::string_view code(module.pCubin, module.pCubin == nullptr ? 0 : module.cubinSize);
  if (code.empty()) return std::nullopt;
  const XXH128_hash_t hash = XXH3_128bits(code.data(), code.size());
  loading({{hash.low64, hash.high64}});
  const launches::ModuleRecord record{{hash.low64, hash.high64}, code.size()};
  if (!launches::store_code(folder, record, code)) return std::nullopt;
  return record;
}

void LaunchedCode::loading(const Hash& module) {
  if (source_under_way == 0) return;
  const std::lock_guard lock(mutex_);
  Source& source = sources_[source_under_way - 1];
  const Hash& known = source.hash;
  const bool is_first = known.halves[0] == 0 && known.halves[1] == 0;
  if (!is_first && (known.halves[0] != module.halves[0] || known.halves[1] != module.halves[1])) {
    source.several = true;
  }
  source.hash = module;
}

// Needs the lock.
std::uint32_t LaunchedCode::source_of(const void* handle) const {
  const auto known = handles_.find(handle);
  return known == handles_.end() ? 0 : known->second;
}

// Needs the lock. A handle of before may be another's now.
void LaunchedCode::bind(const void* handle, std::uint32_t source) {
  if (source == 0) {
    handles_.erase(handle);
  } else if (handles_.size() < kMostHandles || handles_.contains(handle)) {
    handles_[handle] = source;
  }
  ++changes_;
}

void LaunchedCode::forget(const void* container) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t source = source_of(container);
  if (source == 0) return;
  std::erase_if(handles_, [&](const auto& each) { return each.second == source; });
  ++changes_;
}

std::uint32_t LaunchedCode::launching(const void* function) {
  const auto at = reinterpret_cast<std::uintptr_t>(function) >> 4U;
  Known& known = known_here[at % known_here.size()];
  const std::uint64_t changes = changes_.load(std::memory_order_acquire);
  if (known.function != function || known.changes != changes) {
    const std::lock_guard lock(mutex_);
    known = {function, changes, source_of(function)};
  }
  return source_under_way = known.source;  // its module may be loaded only now
}

void LaunchedCode::launched() { source_under_way = 0; }

LaunchedCode::Hash LaunchedCode::of(std::uint32_t source) const {
  if (source == 0) return {};
  const std::lock_guard lock(mutex_);
  const Source& found = sources_[source - 1];
  return found.several ? Hash() : found.hash;
}

}  // namespace warpgauge::inject
