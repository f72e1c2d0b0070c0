// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/execution/program.hpp"

#include <link.h>

namespace warpgauge::emulator {
namespace {

// The executable comes first.
int find_text(dl_phdr_info* object, std::size_t, void* data) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || (header.p_flags & PF_X) == 0) continue;
    *static_cast<std::uintptr_t*>(data) = object->dlpi_addr + header.p_vaddr;
    return 1;
  }
  return 1;
}

}  // namespace

Program::Program() : text_begin_(0) { dl_iterate_phdr(&find_text, &text_begin_); }

SourceLocator& Program::locator() {
  if (!locator_) locator_.emplace();
  return *locator_;
}

SourceLocation Program::locate(std::uint32_t pc) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, added] = located_.try_emplace(pc);
  if (added) entry->second = locator().locate(text_begin_ + pc);
  return entry->second;
}

bool Program::accesses_two_words(std::uint32_t pc) {
  const std::scoped_lock lock(mutex_);
  return locator().accesses_two_words(text_begin_ + pc);
}

bool Program::checks_operand(std::uint32_t first_pc, std::uint32_t second_pc) {
  return first_pc < second_pc && locate(first_pc) == locate(second_pc) &&
         calls_operand_check(text_begin_ + first_pc, text_begin_ + second_pc);
}

std::string Program::kernel_name(const warpgauge_emulator::KernelCall& call) {
  if (call.name != nullptr) return call.name;
  const std::scoped_lock lock(mutex_);
  return locator().function_at(reinterpret_cast<std::uintptr_t>(call.kernel));
}

std::string Program::kernel_symbol(const void* kernel) {
  const std::scoped_lock lock(mutex_);
  return locator().symbol_at(reinterpret_cast<std::uintptr_t>(kernel));
}

}  // namespace warpgauge::emulator
