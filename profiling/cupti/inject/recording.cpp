// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/recording.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "profiling/cupti/inject/exit_hooks.hpp"

namespace warpgauge::inject {
namespace {

using launches::Counts;
using launches::Kind;

constexpr std::size_t kCalls = std::size_t{1} << 20U;
constexpr std::size_t kBufferBytes = std::size_t{2} << 20U;
constexpr std::size_t kMostFreeBuffers = 8;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
constexpr std::chrono::milliseconds kAtFirst{20};
constexpr std::chrono::milliseconds kRegularly{100};

// Of this thread: whether the call that launches was recorded into a graph, not run.
thread_local bool captured = false;

void CUPTIAPI on_call(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                      const void* data) {
  static_cast<Recording*>(user)->called(domain, id, data);
}

// CUPTI's buffer callbacks take no argument of ours.
Recording* the_recording = nullptr;

void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  *buffer = the_recording->take_buffer();
  *bytes = *buffer == nullptr ? 0 : kBufferBytes;
  *records = 0;
}

void CUPTIAPI on_complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t /*bytes*/, std::size_t valid) {
  the_recording->completed(context, stream, buffer, valid);
}

struct LaunchCall {
  CUpti_CallbackId id;
  bool of_graph;
};

// The runtime's launches are the driver's, too, and kernels bear the number of that call.
constexpr LaunchCall kLaunches[] = {
    {CUPTI_DRIVER_TRACE_CBID_cuLaunch, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel, false},
    {CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz, false},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch, true},
    {CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz, true},
};

bool is_graph_launch(CUpti_CallbackId id) {
  return id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch ||
         id == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz;
}

void copy_text(const std::string& text, char* to, std::size_t bytes) {
  std::strncpy(to, text.c_str(), bytes - 1);
}

std::string driver_version() {
  std::array<char, 64> text{};
  if (std::FILE* const file = std::fopen("/sys/module/nvidia/version", "re")) {
    if (std::fgets(text.data(), static_cast<int>(text.size()), file) == nullptr) text[0] = '\0';
    std::fclose(file);
  }
  text[std::strcspn(text.data(), "\n")] = '\0';
  return text.data();
}

template <class Function>
Function* driver_function(const char* name) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(driver, name));
}

}  // namespace

CallRanges::CallRanges()
    : calls_(static_cast<std::atomic<std::uint64_t>*>(
          std::calloc(kCalls, sizeof(std::atomic<std::uint64_t>)))) {}

void CallRanges::put(std::uint32_t correlation, std::uint32_t instance) {
  if (calls_ == nullptr) return;
  calls_[correlation % kCalls].store(std::uint64_t{correlation} << 32U | instance,
                                     std::memory_order_release);
}

std::uint32_t CallRanges::find(std::uint32_t correlation) const {
  if (calls_ == nullptr) return 0;
  const std::uint64_t call = calls_[correlation % kCalls].load(std::memory_order_acquire);
  return call >> 32U == correlation ? static_cast<std::uint32_t>(call) : 0;
}

Recording::Recording(const std::string& folder, std::string skip_until, launches::Ranges& ranges)
    : folder_(folder),
      skip_until_(std::move(skip_until)),
      ranges_(ranges),
      file_(folder),
      aggregation_(file_, ranges) {
  if (!skip_until_.empty()) from_ns_ = kNever;
}

bool Recording::is_of_this_process() const { return file_.process() == ::getpid(); }

bool Recording::succeeded(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return true;
  const char* reason = nullptr;
  if (cupti_.result_string != nullptr) cupti_.result_string(result, &reason);
  const std::lock_guard lock(writing_);
  file_.problem(std::string(call) + " of " + cupti_.path + ": " +
                (reason == nullptr ? std::to_string(result) : reason));
  file_.flush();
  return false;
}

bool Recording::subscribe() {
  const CUptiResult result = cupti_.subscribe(&subscriber_, on_call, this);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    const std::lock_guard lock(writing_);
    file_.problem("another profiler was attached to this process first; end it, or leave it out");
    file_.flush();
    return false;
  }
  if (!succeeded(result, "cuptiSubscribe")) return false;
  for (const LaunchCall& each : kLaunches) {
    cupti_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, each.id);
  }
  for (const CUpti_CallbackId each :
       {CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED}) {
    cupti_.enable_callback(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE, each);
  }
  return true;
}

void Recording::begin() {
  if (!file_.valid()) return;
  cupti_ = find_cupti();
  if (!cupti_.problem.empty()) {
    file_.problem(cupti_.problem);
    file_.flush();
    return;
  }
  the_recording = this;
  active_ = true;
  if (!subscribe() ||
      !succeeded(cupti_.register_callbacks(on_request, on_complete),
                 "cuptiActivityRegisterCallbacks") ||
      !succeeded(cupti_.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable")) {
    return;
  }
  hook_exits();
  // Signals of the program are for its own threads.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this] { flush_regularly(); }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Recording::range_opened(std::string_view name) {
  if (from_ns_.load(std::memory_order_relaxed) != kNever || name != skip_until_) return;
  std::uint64_t now = 0;
  if (active_ && cupti_.timestamp(&now) == CUPTI_SUCCESS) from_ns_ = now;
}

void Recording::called(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (!active_) return;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    return launch_called(is_graph_launch(id), *static_cast<const CUpti_CallbackData*>(data));
  }
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) {
    captured = true;
  } else if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    const auto& resource = *static_cast<const CUpti_ResourceData*>(data);
    module_loaded(*static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor));
  }
}

void Recording::launch_called(bool of_graph, const CUpti_CallbackData& call) {
  if (call.callbackSite == CUPTI_API_ENTER) {
    captured = false;
    if (const std::uint32_t instance = ranges_.current()) {
      call_ranges_.put(call.correlationId, instance);
    }
    return;
  }
  const auto* const result = static_cast<const CUresult*>(call.functionReturnValue);
  if (captured || result == nullptr || *result != CUDA_SUCCESS) return;
  if (from_ns_.load(std::memory_order_relaxed) == kNever) return;
  file_.count(of_graph ? &Counts::graph_launches : &Counts::launches);
}

void Recording::module_loaded(const CUpti_ModuleResourceData& module) {
  const std::string_view code(module.pCubin, module.pCubin == nullptr ? 0 : module.cubinSize);
  if (code.empty()) return;
  const XXH128_hash_t hash = XXH3_128bits(code.data(), code.size());
  const launches::ModuleRecord record{{hash.low64, hash.high64}, code.size()};
  if (!launches::store_code(folder_, record, code)) return;
  const std::lock_guard lock(writing_);
  file_.append(Kind::module, record);
}

std::uint8_t* Recording::take_buffer() {
  const std::lock_guard lock(buffers_);
  if (free_buffers_.empty()) {
    return static_cast<std::uint8_t*>(std::aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, kBufferBytes));
  }
  std::uint8_t* const buffer = free_buffers_.back();
  free_buffers_.pop_back();
  return buffer;
}

// The first fields of a kernel's record are the same in every CUPTI from 11.2 on.
launches::Launch Recording::launch_of(const CUpti_ActivityKernel9& kernel) const {
  launches::Launch launch;
  launch.kernel = kernel.name == nullptr ? "?" : kernel.name;
  launch.start_ns = kernel.start;
  launch.end_ns = kernel.end;
  launch.stream = kernel.streamId;
  launch.instance = call_ranges_.find(kernel.correlationId);
  launches::EntryRecord& alike = launch.alike;
  alike.device = kernel.deviceId;
  const std::int32_t extents[] = {kernel.gridX,  kernel.gridY,  kernel.gridZ,
                                  kernel.blockX, kernel.blockY, kernel.blockZ};
  for (std::size_t i = 0; i < 3; ++i) {
    alike.grid[i] = static_cast<std::uint32_t>(extents[i]);
    alike.block[i] = static_cast<std::uint32_t>(extents[i + 3]);
  }
  alike.dynamic_shared_bytes = static_cast<std::uint32_t>(kernel.dynamicSharedMemory);
  alike.static_shared_bytes = static_cast<std::uint32_t>(kernel.staticSharedMemory);
  alike.registers = kernel.registersPerThread;
  alike.in_graph = kernel.graphNodeId != 0 ? 1 : 0;
  return launch;
}

void Recording::completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t valid) {
  std::vector<launches::Launch> ran;
  const std::uint64_t from = from_ns_;
  CUpti_Activity* record = nullptr;
  while (valid > 0 && cupti_.next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) continue;
    const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel9*>(record);
    if (kernel.start == 0 || kernel.end < kernel.start) {
      file_.count(&Counts::unfinished);
    } else if (kernel.start >= from) {
      ran.push_back(launch_of(kernel));
    }
  }
  std::size_t dropped = 0;
  if (cupti_.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS && dropped > 0) {
    file_.count(&Counts::dropped, dropped);
  }
  if (active_ && !ran.empty()) {
    const std::lock_guard lock(writing_);
    for (const launches::Launch& each : ran) {
      if (devices_.insert(each.alike.device).second) describe_device(each.alike.device);
    }
    aggregation_.add(std::move(ran));
  }
  const std::lock_guard lock(buffers_);
  if (free_buffers_.size() < kMostFreeBuffers) {
    free_buffers_.push_back(buffer);
  } else {
    std::free(buffer);
  }
}

void Recording::describe_device(std::uint32_t id) {
  launches::DeviceRecord record;
  record.id = id;
  const auto ordinal = static_cast<int>(id);
  CUdevice device = 0;
  const auto get = driver_function<decltype(cuDeviceGet)>("cuDeviceGet");
  const auto attribute = driver_function<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute");
  const auto name = driver_function<decltype(cuDeviceGetName)>("cuDeviceGetName");
  // Of a part of a GPU (MIG), that part's.
  const auto uuid = driver_function<decltype(cuDeviceGetUuid_v2)>("cuDeviceGetUuid_v2");
  const auto memory = driver_function<decltype(cuDeviceTotalMem_v2)>("cuDeviceTotalMem_v2");
  if (get == nullptr || get(&device, ordinal) != CUDA_SUCCESS) return;
  const auto ask = [&](CUdevice_attribute what) -> std::uint32_t {
    int value = 0;
    const bool known = attribute != nullptr && attribute(&value, what, device) == CUDA_SUCCESS;
    return known && value > 0 ? static_cast<std::uint32_t>(value) : 0;
  };
  record.major = ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  record.minor = ask(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  record.multiprocessors = ask(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  record.l2_bytes = ask(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  std::size_t bytes = 0;
  if (memory != nullptr && memory(&bytes, device) == CUDA_SUCCESS) record.memory_bytes = bytes;
  CUuuid answer{};
  if (uuid != nullptr && uuid(&answer, device) == CUDA_SUCCESS) {
    std::memcpy(record.uuid, answer.bytes, sizeof record.uuid);
  }
  if (name != nullptr) (void)name(record.name, sizeof record.name - 1, device);
  copy_text(driver_version(), record.driver, sizeof record.driver);
  file_.append(Kind::device, record);
}

void Recording::taken_over_by(const std::string& library) {
  const std::lock_guard lock(writing_);
  if (std::exchange(taken_over_, true)) return;
  file_.problem(library +
                " recorded the kernels of this process instead: leave its profiler "
                "(such as torch.profiler) out of what is measured");
  file_.flush();
}

void Recording::found_no_place(const std::string& library) {
  const std::lock_guard lock(writing_);
  if (std::exchange(found_no_place_, true)) return;
  file_.remark(library +
               " asked for a profiler (such as torch.profiler), and got none while this one "
               "records");
  file_.flush();
}

void Recording::flush_now(bool forced) {
  // Whoever ends the process waits for the thread that flushes, but not forever.
  constexpr std::chrono::seconds kPatience{5};
  const std::unique_lock turn(flushing_, kPatience);
  cupti_.flush_all(forced ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

void Recording::flush_regularly() {
  auto pause = kAtFirst;
  while (active_) {
    std::this_thread::sleep_for(pause);
    pause = kRegularly;
    if (!active_ || finished_) continue;
    flush_now(false);
    const std::lock_guard lock(writing_);
    if (!finished_) aggregation_.flush();
    hook_exits();  // of what was loaded meanwhile
  }
}

void Recording::finish(launches::End end) {
  if (!active_ || !is_of_this_process() || finished_.exchange(true)) return;
  flush_now(true);
  const std::lock_guard lock(writing_);
  aggregation_.finish();
  file_.end_as(end);
  if (end == launches::End::ended) active_ = false;
}

void Recording::not_replaced() {
  if (!active_ || !is_of_this_process()) return;
  file_.end_as(launches::End::none);
  finished_ = false;
}

}  // namespace warpgauge::inject
