// SPDX-License-Identifier: Apache-2.0
#include "profiling/results/host_calls.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace warpgauge::results {
namespace {

HostCalls of(const char* function) {
  HostCalls calls;
  calls.count(function);
  return calls;
}

TEST(HostCalls, AreToldByTheNamesOfTheDriversFunctions) {
  for (const char* copy : {"cuMemcpyHtoD_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpy2D_v2",
                           "cuMemcpyPeerAsync", "cudaMemcpyAsync", "cuMemcpyBatchAsync"}) {
    EXPECT_EQ(of(copy), (HostCalls{.copies = 1})) << copy;
  }
  for (const char* set : {"cuMemsetD32Async", "cuMemsetD8_v2", "cudaMemset2D"}) {
    EXPECT_EQ(of(set), (HostCalls{.memory_sets = 1})) << set;
  }
  for (const char* allocation :
       {"cuMemAlloc_v2", "cuMemAllocAsync_ptsz", "cuMemHostAlloc", "cuMemAllocHost_v2",
        "cuMemAllocManaged", "cuMemCreate", "cuArrayCreate_v2", "cudaMalloc", "cudaHostAlloc"}) {
    EXPECT_EQ(of(allocation), (HostCalls{.allocations = 1})) << allocation;
  }
  for (const char* free : {"cuMemFree_v2", "cuMemFreeAsync", "cuMemFreeHost", "cuMemRelease",
                           "cuArrayDestroy", "cudaFree", "cudaFreeHost"}) {
    EXPECT_EQ(of(free), (HostCalls{.frees = 1})) << free;
  }
  for (const char* wait : {"cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize",
                           "cuCtxSynchronize_v2", "cudaDeviceSynchronize"}) {
    EXPECT_EQ(of(wait), (HostCalls{.synchronizations = 1})) << wait;
  }
  for (const char* other : {"cuLaunchKernel", "cuMemGetInfo_v2", "cuPointerGetAttribute",
                            "cuStreamWaitEvent", "cuMemMap", "cuMemPoolCreate", ""}) {
    EXPECT_EQ(of(other), HostCalls()) << other;
  }
}

TEST(HostCalls, BecomeMetrics) {
  const HostCalls calls{.copies = 1, .frees = 2, .most_bytes = 30};
  EXPECT_EQ(host_metrics(calls, 1000),
            (std::map<std::string, double>{{"copies", 1},
                                           {"memory_sets", 0},
                                           {"allocations", 0},
                                           {"frees", 2},
                                           {"synchronizations", 0},
                                           {"peak_memory_bytes", 1030}}));
  const HostCalls of_unknown_size{.allocations = 1, .most_bytes = std::nullopt};
  EXPECT_FALSE(host_metrics(of_unknown_size, 1000).contains(kPeakMemoryMetric));
  for (const auto& [metric, value] : host_metrics(calls, 0)) EXPECT_TRUE(is_host_metric(metric));
  EXPECT_FALSE(is_host_metric("span"));
}

}  // namespace
}  // namespace warpgauge::results
