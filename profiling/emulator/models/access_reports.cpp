// SPDX-License-Identifier: Apache-2.0
// AccessAnalysis's reports of the mistakes that it finds. Reports each place in the code once.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "profiling/emulator/api/error_text.hpp"
#include "profiling/emulator/memory/written_bytes.hpp"
#include "profiling/emulator/models/access_analysis.hpp"

namespace warpgauge::emulator {

void AccessAnalysis::report_shared_out_of_bounds(const Record& record, std::size_t offset,
                                                 unsigned thread, const SharedVariable* meant,
                                                 std::optional<std::uint64_t> owner) {
  const Mistake mistake{ErrorKind::shared_out_of_bounds, record.pc};
  if (!errors_.is_new(mistake)) return;
  const SharedVariables& variables = program_.shared_variables();
  const SharedVariable* nearest = meant != nullptr ? meant : variables.before(offset);
  std::string where = "outside all shared variables";
  if (nearest != nullptr) {
    const bool dynamic = nearest->offset == variables.dynamic_offset();
    where = fmt::format("at byte {} of {}, which has {}",
                        static_cast<std::ptrdiff_t>(offset - nearest->offset), nearest->name,
                        dynamic ? launch_.dynamic_shared_bytes : nearest->bytes);
  }
  if (owner) where += fmt::format(", of block {}", to_string(launch_.block_index(*owner)));
  errors_.add({mistake, block_,
               fmt::format("shared memory out of bounds: {} {} {} bytes {}, at {}",
                           describe_thread(program_, launch_, block_, thread), verb(record.kind),
                           record.bytes, where, to_string(program_.locate(record.pc)))});
}

bool AccessAnalysis::report_if_meant_for_shared(const Record& record, std::uintptr_t address,
                                                unsigned thread, bool known) {
  constexpr std::ptrdiff_t kNear = std::ptrdiff_t{1} << 20;
  const SharedVariables& variables = program_.shared_variables();
  const bool has_any =
      launch_.dynamic_shared_bytes > 0 || variables.static_bytes(launch_.call.kernel) > 0;
  const auto offset = static_cast<std::ptrdiff_t>(address - shared_begin_);
  const auto bytes = static_cast<std::ptrdiff_t>(variables.segment_bytes());
  known |= traffic_.at({record.pc, record.kind, record.bytes}).shared.requests > 0;
  const bool near = has_any && offset >= -kNear && offset < bytes + kNear;
  if (memory_.is_near(address) || (!known && !near)) return false;
  // The kernel's own is nearest, whatever else lies between.
  const auto within = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(offset, 0, bytes - 1));
  report_shared_out_of_bounds(record, static_cast<std::size_t>(offset), thread,
                              variables.before(within));
  return true;
}

void AccessAnalysis::report_global_out_of_bounds(const Record& record, std::uintptr_t address,
                                                 unsigned thread) {
  const Mistake mistake{ErrorKind::global_out_of_bounds, record.pc};
  if (!errors_.is_new(mistake)) return;
  errors_.add({mistake, block_,
               fmt::format("global memory out of bounds: {} {} {} bytes {}, at {}",
                           describe_thread(program_, launch_, block_, thread), verb(record.kind),
                           record.bytes, memory_.describe(address),
                           to_string(program_.locate(record.pc)))});
}

void AccessAnalysis::report_constant_write(const Record& record, unsigned thread) {
  const Mistake mistake{ErrorKind::constant_write, record.pc};
  if (!errors_.is_new(mistake)) return;
  errors_.add({mistake, block_,
               fmt::format("write to constant memory: {} {} {} bytes of a __constant__ variable, "
                           "which only the host may set, at {}",
                           describe_thread(program_, launch_, block_, thread), verb(record.kind),
                           record.bytes, to_string(program_.locate(record.pc)))});
}

bool AccessAnalysis::require_aligned(const Record& record, std::uintptr_t address,
                                     unsigned thread) {
  const bool power_of_two = record.bytes != 0 && (record.bytes & (record.bytes - 1U)) == 0;
  if (!power_of_two || address % record.bytes == 0) return true;
  const Mistake mistake{ErrorKind::misaligned, record.pc};
  if (!errors_.is_new(mistake)) return false;
  const std::size_t offset = address - shared_begin_;
  std::string where;
  if (offset < program_.shared_variables().segment_bytes()) {
    const SharedVariable* variable = program_.shared_variables().before(offset);
    where = variable == nullptr
                ? "shared memory"
                : fmt::format("byte {} of {}", offset - variable->offset, variable->name);
  } else if (memory_.find_allocation(address, 1) != nullptr) {
    where = memory_.describe_inside(address);
  } else {
    where = fmt::format("{:#x}", address);
  }
  errors_.add({mistake, block_,
               fmt::format("misaligned address: {} {} {} bytes at {}, {} bytes past a multiple of "
                           "their size, at {}",
                           describe_thread(program_, launch_, block_, thread), verb(record.kind),
                           record.bytes, where, address % record.bytes,
                           to_string(program_.locate(record.pc)))});
  return false;
}

void AccessAnalysis::note_unwritten(const Record& record, std::uintptr_t address, unsigned thread) {
  const MemoryRange& range = last_written_range_;
  while (written_bytes::all(range.written, address - range.begin, 1)) ++address;
  const bool updates = record.kind == RecordKind::atomic;
  const UnwrittenReads::Read read{ErrorKind::uninitialized_global_read, record.pc, address, thread,
                                  updates};
  if (updates || !unwritten_reads_.add(read)) report_unwritten(read, true);
}

void AccessAnalysis::report_unwritten(const UnwrittenReads::Read& read, bool used) {
  const bool shared = read.kind == ErrorKind::uninitialized_read;
  const Mistake mistake{used ? read.kind : ErrorKind::unused_read, read.pc};
  if (!used && errors_.knows({read.kind, read.pc})) return;  // by another thread
  if (!errors_.is_new(mistake)) return;
  std::string what = memory_.describe_inside(read.where);
  if (shared) {
    const SharedVariable* variable = program_.shared_variables().before(read.where);
    what = fmt::format("{} byte {}", variable->name, read.where - variable->offset);
  }
  errors_.add(
      {mistake, block_,
       fmt::format("{}{} {} {}, which {} has written, at {}{}",
                   shared ? "uninitialized shared memory: " : "uninitialized device memory: ",
                   describe_thread(program_, launch_, block_, read.thread),
                   read.updates ? "updates" : "reads", what,
                   shared ? "no thread of the block" : "nothing",
                   to_string(program_.locate(read.pc)),
                   used ? "" : ", and afterwards writes nothing and gives no value to others")});
}

void AccessAnalysis::report_thread_race(const Hazard& hazard, bool same_value, const Record& record,
                                        std::uintptr_t address, unsigned thread) {
  const std::uint32_t earlier_pc = traffic_.at(hazard.earlier_site).site.pc;
  const bool shared = cluster_ != nullptr && cluster_->rank_of(address).has_value();
  const ErrorKind race = shared ? ErrorKind::race : ErrorKind::global_race;
  const Mistake mistake =
      mistake_between(same_value ? ErrorKind::same_value : race, record.pc, earlier_pc);
  if (!errors_.is_new(mistake)) return;
  const char* earlier = hazard.kind == Hazard::Kind::write_after_read ? "read" : "written";
  errors_.add({mistake, block_,
               fmt::format("{}{} {} {} at {}, {} by thread {} of the block at {} with no barrier "
                           "between",
                           same_value ? "same value written by several threads: "
                           : shared   ? "shared memory race: "
                                      : "global memory race: ",
                           describe_thread(program_, launch_, block_, thread), verb(record.kind),
                           describe_inside(address), to_string(program_.locate(record.pc)), earlier,
                           to_string(launch_.thread_index(hazard.earlier_thread)),
                           to_string(program_.locate(earlier_pc)))});
}

void AccessAnalysis::report_same_value(const Hazard& hazard, const Record& record,
                                       std::size_t offset, unsigned thread) {
  const std::uint32_t earlier_pc = traffic_.at(hazard.earlier_site).site.pc;
  const Mistake mistake = mistake_between(ErrorKind::same_value, record.pc, earlier_pc);
  if (!errors_.is_new(mistake)) return;
  const SharedVariable* variable = program_.shared_variables().before(offset);
  errors_.add({mistake, block_,
               fmt::format("same value written by several threads: {} writes {} byte {} at {}, as "
                           "thread {} did at {} with no barrier between",
                           describe_thread(program_, launch_, block_, thread), variable->name,
                           offset - variable->offset, to_string(program_.locate(record.pc)),
                           to_string(launch_.thread_index(hazard.earlier_thread)),
                           to_string(program_.locate(earlier_pc)))});
}

void AccessAnalysis::report_not_shared(const Record& record, unsigned thread) {
  const Mistake mistake{ErrorKind::invalid_call, record.pc};
  if (!errors_.is_new(mistake)) return;
  errors_.add({mistake, block_,
               fmt::format("asynchronous copy to memory that is not shared: {}, at {}",
                           describe_thread(program_, launch_, block_, thread),
                           to_string(program_.locate(record.pc)))});
}

void AccessAnalysis::report_pending(const AsyncCopies::Copy& copy, const Record& record,
                                    std::size_t offset, unsigned thread) {
  const Mistake mistake{ErrorKind::async_copy, record.pc, copy.pc};
  if (!errors_.is_new(mistake)) return;
  const SharedVariable* variable = program_.shared_variables().before(offset);
  errors_.add(
      {mistake, block_,
       fmt::format("asynchronous copy not waited for: {} {} {} byte {} at {}, to which thread {} "
                   "copies at {} and has not waited for it",
                   describe_thread(program_, launch_, block_, thread), verb(record.kind),
                   variable->name, offset - variable->offset, to_string(program_.locate(record.pc)),
                   to_string(launch_.thread_index(copy.thread)),
                   to_string(program_.locate(copy.pc)))});
}

void AccessAnalysis::report_race(const GlobalHazard& hazard) {
  if (!errors_.is_new(mistake_of(hazard))) return;
  errors_.add(describe_race(program_, launch_, memory_, hazard));
}

void AccessAnalysis::report_hazard(const Hazard& hazard, const Record& record, std::size_t offset,
                                   unsigned thread) {
  if (hazard.kind == Hazard::Kind::write_after_write && record.kind == RecordKind::store &&
      !values_.differ(offset, record.bytes)) {
    report_same_value(hazard, record, offset, thread);
    return;
  }
  if (hazard.kind == Hazard::Kind::uninitialized_read) {
    const bool updates = record.kind == RecordKind::atomic;
    const UnwrittenReads::Read read{ErrorKind::uninitialized_read, record.pc, offset, thread,
                                    updates};
    if (updates || !unwritten_reads_.add(read)) report_unwritten(read, true);
    return;
  }
  const std::uint32_t earlier_pc = traffic_.at(hazard.earlier_site).site.pc;
  const Mistake mistake = mistake_between(ErrorKind::race, record.pc, earlier_pc);
  if (!errors_.is_new(mistake)) return;
  const SharedVariable* variable = program_.shared_variables().before(offset);
  const std::string what = fmt::format("{} byte {}", variable->name, offset - variable->offset);
  const std::string who = describe_thread(program_, launch_, block_, thread);
  const std::string here = to_string(program_.locate(record.pc));
  const char* earlier = hazard.kind == Hazard::Kind::write_after_read ? "read" : "written";
  errors_.add({mistake, block_,
               fmt::format("shared memory race: {} {} {} at {}, {} by thread {} at {} with no "
                           "barrier between",
                           who, verb(record.kind), what, here, earlier,
                           to_string(launch_.thread_index(hazard.earlier_thread)),
                           to_string(program_.locate(earlier_pc)))});
}

}  // namespace warpgauge::emulator
