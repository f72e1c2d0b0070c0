// SPDX-License-Identifier: Apache-2.0
// Types, and expressions in them.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiling/machine_code/names/mangled_measure.hpp"

namespace warpgauge::machine_code {

Size Measure::types_up_to(char end) {
  Size size;
  while (peek() != end) size += type();
  ++at_;
  return size;
}

Size Measure::type() {
  const Deeper deeper(depth_);
  const char first = peek();
  if (is_type_qualifier()) return add(qualified_type());
  if (is_digit(first) || first == 'N' || first == 'Z') return add(name());
  if (first == 'S') return type_by_reference();
  if (first == 'D') return type_with_d();
  if (first == 'T') {
    Size size = parameter();
    if (peek() == 'I') {
      add(size);
      size += template_arguments();
    }
    return add(size);
  }
  ++at_;
  Size size;
  switch (first) {
    case 'F':
      return add(function_type());
    case 'O':
    case 'P':
    case 'R':
    case 'C':
    case 'G':
      size += type();
      return add(size);
    case 'A':
      size += array_bound();
      size += type();
      return add(size);
    case 'M':
      size += type();
      size += type();
      return add(size);
    case 'U':
      size += source_name();
      if (peek() == 'I') size += template_arguments();
      size += type();
      return add(size);
    case 'u':
      return add(source_name());
    default:
      if (!is_lower(first)) throw NotUnderstood();
      return Size{kWords};
  }
}

bool Measure::is_type_qualifier() const {
  const char first = peek();
  return first == 'r' || first == 'V' || first == 'K' || is_one_of(two(), "Dx Do DO Dw");
}

Size Measure::qualified_type() {
  Size size;
  while (is_type_qualifier()) {
    size.text += kAround;
    if (take("DO")) {
      size += expression();
      expect("E");
    } else if (take("Dw")) {
      size += types_up_to('E');
    } else {
      at_ += peek() == 'D' ? 2 : 1;
    }
  }
  size += take("F") ? function_type() : type();
  return size;
}

Size Measure::function_type() {
  (void)take("Y");
  Size size;
  while (peek() != 'E' && !is_one_of(two(), "RE OE")) size += type();
  if (peek() != 'E') ++at_;
  expect("E");
  return size;
}

Size Measure::array_bound() {
  Size size;
  if (is_digit(peek())) {
    const std::size_t begin = at_;
    skip_digits();
    size.text += at_ - begin;
  } else if (peek() != '_') {
    size += expression();
  }
  expect("_");
  return size;
}

Size Measure::type_by_reference() {
  const char second = peek(1);
  if (!is_digit(second) && second != '_' && !is_upper(second)) {
    const bool is_whole = second != 't' && peek(2) != 'I';
    const Size size = name();
    return is_whole ? size : add(size);
  }
  Size size = reference();
  if (peek() != 'I') return size;
  size += template_arguments();
  return add(size);
}

Size Measure::type_with_d() {
  Size size;
  if (take("DT") || take("Dt")) {
    size += expression();
    expect("E");
    return add(size);
  }
  if (take("Dp")) return add(for_each_element(type()));
  if (take("Dv")) {
    size += array_bound();
    size += type();
    return add(size);
  }
  if (take("DF")) {
    skip_digits();
    skip(1);  // "_" or "x" or "b"
    return size;
  }
  if (!is_lower(peek(1))) throw NotUnderstood();
  at_ += 2;
  return Size{kWords};
}

Size Measure::for_each_element(const Size& pattern) const {
  const std::uint64_t count = longest_pack_ + 1;
  return {product(pattern.text + kAround, count), 0,
          product(pattern.parameters + pattern.elements, count)};
}

Size Measure::expressions_up_to(char end) {
  Size size;
  while (peek() != end) size += expression();
  ++at_;
  return size;
}

Size Measure::expression() {
  const Deeper deeper(depth_);
  if (peek() == 'L') return literal();
  if (peek() == 'T') return parameter();
  if (take("sp")) return for_each_element(expression());
  if (take("fpT")) return {};
  if (take("fp")) {
    skip_compact_number();
    return {};
  }
  if (is_digit(peek()) || next_is("on")) return name_in_expression();
  return operation();
}

Size Measure::name_in_expression() {
  Size size = unqualified_name();
  if (peek() == 'I') size += template_arguments();
  return size;
}

Size Measure::operation() {
  Size size;
  const std::string_view code = two();
  skip(2);
  if (is_one_of(code, "st at ti")) {
    size += type();
  } else if (is_one_of(code, "sr")) {
    size += type();
    size += name_in_expression();
  } else if (is_one_of(code, "dt pt")) {
    size += expression();
    size += name_in_expression();
  } else if (is_one_of(code, "tl cv")) {
    size += type();
    const bool is_list = code == "tl" || take("_");
    size += is_list ? expressions_up_to('E') : expression();
  } else if (is_one_of(code, "il cl")) {
    size += expressions_up_to('E');
  } else if (is_one_of(code, "cc dc rc sc")) {
    size += type();
    size += expression();
  } else if (is_one_of(code, "fl fr fL fR")) {
    skip(2);
    size += operands(is_upper(code[1]) ? 2 : 1);
  } else {
    size += operands(count_of_operands(code));
  }
  return size;
}

Size Measure::operands(int count) {
  Size size;
  for (int i = 0; i < count; ++i) size += expression();
  return size;
}

int Measure::count_of_operands(std::string_view code) {
  if (is_one_of(code, "ad co de ng nt ps sz az te nx sZ tw")) return 1;
  if (is_one_of(code, "pp mm")) {
    (void)take("_");
    return 1;
  }
  if (is_one_of(code,
                "aN aS aa an cm dV dv ds eO eo eq ge gt ix lS le ls lt mI mL mi ml ne oR oo "
                "or pL pl pm rM rS rm rs ss")) {
    return 2;
  }
  if (code == "qu") return 3;
  throw NotUnderstood();
}

}  // namespace warpgauge::machine_code
