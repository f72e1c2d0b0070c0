// SPDX-License-Identifier: Apache-2.0
// One run at a time on one device.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace warpgauge::ci {

// Held while it exists, across all users of the machine; gone with the process, however it ends.
class DeviceLock {
 public:
  // Waits for another holder, calling `waiting` once if there is one.
  // Throws Error (not measured) after `patience`; Interrupted.
  DeviceLock(const std::string& uuid, std::chrono::milliseconds patience,
             const std::function<void()>& waiting);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace warpgauge::ci
