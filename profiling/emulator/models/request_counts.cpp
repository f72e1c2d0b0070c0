// SPDX-License-Identifier: Apache-2.0
// How many requests a GPU makes of one here, and what they move.
#include <algorithm>
#include <utility>

#include "profiling/emulator/models/access_analysis.hpp"
#include "profiling/emulator/models/bank_model.hpp"

namespace warpgauge::emulator {

// A site either repeats a check or does not, which its first request tells: the check's load came
// just before, of the same address, and is not yet repeated. What else is loaded in the converted
// expression lies between; the ring has room for that.
bool AccessAnalysis::repeats_check(const Request& request, unsigned first_thread,
                                   std::uint32_t site) {
  SiteState& state = site_states_[site];
  const Record& record = request.record;
  const RecentLoad now{record.pc,
                       request.lanes,
                       first_thread,
                       record.bytes,
                       request.addresses[state.pattern.first_lane()],
                       load_run_};
  const auto repeat = [&](auto&& is_repeated) -> RecentLoad* {
    const std::size_t least = loads_ - std::min(loads_, recent_loads_.size());
    for (std::size_t i = loads_; i > least; --i) {
      RecentLoad& earlier = recent_loads_[(i - 1) % recent_loads_.size()];
      if (earlier.lanes == now.lanes && is_repeated(earlier)) {
        earlier.lanes = 0;
        return &earlier;
      }
    }
    return nullptr;
  };
  if (!std::exchange(state.looked_at, true)) {
    const RecentLoad* const check = repeat([&](const RecentLoad& earlier) {
      return earlier.address == now.address && earlier.run == load_run_ &&
             earlier.bytes == now.bytes && earlier.first_thread == first_thread &&
             program_.checks_operand(earlier.pc, now.pc);
    });
    if (check != nullptr) state.checked_at = check->pc;
    if (check != nullptr) return true;
  } else if (state.checked_at != 0) {
    repeat([&](const RecentLoad& earlier) { return earlier.pc == state.checked_at; });
    return true;
  }
  recent_loads_[loads_++ % recent_loads_.size()] = now;
  return false;
}

bool AccessAnalysis::accesses_two_words(std::uint32_t pc) {
  const auto [entry, is_new] = accesses_two_words_.try_emplace(pc);
  if (is_new) entry->second = program_.accesses_two_words(pc);
  return entry->second;
}

// The banks of a struct's second words are those of the first, moved by two. nvcc knows where
// shared memory lies, and makes one access of two words where it can.
void AccessAnalysis::count_shared(const Request& request, std::uint32_t lanes, Access access,
                                  std::uint32_t site) {
  SiteState& state = site_states_[site];
  const Record& record = request.record;
  if (state.manner.loops) return count_loop(request, lanes, site);
  const auto add = [&](std::uint32_t at, const WavefrontCount& wavefronts, std::uint64_t requests) {
    SharedTraffic& traffic = traffic_.at(at).shared;
    traffic.requests += requests;
    traffic.wavefronts += requests * wavefronts.needed;
    traffic.ideal_wavefronts += requests * wavefronts.ideal;
  };
  if (state.manner.two_words) [[unlikely]] {
    const bool whole = state.pattern.aligned(request.addresses, record.bytes);
    const unsigned bytes = whole ? record.bytes : record.bytes / 2U;
    return add(whole ? traffic_.number_of({record.pc, record.kind, record.bytes}) : site,
               count_wavefronts(request.addresses, lanes, bytes, access), whole ? 1 : 2);
  }
  add(site,
      lanes == request.lanes ? state.pattern.wavefronts(request.addresses, record.bytes, access)
                             : count_wavefronts(request.addresses, lanes, record.bytes, access),
      1);
}

// As machine code has it: all load, of those with one address one exchanges, and the others begin
// again. Warps that come in between are not seen.
void AccessAnalysis::count_loop(const Request& request, std::uint32_t lanes, std::uint32_t site) {
  const Record& record = request.record;
  const bool apart = site_states_[site].pattern.shape() == AccessPattern::Shape::side_by_side &&
                     lanes == request.lanes;
  const std::uint32_t load = traffic_.number_of({record.pc, RecordKind::load, record.bytes});
  const auto count = [&](std::uint32_t at, Access access) {
    const auto [moved, ideal] = count_wavefronts(request.addresses, lanes, record.bytes, access);
    SharedTraffic& traffic = traffic_.at(at).shared;
    ++traffic.requests;
    traffic.wavefronts += moved;
    traffic.ideal_wavefronts += ideal;
  };
  while (lanes != 0) {
    count(load, Access::load);
    count(site, Access::atomic);
    if (apart) return;
    std::uint32_t winners = 0;
    for_each_lane(lanes, [&](unsigned lane) {
      bool first = true;
      for_each_lane(winners, [&](unsigned other) {
        first = first && request.addresses[other] != request.addresses[lane];
      });
      if (first) winners |= 1U << lane;
    });
    lanes &= ~winners;
  }
}

void AccessAnalysis::count_global(const Request& request, std::uint32_t lanes, std::uint32_t site) {
  SiteState& state = site_states_[site];
  GlobalTraffic& traffic = traffic_.at(site).global;
  const auto add = [&](const SectorCount& sectors) {
    ++traffic.requests;
    traffic.sectors += sectors.touched;
    traffic.ideal_sectors += sectors.ideal;
  };
  if (!state.manner.two_words) {
    return add(lanes == request.lanes
                   ? state.pattern.sectors(request.addresses, request.record.bytes)
                   : count_sectors(request.addresses, lanes, request.record.bytes));
  }
  const unsigned bytes = request.record.bytes / 2U;
  LaneAddresses second;
  for_each_lane(lanes, [&](unsigned lane) { second[lane] = request.addresses[lane] + bytes; });
  add(count_sectors(request.addresses, lanes, bytes));
  add(count_sectors(second, lanes, bytes));
}

// Needs no checks: nobody writes to a table, and all loads are within it.
void AccessAnalysis::count_table_load(const Request& request) {
  const Record& record = request.record;
  const SectorCount sectors = count_sectors(request.addresses, request.lanes, record.bytes);
  GlobalTraffic& traffic =
      traffic_.at(traffic_.number_of({record.pc, RecordKind::load, record.bytes})).global;
  ++traffic.requests;
  traffic.sectors += sectors.touched;
  traffic.ideal_sectors += sectors.ideal;
}

}  // namespace warpgauge::emulator
