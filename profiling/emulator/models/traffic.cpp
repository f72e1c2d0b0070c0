// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/models/traffic.hpp"

namespace warpgauge::emulator {
namespace {

std::size_t hash(const Site& site) {
  const std::uint64_t key = std::uint64_t{site.pc} << 16 | std::uint64_t{site.bytes} << 8 |
                            static_cast<std::uint64_t>(site.kind);
  return static_cast<std::size_t>(key * 0x9e3779b97f4a7c15 >> 32);
}

}  // namespace

std::size_t Traffic::slot_of(const Site& site) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash(site) & mask;
  while (slots_[slot] != kEmpty && sites_[slots_[slot]].site != site) slot = (slot + 1) & mask;
  return slot;
}

std::uint32_t Traffic::number_of(const Site& site) {
  const std::size_t slot = slot_of(site);
  if (slots_[slot] != kEmpty) return slots_[slot];
  const auto number = static_cast<std::uint32_t>(sites_.size());
  slots_[slot] = number;
  sites_.push_back({site, {}, {}});
  if (sites_.size() * 2 > slots_.size()) grow();
  return number;
}

void Traffic::grow() {
  slots_.assign(slots_.size() * 2, kEmpty);
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    slots_[slot_of(sites_[i].site)] = static_cast<std::uint32_t>(i);
  }
}

void Traffic::add(const Traffic& other) {
  for (const SiteTraffic& from : other.sites_) {
    SiteTraffic& to = at(from.site);
    to.shared.requests += from.shared.requests;
    to.shared.wavefronts += from.shared.wavefronts;
    to.shared.ideal_wavefronts += from.shared.ideal_wavefronts;
    to.global.requests += from.global.requests;
    to.global.sectors += from.global.sectors;
    to.global.ideal_sectors += from.global.ideal_sectors;
  }
}

}  // namespace warpgauge::emulator
