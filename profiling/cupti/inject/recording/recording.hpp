// SPDX-License-Identifier: Apache-2.0
// Records the kernels and copies of this process from the moment that CUDA is initialised, through
// CUPTI.
//
// What the program waits for, a call that launches or opens a range, takes no lock and no memory;
// the rest is done by CUPTI's thread and our own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/cupti/inject/cupti_functions.hpp"
#include "profiling/cupti/inject/launched_code.hpp"
#include "profiling/cupti/inject/recording/copies.hpp"
#include "profiling/cupti/inject/recording/flush_thread.hpp"
#include "profiling/cupti/inject/recording/graph_kernels.hpp"
#include "profiling/cupti/inject/recording/launch_calls.hpp"
#include "profiling/cupti/inject/recording/record_buffers.hpp"
#include "profiling/results/launches/aggregation.hpp"
#include "profiling/results/launches/ranges.hpp"
#include "profiling/results/launches/record_file.hpp"

namespace warpgauge::inject {

class Recording {
 public:
  // ranges must outlive it. skip_until: recording begins when a range of this name is opened first;
  // empty: at once.
  Recording(const std::string& folder, std::string skip_until, launches::Ranges& ranges);

  void begin();
  // Records that it could not begin, and nothing else.
  void give_up(std::string_view why) noexcept;
  void range_opened(std::string_view name) noexcept;
  // All that can still be had, once; `replaced` may be followed by more where that failed. Safe in
  // a signal handler.
  void finish(launches::End end) noexcept;
  void not_replaced() noexcept;

  void before_fork();
  void after_fork();
  // In a fork, which has neither CUDA nor this recording.
  void in_fork();

  // Once each, with the records.
  void say_problem(const std::string& text) { say(launches::Kind::problem, text); }
  void say_remark(const std::string& text) { say(launches::Kind::remark, text); }
  [[nodiscard]] const CuptiFunctions& cupti() const { return cupti_; }

  // Called by CUPTI.
  void called(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  [[nodiscard]] std::uint8_t* take_buffer() noexcept { return buffers_.take(); }
  void completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid);

 private:
  [[nodiscard]] bool is_of_this_process() const;
  [[nodiscard]] bool subscribe();
  void listen();
  [[nodiscard]] bool succeeded(CUptiResult result, const char* call);
  void say(launches::Kind kind, const std::string& text);
  void driver_called(CUpti_CallbackId id, const CUpti_CallbackData& call);
  void runtime_called(CUpti_CallbackId id, const CUpti_CallbackData& call);
  void copied(const CUpti_CallbackData& call);
  void launch_begins(CUpti_CallbackId id, const CUpti_CallbackData& call);
  void launched(CUpti_CallbackId id, const CUpti_CallbackData& call);
  void resource_changed(CUpti_CallbackId id, const CUpti_ResourceData& resource);
  void module_loaded(const CUpti_ModuleResourceData& module);
  [[nodiscard]] launches::Launch launch_of(const CUpti_ActivityKernel9& kernel) const;
  [[nodiscard]] std::optional<launches::Launch> ran(const CUpti_Activity& record);
  void take_records(std::uint8_t* buffer, std::size_t valid);
  void hook_imports_of_all();
  void describe_new_devices();
  void flush();
  void flush_last(launches::End end);

  CuptiFunctions cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::string folder_;
  std::string skip_until_;
  launches::Ranges& ranges_;
  launches::RecordFile file_;
  launches::Aggregation aggregation_;
  LaunchCalls calls_;
  CopyCalls copies_;
  LaunchedCode code_;
  GraphKernels graphs_;
  RecordBuffers buffers_;
  FlushThread flusher_;
  Beginning beginning_;
  std::atomic<bool> active_{false};
  std::atomic<bool> ending_{false};  // what other threads launch now is not waited for
  // Of file_, aggregation_ and what follows. Whoever has it calls neither the driver nor CUPTI.
  std::mutex writing_;
  std::set<std::uint32_t> devices_;
  std::vector<std::uint32_t> new_devices_;
  std::set<std::string> said_;
};

}  // namespace warpgauge::inject
