// SPDX-License-Identifier: Apache-2.0
// Counts of requests by place in the machine code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiling/emulator/execution/lanes/trace.hpp"

namespace warpgauge::emulator {

// The instruction of one kind and width of access.
struct Site {
  std::uint32_t pc = 0;
  RecordKind kind = RecordKind::load;
  std::uint8_t bytes = 0;

  friend bool operator==(const Site&, const Site&) = default;
};

struct SharedTraffic {
  std::uint64_t requests = 0;
  std::uint64_t wavefronts = 0;
  std::uint64_t ideal_wavefronts = 0;
};

struct GlobalTraffic {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::uint64_t ideal_sectors = 0;
};

struct SiteTraffic {
  Site site;
  SharedTraffic shared;
  GlobalTraffic global;
};

// A hash table with open addressing: looked up once for each request.
class Traffic {
 public:
  Traffic() : slots_(kFirstSlots, kEmpty) {}

  // The number of a site, in the order in which they came.
  [[nodiscard]] std::uint32_t number_of(const Site& site);

  [[nodiscard]] SiteTraffic& at(const Site& site) { return sites_[number_of(site)]; }
  [[nodiscard]] SiteTraffic& at(std::uint32_t number) { return sites_[number]; }

  [[nodiscard]] const std::vector<SiteTraffic>& sites() const { return sites_; }

  void add(const Traffic& other);

 private:
  static constexpr std::size_t kFirstSlots = 256;
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  [[nodiscard]] std::size_t slot_of(const Site& site) const;
  void grow();

  std::vector<std::uint32_t> slots_;  // indices of sites_; a power of two, half empty
  std::vector<SiteTraffic> sites_;
};

}  // namespace warpgauge::emulator
