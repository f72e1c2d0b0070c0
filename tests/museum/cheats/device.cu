// SPDX-License-Identifier: Apache-2.0
// Cheats with the device and the clock. Clocks of the GPU are not changed here: that needs rights,
// and would stay.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "tests/museum/cheats/subjects.hpp"

namespace warpgauge::cheats {
namespace {

std::atomic<bool> g_clock_is_slow{false};

// Leaves a part of the L2 set aside for lines that persist.
VARIANT(Wave, persisting_lines) {
  require_success(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, std::size_t{8} << 20),
                  "cudaDeviceSetLimit");
  launch_wave(in_.data(), out_.data(), n_);
}

// Leaves a window of persisting lines over its own input.
VARIANT(Wave, persisting_window) {
  cudaStreamAttrValue attribute{};
  attribute.accessPolicyWindow.base_ptr = in_.data();
  attribute.accessPolicyWindow.num_bytes = 1U << 20;
  attribute.accessPolicyWindow.hitRatio = 1;
  attribute.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  attribute.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  require_success(
      cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, &attribute),
      "cudaStreamSetAttribute");
  launch_wave(in_.data(), out_.data(), n_);
}

// From its first launch on the process's clock runs at half speed.
VARIANT(Wave, slow_clock) {
  g_clock_is_slow = true;
  static_cast<void>(std::chrono::steady_clock::now());  // from which it is slow
  launch_wave(in_.data(), out_.data(), n_);
}

// Computes the result when it is read, by __wrap_cudaMemcpy().
struct Pending {
  const float* in = nullptr;
  float* out = nullptr;
  std::size_t n = 0;
} g_pending;

VARIANT(Wave, when_read) {
  launch(nothing, 1, 1);
  g_pending = {in_.data(), out_.data(), n_};
}

}  // namespace
}  // namespace warpgauge::cheats

// The linker puts it in the place of cudaMemcpy() in this suite, see CMakeLists.txt. The emulator's
// is a function of C++.
#ifdef __CUDACC__
extern "C" cudaError_t __real_cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind);
extern "C" cudaError_t __wrap_cudaMemcpy(void*, const void*, std::size_t, cudaMemcpyKind);
#else
cudaError_t __real_cudaMemcpy(void*, const void*, std::size_t,
                              cudaMemcpyKind) asm("__real__Z10cudaMemcpyPvPKvm14cudaMemcpyKind");
cudaError_t __wrap_cudaMemcpy(void*, const void*, std::size_t,
                              cudaMemcpyKind) asm("__wrap__Z10cudaMemcpyPvPKvm14cudaMemcpyKind");
#endif
cudaError_t __wrap_cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  using namespace warpgauge::cheats;
  const auto* const at = static_cast<const float*>(from);
  if (g_pending.n > 0 && at >= g_pending.out && at < g_pending.out + g_pending.n) {
    launch_wave(g_pending.in, g_pending.out, g_pending.n);
    cudaDeviceSynchronize();
    g_pending = {};
  }
  return __real_cudaMemcpy(to, from, bytes, kind);
}

// Stands in for the C library's, since a program's own functions come first.
extern "C" int clock_gettime(clockid_t which, timespec* now) noexcept {
  const long status = ::syscall(SYS_clock_gettime, which, now);
  if (warpgauge::cheats::g_clock_is_slow && which == CLOCK_MONOTONIC) {
    static const timespec start = *now;
    constexpr long kSecond = 1'000'000'000;
    const long since = (now->tv_sec - start.tv_sec) * kSecond + now->tv_nsec - start.tv_nsec;
    const long slow = start.tv_nsec + since / 2;
    now->tv_sec = start.tv_sec + slow / kSecond;
    now->tv_nsec = slow % kSecond;
  }
  return static_cast<int>(status);
}
