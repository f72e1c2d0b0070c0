// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/device_memory.hpp"

#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "profiling/emulator/memory/written_bytes.hpp"

// Bounds of the section that __constant__ variables are put in, which a program may not have.
// The linker makes these names from the section's.
extern "C" {
extern char __start_warpgauge_constant[] __attribute__((weak));
extern char __stop_warpgauge_constant[] __attribute__((weak));
}

namespace warpgauge::emulator {
namespace {

constexpr std::size_t kGuardBytes = std::size_t{1} << 20;
constexpr std::size_t kMostFreed = 256;  // that are remembered; each takes address space only

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t round_up_to_pages(std::size_t bytes) {
  const std::size_t page = page_bytes();
  return (bytes + page - 1) / page * page;
}

struct ProgramData {
  std::vector<MemoryRange> writable;
  std::vector<MemoryRange> read_only;
};

// The executable comes first in dl_iterate_phdr; libraries hold nothing of a kernel's.
int add_segments(dl_phdr_info* object, std::size_t, void* data) {
  auto& program = *static_cast<ProgramData*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    const MemoryRange range{begin, begin + header.p_memsz};
    ((header.p_flags & PF_W) != 0 ? program.writable : program.read_only).push_back(range);
  }
  return 1;
}

bool holds(const std::vector<MemoryRange>& ranges, std::uintptr_t address, std::size_t bytes) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const MemoryRange& range) { return range.holds(address, bytes); });
}

}  // namespace

DeviceMemory::DeviceMemory() {
  ProgramData program;
  dl_iterate_phdr(&add_segments, &program);
  variables_ = std::move(program.writable);
  constants_ = std::move(program.read_only);
  if (__start_warpgauge_constant != nullptr) {
    constants_.push_back({reinterpret_cast<std::uintptr_t>(__start_warpgauge_constant),
                          reinterpret_cast<std::uintptr_t>(__stop_warpgauge_constant)});
  }
}

DeviceMemory::~DeviceMemory() {
  reset();
  while (!freed_.empty()) forget_oldest_freed();
}

// As much as the host has.
std::size_t DeviceMemory::total_bytes() const {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_bytes();
}

void* DeviceMemory::allocate(std::size_t bytes, Content content) {
  if (bytes > free_bytes()) return nullptr;
  const std::size_t reserved_bytes = round_up_to_pages(bytes) + 2 * kGuardBytes;
  void* reserved =
      mmap(nullptr, reserved_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) return nullptr;
  char* memory = static_cast<char*>(reserved) + kGuardBytes;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  if (!open({begin, begin + bytes}, content)) {
    munmap(reserved, reserved_bytes);
    return nullptr;
  }
  return memory;
}

// Makes reserved addresses an allocation. False: the host has no room.
bool DeviceMemory::open(MemoryRange range, Content content) {
  const std::size_t bytes = range.end - range.begin;
  if (mprotect(reinterpret_cast<void*>(range.begin), round_up_to_pages(bytes),
               PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  if (content == Content::unwritten) {
    const std::size_t count = written_bytes::states(bytes);
    range.written = static_cast<std::uint8_t*>(std::calloc(count, 1));
    if (range.written == nullptr) return false;
    unwritten_.emplace(range.begin, Unwritten{{range.written, &std::free}, count});
    // The last word may be a part of one.
    if (bytes % 4 != 0) range.written[count - 1] = written_bytes::bits_of(bytes % 4, 4);
  }
  const auto place = std::upper_bound(
      ranges_.begin(), ranges_.end(), range.begin,
      [](std::uintptr_t value, const MemoryRange& other) { return value < other.begin; });
  ranges_.insert(place, range);
  allocated_ += bytes;
  return true;
}

void DeviceMemory::reset() {
  while (!ranges_.empty()) {
    void* pointer = reinterpret_cast<void*>(ranges_.back().begin);
    if (!disown(pointer)) static_cast<void>(release(pointer));
  }
  while (!suspended_.empty()) {
    static_cast<void>(drop(reinterpret_cast<void*>(suspended_.back().begin)));
  }
}

bool DeviceMemory::adopt(void* pointer, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  const auto place = std::upper_bound(
      ranges_.begin(), ranges_.end(), begin,
      [](std::uintptr_t value, const MemoryRange& range) { return value < range.begin; });
  if (place != ranges_.end() && place->begin < begin + bytes) return false;
  if (place != ranges_.begin() && (place - 1)->end > begin) return false;
  ranges_.insert(place, {begin, begin + bytes});
  adopted_.insert(begin);
  return true;
}

bool DeviceMemory::disown(void* pointer) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  if (adopted_.erase(begin) == 0) return false;
  std::erase_if(ranges_, [&](const MemoryRange& range) { return range.begin == begin; });
  return true;
}

// Of an allocation, its addresses; they stay reserved. Empty: `pointer` begins none.
MemoryRange DeviceMemory::close(void* pointer) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  if (adopted_.contains(begin)) return {};
  const auto range = std::ranges::find(ranges_, begin, &MemoryRange::begin);
  if (range == ranges_.end()) return {};
  const MemoryRange closed{range->begin, range->end};
  const std::size_t bytes = closed.end - closed.begin;
  // Gives the memory back and keeps the addresses, or only closes it where the host has no room for
  // one more mapping.
  if (mmap(pointer, round_up_to_pages(bytes), PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
    mprotect(pointer, round_up_to_pages(bytes), PROT_NONE);
  }
  allocated_ -= bytes;
  unwritten_.erase(begin);
  ranges_.erase(range);
  return closed;
}

bool DeviceMemory::release(void* pointer) {
  const MemoryRange closed = close(pointer);
  if (closed.end == 0) return false;
  remember_freed(closed);
  return true;
}

bool DeviceMemory::suspend(void* pointer) {
  const MemoryRange closed = close(pointer);
  if (closed.end == 0) return false;
  suspended_.push_back(closed);
  return true;
}

bool DeviceMemory::resume(void* pointer) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  const auto range = std::ranges::find(suspended_, begin, &MemoryRange::begin);
  if (range == suspended_.end() || !open(*range, Content::unwritten)) return false;
  suspended_.erase(range);
  return true;
}

bool DeviceMemory::drop(void* pointer) {
  const auto begin = reinterpret_cast<std::uintptr_t>(pointer);
  const auto range = std::ranges::find(suspended_, begin, &MemoryRange::begin);
  if (range == suspended_.end()) return false;
  remember_freed(*range);
  suspended_.erase(range);
  return true;
}

void DeviceMemory::remember_freed(const MemoryRange& range) {
  freed_.push_back(range);
  if (freed_.size() > kMostFreed) forget_oldest_freed();
}

void DeviceMemory::forget_oldest_freed() {
  const MemoryRange& oldest = freed_.front();
  munmap(reinterpret_cast<char*>(oldest.begin) - kGuardBytes,
         round_up_to_pages(oldest.end - oldest.begin) + 2 * kGuardBytes);
  freed_.pop_front();
}

bool DeviceMemory::was_freed(std::uintptr_t address) const {
  const auto here = [&](const MemoryRange& range) { return range.holds(address, 1); };
  return std::ranges::any_of(freed_, here) || std::ranges::any_of(suspended_, here);
}

bool DeviceMemory::is_near(std::uintptr_t address) const {
  const auto near = [&](const MemoryRange& range) {
    return address + kGuardBytes >= range.begin && address < range.end + kGuardBytes;
  };
  return std::ranges::any_of(ranges_, near) || std::ranges::any_of(freed_, near) ||
         std::ranges::any_of(suspended_, near);
}

MemoryRange* DeviceMemory::find(std::uintptr_t address, std::size_t bytes) {
  return const_cast<MemoryRange*>(find_allocation(address, bytes));
}

void DeviceMemory::note_written(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  MemoryRange* range = find(address, bytes);
  if (range == nullptr || range->written == nullptr) return;
  if (bytes == range->end - range->begin) {
    range->written = nullptr;
    unwritten_.erase(range->begin);
  } else {
    written_bytes::mark(range->written, address - range->begin, bytes);
  }
}

void DeviceMemory::settle() {
  for (auto entry = unwritten_.begin(); entry != unwritten_.end();) {
    auto& [begin, unwritten] = *entry;
    const std::uint8_t* states = unwritten.states.get();
    unwritten.settled +=
        written_bytes::count_whole(states + unwritten.settled, unwritten.count - unwritten.settled);
    if (unwritten.settled < unwritten.count) {
      ++entry;
    } else {
      find(begin, 1)->written = nullptr;
      entry = unwritten_.erase(entry);
    }
  }
}

const MemoryRange* DeviceMemory::find_allocation(std::uintptr_t address, std::size_t bytes) const {
  const auto next = std::upper_bound(
      ranges_.begin(), ranges_.end(), address,
      [](std::uintptr_t value, const MemoryRange& range) { return value < range.begin; });
  if (next == ranges_.begin() || !(next - 1)->holds(address, bytes)) return nullptr;
  return &*(next - 1);
}

bool DeviceMemory::holds_variable(std::uintptr_t address, std::size_t bytes) const {
  return holds(variables_, address, bytes);
}

bool DeviceMemory::holds_constant(std::uintptr_t address, std::size_t bytes) const {
  return holds(constants_, address, bytes);
}

std::string DeviceMemory::describe_inside(std::uintptr_t address) const {
  const MemoryRange* range = find_allocation(address, 1);
  if (range == nullptr) return "a variable of the program";
  return fmt::format("byte {} of an allocation of {} bytes", address - range->begin,
                     range->end - range->begin);
}

std::string DeviceMemory::describe(std::uintptr_t address) const {
  const auto freed = [&](const auto& ranges) -> std::string {
    for (const MemoryRange& range : ranges) {
      if (!range.holds(address, 1)) continue;
      return fmt::format("byte {} of an allocation of {} bytes that has been freed",
                         address - range.begin, range.end - range.begin);
    }
    return "";
  };
  for (const std::string& text : {freed(freed_), freed(suspended_)}) {
    if (!text.empty()) return text;
  }
  const MemoryRange* nearest = nullptr;
  std::uintptr_t distance = kGuardBytes;
  for (const MemoryRange& range : ranges_) {
    const std::uintptr_t away =
        address < range.begin ? range.begin - address : address - std::min(address, range.end);
    if (away < distance) {
      distance = away;
      nearest = &range;
    }
  }
  if (nearest == nullptr) return fmt::format("{:#x}, in no device memory", address);
  return fmt::format("{} bytes {} an allocation of {} bytes", distance,
                     address < nearest->begin ? "before" : "beyond the end of",
                     nearest->end - nearest->begin);
}

}  // namespace warpgauge::emulator
