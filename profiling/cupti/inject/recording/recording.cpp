// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/recording/recording.hpp"

#include <cuda.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "profiling/cupti/inject/driver_device.hpp"
#include "profiling/cupti/inject/guarded.hpp"
#include "profiling/cupti/inject/launch_functions.hpp"
#include "profiling/cupti/inject/program_hooks/exit_hooks.hpp"
#include "profiling/cupti/inject/program_hooks/import_hooks.hpp"
#include "profiling/cupti/inject/program_hooks/profiler_hooks.hpp"

namespace warpgauge::inject {
namespace {

using launches::Counts;
using launches::Kind;

// What other libraries did is said so often.
constexpr std::size_t kMostSaid = 32;

// Of this thread: whether the call that launches was recorded into a graph, not run, or is no call
// of the program.
thread_local bool captured = false;
thread_local InCall in_call = InCall::other;

void CUPTIAPI on_call(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                      const void* data) {
  guarded([&] { static_cast<Recording*>(user)->called(domain, id, data); });
}

// CUPTI's buffer callbacks take no argument of ours.
Recording* the_recording = nullptr;

void CUPTIAPI on_request(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
  *buffer = the_recording->take_buffer();
  *bytes = *buffer == nullptr ? 0 : RecordBuffers::kBytes;
  *records = 0;
}

void CUPTIAPI on_complete(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t /*bytes*/, std::size_t valid) {
  the_recording->completed(context, stream, buffer, valid);
}

}  // namespace

Recording::Recording(const std::string& folder, std::string skip_until, launches::Ranges& ranges)
    : folder_(folder),
      skip_until_(std::move(skip_until)),
      ranges_(ranges),
      file_(folder),
      aggregation_(file_, ranges),
      beginning_(skip_until_.empty()) {}

bool Recording::is_of_this_process() const { return file_.process() == ::getpid(); }

void Recording::say(Kind kind, const std::string& text) {
  if (!is_of_this_process()) return;
  const std::lock_guard lock(writing_);
  if (said_.size() >= kMostSaid || !said_.insert(text).second) return;
  kind == Kind::problem ? file_.problem(text) : file_.remark(text);
  file_.flush();
}

bool Recording::succeeded(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return true;
  const char* reason = nullptr;
  cupti_.result_string(result, &reason);
  say_problem(std::string(call) + " of " + cupti_.path + ": " +
              (reason == nullptr ? std::to_string(result) : reason));
  return false;
}

void Recording::give_up(std::string_view why) noexcept {
  active_ = false;
  guarded([&] { say_problem("nothing can be recorded: " + std::string(why)); });
}

bool Recording::subscribe() {
  const CUptiResult result = cupti_.subscribe(&subscriber_, on_call, this);
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) {
    say_problem("another profiler was attached to this process first; end it, or leave it out");
    return false;
  }
  return succeeded(result, "cuptiSubscribe");
}

void Recording::listen() {
  const auto enable = [&](CUpti_CallbackDomain domain, const auto& ids) {
    for (const CUpti_CallbackId id : ids) cupti_.enable_callback(1, subscriber_, domain, id);
  };
  enable(CUPTI_CB_DOMAIN_DRIVER_API, kLaunchFunctions);
  enable(CUPTI_CB_DOMAIN_DRIVER_API, kKernelNodeFunctions);
  enable(CUPTI_CB_DOMAIN_DRIVER_API, LaunchedCode::calls());
  enable(CUPTI_CB_DOMAIN_DRIVER_API,
         std::vector<CUpti_CallbackId>{CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled});
  enable(CUPTI_CB_DOMAIN_RUNTIME_API,
         std::vector<CUpti_CallbackId>{CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020});
  enable(CUPTI_CB_DOMAIN_RESOURCE,
         std::vector<CUpti_CallbackId>{CUPTI_CBID_RESOURCE_MODULE_LOADED,
                                       CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING});
  enable(CUPTI_CB_DOMAIN_RESOURCE, GraphKernels::events());
}

void Recording::begin() {
  if (!file_.valid()) return;
  cupti_ = find_cupti();
  if (!cupti_.problem.empty()) return say_problem(cupti_.problem);
  the_recording = this;
  if (!subscribe()) return;
  listen();
  if (cupti_.set_attribute != nullptr) {
    std::uint8_t yes = 1;
    std::size_t bytes = sizeof yes;
    cupti_.set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &yes);
  }
  if (!succeeded(cupti_.register_callbacks(on_request, on_complete),
                 "cuptiActivityRegisterCallbacks") ||
      !succeeded(cupti_.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable")) {
    return;
  }
  if (!copies_.begin(cupti_, subscriber_)) {
    say_remark("copies and memsets are not recorded: " + cupti_.path + " refuses to");
  }
  active_ = true;
  hook_imports_of_all();
  flusher_.begin([this] { flush(); }, [this](launches::End end) { flush_last(end); });
}

void Recording::hook_imports_of_all() {
  static const auto& all = *[this] {
    auto* const hooks = new std::vector<ImportHook>(exit_hooks());
    const auto& others = profiler_hooks(*this);
    hooks->insert(hooks->end(), others.begin(), others.end());
    return hooks;
  }();
  hook_imports(all.data(), static_cast<int>(all.size()));
}

void Recording::range_opened(std::string_view name) noexcept {
  if (beginning_.waits() && name == skip_until_) beginning_.at_next_call();
}

void Recording::called(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (!active_.load(std::memory_order_relaxed)) return;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    driver_called(id, *static_cast<const CUpti_CallbackData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    resource_changed(id, *static_cast<const CUpti_ResourceData*>(data));
  } else {
    runtime_called(id, *static_cast<const CUpti_CallbackData*>(data));
  }
}

void Recording::runtime_called(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (copies_.contain(CUPTI_CB_DOMAIN_RUNTIME_API, id)) return copied(call);
  if (call.callbackSite != CUPTI_API_ENTER) return;
  cupti_.flush_all(0);  // cudaDeviceReset, after which the records are gone
}

// What is copied bears the number of the driver's call, which the runtime's around it shares.
void Recording::copied(const CUpti_CallbackData& call) {
  const bool begins = call.callbackSite == CUPTI_API_ENTER;
  in_call = begins ? InCall::of_copy : InCall::other;
  if (!begins) return;
  beginning_.called(call.correlationId);
  if (const std::uint32_t instance = ranges_.current()) {
    calls_.put(call.correlationId, {instance, 0});
  }
}

void Recording::driver_called(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (is_launch(id)) {
    if (call.callbackSite == CUPTI_API_EXIT) return launched(id, call);
    flusher_.let_end();
    return launch_begins(id, call);
  }
  if (copies_.contain(CUPTI_CB_DOMAIN_DRIVER_API, id)) return copied(call);
  if (adds_kernel_to_graph(id)) {
    in_call = call.callbackSite == CUPTI_API_ENTER ? InCall::of_kernel : InCall::other;
    return;
  }
  if (id != CUPTI_DRIVER_TRACE_CBID_cuGraphNodeSetEnabled) return code_.called(id, call);
  if (call.callbackSite == CUPTI_API_ENTER) {
    graphs_.switched(params_of<cuGraphNodeSetEnabled_params>(call).hGraphExec);
  }
}

void Recording::launch_begins(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const bool is_of_program = in_call != InCall::of_copy;  // else the driver copies by a kernel
  captured = !is_of_program;
  if (is_of_program) in_call = is_graph_launch(id) ? InCall::other : InCall::of_kernel;
  const void* const function = function_of(id, call);
  beginning_.called(call.correlationId);
  const LaunchCalls::Call known{ranges_.current(),
                                function == nullptr ? 0 : code_.launching(function)};
  if (known.instance != 0 || known.code != 0) calls_.put(call.correlationId, known);
}

void Recording::launched(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  code_.launched();
  if (in_call == InCall::of_kernel) in_call = InCall::other;
  const auto* const result = static_cast<const CUresult*>(call.functionReturnValue);
  if (captured || result == nullptr || *result != CUDA_SUCCESS) return;
  if (ending_ || !beginning_.includes(call.correlationId)) return;
  if (is_graph_launch(id)) {
    file_.count(&Counts::graph_launches);
    const std::uint64_t kernels = graphs_.of(params_of<cuGraphLaunch_ptsz_params>(call).hGraphExec);
    file_.count(kernels == 0 ? &Counts::unknown_graphs : &Counts::expected_graph_kernels,
                std::max<std::uint64_t>(kernels, 1));
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice) {
    file_.count(&Counts::launches,
                params_of<cuLaunchCooperativeKernelMultiDevice_params>(call).numDevices);
  } else {
    file_.count(&Counts::launches);
  }
}

void Recording::resource_changed(CUpti_CallbackId id, const CUpti_ResourceData& resource) {
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    cupti_.flush_all(0);
  } else if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    module_loaded(*static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor));
  } else {
    if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) captured = true;
    graphs_.happened(id, *static_cast<const CUpti_GraphData*>(resource.resourceDescriptor),
                     in_call);
  }
}

void Recording::module_loaded(const CUpti_ModuleResourceData& module) {
  const auto record = code_.loaded(module, folder_);
  if (!record) return;
  const std::lock_guard lock(writing_);
  file_.append(Kind::module, *record);
}

// The first fields of a kernel's record are the same in every CUPTI from 11.2 on.
launches::Launch Recording::launch_of(const CUpti_ActivityKernel9& kernel) const {
  const LaunchCalls::Call call = calls_.find(kernel.correlationId);
  const LaunchedCode::Hash code = code_.of(call.code);
  launches::Launch launch;
  launch.kernel = kernel.name == nullptr ? "?" : kernel.name;
  launch.start_ns = kernel.start;
  launch.end_ns = kernel.end;
  launch.stream = kernel.streamId;
  launch.instance = call.instance;
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
  std::copy_n(code.halves, 2, alike.code);
  return launch;
}

// Nothing: it is not to be recorded, or has not ended.
std::optional<launches::Launch> Recording::ran(const CUpti_Activity& record) {
  if (record.kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
    std::optional<Copy> copy = copy_of(record);
    if (!copy || !beginning_.includes(copy->call)) return std::nullopt;
    copy->launch.instance = calls_.find(copy->call).instance;
    return copy->launch;
  }
  const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel9&>(record);
  if (!beginning_.includes(kernel.correlationId)) return std::nullopt;
  beginning_.ran(kernel.correlationId);
  if (kernel.start == 0 || kernel.end < kernel.start) {
    file_.count(&Counts::unfinished);
    return std::nullopt;
  }
  return launch_of(kernel);
}

void Recording::take_records(std::uint8_t* buffer, std::size_t valid) {
  if (!active_) return;
  std::vector<launches::Launch> all;
  CUpti_Activity* record = nullptr;
  while (valid > 0 && cupti_.next_record(buffer, valid, &record) == CUPTI_SUCCESS) {
    if (const auto launch = ran(*record)) all.push_back(*launch);
  }
  if (all.empty()) return;
  const std::lock_guard lock(writing_);
  for (const launches::Launch& each : all) {
    const std::uint32_t device = each.alike.device;
    if (devices_.insert(device).second) new_devices_.push_back(device);
  }
  aggregation_.add(std::move(all));
}

void Recording::completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                          std::size_t valid) {
  guarded([&] { take_records(buffer, valid); });
  std::size_t dropped = 0;
  if (cupti_.dropped_records(context, stream, &dropped) == CUPTI_SUCCESS && dropped > 0) {
    file_.count(&Counts::dropped, dropped);
  }
  buffers_.give_back(buffer);
}

void Recording::describe_new_devices() {
  std::vector<std::uint32_t> ids;
  {
    const std::lock_guard lock(writing_);
    ids.swap(new_devices_);
  }
  for (const std::uint32_t id : ids) {
    const launches::DeviceRecord device = driver_device(id);
    const std::lock_guard lock(writing_);
    file_.append(Kind::device, device);
  }
}

void Recording::flush() {
  if (!active_) return;
  cupti_.flush_all(0);
  describe_new_devices();
  {
    const std::lock_guard lock(writing_);
    aggregation_.flush();
  }
  hook_imports_of_all();  // of what was loaded meanwhile
}

void Recording::flush_last(launches::End end) {
  ending_ = true;
  cupti_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  describe_new_devices();
  const std::lock_guard lock(writing_);
  aggregation_.finish();
  file_.end_as(end);
  if (end == launches::End::ended) active_ = false;
}

void Recording::finish(launches::End end) noexcept {
  if (active_ && is_of_this_process()) flusher_.finish(end);
}

void Recording::not_replaced() noexcept {
  if (!active_ || !is_of_this_process()) return;
  file_.end_as(launches::End::none);
  ending_ = false;
  flusher_.resume();
}

// In one order, which is that in which one of them is taken while another is held.
void Recording::before_fork() {
  lock_imports();
  writing_.lock();
  buffers_.lock();
  code_.lock();
  graphs_.lock();
  ranges_.lock();
}

void Recording::after_fork() {
  ranges_.unlock();
  graphs_.unlock();
  code_.unlock();
  buffers_.unlock();
  writing_.unlock();
  unlock_imports();
}

void Recording::in_fork() {
  active_ = false;
  after_fork();
}

}  // namespace warpgauge::inject
