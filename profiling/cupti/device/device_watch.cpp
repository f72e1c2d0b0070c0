// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/device/device_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace warpgauge::cupti {

DeviceWatch::DeviceWatch(const std::string& pci_bus_id, const std::string& library) {
  try {
    nvml_.emplace(library);
    device_.emplace(*nvml_, pci_bus_id);
  } catch (const NvmlError& error) {
    not_watched_ = error.what();
  }
  begin();
}

void DeviceWatch::begin() {
  before_.reset();
  others_before_.clear();
  others_unknown_.clear();
  not_measured_ = not_watched_;
}

std::optional<results::DeviceReading> DeviceWatch::read() {
  if (!device_) return std::nullopt;
  try {
    return device_->read();
  } catch (const NvmlError& error) {
    not_measured_ = error.what();
    return std::nullopt;
  }
}

bool DeviceWatch::slowed() {
  if (!device_) return false;
  if (!before_) {
    before_ = read();
    others_before_ = others_now();
  }
  return device_->slowed();
}

void DeviceWatch::finish(const Timing& timing, results::Record& record) {
  auto after = read();
  if (!before_ || !after) {
    record.not_measured["device_state"] =
        not_measured_.empty() ? "no sample was taken" : not_measured_;
    return;
  }
  if (timing.slowed_throughout) {
    record.remarks.emplace_back(
        "heat or the hardware slowed the device down while it was timed, for all samples, which "
        "therefore count: cool it, or look at its power supply");
  } else if (timing.discarded > 0) {
    record.remarks.push_back(fmt::format(
        "heat or the hardware slowed the device down while it was timed: {} of {} samples were "
        "discarded",
        timing.discarded, timing.samples_ns.size() + static_cast<std::size_t>(timing.discarded)));
  }
  record.device_state = {.before = *std::move(before_),
                         .after = *std::move(after),
                         .discarded_samples = timing.discarded,
                         .slowed_throughout = timing.slowed_throughout,
                         .other_processes = others_throughout()};
  if (!others_unknown_.empty()) record.not_measured["other_processes"] = others_unknown_;
}

std::vector<std::string> DeviceWatch::others_now() {
  try {
    return device_->other_processes();
  } catch (const NvmlError& error) {
    others_unknown_ = error.what();
    return {};
  }
}

// One that has just ended, or only looked at the device, was in nobody's way.
std::vector<std::string> DeviceWatch::others_throughout() {
  if (others_before_.empty()) return {};
  std::vector<std::string> others = others_now();
  std::erase_if(others, [&](const std::string& each) {
    return std::find(others_before_.begin(), others_before_.end(), each) == others_before_.end();
  });
  return others;
}

results::DeviceSettings DeviceWatch::settings() const {
  if (device_) return device_->settings();
  results::DeviceSettings settings;
  settings.not_measured = not_watched_;
  return settings;
}

}  // namespace warpgauge::cupti
