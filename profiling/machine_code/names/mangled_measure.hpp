// SPDX-License-Identifier: Apache-2.0
// The parts of a mangled name and how long each becomes: for mangled_size.cpp and
// mangled_types.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "profiling/machine_code/names/mangled_cursor.hpp"

namespace warpgauge::machine_code {

class Measure : MangledCursor {
 public:
  Measure(std::string_view symbol, bool counts_nameless)
      : MangledCursor(symbol), counts_nameless_(counts_nameless) {}

  // Throws NotUnderstood.
  [[nodiscard]] std::uint64_t run();

 private:
  [[nodiscard]] std::uint64_t total(const Size& size) const;
  Size add(const Size& part);
  Size encoding();
  Size name();
  Size local_name();
  Size nested_name();
  Size source_name();
  Size unqualified_name();
  Size operator_name();
  // "S_", "S1Z_", "Sa".
  Size reference();
  // "T_", "T0_".
  Size parameter();
  // The brackets that they are in too.
  Size template_arguments();
  Size template_argument();
  Size literal();
  Size types_up_to(char end);
  Size type();
  [[nodiscard]] bool is_type_qualifier() const;
  Size qualified_type();
  Size function_type();
  Size array_bound();
  Size type_by_reference();
  Size type_with_d();
  [[nodiscard]] Size for_each_element(const Size& pattern) const;
  Size expressions_up_to(char end);
  Size expression();
  Size name_in_expression();
  Size operation();
  Size operands(int count);
  int count_of_operands(std::string_view code);

  bool counts_nameless_;
  std::vector<Size> parts_;  // that "S_" and so on stand for
  struct Arguments {
    Size all;
    std::uint64_t longest = 0;
  };
  Arguments arguments_;  // the last ones, and where they end
  std::size_t arguments_end_ = 0;
  std::uint64_t longest_argument_ = kAround;
  std::uint64_t longest_element_ = kAround;
  std::uint64_t longest_pack_ = 1;
};

}  // namespace warpgauge::machine_code
