// SPDX-License-Identifier: Apache-2.0
// Records kernel executions by CUPTI for as long as the object lives.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "profiling/cupti/timing/kernel_samples.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

// A copy or a memory set, on the device's clock.
struct CopyRecord {
  std::uint64_t start_ns = 0;
  std::uint64_t end_ns = 0;
};

// One at a time in a process, since CUPTI has one set of callbacks.
class ActivitySession {
 public:
  // Throws CuptiError when CUPTI cannot record.
  ActivitySession();
  ActivitySession(const ActivitySession&) = delete;
  ActivitySession& operator=(const ActivitySession&) = delete;
  ~ActivitySession();

  // Returns the records since the last call. The device must be idle. Throws DeviceError when CUPTI
  // dropped any: the remaining ones would look like faster runs.
  [[nodiscard]] std::vector<KernelRecord> take_records();

  // Whether copies and memory sets are recorded, too. Throws CuptiError.
  void record_copies(bool records);

  // Those since the last call, apart from what take_records() returns; call it after that.
  [[nodiscard]] std::vector<CopyRecord> take_copies();

  // A launch; its kernel's name is the mangled symbol. which: KernelRecord::launch.
  [[nodiscard]] results::KernelLaunch launch(std::size_t which) const;

 private:
  struct Log;
  std::unique_ptr<Log> log_;

  static std::atomic<Log*> receiver_;
};

}  // namespace warpgauge::cupti
