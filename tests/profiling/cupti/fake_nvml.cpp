// SPDX-License-Identifier: Apache-2.0
// A library with the calls of NVML that are used. Built with FAKE_NVML_IS_OLD it lacks those that
// came later; with FAKE_NVML_IS_NONE it has nothing of NVML's.
#include "tests/profiling/cupti/fake_nvml.hpp"

#include <cstring>

using warpgauge::FakeNvml;

namespace {

FakeNvml& fake() {
  static FakeNvml instance;
  return instance;
}

#ifndef FAKE_NVML_IS_NONE
int result_of(const char* call) {
  const auto found = fake().results.find(call);
  return found == fake().results.end() ? 0 : found->second;
}

int give(const char* call, unsigned* to, unsigned value) {
  *to = value;
  return result_of(call);
}

unsigned clock_of(int type) {
  // 1 is the clock of the multiprocessors, 2 that of the memory.
  return type == 1 ? fake().sm_clock_mhz : type == 2 ? fake().memory_clock_mhz : 1;
}
#endif

}  // namespace

extern "C" {

using Device = void*;

FakeNvml* fake_nvml_answers() { return &fake(); }

#ifndef FAKE_NVML_IS_NONE
int nvmlInit_v2() {
  const int result = result_of("nvmlInit_v2");
  if (result == 0) ++fake().users;
  return result;
}
int nvmlShutdown() {
  --fake().users;
  return 0;
}
const char* nvmlErrorString(int result) { return result == 15 ? "GPU is lost" : "Some error"; }
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  std::strncpy(version, "580.1.2", length);
  return result_of("nvmlSystemGetDriverVersion");
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* id, Device* device) {
  fake().asked_for = id;
  *device = &fake();
  return result_of("nvmlDeviceGetHandleByPciBusId_v2");
}
int nvmlDeviceGetClockInfo(Device device, int type, unsigned* clock) {
  if (device != &fake()) return 2;
  return give("nvmlDeviceGetClockInfo", clock, clock_of(type));
}
int nvmlDeviceGetCurrentClocksThrottleReasons(Device, unsigned long long* reasons) {
  *reasons = fake().reasons;
  return result_of("nvmlDeviceGetCurrentClocksThrottleReasons");
}
int nvmlDeviceGetTemperature(Device, int sensor, unsigned* degrees) {
  return give("nvmlDeviceGetTemperature", degrees, sensor == 0 ? fake().temperature_c : 0);
}
int nvmlDeviceGetEccMode(Device, unsigned* current, unsigned* pending) {
  *pending = 1 - fake().ecc;
  return give("nvmlDeviceGetEccMode", current, fake().ecc);
}
#ifndef FAKE_NVML_IS_OLD
int nvmlDeviceGetCurrentClocksEventReasons(Device, unsigned long long* reasons) {
  *reasons = fake().reasons;
  return result_of("nvmlDeviceGetCurrentClocksEventReasons");
}
int nvmlDeviceGetPowerUsage(Device, unsigned* milliwatts) {
  return give("nvmlDeviceGetPowerUsage", milliwatts, fake().power_mw);
}
int nvmlDeviceGetEnforcedPowerLimit(Device, unsigned* milliwatts) {
  return give("nvmlDeviceGetEnforcedPowerLimit", milliwatts, fake().power_limit_mw);
}
int nvmlDeviceGetPowerManagementDefaultLimit(Device, unsigned* milliwatts) {
  return give("nvmlDeviceGetPowerManagementDefaultLimit", milliwatts, fake().power_limit_mw + 1000);
}
int nvmlDeviceGetApplicationsClock(Device, int type, unsigned* clock) {
  return give("nvmlDeviceGetApplicationsClock", clock, clock_of(type) - 100);
}
int nvmlDeviceGetMaxClockInfo(Device, int type, unsigned* clock) {
  return give("nvmlDeviceGetMaxClockInfo", clock, clock_of(type) + 100);
}
struct Process {
  unsigned id;
  unsigned long long memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};
int nvmlDeviceGetComputeRunningProcesses_v3(Device, unsigned* count, Process* processes) {
  const unsigned room = *count;
  *count = 0;
  for (const auto& [id, path] : fake().processes) {
    if (*count < room) processes[(*count)++] = {id, 1 << 20, fake().gpu_instances[id], 0};
  }
  return result_of("nvmlDeviceGetComputeRunningProcesses_v3");
}
int nvmlSystemGetProcessName(unsigned id, char* name, unsigned length) {
  std::strncpy(name, fake().processes[id].c_str(), length);
  return result_of("nvmlSystemGetProcessName");
}
int nvmlDeviceGetMigMode(Device, unsigned* current, unsigned* pending) {
  *pending = 1 - fake().mig;
  return give("nvmlDeviceGetMigMode", current, fake().mig);
}
int nvmlDeviceGetPersistenceMode(Device, unsigned* mode) {
  return give("nvmlDeviceGetPersistenceMode", mode, fake().persistence);
}
#endif
#endif
}
