// SPDX-License-Identifier: Apache-2.0
// One asm statement of PTX, as code of C++ that calls the emulator.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "profiling/emulator/compile/ptx/ptx_text.hpp"

namespace warpgauge::emulator {

class PtxStatement {
 public:
  // inside: of the parentheses.
  explicit PtxStatement(std::string_view inside);

  // Its instructions have types, as the host's have not.
  [[nodiscard]] bool is_ptx() const;

  // An instruction that is not known becomes one that ends the kernel and names it.
  [[nodiscard]] std::string translated();

 private:
  [[nodiscard]] std::string declared(const std::string& declaration);
  [[nodiscard]] std::string translated(const std::string& instruction) const;
  [[nodiscard]] std::string code_of(const Words& parts, const Words& arguments) const;
  [[nodiscard]] std::string by_pattern(const Words& parts, const Words& arguments) const;
  [[nodiscard]] std::string value_of(std::string argument) const;
  [[nodiscard]] Words values_of(const std::string& argument) const;
  [[nodiscard]] std::string address_of(const std::string& argument, bool shared) const;
  [[nodiscard]] std::string move(const Words& parts, const Words& arguments) const;
  [[nodiscard]] std::string convert(const Words& parts, const Words& arguments) const;
  [[nodiscard]] std::string compare(const Words& parts, const Words& arguments) const;
  [[nodiscard]] std::string memory_access(const Words& parts, const Words& arguments) const;
  [[nodiscard]] std::string atomic_operation(const Words& parts, const Words& arguments) const;
  [[nodiscard]] std::string barrier(const Words& parts, const Words& arguments) const;
  [[nodiscard]] std::string asynchronous_copy(const Words& parts, const Words& arguments) const;
  [[nodiscard]] std::string matrix_access(const Words& parts, const Words& arguments) const;
  [[nodiscard]] std::string matrix_product(const Words& parts, const Words& arguments) const;

  std::string text_;
  Words operands_;                                // in parentheses, as %0, %1 and so on
  std::map<std::string, std::string> registers_;  // that it declares, by name: their variables
};

}  // namespace warpgauge::emulator
