// SPDX-License-Identifier: Apache-2.0
// What CUPTI records of copies and memsets becomes launches, and the calls that make them are found
// in any CUPTI. Needs no GPU.
#include "profiling/cupti/inject/recording/copies.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "profiling/results/program_id.hpp"

namespace warpgauge::inject {
namespace {

constexpr std::uint64_t kBytes = (std::uint64_t{3} << 32U) + 256;

template <class Record>
Record made(CUpti_ActivityKind kind) {
  Record record{};
  record.kind = kind;
  record.bytes = kBytes;
  record.start = 1'000;
  record.end = 1'700;
  record.deviceId = 2;
  record.streamId = 7;
  record.correlationId = 41;
  return record;
}

template <class Record>
const CUpti_Activity& activity(const Record& record) {
  return reinterpret_cast<const CUpti_Activity&>(record);
}

std::string copied_as(std::uint8_t kind) {
  auto record = made<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  record.copyKind = kind;
  return copy_of(activity(record))->launch.kernel;
}

void expect_all_of_it(const std::optional<Copy>& copy) {
  ASSERT_TRUE(copy);
  EXPECT_EQ(copy->call, 41U);
  EXPECT_EQ(copy->launch.start_ns, 1'000U);
  EXPECT_EQ(copy->launch.end_ns, 1'700U);
  EXPECT_EQ(copy->launch.stream, 7U);
  EXPECT_EQ(copy->launch.alike.device, 2U);
  EXPECT_TRUE(launches::is_copy(copy->launch.alike));
  EXPECT_EQ(launches::copied_bytes(copy->launch.alike), kBytes);
}

TEST(Copies, AreNamedByTheMemoriesBetweenWhichTheyGo) {
  EXPECT_EQ(copied_as(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD), results::kCopyToDevice);
  EXPECT_EQ(copied_as(CUPTI_ACTIVITY_MEMCPY_KIND_HTOA), results::kCopyToDevice);
  EXPECT_EQ(copied_as(CUPTI_ACTIVITY_MEMCPY_KIND_DTOH), results::kCopyToHost);
  EXPECT_EQ(copied_as(CUPTI_ACTIVITY_MEMCPY_KIND_ATOH), results::kCopyToHost);
  EXPECT_EQ(copied_as(CUPTI_ACTIVITY_MEMCPY_KIND_DTOD), results::kCopyOnDevice);
  EXPECT_EQ(copied_as(CUPTI_ACTIVITY_MEMCPY_KIND_ATOD), results::kCopyOnDevice);
  EXPECT_EQ(copied_as(CUPTI_ACTIVITY_MEMCPY_KIND_HTOH), results::kCopyOnHost);
  EXPECT_EQ(copied_as(CUPTI_ACTIVITY_MEMCPY_KIND_PTOP), results::kCopyBetweenDevices);
}

TEST(Copies, AreLaunchesWithTheirBytes) {
  expect_all_of_it(copy_of(activity(made<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY))));
  expect_all_of_it(copy_of(activity(made<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2))));
  const auto memset = made<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  expect_all_of_it(copy_of(activity(memset)));
  EXPECT_STREQ(copy_of(activity(memset))->launch.kernel, results::kMemset);
  EXPECT_EQ(copy_of(activity(memset))->launch.alike.in_graph, 0U);
  auto of_graph = memset;
  of_graph.graphNodeId = 5;
  EXPECT_EQ(copy_of(activity(of_graph))->launch.alike.in_graph, 1U);
}

TEST(Copies, AreNothingElseAndHaveEnded) {
  EXPECT_FALSE(
      copy_of(activity(made<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL))));
  auto record = made<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY);
  record.end = 0;
  EXPECT_FALSE(copy_of(activity(record)));
  record.start = 0;
  EXPECT_FALSE(copy_of(activity(record)));
}

// What CUPTI was asked for.
std::vector<CUpti_ActivityKind> recorded;
std::vector<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>> listened;
CUpti_ActivityKind refused = CUPTI_ACTIVITY_KIND_INVALID;

CuptiFunctions fake_cupti() {
  recorded.clear();
  listened.clear();
  refused = CUPTI_ACTIVITY_KIND_INVALID;
  CuptiFunctions cupti;
  cupti.enable = [](CUpti_ActivityKind kind) {
    recorded.push_back(kind);
    return kind == refused ? CUPTI_ERROR_NOT_COMPATIBLE : CUPTI_SUCCESS;
  };
  cupti.enable_callback = [](std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                             CUpti_CallbackId id) {
    listened.emplace_back(domain, id);
    return CUPTI_SUCCESS;
  };
  cupti.callback_name = [](CUpti_CallbackDomain domain, CUpti_CallbackId id, const char** name) {
    const bool driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
    const std::vector<const char*> names =
        driver ? std::vector<const char*>{"cuInit",
                                          "cuMemAlloc_v2",
                                          "cuMemcpyHtoDAsync_v2_ptsz",
                                          "cuMemsetD8_v2",
                                          "cudaMemcpy",
                                          "cuGraphAddMemcpyNode",
                                          "cuGraphAddMemAllocNode"}
               : std::vector<const char*>{"cudaMalloc_v3020", "cudaMemcpy2D_v3020",
                                          "cudaMemset_v3020", "cudaMemPrefetchAsync_v8000"};
    if (id == 0 || id > names.size()) return CUPTI_ERROR_INVALID_PARAMETER;
    *name = names[id - 1];
    return CUPTI_SUCCESS;
  };
  return cupti;
}

TEST(Copies, AreMadeByCallsThatAreFoundByTheirNames) {
  CopyCalls calls;
  ASSERT_TRUE(calls.begin(fake_cupti(), nullptr));
  EXPECT_EQ(recorded.size(), 3U);
  using Call = std::pair<CUpti_CallbackDomain, CUpti_CallbackId>;
  std::sort(listened.begin(), listened.end());
  EXPECT_EQ(listened, (std::vector<Call>{{CUPTI_CB_DOMAIN_DRIVER_API, 3},
                                         {CUPTI_CB_DOMAIN_DRIVER_API, 4},
                                         {CUPTI_CB_DOMAIN_DRIVER_API, 6},
                                         {CUPTI_CB_DOMAIN_RUNTIME_API, 2},
                                         {CUPTI_CB_DOMAIN_RUNTIME_API, 3}}));
  EXPECT_TRUE(calls.contain(CUPTI_CB_DOMAIN_DRIVER_API, 3));
  EXPECT_FALSE(calls.contain(CUPTI_CB_DOMAIN_DRIVER_API, 2));
  EXPECT_FALSE(calls.contain(CUPTI_CB_DOMAIN_RUNTIME_API, 4));
  EXPECT_FALSE(calls.contain(CUPTI_CB_DOMAIN_RUNTIME_API, 60'000));
}

TEST(Copies, AreNotRecordedWhereCuptiRefuses) {
  const CuptiFunctions cupti = fake_cupti();
  refused = CUPTI_ACTIVITY_KIND_MEMSET;
  CopyCalls calls;
  EXPECT_FALSE(calls.begin(cupti, nullptr));
  EXPECT_TRUE(listened.empty());
  EXPECT_FALSE(calls.contain(CUPTI_CB_DOMAIN_DRIVER_API, 3));
}

}  // namespace
}  // namespace warpgauge::inject
