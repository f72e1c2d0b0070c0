// SPDX-License-Identifier: Apache-2.0
// Traces of lanes, merged as SIMT hardware would run them.
#include "profiling/emulator/execution/warp_merge.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace warpgauge::emulator {
namespace {

Record load(std::uint32_t pc, std::uint16_t depth = 1) {
  return {pc * 16, pc, 4, RecordKind::load, depth};
}
Record block(std::uint32_t pc, std::uint16_t depth = 1) {
  return {0, pc, 0, RecordKind::block_entry, depth};
}

using Merged = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // pc, lanes

struct Result {
  Merged requests;
  std::vector<std::size_t> left;  // records of each lane
};

Result merge(const std::vector<std::vector<Record>>& lanes, std::uint32_t continuing = 0) {
  std::vector<LaneTrace> traces;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const auto& records = lanes[lane];
    traces.push_back(
        {records.data(), records.data() + records.size(), (continuing >> lane & 1U) != 0});
  }
  Result result;
  merge_traces(traces, [&](const Request& request) {
    result.requests.emplace_back(request.record.pc, request.lanes);
  });
  for (const LaneTrace& trace : traces) {
    result.left.push_back(static_cast<std::size_t>(trace.end - trace.next));
  }
  return result;
}

TEST(WarpMerge, LanesAtOnePlaceMakeOneRequest) {
  EXPECT_EQ(merge({{load(10), load(20)}, {load(10), load(20)}}).requests,
            (Merged{{10, 3}, {20, 3}}));
}

TEST(WarpMerge, BothSidesOfABranchRunBeforeWhatFollows) {
  EXPECT_EQ(merge({{load(10), load(40)}, {load(30), load(40)}}).requests,
            (Merged{{10, 1}, {30, 2}, {40, 3}}));
}

// A loop from 10 to 20; lane 1 leaves a turn earlier and waits behind it.
TEST(WarpMerge, LanesThatLeaveALoopWaitForTheOthers) {
  EXPECT_EQ(
      merge({{load(10), load(20), load(10), load(20), load(30)}, {load(10), load(20), load(30)}})
          .requests,
      (Merged{{10, 3}, {20, 3}, {10, 1}, {20, 1}, {30, 3}}));
}

// A loop from 10 to 18 that reads at 15 in one turn of two. Without the blocks' entries, lane 0's
// second turn would pair with lane 1's first.
TEST(WarpMerge, TurnsWithoutAccessesKeepLanesInStep) {
  EXPECT_EQ(merge({{block(10), block(18), block(10), load(15), block(18)},
                   {block(10), load(15), block(18), block(10), block(18)}})
                .requests,
            (Merged{{15, 2}, {15, 1}}));
}

TEST(WarpMerge, DeeperCallsRunFirst) {
  EXPECT_EQ(merge({{load(90, 5), load(20)}, {load(20)}}).requests, (Merged{{90, 1}, {20, 3}}));
}

TEST(WarpMerge, StopsWhereATraceWillGoOn) {
  const Result result = merge({{load(10)}, {load(10), load(20), load(30)}}, 0x1);
  EXPECT_EQ(result.requests, (Merged{{10, 3}}));
  EXPECT_EQ(result.left, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(merge({{}, {load(10)}}, 0x1).requests, Merged{});
}

TEST(WarpMerge, KeepsEachLanesAddress) {
  Record first = load(10);
  Record second = load(10);
  first.address = 100;
  second.address = 200;
  const std::vector<Record> lanes[] = {{first}, {second}};
  LaneTrace traces[] = {{lanes[0].data(), lanes[0].data() + 1, false},
                        {lanes[1].data(), lanes[1].data() + 1, false}};
  merge_traces(traces, [](const Request& request) {
    EXPECT_EQ(request.addresses[0], 100U);
    EXPECT_EQ(request.addresses[1], 200U);
  });
}

}  // namespace
}  // namespace warpgauge::emulator
