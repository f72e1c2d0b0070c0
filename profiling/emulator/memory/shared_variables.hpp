// SPDX-License-Identifier: Apache-2.0
// The program's __shared__ variables, which are its thread-local variables, read from the symbol
// table of the running executable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace warpgauge::emulator {

struct SharedVariable {
  std::size_t offset = 0;  // bytes from the start of the thread-local segment
  std::size_t bytes = 0;
  std::string name;  // without the function around it
};

class SharedVariables {
 public:
  // Throws std::runtime_error when the executable has no symbol table.
  SharedVariables();

  // Bytes of the thread-local segment.
  [[nodiscard]] std::size_t segment_bytes() const { return segment_bytes_; }

  // Where the runtime's own thread-local memory begins, which holds dynamic shared memory first.
  [[nodiscard]] std::size_t dynamic_offset() const { return dynamic_offset_; }

  // The variable that contains the whole access, or nullptr. `dynamic_bytes`: from the launch.
  [[nodiscard]] const SharedVariable* find(std::size_t offset, std::size_t bytes,
                                           std::size_t dynamic_bytes) const;

  // Size of the kernel's own variables, without those of the functions that it calls.
  [[nodiscard]] std::size_t static_bytes(const void* kernel) const;

  // The extents of the kernel's __cluster_dims__; nullptr: it has none.
  [[nodiscard]] const unsigned* cluster(const void* kernel) const;

  // Variables in constant memory that are templates: their addresses and bytes.
  [[nodiscard]] const std::vector<std::pair<std::uintptr_t, std::size_t>>& constants() const {
    return constants_;
  }

  // The last variable that begins at or before `offset`, or nullptr.
  [[nodiscard]] const SharedVariable* before(std::size_t offset) const;

 private:
  std::vector<SharedVariable> variables_;               // by offset
  std::map<std::uintptr_t, std::size_t> static_bytes_;  // by the function around them
  std::map<std::uintptr_t, const unsigned*> clusters_;  // by the kernel
  std::vector<std::pair<std::uintptr_t, std::size_t>> constants_;
  std::size_t segment_bytes_ = 0;
  std::size_t dynamic_offset_ = 0;
};

}  // namespace warpgauge::emulator
