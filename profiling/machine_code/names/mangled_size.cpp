// SPDX-License-Identifier: Apache-2.0
// Names and their templates' arguments; types are in mangled_types.cpp.
#include "profiling/machine_code/names/mangled_size.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

#include "profiling/machine_code/names/mangled_measure.hpp"

namespace warpgauge::machine_code {

std::uint64_t Measure::run() {
  expect("_Z");
  const std::uint64_t size = total(encoding());
  // ".constprop.0" is copied.
  if (at_ < symbol_.size() && peek() != '.') throw NotUnderstood();
  return std::min(size + symbol_.size(), kEnough);
}

std::uint64_t Measure::total(const Size& size) const {
  return std::min(size.text + product(size.parameters, longest_argument_) +
                      product(size.elements, longest_element_),
                  kEnough);
}

Size Measure::add(const Size& part) {
  parts_.push_back(part);
  return part;
}

Size Measure::encoding() {
  const Deeper deeper(depth_);
  Size size{4 * kWords};  // "non-transaction clone for "
  if (take("TV") || take("TT") || take("TI") || take("TS")) return size += type();
  if (take("GV")) return size += name();
  size += name();
  // A template's parameters stand for the arguments of the function that they are in.
  if (at_ - arguments_end_ <= 1) {
    longest_argument_ = std::max(longest_argument_, total(arguments_.all));
    longest_element_ = std::max(longest_element_, arguments_.longest);
  }
  while (at_ < symbol_.size() && peek() != 'E' && peek() != '.') size += type();
  return size;
}

Size Measure::name() {
  const Deeper deeper(depth_);
  if (peek() == 'N') return nested_name();
  if (take("Z")) return local_name();
  const bool is_part = peek() == 'S' && peek(1) != 't';
  Size size = is_part ? reference() : Size();
  if (!is_part) {
    (void)take("St");
    size += unqualified_name();
  }
  if (peek() != 'I') return size;
  if (!is_part) add(size);
  size += template_arguments();
  return size;
}

Size Measure::local_name() {
  Size size = encoding();
  expect("E");
  if (take("s")) {
    skip_discriminator();
    return size;
  }
  if (take("d")) skip_compact_number();
  size += name();
  skip_discriminator();
  return size;
}

Size Measure::nested_name() {
  expect("N");
  while (peek() == 'r' || peek() == 'V' || peek() == 'K') ++at_;
  if (peek() == 'R' || peek() == 'O') ++at_;
  Size size;
  while (!take("E")) {
    if (take("M")) continue;
    const char first = peek();
    if (first == 'S') {
      size += reference();
    } else if (first == 'I') {
      size += template_arguments();
    } else if (first == 'T') {
      size += parameter();
    } else if (next_is("DT") || next_is("Dt")) {
      size += type();
    } else {
      size += unqualified_name();
    }
    if (first != 'S' && peek() != 'E') add(size);
  }
  return size;
}

Size Measure::source_name() {
  std::size_t length = 0;
  const char* const end = symbol_.data() + symbol_.size();
  const auto [stop, error] = std::from_chars(symbol_.data() + at_, end, length);
  if (error != std::errc()) throw NotUnderstood();
  at_ = static_cast<std::size_t>(stop - symbol_.data());
  if (length > symbol_.size() - at_) throw NotUnderstood();
  at_ += length;
  return Size{kWords + length};
}

Size Measure::unqualified_name() {
  Size size;
  if (is_digit(peek())) {
    size = source_name();
  } else if (take("L")) {
    size = source_name();
    skip_discriminator();
  } else if (take("Ul")) {
    size += types_up_to('E');
    skip_compact_number();
    if (counts_nameless_) add(size);
  } else if (take("Ut")) {
    skip_compact_number();
    if (counts_nameless_) add(size);
  } else if (peek() == 'C' || peek() == 'D') {
    // The constructor has its class's name, which is that of the part before it.
    if (!is_digit(peek(1))) throw NotUnderstood();
    at_ += 2;
    size.text += symbol_.size();
  } else {
    size = operator_name();
  }
  while (take("B")) size += source_name();
  return size;
}

Size Measure::operator_name() {
  (void)take("on");
  if (!is_lower(peek())) throw NotUnderstood();
  if (take("cv")) return type();
  if (take("li")) return source_name();
  if (peek() == 'v' && is_digit(peek(1))) throw NotUnderstood();
  skip(2);
  return {};
}

Size Measure::reference() {
  expect("S");
  if (is_lower(peek())) {
    ++at_;
    // In full, "std::basic_string<char, std::char_traits<char>, …", only before its constructor.
    return Size{(is_upper(peek()) ? 6 : 1) * kWords};
  }
  std::size_t index = 0;
  for (bool is_first = true; !take("_"); is_first = false) {
    const char digit = peek();
    if (!is_digit(digit) && !is_upper(digit)) throw NotUnderstood();
    const auto value = static_cast<std::size_t>(is_digit(digit) ? digit - '0' : digit - 'A' + 10);
    index = (is_first ? 0 : (index - 1) * 36) + value + 1;
    if (index > symbol_.size()) throw NotUnderstood();
    ++at_;
  }
  if (index >= parts_.size()) throw NotUnderstood();
  return parts_[index];
}

Size Measure::parameter() {
  expect("T");
  skip_compact_number();
  return Size{kAround, 1, 0};
}

Size Measure::template_arguments() {
  const Deeper deeper(depth_);
  if (!take("I") && !take("J")) throw NotUnderstood();
  Size all;
  std::uint64_t longest = 0;
  std::uint64_t count = 0;
  for (; !take("E"); ++count) {
    const Size each = template_argument();
    longest = std::max(longest, total(each));
    all += each;
  }
  longest_pack_ = std::max(longest_pack_, count);
  arguments_ = {all, longest};
  arguments_end_ = at_;
  return all;
}

Size Measure::template_argument() {
  if (peek() == 'L') return literal();
  if (peek() == 'I' || peek() == 'J') return template_arguments();
  if (!take("X")) return type();
  const Size size = expression();
  expect("E");
  return size;
}

Size Measure::literal() {
  const Deeper deeper(depth_);
  expect("L");
  Size size;
  if (take("_Z") || take("Z")) {
    size += encoding();
  } else {
    size += type();
    const std::size_t begin = at_;
    at_ = std::min(symbol_.find('E', at_), symbol_.size());
    size.text += at_ - begin;
  }
  expect("E");
  return size;
}

std::optional<std::uint64_t> longest_demangled(std::string_view symbol, bool counts_nameless) {
  try {
    return Measure(symbol, counts_nameless).run();
  } catch (const NotUnderstood&) {
    return std::nullopt;
  }
}

}  // namespace warpgauge::machine_code
