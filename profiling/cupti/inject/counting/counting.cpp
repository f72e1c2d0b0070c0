// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/counting/counting.hpp"

#include <unistd.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "profiling/cupti/inject/counting/cupti_forwards.hpp"
#include "profiling/cupti/inject/counting/line_counter.hpp"
#include "profiling/cupti/inject/counting/other_profilers.hpp"
#include "profiling/cupti/inject/counting/range_counter.hpp"
#include "profiling/cupti/inject/driver_function.hpp"
#include "profiling/cupti/inject/guarded.hpp"
#include "profiling/results/program_id.hpp"

namespace warpgauge::inject {
namespace {

using launches::EntryTotal;
using launches::Kind;

// What a start may cost is bounded; of more entries than these, the rest is not counted.
constexpr std::size_t kMostCounted = 2'000;
constexpr int kMostFailures = 8;

// Of this thread: its launch that counts, and how many are within it.
struct UnderWay {
  bool counts = false;
  int within = 0;
  EntryTotal total;
  std::string symbol;
};
thread_local UnderWay under_way;
// Of this thread: what is called now is called by us.
thread_local bool ours = false;

class Ours {
 public:
  Ours() { ours = true; }
  ~Ours() { ours = false; }
  Ours(const Ours&) = delete;
  Ours& operator=(const Ours&) = delete;
};

void CUPTIAPI on_call(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                      const void* data) {
  guarded([&] { static_cast<Counting*>(user)->called(domain, id, data); });
}

constexpr CUpti_CallbackId kBeginCapture[] = {
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCapture_v2_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph,
    CUPTI_DRIVER_TRACE_CBID_cuStreamBeginCaptureToGraph_ptsz,
};
constexpr CUpti_CallbackId kEndCapture[] = {
    CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture,
    CUPTI_DRIVER_TRACE_CBID_cuStreamEndCapture_ptsz,
};

template <class Ids>
bool is_among(const Ids& ids, CUpti_CallbackId id) {
  return std::find(std::begin(ids), std::end(ids), id) != std::end(ids);
}

// Empty: all that was launched has ended.
std::string wait_for_device() {
  const auto synchronize = driver_function<decltype(cuCtxSynchronize)>("cuCtxSynchronize");
  const CUresult result = synchronize == nullptr ? CUDA_ERROR_NOT_FOUND : synchronize();
  return result == CUDA_SUCCESS
             ? ""
             : "the GPU reports error " + std::to_string(static_cast<int>(result));
}

std::uint32_t current_device() {
  const auto get = driver_function<decltype(cuCtxGetDevice)>("cuCtxGetDevice");
  CUdevice device = 0;
  if (get != nullptr) (void)get(&device);
  return static_cast<std::uint32_t>(device);
}

std::unique_ptr<LaunchCounter> counter_of(const CountingTerms& terms) {
  if (terms.what == launches::kCountLines) return std::make_unique<LineCounter>();
  return std::make_unique<RangeCounter>(terms.more);
}

}  // namespace

Counting::Counting(const std::string& folder, CountingTerms terms, launches::Ranges& ranges)
    : folder_(folder),
      terms_(std::move(terms)),
      ranges_(ranges),
      begun_(terms_.skip_until.empty()),
      counter_(counter_of(terms_)),
      file_(folder),
      aggregation_(file_, ranges) {}

bool Counting::is_of_this_process() const { return file_.process() == ::getpid(); }

void Counting::give_up(std::string_view why) noexcept {
  if (!is_of_this_process()) return;
  active_ = false;
  guarded([&] {
    const std::lock_guard lock(writing_);
    file_.problem(why);
    file_.flush();
  });
}

bool Counting::subscribe() {
  const CUptiResult result = cupti_.subscribe(&subscriber_, on_call, this);
  if (result == CUPTI_SUCCESS) return true;
  const char* reason = nullptr;
  cupti_.result_string(result, &reason);
  give_up(result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
              ? "another profiler was attached to this process first; end it, or leave it out"
              : std::string("cuptiSubscribe of ") + cupti_.path + ": " +
                    (reason == nullptr ? std::to_string(result) : reason));
  return false;
}

void Counting::listen() {
  const auto enable = [&](CUpti_CallbackDomain domain, const auto& ids) {
    for (const CUpti_CallbackId id : ids) cupti_.enable_callback(1, subscriber_, domain, id);
  };
  enable(CUPTI_CB_DOMAIN_DRIVER_API, kernel_launches());
  enable(CUPTI_CB_DOMAIN_DRIVER_API, kBeginCapture);
  enable(CUPTI_CB_DOMAIN_DRIVER_API, kEndCapture);
  enable(CUPTI_CB_DOMAIN_DRIVER_API, LaunchedCode::calls());
  // All of it, since without that the SASS Metric API counts only the first function launched.
  if (cupti_.enable_domain != nullptr) {
    cupti_.enable_domain(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE);
  }
}

void Counting::begin() {
  if (!file_.valid()) return;
  cupti_ = find_cupti();
  if (!cupti_.problem.empty()) return give_up(cupti_.problem);
  forward_cupti_to(cupti_.library);
  if (!subscribe()) return;
  listen();
  active_ = true;
  hook_other_profilers(*this);
}

void Counting::range_opened(std::string_view name) noexcept {
  if (!begun_ && name == terms_.skip_until) begun_ = true;
}

void Counting::called(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (ours) return;
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    driver_called(id, *static_cast<const CUpti_CallbackData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE && active_) {
    resource_changed(id, *static_cast<const CUpti_ResourceData*>(data));
  }
}

void Counting::driver_called(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (is_among(kernel_launches(), id)) {
    if (call.callbackSite == CUPTI_API_EXIT) return launched(call);
    if (under_way.counts) {
      ++under_way.within;
      return;
    }
    const auto kernel = active_ ? launched_kernel(id, call) : std::nullopt;
    if (kernel) launch_begins(*kernel, call);
  } else if (is_among(kBeginCapture, id) || is_among(kEndCapture, id)) {
    capture_called(call, is_among(kBeginCapture, id));
  } else if (active_) {
    code_.called(id, call);
  }
}

// While a stream is captured nothing may wait for the device, whichever stream it is.
void Counting::capture_called(const CUpti_CallbackData& call, bool begins) {
  const bool enters = call.callbackSite == CUPTI_API_ENTER;
  if (begins && enters) {
    const std::lock_guard lock(counting_);  // until what counts now has ended
    ++captures_;
    return;
  }
  const auto* const result = static_cast<const CUresult*>(call.functionReturnValue);
  const bool has_failed = result == nullptr || *result != CUDA_SUCCESS;
  const bool ends = begins ? has_failed : !enters;
  if (ends && captures_ > 0) --captures_;
}

void Counting::launch_begins(const LaunchedKernel& kernel, const CUpti_CallbackData& call) {
  hook_other_profilers(*this);  // in what was loaded meanwhile
  if (!active_ || !begun_ || is_captured(kernel.stream)) return;
  LaunchedKernel launched = kernel;
  const LaunchedCode::Hash code = code_.of(code_.launching(kernel.function));
  std::copy_n(code.halves, 2, launched.alike.code);
  std::unique_lock lock(counting_);
  if (!active_) return;  // it ended while this thread waited
  const EntryTotal total = add(launched);
  const bool counts = wants(launched, total) && count(launched, total, call.context);
  if (counts) lock.release();  // launched() unlocks it
}

// What was added of its entry before.
EntryTotal Counting::add(const LaunchedKernel& kernel) {
  launches::Launch launch;
  launch.kernel = kernel.symbol.c_str();
  launch.instance = ranges_.current();
  launch.alike = kernel.alike;
  const std::lock_guard lock(writing_);
  launch.start_ns = launch.end_ns = ++now_;
  const EntryTotal total = aggregation_.total_of(launch);
  file_.count(&launches::Counts::launches);
  aggregation_.add(std::vector{launch});
  return total;
}

// Needs counting_.
bool Counting::wants(const LaunchedKernel& kernel, const EntryTotal& total) {
  const bool is_new = total.launches == 0;
  if (total.entry == 0) return false;
  if (!terms_.kernel.empty() && kernel.symbol != terms_.kernel) return false;
  std::string why;
  if (results::symbol_waits_for_others(kernel.symbol)) {
    why = "it waits for other processes or GPUs, which do not run again with it";
  } else if (is_new && counted_.size() >= kMostCounted) {
    why = "of kernels of more kinds than " + std::to_string(kMostCounted) +
          " the rest is not counted";
  } else {
    if (is_new) counted_.emplace(total.entry, Counted{total});
    const auto found = counted_.find(total.entry);
    if (found == counted_.end() || found->second.launches >= launches::kCountedLaunches) {
      return false;
    }
    if (captures_ > 0) return false;
    ++found->second.launches;
    return true;
  }
  if (is_new) {
    const std::lock_guard lock(writing_);
    CountWriter(file_, aggregation_, total).not_counted("", why);
  }
  return false;
}

// Needs writing_. Of what was launched only while another stream was captured.
void Counting::say_what_never_counted() {
  for (const auto& [entry, counted] : counted_) {
    if (counted.launches > 0) continue;
    CountWriter(file_, aggregation_, counted.first)
        .not_counted("",
                     "whenever it was launched, another stream was captured into a graph, and "
                     "during that nothing may wait for the GPU");
  }
}

// Needs counting_. Whether the launch counts now.
bool Counting::count(const LaunchedKernel& kernel, const EntryTotal& total, CUcontext context) {
  const Ours calls;
  std::string why = wait_for_device();
  try {
    if (why.empty()) counter_->begin(context, current_device());
  } catch (const std::exception& error) {
    why = error.what();
  }
  if (!why.empty()) {
    any_counted_ ? failed(total, context, why) : give_up(why);
    return false;
  }
  under_way = {true, 0, total, kernel.symbol};
  return true;
}

void Counting::launched(const CUpti_CallbackData& call) {
  if (!under_way.counts) return code_.launched();
  if (under_way.within > 0) {
    --under_way.within;
    return;
  }
  const UnderWay ended = std::exchange(under_way, {});
  code_.launched();
  const Ours calls;
  const std::lock_guard lock(counting_, std::adopt_lock);
  const auto* const result = static_cast<const CUresult*>(call.functionReturnValue);
  std::string why = wait_for_device();
  if (result == nullptr || *result != CUDA_SUCCESS) {
    why = "its launch failed while it was counted";
  }
  try {
    counter_->end();
  } catch (const std::exception& error) {
    if (why.empty()) why = error.what();
  }
  if (!why.empty()) return failed(ended.total, call.context, why);
  any_counted_ = true;
  const std::lock_guard writing(writing_);
  CountWriter writer(file_, aggregation_, ended.total);
  counter_->write(ended.symbol, writer);
  aggregation_.flush();
}

// Needs counting_. What fails again and again is given up.
void Counting::failed(const EntryTotal& total, CUcontext context, const std::string& why) {
  counter_->forget(context);
  if (++failures_ > kMostFailures) return give_up(why);
  counted_.erase(total.entry);
  const std::lock_guard lock(writing_);
  CountWriter(file_, aggregation_, total).not_counted("", why);
}

void Counting::resource_changed(CUpti_CallbackId id, const CUpti_ResourceData& resource) {
  if (id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    const Ours calls;
    const std::lock_guard lock(counting_);
    if (counter_) counter_->forget(resource.context);
  } else if (id == CUPTI_CBID_RESOURCE_MODULE_LOADED) {
    module_loaded(*static_cast<const CUpti_ModuleResourceData*>(resource.resourceDescriptor));
  }
}

void Counting::module_loaded(const CUpti_ModuleResourceData& module) {
  const auto record = code_.loaded(module, folder_);
  if (!record) return;
  const std::lock_guard lock(writing_);
  file_.append(Kind::module, *record);
}

void Counting::finish() noexcept {
  if (!is_of_this_process()) return;
  const bool counts = active_.exchange(false);
  guarded([&] {
    const Ours calls;
    // A thread may be within a launch that never ends.
    const std::unique_lock all(counting_, std::try_to_lock);
    if (counts && all.owns_lock()) counter_.reset();
    const std::lock_guard lock(writing_);
    if (counts && all.owns_lock()) say_what_never_counted();
    aggregation_.finish();
    file_.end_as(launches::End::ended);
  });
}

void Counting::before_fork() {
  writing_.lock();
  code_.lock();
  ranges_.lock();
}

void Counting::after_fork() {
  ranges_.unlock();
  code_.unlock();
  writing_.unlock();
  if (!is_of_this_process()) active_ = false;
}

}  // namespace warpgauge::inject
