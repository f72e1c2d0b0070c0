// SPDX-License-Identifier: Apache-2.0
// Ranges that a program closes with a payload, as NCCL does, are closed.
#include <gtest/gtest.h>

// An older minor version than these headers have, as NCCL brings one along.
#define NVTX_EXT_PAYLOAD_COMPATID 0x0103
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "profiling/results/launches/format.hpp"

namespace warpgauge {
namespace {

// NVTX looks for the library at the first call of it.
TEST(PayloadRanges, AreOpenedAndClosed) {
  std::string folder = (std::filesystem::temp_directory_path() / "ranges_XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  ::setenv(launches::kFolderVariable, folder.c_str(), 1);
  ::setenv("NVTX_INJECTION64_PATH", INJECT, 1);

  const nvtxDomainHandle_t domain = nvtxDomainCreateA("library");
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = "init";
  const nvtxPayloadData_t payload{};
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(nvtxDomainRangePushEx(domain, &event), 0) << i;
    EXPECT_EQ(nvtxRangePushPayload(domain, &payload, 1), 1) << i;
    EXPECT_EQ(nvtxRangePopPayload(domain, &payload, 1), 1) << i;
    EXPECT_EQ(nvtxRangePopPayload(domain, &payload, 1), 0) << i;
  }
  EXPECT_LT(nvtxRangePopPayload(domain, &payload, 1), 0) << "none is open";
  const nvtxRangeId_t id = nvtxRangeStartPayload(domain, &payload, 1);
  EXPECT_NE(id, 0U);
  nvtxRangeEndPayload(domain, id, &payload, 1);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace warpgauge
