// SPDX-License-Identifier: Apache-2.0
// The device's sensors and settings, by a library that answers in NVML's place.
#include "profiling/cupti/device/nvml.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/cupti/device/device_watch.hpp"
#include "tests/profiling/cupti/fake_nvml.hpp"

namespace warpgauge::cupti {
namespace {

using Reasons = std::vector<std::string>;
using results::DeviceReading;
using results::DeviceSettings;

constexpr const char* kBusId = "0000:19:00.0";

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const NvmlError& error) {
    return error.what();
  }
  return "";
}

class FakeDevice : public testing::Test {
 protected:
  explicit FakeDevice(const char* library = FAKE_NVML) : library_(library) {
    fake_ = reinterpret_cast<FakeNvmlAnswers>(dlsym(own_.get(), "fake_nvml_answers"))();
    *fake_ = FakeNvml();
  }

  [[nodiscard]] NvmlDevice device() {
    if (!nvml_) nvml_.emplace(library_);
    return {*nvml_, kBusId};
  }

  struct Close {
    void operator()(void* library) const { dlclose(library); }
  };
  std::string library_;
  std::unique_ptr<void, Close> own_{dlopen(library_.c_str(), RTLD_NOW)};
  FakeNvml* fake_ = nullptr;
  std::optional<Nvml> nvml_;
};

using NvmlLoading = FakeDevice;

TEST_F(NvmlLoading, AnAbsentLibraryIsNamed) {
  const std::string error = error_of([] { Nvml("libno-such-nvml.so.1"); });
  EXPECT_NE(error.find("there is no libno-such-nvml.so.1"), error.npos) << error;
}

TEST_F(NvmlLoading, ALibraryThatIsNotNvmlIsNamed) {
  const std::string error = error_of([] { Nvml{FAKE_NVML_NONE}; });
  EXPECT_NE(error.find("lacks nvmlInit_v2"), error.npos) << error;
}

TEST_F(NvmlLoading, AFailedStartHasNvmlsReasonAndIsNotEnded) {
  fake_->results["nvmlInit_v2"] = 15;
  const std::string error = error_of([&] { Nvml{library_}; });
  EXPECT_EQ(error, "nvmlInit_v2 failed: GPU is lost (NVML's error 15)");
  EXPECT_EQ(fake_->users, 0);
}

TEST_F(NvmlLoading, WhatWasStartedIsEnded) {
  {
    const Nvml nvml(library_);
    EXPECT_EQ(fake_->users, 1);
    EXPECT_EQ(nvml.driver_version(), "580.1.2");
  }
  EXPECT_EQ(fake_->users, 0);
}

TEST_F(NvmlLoading, AnUnknownDeviceIsAnError) {
  fake_->results["nvmlDeviceGetHandleByPciBusId_v2"] = 6;
  const std::string error = error_of([&] { (void)device(); });
  EXPECT_EQ(error, "nvmlDeviceGetHandleByPciBusId_v2 failed: Some error (NVML's error 6)");
  EXPECT_EQ(fake_->asked_for, kBusId);
}

using NvmlReading = FakeDevice;

TEST_F(NvmlReading, HasItsUnits) {
  const DeviceReading reading = device().read();
  EXPECT_EQ(reading.sm_clock_mhz, 1980);
  EXPECT_EQ(reading.memory_clock_mhz, 3201);
  EXPECT_DOUBLE_EQ(reading.power_w.value_or(0), 412.345);
  EXPECT_DOUBLE_EQ(reading.power_limit_w.value_or(0), 700);
  EXPECT_EQ(reading.temperature_c, 41);
  EXPECT_EQ(reading.slowed_by, Reasons());
}

TEST_F(NvmlReading, WhatTheDeviceDoesNotGiveIsAbsentAndNotZero) {
  fake_->results["nvmlDeviceGetPowerUsage"] = 3;
  fake_->results["nvmlDeviceGetTemperature"] = 15;
  fake_->results["nvmlDeviceGetCurrentClocksEventReasons"] = 3;
  fake_->results["nvmlDeviceGetCurrentClocksThrottleReasons"] = 3;
  const DeviceReading reading = device().read();
  EXPECT_EQ(reading.power_w, std::nullopt);
  EXPECT_EQ(reading.temperature_c, std::nullopt);
  EXPECT_EQ(reading.slowed_by, std::nullopt);
  EXPECT_EQ(reading.sm_clock_mhz, 1980);
  fake_->reasons = 0x40;
  EXPECT_FALSE(device().slowed());
}

TEST_F(NvmlReading, ADeviceThatGivesNothingIsAnError) {
  for (const char* call :
       {"nvmlDeviceGetClockInfo", "nvmlDeviceGetPowerUsage", "nvmlDeviceGetEnforcedPowerLimit",
        "nvmlDeviceGetTemperature", "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons"}) {
    fake_->results[call] = 15;
  }
  EXPECT_NE(error_of([&] { (void)device().read(); }), "");
}

TEST_F(NvmlReading, NamesTheReasonsAndKnowsWhichSlow) {
  const std::pair<unsigned long long, std::pair<const char*, bool>> kReasons[] = {
      {0x1, {"idle", false}},
      {0x2, {"application_clocks", false}},
      {0x4, {"software_power_cap", false}},
      {0x8, {"hardware_slowdown", true}},
      {0x10, {"sync_boost", false}},
      {0x20, {"software_thermal_slowdown", true}},
      {0x40, {"hardware_thermal_slowdown", true}},
      {0x80, {"hardware_power_brake", true}},
      {0x100, {"display_clocks", false}},
      {0x4000, {"unknown_0x4000", false}}};
  for (const auto& [bit, expected] : kReasons) {
    fake_->reasons = bit;
    EXPECT_EQ(device().read().slowed_by, Reasons{expected.first});
    EXPECT_EQ(device().slowed(), expected.second) << expected.first;
  }
  fake_->reasons = 0x4 | 0x40;
  EXPECT_EQ(device().read().slowed_by,
            (Reasons{"software_power_cap", "hardware_thermal_slowdown"}));
  EXPECT_TRUE(device().slowed());
}

TEST_F(NvmlReading, OfTheSettings) {
  const DeviceSettings settings = device().settings();
  EXPECT_EQ(settings.sm_clock_mhz, 1880);
  EXPECT_EQ(settings.memory_clock_mhz, 3101);
  EXPECT_EQ(settings.most_sm_clock_mhz, 2080);
  EXPECT_EQ(settings.most_memory_clock_mhz, 3301);
  EXPECT_DOUBLE_EQ(settings.power_limit_w.value_or(0), 700);
  EXPECT_DOUBLE_EQ(settings.usual_power_limit_w.value_or(0), 701);
  EXPECT_EQ(settings.ecc, true);
  EXPECT_EQ(settings.mig, false);
  EXPECT_EQ(settings.persistence, true);
  EXPECT_EQ(settings.not_measured, "");
}

TEST_F(NvmlReading, NamesTheOtherProcessesOnTheDevice) {
  const auto own = static_cast<unsigned>(::getpid());
  const auto why_unknown = [&] { return error_of([&] { (void)device().other_processes(); }); };
  EXPECT_NE(why_unknown().find("does not list this process"), std::string::npos) << "nobody";
  fake_->processes = {{461, "/opt/bin/python3"}};
  EXPECT_NE(why_unknown().find("--pid=host"), std::string::npos) << "numbers of another machine's";
  fake_->processes[own] = "/build/suite_gpu";
  EXPECT_EQ(device().other_processes(), std::vector<std::string>{"python3 (process 461)"});
  fake_->results["nvmlSystemGetProcessName"] = 4;
  EXPECT_EQ(device().other_processes(), std::vector<std::string>{"another program (process 461)"});
  fake_->processes.erase(461);
  EXPECT_EQ(device().other_processes(), std::vector<std::string>());
  fake_->results["nvmlDeviceGetComputeRunningProcesses_v3"] = 4;
  EXPECT_NE(why_unknown().find("nvmlDeviceGetComputeRunningProcesses_v3 failed"),
            std::string::npos);
}

TEST_F(NvmlReading, AProcessOfAnotherInstanceOfMigIsInNobodysWay) {
  const auto own = static_cast<unsigned>(::getpid());
  fake_->processes = {{own, "suite_gpu"}, {461, "/bin/python3"}, {462, "/bin/train"}};
  fake_->gpu_instances = {{own, 2}, {461, 1}, {462, 2}};
  EXPECT_EQ(device().other_processes(), std::vector<std::string>{"train (process 462)"});
}

class OldNvml : public FakeDevice {
 protected:
  OldNvml() : FakeDevice(FAKE_NVML_OLD) {}
};

TEST_F(OldNvml, WhatItLacksIsAbsent) {
  fake_->reasons = 0x40;
  const DeviceReading reading = device().read();
  EXPECT_EQ(reading.sm_clock_mhz, 1980);
  EXPECT_EQ(reading.power_w, std::nullopt);
  EXPECT_EQ(reading.slowed_by, Reasons{"hardware_thermal_slowdown"}) << "by the call's old name";
  EXPECT_TRUE(device().slowed());
  EXPECT_EQ(device().settings().ecc, true);
  EXPECT_EQ(device().settings().mig, std::nullopt);
}

TEST_F(OldNvml, WithoutAnySettingItSaysSo) {
  fake_->results["nvmlDeviceGetEccMode"] = 3;
  EXPECT_NE(device().settings().not_measured, "");
}

using Watch = FakeDevice;

Timing timing_of(int kept, int discarded) {
  Timing timing;
  timing.samples_ns.assign(static_cast<std::size_t>(kept), 1.0);
  timing.discarded = discarded;
  return timing;
}

TEST_F(Watch, ReadsBeforeTheFirstSampleAndAfterTheLast) {
  fake_->processes = {{static_cast<unsigned>(::getpid()), "suite_gpu"}};
  DeviceWatch watch(kBusId, library_);
  for (const unsigned degrees : {40U, 60U}) {
    watch.begin();
    fake_->temperature_c = degrees;
    EXPECT_FALSE(watch.slowed());
    fake_->temperature_c = degrees + 5;
    fake_->reasons = 0x20;
    EXPECT_TRUE(watch.slowed());
    fake_->temperature_c = degrees + 10;
    fake_->reasons = 0;
    results::Record record;
    watch.finish(timing_of(70, 30), record);
    ASSERT_TRUE(record.device_state.has_value());
    EXPECT_EQ(record.device_state->before.temperature_c, degrees);
    EXPECT_EQ(record.device_state->after.temperature_c, degrees + 10);
    EXPECT_EQ(record.device_state->discarded_samples, 30);
    ASSERT_EQ(record.remarks.size(), 1U);
    EXPECT_NE(record.remarks[0].find("30 of 100 samples were discarded"), std::string::npos)
        << record.remarks[0];
    EXPECT_TRUE(record.not_measured.empty());
  }
}

TEST_F(Watch, ASlowdownOfAllSamplesIsRemarked) {
  DeviceWatch watch(kBusId, library_);
  (void)watch.slowed();
  Timing timing = timing_of(100, 0);
  timing.slowed_throughout = true;
  results::Record record;
  watch.finish(timing, record);
  EXPECT_TRUE(record.device_state.value().slowed_throughout);
  ASSERT_EQ(record.remarks.size(), 1U);
  EXPECT_NE(record.remarks[0].find("for all samples"), std::string::npos);
}

TEST_F(Watch, AnUndisturbedBenchmarkHasNoRemark) {
  DeviceWatch watch(kBusId, library_);
  fake_->reasons = 0x4;  // the power cap
  EXPECT_FALSE(watch.slowed());
  results::Record record;
  watch.finish(timing_of(100, 0), record);
  EXPECT_TRUE(record.remarks.empty());
  EXPECT_EQ(record.device_state.value().before.slowed_by, Reasons{"software_power_cap"});
}

TEST_F(Watch, AProcessThatIsThereFromBeginToEndIsNamed) {
  const auto own = static_cast<unsigned>(::getpid());
  DeviceWatch watch(kBusId, library_);
  const auto others = [&](const std::map<unsigned, std::string>& before,
                          const std::map<unsigned, std::string>& after) {
    watch.begin();
    fake_->processes = before;
    (void)watch.slowed();
    fake_->processes = after;
    results::Record record;
    watch.finish({.samples_ns = {1}, .method = ""}, record);
    return record.device_state->other_processes;
  };
  const std::map<unsigned, std::string> alone{{own, "suite_gpu"}};
  const std::map<unsigned, std::string> shared{{own, "suite_gpu"}, {461, "/bin/python3"}};
  EXPECT_EQ(others(shared, shared), std::vector<std::string>{"python3 (process 461)"});
  EXPECT_EQ(others(alone, shared), std::vector<std::string>()) << "it has just come";
  EXPECT_EQ(others(shared, alone), std::vector<std::string>()) << "… or gone";
  EXPECT_EQ(others(alone, alone), std::vector<std::string>());
}

TEST_F(Watch, WhereNobodyKnowsWhoElseIsThereTheReasonIsRecorded) {
  DeviceWatch watch(kBusId, library_);
  fake_->processes = {{461, "/bin/python3"}};
  (void)watch.slowed();
  results::Record record;
  watch.finish(timing_of(100, 0), record);
  EXPECT_TRUE(record.device_state.value().other_processes.empty());
  EXPECT_NE(record.not_measured.at("other_processes").find("does not list this process"),
            std::string::npos);

  fake_->processes[static_cast<unsigned>(::getpid())] = "suite_gpu";
  watch.begin();
  (void)watch.slowed();
  results::Record known;
  watch.finish(timing_of(100, 0), known);
  EXPECT_TRUE(known.not_measured.empty()) << "of the last benchmark";
}

TEST_F(Watch, WithoutNvmlTheReasonIsRecordedAndNothingSlowed) {
  DeviceWatch watch(kBusId, "libno-such-nvml.so.1");
  watch.begin();
  EXPECT_FALSE(watch.slowed());
  results::Record record;
  watch.finish(timing_of(100, 0), record);
  EXPECT_FALSE(record.device_state.has_value());
  EXPECT_NE(record.not_measured.at("device_state").find("libno-such-nvml.so.1"), std::string::npos);
  EXPECT_EQ(watch.settings().not_measured, record.not_measured.at("device_state"));
}

TEST_F(Watch, ADeviceThatIsLostMeanwhileIsNotMeasured) {
  DeviceWatch watch(kBusId, library_);
  (void)watch.slowed();
  for (const char* call :
       {"nvmlDeviceGetClockInfo", "nvmlDeviceGetPowerUsage", "nvmlDeviceGetEnforcedPowerLimit",
        "nvmlDeviceGetTemperature", "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons"}) {
    fake_->results[call] = 15;
  }
  results::Record record;
  watch.finish(timing_of(100, 0), record);
  EXPECT_FALSE(record.device_state.has_value());
  EXPECT_NE(record.not_measured.at("device_state").find("neither clocks"), std::string::npos);
}

}  // namespace
}  // namespace warpgauge::cupti
