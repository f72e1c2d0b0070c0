// SPDX-License-Identifier: Apache-2.0
#include "profiling/check.hpp"

#include <fmt/format.h>

#include <limits>

namespace warpgauge {
namespace {

double excess(double value, double reference, double allowed) {
  const double error = std::abs(value - reference);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error - allowed;
}

}  // namespace

void detail::check_element(Check& check, std::size_t index, double value, double reference,
                           Tolerance tolerance) {
  ++check.compared;
  const double allowed = tolerance.absolute + tolerance.relative * std::abs(reference);
  if (std::abs(value - reference) <= allowed) return;
  ++check.wrong;
  if (check.wrong == 1 ||
      excess(value, reference, allowed) >
          excess(check.worst_value, check.worst_reference, check.worst_allowed)) {
    check.worst_index = index;
    check.worst_value = value;
    check.worst_reference = reference;
    check.worst_allowed = allowed;
  }
}

void Check::add(const Check& other) {
  compared += other.compared;
  const bool worse =
      other.wrong > 0 &&
      (wrong == 0 || excess(other.worst_value, other.worst_reference, other.worst_allowed) >
                         excess(worst_value, worst_reference, worst_allowed));
  wrong += other.wrong;
  if (!worse) return;
  worst_index = other.worst_index;
  worst_value = other.worst_value;
  worst_reference = other.worst_reference;
  worst_allowed = other.worst_allowed;
}

std::string Check::message() const {
  if (passed()) return fmt::format("{} elements are right", compared);
  return fmt::format(
      "{} of {} elements are wrong; largest error {:.9g} at index {}: got {:.9g}, expected "
      "{:.9g} within {:.3g}",
      wrong, compared, std::abs(worst_value - worst_reference), worst_index, worst_value,
      worst_reference, worst_allowed);
}

}  // namespace warpgauge
