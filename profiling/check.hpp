// SPDX-License-Identifier: Apache-2.0
// Whether a kernel's result is right: every element against a reference computed in double.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

namespace warpgauge {

// How far an element may lie from its reference: absolute + relative · |reference|.
// Both zero: exact.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

struct Check {
  std::size_t compared = 0;
  std::size_t wrong = 0;
  // The element furthest beyond what it was allowed; an element that is not a number is further
  // than any other.
  std::size_t worst_index = 0;
  double worst_value = 0;
  double worst_reference = 0;
  double worst_allowed = 0;

  [[nodiscard]] bool passed() const { return wrong == 0; }

  // One line: how many elements are wrong, and the largest error with its index.
  [[nodiscard]] std::string message() const;
};

namespace detail {
void check_element(Check& check, std::size_t index, double value, double reference,
                   Tolerance tolerance);
}  // namespace detail

// Compares values[i] with reference(i). NaN never passes, on either side.
template <class T, class Reference>
[[nodiscard]] Check compare(std::span<const T> values, Reference&& reference, Tolerance tolerance) {
  Check check;
  for (std::size_t i = 0; i < values.size(); ++i) {
    detail::check_element(check, i, static_cast<double>(values[i]),
                          static_cast<double>(reference(i)), tolerance);
  }
  return check;
}

}  // namespace warpgauge
