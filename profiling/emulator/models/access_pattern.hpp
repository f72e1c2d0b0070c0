// SPDX-License-Identifier: Apache-2.0
// The relative addresses of a request. An instruction usually repeats its pattern, so the results
// for a pattern are computed once and kept until the pattern changes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "profiling/emulator/execution/lanes/trace.hpp"
#include "profiling/emulator/models/bank_model.hpp"
#include "profiling/emulator/models/sector_model.hpp"

namespace warpgauge::emulator {

class AccessPattern {
 public:
  enum class Shape {
    side_by_side,  // neighbouring lanes access neighbouring bytes, in the lanes' order
    same,          // all lanes access the same
    other,
  };

  // Sets the pattern of a request in which each lane accesses `bytes`.
  void follow(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes) {
    if (lanes != lanes_ || !fits(addresses)) learn(addresses, lanes, bytes);
  }

  [[nodiscard]] unsigned first_lane() const { return first_lane_; }
  [[nodiscard]] unsigned lane_count() const { return count_lanes(lanes_); }
  [[nodiscard]] Shape shape() const { return shape_; }

  // The lowest byte accessed, relative to the first lane's address, and how many from there to the
  // highest.
  [[nodiscard]] std::ptrdiff_t lowest() const { return lowest_; }
  [[nodiscard]] std::size_t extent() const { return extent_; }

  // Whether all addresses are multiples of the access's size, a power of two.
  [[nodiscard]] bool aligned(const LaneAddresses& addresses, unsigned bytes) const {
    return ((addresses[first_lane_] | relative_bits_) & (bytes - 1U)) == 0;
  }

  // Of a request with this pattern; bytes: of one lane's access.
  [[nodiscard]] WavefrontCount wavefronts(const LaneAddresses& addresses, unsigned bytes,
                                          Access access);
  [[nodiscard]] SectorCount sectors(const LaneAddresses& addresses, unsigned bytes);

 private:
  // Not a possible remainder of an address.
  static constexpr std::uintptr_t kUnknown = ~std::uintptr_t{0};

  [[nodiscard]] bool fits(const LaneAddresses& addresses) const {
    std::uintptr_t different = 0;
    const std::uintptr_t first = addresses[first_lane_];
    if (lanes_ == ~0U) {
      for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
        different |= (addresses[lane] - first) ^ relative_[lane];
      }
    } else {
      for (std::uint32_t left = lanes_; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(std::countr_zero(left));
        different |= (addresses[lane] - first) ^ relative_[lane];
      }
    }
    return different == 0;
  }

  void learn(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes);

  std::uint32_t lanes_ = 0;
  unsigned first_lane_ = 0;
  Shape shape_ = Shape::other;
  std::ptrdiff_t lowest_ = 0;
  std::size_t extent_ = 0;
  std::uintptr_t relative_bits_ = 0;  // that any relative address has
  // Moving all addresses by a word rotates the banks and changes nothing else; likewise for a
  // sector. The kept results are for first addresses with this remainder.
  std::uintptr_t wavefronts_known_at_ = kUnknown;
  WavefrontCount wavefronts_;
  std::uintptr_t sectors_known_at_ = kUnknown;
  SectorCount sectors_;
  LaneAddresses relative_{};  // to the first lane's
};

}  // namespace warpgauge::emulator
