// SPDX-License-Identifier: Apache-2.0
// Compares a kernel's result with a reference computed in double, element by element.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

namespace warpgauge {

// How far an element may lie from its reference: absolute + relative · |reference|.
// Both zero: exact.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

// How much of a result is checked.
enum class Coverage {
  full,
  // The first and last elements and some of every part between, so that the check takes no longer
  // than the kernel. Only for a kernel that a full check has already passed.
  sampled,
};

struct Check {
  std::size_t compared = 0;
  std::size_t wrong = 0;
  // The element that exceeds its tolerance the most; NaN exceeds it more than any number.
  std::size_t worst_index = 0;
  double worst_value = 0;
  double worst_reference = 0;
  double worst_error = 0;
  double worst_allowed = 0;
  // Elements that are further from their reference than the half-precision form of their type is,
  // on average: 2^-13 of it for float, 2^-26, as of float, for double.
  std::size_t coarse = 0;

  // Most are coarse: they are not computed in their own precision.
  [[nodiscard]] bool is_coarse() const { return coarse > compared / 2; }

  [[nodiscard]] bool passed() const { return wrong == 0; }

  // One line: how many elements are wrong, and the largest error with its index.
  [[nodiscard]] std::string message() const;

  // Adds the check of another part of the same result.
  void add(const Check& other);
};

namespace detail {
// coarse_from: the relative error from which a value is coarse.
void check_element(Check& check, std::size_t index, double value, double reference,
                   Tolerance tolerance, double coarse_from);

// Of a whole number every error counts.
template <class T>
inline constexpr double kCoarseFrom = std::is_same_v<T, float>    ? 0x1p-13
                                      : std::is_same_v<T, double> ? 0x1p-26
                                                                  : 1;
void count_wrong(Check& check, std::size_t index, double value, double reference, double error,
                 double allowed);
}  // namespace detail

// Compares values[i] with reference(first + i). A reference that is not finite fails, whatever the
// value. Integers of the same type are compared exactly, without conversion: a double cannot hold
// all 64-bit integers.
template <class T, class Reference>
[[nodiscard]] Check compare(std::span<const T> values, Reference&& reference, Tolerance tolerance,
                            std::size_t first = 0) {
  Check check;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto expected = reference(first + i);
    if constexpr (std::is_integral_v<T> &&
                  std::is_same_v<std::remove_cv_t<decltype(expected)>, T>) {
      ++check.compared;
      if (values[i] == expected) continue;
      // Large integers may round to the same double; the error is still at least 1.
      const double got = static_cast<double>(values[i]);
      const double wanted = static_cast<double>(expected);
      detail::count_wrong(check, first + i, got, wanted, std::max(std::abs(got - wanted), 1.0), 0);
    } else {
      detail::check_element(check, first + i, static_cast<double>(values[i]),
                            static_cast<double>(expected), tolerance, detail::kCoarseFrom<T>);
    }
  }
  return check;
}

}  // namespace warpgauge
