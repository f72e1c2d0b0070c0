// SPDX-License-Identifier: Apache-2.0
// Ids and metrics of what a program that is not a suite launched: RANGE/KERNEL/BLOCKS·THREADS is a
// kernel, RANGE a range, and `program` the whole.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace warpgauge::results {

// What is launched in no range is in this one, which is the whole program.
inline constexpr const char* kWholeProgram = "program";

// Between blocks and threads.
inline constexpr std::string_view kOfThreads = "·";

// Beside kTimeMetric, which is of one launch, or of all kernels of one time that a range was
// entered.
inline constexpr const char* kKernelLaunches = "kernel_launches";  // exact where they repeat
inline constexpr const char* kGpuTimeShare = "gpu_time_share";     // of the whole program's
inline constexpr const char* kGpuTime = "gpu_time";  // ns; of the program, where that is not timed
inline constexpr const char* kRangeLaunches = "range_launches";  // of all its kernels, likewise
inline constexpr const char* kRangeSpan = "range_span";          // first start to last end, ns
inline constexpr const char* kRangeIdle = "range_idle";          // of that, nothing ran
inline constexpr const char* kOtherTime = "other_kernels_time";  // ns, in small or changing kernels

// In place of a kernel's name. Those between memories of one GPU are work of the GPU like a
// kernel's; how long the others take is up to the host, or to another GPU.
inline constexpr const char* kCopyOnDevice = "memcpy-device-to-device";
inline constexpr const char* kCopyToDevice = "memcpy-host-to-device";
inline constexpr const char* kCopyToHost = "memcpy-device-to-host";
inline constexpr const char* kCopyOnHost = "memcpy-host-to-host";
inline constexpr const char* kCopyBetweenDevices = "memcpy-between-devices";
inline constexpr const char* kMemset = "memset-device";

struct ProgramKernel {
  std::string_view range;
  std::string_view kernel;
  std::string_view shape;
};

// Views of the id. Nothing: it is a range's.
[[nodiscard]] std::optional<ProgramKernel> program_kernel(std::string_view id);

// The range around this kernel or range; `program` is around those that have none. Empty: around
// the whole program there is nothing.
[[nodiscard]] std::string range_around(std::string_view id);

// Whether what has this name is no kernel but a copy or a memset.
[[nodiscard]] inline bool is_copy(std::string_view kernel) {
  return kernel.starts_with("memcpy-") || kernel == kMemset;
}

// … a copy that the host or another GPU takes part in.
[[nodiscard]] inline bool is_transfer(std::string_view kernel) {
  return kernel.starts_with("memcpy-") && kernel != kCopyOnDevice;
}

// Whether a kernel of this name is one by which processes or GPUs communicate, as NCCL's, RCCL's
// and NVSHMEM's are, or a transfer: its time is that of waiting for others.
[[nodiscard]] inline bool waits_for_others(std::string_view kernel) {
  return kernel.starts_with("nccl") || kernel.starts_with("rccl") ||
         kernel.starts_with("nvshmem") || is_transfer(kernel);
}

// The same of its symbol, mangled or not.
[[nodiscard]] inline bool symbol_waits_for_others(std::string_view symbol) {
  if (symbol.starts_with("_Z")) {
    symbol.remove_prefix(std::min(symbol.find_first_not_of("N0123456789", 2), symbol.size()));
  }
  return waits_for_others(symbol);
}

// Why the whole program has no time where its ranges have.
inline constexpr const char* kRangesAreTimed = "the program's ranges are timed";

// … and where its starts do not agree.
inline constexpr const char* kLaunchesDiffer =
    "its starts launch different numbers of kernels; put an NVTX range around what is to be judged";

}  // namespace warpgauge::results
