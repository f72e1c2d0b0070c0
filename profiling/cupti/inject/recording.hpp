// SPDX-License-Identifier: Apache-2.0
// Records the kernels of this process from the moment that CUDA is initialised, through CUPTI.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/cupti/inject/cupti_functions.hpp"
#include "profiling/results/launches/aggregation.hpp"
#include "profiling/results/launches/ranges.hpp"
#include "profiling/results/launches/record_file.hpp"

namespace warpgauge::inject {

// In which range each of the last million calls that launched something was made.
class CallRanges {
 public:
  CallRanges();
  void put(std::uint32_t correlation, std::uint32_t instance);
  [[nodiscard]] std::uint32_t find(std::uint32_t correlation) const;

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::atomic<std::uint64_t>[], Free> calls_;
};

class Recording {
 public:
  // ranges must outlive it. skip_until: recording begins when a range of this name is opened first;
  // empty: at once.
  Recording(const std::string& folder, std::string skip_until, launches::Ranges& ranges);

  void begin();
  void range_opened(std::string_view name);
  // All that can still be had, once; `replaced` may be followed by more where that failed.
  void finish(launches::End end);
  void not_replaced();
  // In a fork, which has neither CUDA nor this recording.
  void forget() { active_ = false; }
  [[nodiscard]] bool is_of_this_process() const;

  // Another library takes over the activity records of this process.
  void taken_over_by(const std::string& library);
  // Another library asked to be called by CUPTI, and is not.
  void found_no_place(const std::string& library);
  [[nodiscard]] const CuptiFunctions& cupti() const { return cupti_; }

  // Called by CUPTI.
  void called(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  [[nodiscard]] std::uint8_t* take_buffer();
  void completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t valid);

 private:
  [[nodiscard]] bool subscribe();
  [[nodiscard]] bool succeeded(CUptiResult result, const char* call);
  void launch_called(bool of_graph, const CUpti_CallbackData& call);
  void module_loaded(const CUpti_ModuleResourceData& module);
  void describe_device(std::uint32_t id);
  [[nodiscard]] launches::Launch launch_of(const CUpti_ActivityKernel9& kernel) const;
  void flush_now(bool forced);
  void flush_regularly();

  CuptiFunctions cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::string folder_;
  std::string skip_until_;
  launches::Ranges& ranges_;
  launches::RecordFile file_;
  launches::Aggregation aggregation_;
  CallRanges call_ranges_;
  std::atomic<bool> active_{false};
  std::atomic<bool> finished_{false};
  std::atomic<std::uint64_t> from_ns_{0};  // what started before is not recorded
  std::mutex writing_;                     // of file_ and aggregation_
  std::timed_mutex flushing_;
  std::set<std::uint32_t> devices_;
  std::vector<std::uint8_t*> free_buffers_;
  std::mutex buffers_;
  bool taken_over_ = false;
  bool found_no_place_ = false;
};

}  // namespace warpgauge::inject
