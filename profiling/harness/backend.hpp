// SPDX-License-Identifier: Apache-2.0
// The interface behind which a benchmark runs: an NVIDIA GPU (profiling/cupti) or the emulator
// (profiling/emulator). A suite links one of them. No CUDA here.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiling/harness/device_memory.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge {

// The device or its driver failed, or there is no device. The message says what to do.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The device has no such counter, or CUPTI no such chip. The message suggests similar names.
class UnknownName : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The benchmark does not do what it claims: it works outside of the timed part, or returns an old
// result. The message says what was seen and what to do.
class Untrusted : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

// A result is not what the reference says.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A benchmark as a backend runs it.
struct Workload {
  std::function<void()> launch;  // enqueues all kernels once
  // Moves the data to another place in device memory; `launch` uses it there. Absent: it stays.
  std::function<void()> relocate = {};
  // Keep what the last launch left in the caches. If false, the caches are flushed before each
  // sample.
  bool hot = false;
  std::uint64_t memory_bytes = 0;  // device memory that the fixture holds
  // Whether the record's lines are wanted, where counting gives them.
  bool lines = true;
  // Replaces the input by one that no launch has seen, and erases the result. An ordinary launch
  // follows, and then, on an idle device, `settle`, which checks all that the launch did and throws
  // WrongResult or Untrusted. `relocate` then restores the usual input. The backend chooses a
  // moment that the benchmark cannot predict. Absent: there is no such check.
  std::function<void()> surprise = {};
  std::function<void()> settle = {};
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

  // Throws DeviceError when there is no usable device.
  [[nodiscard]] virtual results::Device device() = 0;

  // The device's settings; absent when this kind of device has no settings. Throws DeviceError when
  // there is no device.
  [[nodiscard]] virtual std::optional<results::DeviceSettings> settings() { return std::nullopt; }

  // Settings that a benchmark could change in favour of later ones, by name: limits of the device,
  // how its caches are split, its clocks. Throws DeviceError.
  [[nodiscard]] virtual std::map<std::string, std::string> state() { return {}; }

  // Whether this pass checks the current benchmark for cheating: with input that it has not seen,
  // and by state() before and after. The benchmark cannot predict the answer.
  [[nodiscard]] virtual bool inspects(results::Pass /*pass*/) { return true; }

  // Adds counters to the counters pass, by the vendor's names. Returns how often each kernel will
  // run in that pass; absent: unknown until it runs. Throws UnknownName, and DeviceError when there
  // is no device.
  virtual std::optional<int> select_counters(const std::vector<std::string>& names) {
    throw UnknownName("this device has no counter " + names.front() +
                      ": it has only those that it always counts");
  }

  // From now on the time pass takes more samples of each benchmark, so that processes differ by
  // less.
  virtual void take_more_samples() {}

  // Called before a benchmark's data are made for this pass, so that the backend decides where they
  // lie.
  virtual void place_data(results::Pass /*pass*/) {}

  // A hash of the contents of these blocks, their sizes and their order, as 16 hexadecimal digits.
  // Empty: the device cannot compute it, or there is no block. Throws DeviceError.
  [[nodiscard]] virtual std::string digest(std::span<const DeviceBlock> /*blocks*/) { return ""; }

  // Runs the benchmark as often as the pass needs and fills the record's samples, counters and
  // lines, or its not_measured. The device is idle on return. Throws DeviceError when the benchmark
  // itself fails.
  virtual void observe(results::Pass pass, const Workload& workload, results::Record& record) = 0;

  // Runs `launch` once, without warm-up, between the marks at which profilers start and stop, and
  // measures nothing. Throws DeviceError like observe, and on a device without profilers.
  virtual void profile(const std::function<void()>& /*launch*/, results::Record& /*record*/) {
    throw DeviceError("there are no profilers for this device; use the suite for GPUs");
  }
};

// Each backend defines it once. It must not touch the device.
[[nodiscard]] std::unique_ptr<Backend> make_backend();

}  // namespace warpgauge
