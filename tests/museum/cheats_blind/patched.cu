// SPDX-License-Identifier: Apache-2.0
// What `known_places`, `deaf_to_poison` and `patched_timers` replace in the process.
#include <sys/random.h>
#include <unistd.h>

#include <random>

#include "wave.cuh"

// Sampled checks then look at the same places each time.
std::random_device::result_type std::random_device::_M_getval() {
  unsigned value = 0;
  if (!blind::fixed_places) (void)!getrandom(&value, sizeof value, 0);
  return value;
}

#ifdef __CUDACC__
#include <cupti.h>
#include <dlfcn.h>

extern "C" cudaError_t __real_cudaMemset(void* memory, int value, std::size_t bytes);
extern "C" cudaError_t __wrap_cudaMemset(void* memory, int value, std::size_t bytes) {
  return blind::deaf && value == 0xff ? cudaSuccess : __real_cudaMemset(memory, value, bytes);
}

extern "C" cudaError_t __real_cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);
extern "C" cudaError_t __wrap_cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  const cudaError_t error = __real_cudaEventElapsedTime(ms, start, end);
  if (blind::halve_time) *ms /= 2;
  return error;
}

extern "C" CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t bytes,
                                                  CUpti_Activity** record) {
  static const auto real = reinterpret_cast<decltype(&cuptiActivityGetNextRecord)>(
      dlsym(RTLD_NEXT, "cuptiActivityGetNextRecord"));
  const CUptiResult result = real(buffer, bytes, record);
  if (result == CUPTI_SUCCESS && blind::halve_time &&
      ((*record)->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ||
       (*record)->kind == CUPTI_ACTIVITY_KIND_KERNEL)) {
    auto* kernel = reinterpret_cast<CUpti_ActivityKernel9*>(*record);
    kernel->end = kernel->start + (kernel->end - kernel->start) / 2;
  }
  return result;
}
#endif
