// SPDX-License-Identifier: Apache-2.0
// Maps machine code to source lines by the running executable's debug information.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace warpgauge::emulator {

struct SourceLocation {
  std::string file;      // relative to the source root; empty: no debug information
  int line = 0;          // counted from 1; 0: not known
  int column = 0;        // counted from 1; 0: not known
  std::string function;  // with template arguments, without parameters

  friend bool operator==(const SourceLocation&, const SourceLocation&) = default;
};

// "kernels/transpose.cuh:54:60".
[[nodiscard]] std::string to_string(const SourceLocation& location);

class SourceLocator {
 public:
  SourceLocator();
  SourceLocator(const SourceLocator&) = delete;
  SourceLocator& operator=(const SourceLocator&) = delete;
  ~SourceLocator();

  // The place of the call that returns to `return_address`. Code of the emulator's own headers
  // counts as the line that uses it.
  [[nodiscard]] SourceLocation locate(std::uintptr_t return_address) const;

  // Whether the 16 bytes that the code before `return_address` accesses are a struct of two words
  // of 8 bytes: parameters or variables there lead to such a struct in memory, and to no type that
  // is aligned to 16.
  [[nodiscard]] bool accesses_two_words(std::uintptr_t return_address) const;

  // The symbol at `address`, demangled: with namespaces, template arguments and parameters.
  [[nodiscard]] std::string symbol_at(std::uintptr_t address) const;

  // Name of the function that begins at `address`.
  [[nodiscard]] std::string function_at(std::uintptr_t address) const;

 private:
  class Debug;
  std::unique_ptr<Debug> debug_;
};

}  // namespace warpgauge::emulator
