// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/models/sector_model.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace warpgauge::emulator {

SectorCount count_sectors(const LaneAddresses& addresses, std::uint32_t lanes, unsigned bytes) {
  LaneAddresses sorted;
  std::size_t count = 0;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    sorted[count++] = addresses[static_cast<unsigned>(std::countr_zero(left))];
  }
  if (!std::is_sorted(sorted.begin(), sorted.begin() + count)) {
    std::sort(sorted.begin(), sorted.begin() + count);
  }

  SectorCount sectors;
  std::uintptr_t bytes_asked_for = 0;
  std::uintptr_t covered_to = 0;          // first byte beyond all accesses so far
  std::uintptr_t sectors_counted_to = 0;  // first sector beyond all counted so far
  for (std::size_t i = 0; i < count; ++i) {
    const std::uintptr_t begin = sorted[i];
    const std::uintptr_t end = begin + bytes;
    if (end > covered_to) bytes_asked_for += end - std::max(begin, covered_to);
    covered_to = std::max(covered_to, end);
    const std::uintptr_t first = std::max(begin / kSectorBytes, sectors_counted_to);
    const std::uintptr_t beyond = (end - 1) / kSectorBytes + 1;
    if (beyond > first) sectors.touched += static_cast<unsigned>(beyond - first);
    sectors_counted_to = std::max(sectors_counted_to, beyond);
  }
  sectors.ideal = static_cast<unsigned>((bytes_asked_for + kSectorBytes - 1) / kSectorBytes);
  return sectors;
}

}  // namespace warpgauge::emulator
