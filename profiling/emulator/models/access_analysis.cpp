// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/models/access_analysis.hpp"

#include "profiling/emulator/memory/written_bytes.hpp"
#include "profiling/emulator/models/bank_model.hpp"
#include "profiling/emulator/models/sector_model.hpp"

namespace warpgauge::emulator {
AccessAnalysis::AccessAnalysis(Program& program, const DeviceMemory& memory,
                               GlobalShadow& global_shadow)
    : program_(program),
      memory_(memory),
      shadow_(program.shared_variables().segment_bytes()),
      values_(program.shared_variables().segment_bytes()),
      global_shadow_(global_shadow),
      async_copies_(program.shared_variables().segment_bytes()) {}

void AccessAnalysis::begin_launch(const Launch& launch, std::uintptr_t shared_begin) {
  launch_ = launch;
  shared_begin_ = shared_begin;
  traffic_ = Traffic();
  errors_ = ErrorLog();
  grid_barriers_ = 0;
  saw_communication_ = false;
  site_states_.clear();
  ++load_run_;
  last_written_range_ = {};  // may have been freed
  any_unwritten_ = memory_.any_unwritten();
  last_variable_ = nullptr;
  values_.begin_launch(shared_begin);
  cluster_ = nullptr;
}

void AccessAnalysis::begin_block(std::uint64_t block) {
  block_ = block;
  ++load_run_;
  late_in_cluster_ = false;
  if (!launch_.cooperative && cluster_ == nullptr && saw_communication_) {
    global_shadow_.begin_ordered_block(static_cast<std::uint32_t>(block));
  }
  shadow_.begin_block();
  values_.forget();
  threads_shadow_.begin_epoch(shadow_);
  async_copies_.begin_block();
}

void AccessAnalysis::end_block() {
  unwritten_reads_.take_all(
      [&](const UnwrittenReads::Read& read) { report_unwritten(read, false); });
}

void AccessAnalysis::values_leave(unsigned first_thread, std::uint32_t lanes) {
  ++load_run_;
  if (!unwritten_reads_.any(first_thread, lanes)) [[likely]]
    return;
  unwritten_reads_.take(first_thread, lanes,
                        [&](const UnwrittenReads::Read& read) { report_unwritten(read, true); });
}

void AccessAnalysis::observe(const Request& request, unsigned first_thread,
                             const WarpClocks& clocks) {
  const RecordKind kind = request.record.kind;
  const bool is_load =
      kind == RecordKind::load || kind == RecordKind::wide_load || kind == RecordKind::table_load;
  if (!is_load) ++load_run_;
  if (kind <= RecordKind::block_entry) [[likely]] {
    return observe_access(request, first_thread, clocks, {});
  }
  if (kind == RecordKind::fence || kind == RecordKind::block_fence) {
    threads_shadow_.fence(first_thread, request.lanes);
    if (kind == RecordKind::fence) global_shadow_.fence(static_cast<std::uint32_t>(block_));
    if (kind == RecordKind::fence && cluster_ != nullptr) cluster_->fence(rank_);
    return;
  }
  if (kind == RecordKind::table_load) return count_table_load(request);
  Request plain = request;
  const auto observe_as = [&](RecordKind as, const Manner& manner) {
    plain.record.kind = as;
    observe_access(plain, first_thread, clocks, manner);
  };
  switch (kind) {
    case RecordKind::wide_load:
      return observe_as(RecordKind::load, {.two_words = accesses_two_words(request.record.pc)});
    case RecordKind::wide_store:
      return observe_as(RecordKind::store, {.two_words = accesses_two_words(request.record.pc)});
    case RecordKind::volatile_load:
      return observe_as(RecordKind::load, {.is_volatile = true});
    case RecordKind::volatile_store:
      return observe_as(RecordKind::store, {.is_volatile = true});
    case RecordKind::matrix_load:
      return observe_as(RecordKind::load, {.load = Access::matrix_load});
    case RecordKind::block_atomic:
      return observe_as(RecordKind::atomic, {.block_scope = true});
    case RecordKind::looping_atomic:
      return observe_as(RecordKind::atomic, {.loops = true});
    case RecordKind::looping_block_atomic:
      return observe_as(RecordKind::atomic, {.block_scope = true, .loops = true});
    default:
      observe_async_copies(request, first_thread);
  }
}

void AccessAnalysis::observe_access(const Request& request, unsigned first_thread,
                                    const WarpClocks& clocks, const Manner& manner) {
  const Record& record = request.record;
  Record part = record;
  if (manner.two_words) part.bytes = record.bytes / 2;
  const std::uint32_t site = traffic_.number_of({record.pc, record.kind, part.bytes});
  if (site >= site_states_.size()) site_states_.resize(site + 1);
  SiteState& state = site_states_[site];
  state.manner = manner;
  state.pattern.follow(request.addresses, request.lanes, record.bytes);
  state.counts = record.kind != RecordKind::load || !repeats_check(request, first_thread, site);
  const Places places = classify(request, state.pattern, first_thread, state.range);
  if (!state.pattern.aligned(request.addresses, part.bytes)) [[unlikely]] {
    for_each_lane(places.shared | places.global | places.remote, [&](unsigned lane) {
      require_aligned(part, request.addresses[lane], first_thread + lane);
    });
  }
  if (places.shared != 0) observe_shared(request, places.shared, first_thread, clocks, site);
  if (places.global != 0) {
    observe_global(request, places.global, first_thread, manner.is_volatile, site, clocks);
  }
  if (cluster_ != nullptr) [[unlikely]]
    observe_cluster(request, places, first_thread, manner.is_volatile, site, clocks);
  if (record.kind != RecordKind::load) values_leave(first_thread, request.lanes);
}

void AccessAnalysis::observe_global(const Request& request, std::uint32_t lanes,
                                    unsigned first_thread, bool is_volatile, std::uint32_t site,
                                    const WarpClocks& clocks) {
  const Record& record = request.record;
  if (site_states_[site].counts) count_global(request, lanes, site);
  saw_communication_ |=
      record.kind == RecordKind::atomic || (is_volatile && record.kind == RecordKind::store);
  if (any_unwritten_) observe_unwritten(request, lanes, first_thread, site_states_[site]);
  if (launch_.threads() > 1) {
    observe_threads(request, lanes, first_thread, is_volatile, site, clocks);
  }
  if (launch_.blocks() == 1) return;
  const AccessPattern& pattern = site_states_[site].pattern;
  const bool side_by_side =
      lanes == request.lanes && pattern.shape() == AccessPattern::Shape::side_by_side;
  const auto hazard = global_shadow_.note(
      cursor_,
      {static_cast<std::uint32_t>(block_), first_thread, grid_barriers_, record.pc, record.bytes,
       record.kind, is_volatile, site_states_[site].manner.block_scope, lanes, side_by_side,
       record.kind == RecordKind::store ? &request.digests : nullptr},
      request.addresses);
  if (hazard) [[unlikely]]
    report_race(*hazard);
}

// Races between threads of the block.
void AccessAnalysis::observe_threads(const Request& request, std::uint32_t lanes,
                                     unsigned first_thread, bool is_volatile, std::uint32_t site,
                                     const WarpClocks& clocks) {
  const Record& record = request.record;
  ThreadsAccess access{.first_thread = first_thread,
                       .lanes = lanes,
                       .bytes = record.bytes,
                       .kind = record.kind,
                       .is_volatile = is_volatile,
                       .site = site};
  if (lanes == request.lanes) access.shape = site_states_[site].pattern.shape();
  threads_shadow_.note(access, request.addresses, request.digests, clocks,
                       [&](unsigned lane, const Hazard& hazard, bool same_value) {
                         report_thread_race(hazard, same_value, record, request.addresses[lane],
                                            first_thread + lane);
                       });
}

void AccessAnalysis::observe_unwritten(const Request& request, std::uint32_t lanes,
                                       unsigned first_thread, const SiteState& state) {
  const Record& record = request.record;
  const AccessPattern& pattern = state.pattern;
  if (lanes == request.lanes && pattern.shape() == AccessPattern::Shape::side_by_side) {
    const std::uintptr_t first = request.addresses[pattern.first_lane()];
    if (state.range.holds(first, pattern.extent())) {
      if (state.range.written == nullptr) return;
      const std::size_t offset = first - state.range.begin;
      if (record.kind == RecordKind::store) {
        written_bytes::mark(state.range.written, offset, pattern.extent());
        return;
      }
      if (record.kind == RecordKind::load &&
          written_bytes::all(state.range.written, offset, pattern.extent())) {
        return;
      }
    }
  }
  for_each_lane(lanes, [&](unsigned lane) {
    const std::uintptr_t address = request.addresses[lane];
    if (!last_written_range_.holds(address, record.bytes)) {
      const MemoryRange* range = memory_.find_allocation(address, record.bytes);
      if (range == nullptr) return;
      last_written_range_ = *range;
    }
    std::uint8_t* const written = last_written_range_.written;
    if (written == nullptr) return;
    const std::size_t offset = address - last_written_range_.begin;
    if (record.kind != RecordKind::store && !written_bytes::all(written, offset, record.bytes)) {
      note_unwritten(record, address, first_thread + lane);
    }
    if (record.kind != RecordKind::load) written_bytes::mark(written, offset, record.bytes);
  });
}

void AccessAnalysis::mark_written(std::uintptr_t address, std::size_t bytes) {
  if (cluster_ != nullptr && !is_shared(address)) [[unlikely]] {
    if (const auto owner = cluster_->rank_of(address)) cluster_->initialize(*owner, address, bytes);
  }
  if (!any_unwritten_) return;
  const MemoryRange* range = memory_.find_allocation(address, bytes);
  if (range == nullptr || range->written == nullptr) return;
  written_bytes::mark(range->written, address - range->begin, bytes);
}

AccessAnalysis::Places AccessAnalysis::classify(const Request& request,
                                                const AccessPattern& pattern, unsigned first_thread,
                                                MemoryRange& range) {
  const std::size_t shared_bytes = program_.shared_variables().segment_bytes();
  const std::uintptr_t lowest =
      request.addresses[pattern.first_lane()] + static_cast<std::uintptr_t>(pattern.lowest());
  if (MemoryRange{shared_begin_, shared_begin_ + shared_bytes}.holds(lowest, pattern.extent())) {
    return {request.lanes, 0, 0};
  }
  if (range.holds(lowest, pattern.extent())) return {0, request.lanes, 0};
  Places places;
  for_each_lane(request.lanes, [&](unsigned lane) {
    const std::uintptr_t address = request.addresses[lane];
    if (address - shared_begin_ < shared_bytes) {
      places.shared |= 1U << lane;
    } else if (cluster_ != nullptr && cluster_->rank_of(address)) {
      places.remote |= 1U << lane;
    } else if (range.holds(address, request.record.bytes) ||
               is_global(address, request.record, first_thread + lane, range)) {
      places.global |= 1U << lane;
    }
  });
  return places;
}

bool AccessAnalysis::is_global(std::uintptr_t address, const Record& record, unsigned thread,
                               MemoryRange& range) {
  if (memory_.holds_constant(address, record.bytes)) {
    if (record.kind != RecordKind::load) report_constant_write(record, thread);
    return false;
  }
  if (const MemoryRange* found = memory_.find_allocation(address, record.bytes)) {
    range = *found;
    return true;
  }
  if (memory_.holds_variable(address, record.bytes)) return true;
  const auto arguments = reinterpret_cast<std::uintptr_t>(launch_.call.arguments);
  if (address - arguments < launch_.call.arguments_bytes) return false;
  if (!report_if_meant_for_shared(record, address, thread)) {
    report_global_out_of_bounds(record, address, thread);
  }
  return false;
}

void AccessAnalysis::observe_shared(const Request& request, std::uint32_t lanes,
                                    unsigned first_thread, const WarpClocks& clocks,
                                    std::uint32_t site) {
  const Record& record = request.record;
  const bool atomic = record.kind == RecordKind::atomic;
  AccessPattern& pattern = site_states_[site].pattern;
  const Access access = atomic                            ? Access::atomic
                        : record.kind == RecordKind::load ? site_states_[site].manner.load
                                                          : Access::store;
  if (site_states_[site].counts) count_shared(request, lanes, access, site);
  if (lanes == request.lanes && note_at_once(request, pattern, first_thread, clocks, site)) return;
  LaneAddresses offsets;
  for_each_lane(lanes,
                [&](unsigned lane) { offsets[lane] = request.addresses[lane] - shared_begin_; });
  const std::uint32_t within = within_bounds(record, offsets, lanes, first_thread);
  if (async_copies_.any()) [[unlikely]]
    require_no_pending_copies(record, offsets, within, first_thread);
  for_each_lane(within, [&](unsigned lane) {
    const unsigned thread = first_thread + lane;
    if (record.bytes == 4 && offsets[lane] % 4 == 0 && !atomic &&
        shadow_.access_word(offsets[lane], thread, record.kind, site, clocks)) {
      return;
    }
    const auto hazard =
        shadow_.access(offsets[lane], record.bytes, thread, record.kind, site, clocks);
    if (hazard) [[unlikely]]
      report_hazard(*hazard, record, offsets[lane], thread);
  });
}

// True if all lanes were looked at together and nothing is wrong with them.
bool AccessAnalysis::note_at_once(const Request& request, const AccessPattern& pattern,
                                  unsigned first_thread, const WarpClocks& clocks,
                                  std::uint32_t site) {
  const Record& record = request.record;
  if (record.kind == RecordKind::atomic || async_copies_.any()) return false;
  const std::size_t first = request.addresses[pattern.first_lane()] - shared_begin_;
  const std::size_t lowest = first + static_cast<std::size_t>(pattern.lowest());
  if (variable_at(lowest, pattern.extent()) == nullptr) return false;
  const unsigned thread = first_thread + pattern.first_lane();
  switch (pattern.shape()) {
    case AccessPattern::Shape::side_by_side:
      return shadow_.access_side_by_side(first, record.bytes, thread, pattern.lane_count(),
                                         record.kind, site, clocks);
    case AccessPattern::Shape::same:
      return record.kind == RecordKind::load && record.bytes == 4 && request.lanes == ~0U &&
             shadow_.load_same_word(first, thread, pattern.lane_count(), site, clocks);
    case AccessPattern::Shape::other:
      break;
  }
  return false;
}

void AccessAnalysis::require_no_pending_copies(const Record& record, const LaneAddresses& offsets,
                                               std::uint32_t lanes, unsigned first_thread) {
  for_each_lane(lanes, [&](unsigned lane) {
    const AsyncCopies::Copy* pending = async_copies_.find(offsets[lane], record.bytes);
    if (pending != nullptr) report_pending(*pending, record, offsets[lane], first_thread + lane);
  });
}

void AccessAnalysis::observe_async_copies(const Request& request, unsigned first_thread) {
  const Record& record = request.record;
  const std::size_t shared_bytes = program_.shared_variables().segment_bytes();
  for_each_lane(request.lanes, [&](unsigned lane) {
    const unsigned thread = first_thread + lane;
    const std::size_t offset = request.addresses[lane] - shared_begin_;
    switch (record.kind) {
      case RecordKind::async_copy:
        if (offset < shared_bytes) {
          async_copies_.copy(offset, record.bytes, thread, record.pc);
        } else {
          report_not_shared(record, thread);
        }
        break;
      case RecordKind::async_commit:
        async_copies_.commit(thread);
        break;
      default:
        async_copies_.wait_prior(thread, request.addresses[lane]);
        break;
    }
  });
}

const SharedVariable* AccessAnalysis::variable_at(std::size_t offset, std::size_t bytes) {
  const SharedVariable* last = last_variable_;
  if (last != nullptr && offset >= last->offset && offset + bytes <= last->offset + last->bytes) {
    return last;
  }
  const SharedVariable* found =
      program_.shared_variables().find(offset, bytes, launch_.dynamic_shared_bytes);
  if (found != nullptr) last_variable_ = found;
  return found;
}

// The lanes whose access lies within one variable. A variable may lie right behind another, so
// lanes that step evenly out of the one into the other have left the one.
std::uint32_t AccessAnalysis::within_bounds(const Record& record, const LaneAddresses& offsets,
                                            std::uint32_t lanes, unsigned first_thread,
                                            std::optional<std::uint64_t> owner) {
  std::uint32_t within = 0;
  const SharedVariable* previous = nullptr;
  for_each_lane(lanes, [&](unsigned lane) {
    const SharedVariable* variable = variable_at(offsets[lane], record.bytes);
    const bool steps_evenly =
        lane >= 2 && (lanes >> (lane - 2) & 3U) == 3U &&
        offsets[lane] - offsets[lane - 1] == offsets[lane - 1] - offsets[lane - 2];
    if (variable == nullptr || (previous != nullptr && variable != previous && steps_evenly)) {
      report_shared_out_of_bounds(record, offsets[lane], first_thread + lane, previous, owner);
      return;
    }
    previous = variable;
    within |= 1U << lane;
  });
  return within;
}

}  // namespace warpgauge::emulator
