// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/models/access_pattern.hpp"

#include <algorithm>

namespace warpgauge::emulator {

void AccessPattern::learn(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes) {
  lanes_ = lanes;
  first_lane_ = static_cast<unsigned>(std::countr_zero(lanes));
  wavefronts_known_at_ = sectors_known_at_ = kUnknown;
  const std::uintptr_t first = addresses[first_lane_];
  const std::uint32_t from_first = lanes >> first_lane_;
  bool side_by_side = (from_first & (from_first + 1)) == 0;  // no lane is missing between
  bool same = true;
  std::ptrdiff_t highest = 0;
  lowest_ = 0;
  relative_bits_ = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    relative_[lane] = addresses[lane] - first;
    const auto distance = static_cast<std::ptrdiff_t>(relative_[lane]);
    side_by_side &= relative_[lane] == std::uintptr_t{lane - first_lane_} * bytes;
    same &= distance == 0;
    relative_bits_ |= relative_[lane];
    lowest_ = std::min(lowest_, distance);
    highest = std::max(highest, distance);
  }
  extent_ = static_cast<std::size_t>(highest - lowest_) + bytes;
  shape_ = side_by_side ? Shape::side_by_side : same ? Shape::same : Shape::other;
}

WavefrontCount AccessPattern::wavefronts(const LaneAddresses& addresses, unsigned bytes,
                                         Access access) {
  const std::uintptr_t rest = addresses[first_lane_] % kBankBytes;
  if (rest != wavefronts_known_at_) {
    wavefronts_known_at_ = rest;
    wavefronts_ = count_wavefronts(addresses, lanes_, bytes, access);
  }
  return wavefronts_;
}

SectorCount AccessPattern::sectors(const LaneAddresses& addresses, unsigned bytes) {
  const std::uintptr_t rest = addresses[first_lane_] % kSectorBytes;
  if (rest != sectors_known_at_) {
    sectors_known_at_ = rest;
    sectors_ = count_sectors(addresses, lanes_, bytes);
  }
  return sectors_;
}

}  // namespace warpgauge::emulator
