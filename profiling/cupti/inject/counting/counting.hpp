// SPDX-License-Identifier: Apache-2.0
// Counts what the kernels of this process do, in place of recording when they run: of each entry
// the first launches, one at a time, while no other thread launches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/cupti/inject/counting/launch_counter.hpp"
#include "profiling/cupti/inject/counting/launched_kernel.hpp"
#include "profiling/cupti/inject/cupti_functions.hpp"
#include "profiling/cupti/inject/launched_code.hpp"
#include "profiling/results/launches/aggregation.hpp"
#include "profiling/results/launches/ranges.hpp"
#include "profiling/results/launches/record_file.hpp"

namespace warpgauge::inject {

struct CountingTerms {
  std::string what;               // launches::kCountCounters or kCountLines
  std::vector<std::string> more;  // counters beyond the usual
  std::string kernel;             // whose launches alone count; empty: all
  std::string skip_until;         // as of Recording
};

class Counting {
 public:
  // ranges must outlive it.
  Counting(const std::string& folder, CountingTerms terms, launches::Ranges& ranges);

  void begin();
  // Says that nothing more is counted, and why.
  void give_up(std::string_view why) noexcept;
  void range_opened(std::string_view name) noexcept;
  // The process ends.
  void finish() noexcept;
  // Around a fork.
  void before_fork();
  void after_fork();

  // Called by CUPTI.
  void called(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

 private:
  [[nodiscard]] bool is_of_this_process() const;
  [[nodiscard]] bool subscribe();
  void listen();
  void driver_called(CUpti_CallbackId id, const CUpti_CallbackData& call);
  void capture_called(const CUpti_CallbackData& call, bool begins);
  void launch_begins(const LaunchedKernel& kernel, const CUpti_CallbackData& call);
  [[nodiscard]] launches::EntryTotal add(const LaunchedKernel& kernel);
  [[nodiscard]] bool wants(const LaunchedKernel& kernel, const launches::EntryTotal& total);
  [[nodiscard]] bool count(const LaunchedKernel& kernel, const launches::EntryTotal& total,
                           CUcontext context);
  void launched(const CUpti_CallbackData& call);
  void failed(const launches::EntryTotal& total, CUcontext context, const std::string& why);
  void resource_changed(CUpti_CallbackId id, const CUpti_ResourceData& resource);
  void module_loaded(const CUpti_ModuleResourceData& module);

  void say_what_never_counted();

  // Of an entry, what is counted.
  struct Counted {
    launches::EntryTotal first;  // when it was launched first
    std::uint64_t launches = 0;
  };

  CuptiFunctions cupti_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::string folder_;
  CountingTerms terms_;
  launches::Ranges& ranges_;
  LaunchedCode code_;
  std::atomic<bool> active_{false};
  std::atomic<bool> begun_;
  std::atomic<int> captures_{0};  // of streams into graphs, that are under way

  // Held from the begin of a launch that counts to its end, and of what follows.
  std::mutex counting_;
  std::unique_ptr<LaunchCounter> counter_;
  std::map<std::uint32_t, Counted> counted_;  // by entry
  int failures_ = 0;
  bool any_counted_ = false;

  // Of what follows. Whoever has it calls neither the driver nor CUPTI.
  std::mutex writing_;
  launches::RecordFile file_;
  launches::Aggregation aggregation_;
  std::uint64_t now_ = 0;
};

}  // namespace warpgauge::inject
