// SPDX-License-Identifier: Apache-2.0
// What can run and observe a benchmark: an NVIDIA GPU (profiling/cupti) or the emulator
// (profiling/emulator). A suite is linked with one of them. No CUDA here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiling/results/record.hpp"

namespace warpgauge {

// The device or its driver reported an error, or there is none. The message says what to do.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A counter or a chip that is not there. The message names those that may be meant.
class UnknownName : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A benchmark as a backend runs it.
struct Workload {
  std::function<void()> launch;  // enqueues all kernels once
  // Puts the data elsewhere in the device's memory, where `launch` finds it; absent: it stays.
  std::function<void()> place_anew = {};
  // Time it with what its last launch left in the caches; otherwise they hold none of its data.
  bool hot = false;
};

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual results::DeviceKind kind() const = 0;

  // Passes that this backend offers, the default first. Needs no device.
  [[nodiscard]] virtual std::vector<results::Pass> passes() const = 0;

  [[nodiscard]] virtual results::Toolchain toolchain() const = 0;

  // Throws DeviceError when there is no device that can be used.
  [[nodiscard]] virtual results::Device device() = 0;

  // How the device is set up; absent when that is no question for this kind of device. Throws
  // DeviceError when there is no device.
  [[nodiscard]] virtual std::optional<results::DeviceSettings> settings() { return std::nullopt; }

  // Has the counters pass count these as well, by the names that the device's maker gave them, and
  // returns how often each kernel will run in that pass; absent: not known before it does. Throws
  // UnknownName, and DeviceError when there is no device.
  virtual std::optional<int> select_counters(const std::vector<std::string>& names) {
    throw UnknownName("this device has no counter " + names.front() +
                      " nor any other than those that it always counts");
  }

  // Runs the benchmark as often as the pass needs, and fills in the samples, counters and lines of
  // the record, or says what was not measured. The device is idle on return. Throws DeviceError
  // when the benchmark itself fails.
  virtual void observe(results::Pass pass, const Workload& workload, results::Record& record) = 0;

  // Runs `launch` once, without warm-up, between marks at which profilers start and stop. Nothing
  // is measured. Throws DeviceError as observe, and on a device that has no profilers.
  virtual void profile(const std::function<void()>& /*launch*/, results::Record& /*record*/) {
    throw DeviceError("there are no profilers for this device; use the suite for GPUs");
  }
};

// Defined once in each backend. Must not touch the device.
[[nodiscard]] std::unique_ptr<Backend> make_backend();

}  // namespace warpgauge
