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
namespace {

const char* verb(RecordKind kind) {
  switch (kind) {
    case RecordKind::load:
    case RecordKind::volatile_load:
      return "reads";
    case RecordKind::store:
    case RecordKind::volatile_store:
      return "writes";
    default:
      return "updates";
  }
}

}  // namespace

void AccessAnalysis::report_shared_out_of_bounds(const Record& record, std::size_t offset,
                                                 unsigned thread, const SharedVariable* meant) {
  std::string key = fmt::format("shared bounds {}", record.pc);
  if (!errors_.is_new(key)) return;
  const SharedVariables& variables = program_.shared_variables();
  const SharedVariable* nearest = meant != nullptr ? meant : variables.before(offset);
  std::string where = "outside all shared variables";
  if (nearest != nullptr) {
    const bool dynamic = nearest->offset == variables.dynamic_offset();
    where = fmt::format("at byte {} of {}, which has {}",
                        static_cast<std::ptrdiff_t>(offset - nearest->offset), nearest->name,
                        dynamic ? launch_.dynamic_shared_bytes : nearest->bytes);
  }
  errors_.add({ErrorKind::shared_out_of_bounds, block_, std::move(key),
               fmt::format("shared memory out of bounds: {} {} {} bytes {}, at {}",
                           describe_thread(program_, launch_, block_, thread), verb(record.kind),
                           record.bytes, where, to_string(program_.locate(record.pc)))});
}

void AccessAnalysis::report_global_out_of_bounds(const Record& record, std::uintptr_t address,
                                                 unsigned thread) {
  std::string key = fmt::format("global bounds {}", record.pc);
  if (!errors_.is_new(key)) return;
  errors_.add({ErrorKind::global_out_of_bounds, block_, std::move(key),
               fmt::format("global memory out of bounds: {} {} {} bytes {}, at {}",
                           describe_thread(program_, launch_, block_, thread), verb(record.kind),
                           record.bytes, memory_.describe(address),
                           to_string(program_.locate(record.pc)))});
}

bool AccessAnalysis::require_aligned(const Record& record, std::uintptr_t address,
                                     unsigned thread) {
  const bool power_of_two = record.bytes != 0 && (record.bytes & (record.bytes - 1U)) == 0;
  if (!power_of_two || address % record.bytes == 0) return true;
  std::string key = fmt::format("misaligned {}", record.pc);
  if (!errors_.is_new(key)) return false;
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
  errors_.add({ErrorKind::misaligned, block_, std::move(key),
               fmt::format("misaligned address: {} {} {} bytes at {}, {} bytes past a multiple of "
                           "their size, at {}",
                           describe_thread(program_, launch_, block_, thread), verb(record.kind),
                           record.bytes, where, address % record.bytes,
                           to_string(program_.locate(record.pc)))});
  return false;
}

void AccessAnalysis::report_unwritten(const Record& record, std::uintptr_t address,
                                      unsigned thread) {
  std::string key = fmt::format("uninitialized global {}", record.pc);
  if (!errors_.is_new(key)) return;
  const MemoryRange& range = last_written_range_;
  while (written_bytes::all(range.written, address - range.begin, 1)) ++address;
  errors_.add(
      {ErrorKind::uninitialized_global_read, block_, std::move(key),
       fmt::format("uninitialized device memory: {} {} {}, which nothing has written, at {}",
                   describe_thread(program_, launch_, block_, thread), verb(record.kind),
                   memory_.describe_inside(address), to_string(program_.locate(record.pc)))});
}

void AccessAnalysis::report_same_value(const Hazard& hazard, const Record& record,
                                       std::size_t offset, unsigned thread) {
  const std::uint32_t earlier_pc = traffic_.at(hazard.earlier_site).site.pc;
  std::string key = fmt::format("same value {} {}", std::min(earlier_pc, record.pc),
                                std::max(earlier_pc, record.pc));
  if (!remarks_.is_new(key)) return;
  const SharedVariable* variable = program_.shared_variables().before(offset);
  remarks_.add({ErrorKind::race, block_, std::move(key),
                fmt::format("same value written by several threads: {} writes {} byte {} at {}, as "
                            "thread {} did at {} with no barrier between",
                            describe_thread(program_, launch_, block_, thread), variable->name,
                            offset - variable->offset, to_string(program_.locate(record.pc)),
                            to_string(launch_.thread_index(hazard.earlier_thread)),
                            to_string(program_.locate(earlier_pc)))});
}

void AccessAnalysis::report_not_shared(const Record& record, unsigned thread) {
  std::string key = fmt::format("not shared {}", record.pc);
  if (!errors_.is_new(key)) return;
  errors_.add({ErrorKind::invalid_call, block_, std::move(key),
               fmt::format("asynchronous copy to memory that is not shared: {}, at {}",
                           describe_thread(program_, launch_, block_, thread),
                           to_string(program_.locate(record.pc)))});
}

void AccessAnalysis::report_pending(const AsyncCopies::Copy& copy, const Record& record,
                                    std::size_t offset, unsigned thread) {
  std::string key = fmt::format("pending {} {}", copy.pc, record.pc);
  if (!errors_.is_new(key)) return;
  const SharedVariable* variable = program_.shared_variables().before(offset);
  errors_.add(
      {ErrorKind::async_copy, block_, std::move(key),
       fmt::format("asynchronous copy not waited for: {} {} {} byte {} at {}, to which thread {} "
                   "copies at {} and has not waited for it",
                   describe_thread(program_, launch_, block_, thread), verb(record.kind),
                   variable->name, offset - variable->offset, to_string(program_.locate(record.pc)),
                   to_string(launch_.thread_index(copy.thread)),
                   to_string(program_.locate(copy.pc)))});
}

void AccessAnalysis::report_race(const GlobalHazard& hazard) {
  KernelError error = describe_race(program_, launch_, memory_, hazard);
  if (errors_.is_new(error.key)) errors_.add(std::move(error));
}

void AccessAnalysis::report_hazard(const Hazard& hazard, const Record& record, std::size_t offset,
                                   unsigned thread) {
  if (hazard.kind == Hazard::Kind::write_after_write && record.kind == RecordKind::store &&
      !values_.differ(offset, record.bytes)) {
    report_same_value(hazard, record, offset, thread);
    return;
  }
  const bool uninitialized = hazard.kind == Hazard::Kind::uninitialized_read;
  const std::uint32_t earlier_pc = traffic_.at(hazard.earlier_site).site.pc;
  std::string key = uninitialized ? fmt::format("uninitialized {}", record.pc)
                                  : fmt::format("race {} {}", std::min(earlier_pc, record.pc),
                                                std::max(earlier_pc, record.pc));
  if (!errors_.is_new(key)) return;
  const SharedVariable* variable = program_.shared_variables().before(offset);
  const std::string what = fmt::format("{} byte {}", variable->name, offset - variable->offset);
  const std::string who = describe_thread(program_, launch_, block_, thread);
  const std::string here = to_string(program_.locate(record.pc));
  if (uninitialized) {
    errors_.add({ErrorKind::uninitialized_read, block_, std::move(key),
                 fmt::format("uninitialized shared memory: {} reads {}, which no thread of the "
                             "block has written, at {}",
                             who, what, here)});
    return;
  }
  const char* earlier = hazard.kind == Hazard::Kind::write_after_read ? "read" : "written";
  errors_.add({ErrorKind::race, block_, std::move(key),
               fmt::format("shared memory race: {} {} {} at {}, {} by thread {} at {} with no "
                           "barrier between",
                           who, verb(record.kind), what, here, earlier,
                           to_string(launch_.thread_index(hazard.earlier_thread)),
                           to_string(program_.locate(earlier_pc)))});
}

}  // namespace warpgauge::emulator
