// SPDX-License-Identifier: Apache-2.0
#include "profiling/harness/check.hpp"

#include <fmt/format.h>

#include <limits>

namespace warpgauge {
namespace {

double excess(double error, double allowed) {
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error - allowed;
}

}  // namespace

void detail::count_wrong(Check& check, std::size_t index, double value, double reference,
                         double error, double allowed) {
  ++check.wrong;
  if (check.wrong > 1 && excess(error, allowed) <= excess(check.worst_error, check.worst_allowed)) {
    return;
  }
  check.worst_index = index;
  check.worst_value = value;
  check.worst_reference = reference;
  check.worst_error = error;
  check.worst_allowed = allowed;
}

void detail::check_element(Check& check, std::size_t index, double value, double reference,
                           Tolerance tolerance, double coarse_from) {
  ++check.compared;
  const double allowed = tolerance.absolute + tolerance.relative * std::abs(reference);
  const double error = std::abs(value - reference);
  if (error > coarse_from * std::abs(reference)) ++check.coarse;
  if (error <= allowed && std::isfinite(reference)) return;
  count_wrong(check, index, value, reference, error, allowed);
}

void Check::add(const Check& other) {
  compared += other.compared;
  coarse += other.coarse;
  const bool worse =
      other.wrong > 0 && (wrong == 0 || excess(other.worst_error, other.worst_allowed) >
                                            excess(worst_error, worst_allowed));
  wrong += other.wrong;
  if (!worse) return;
  worst_index = other.worst_index;
  worst_value = other.worst_value;
  worst_reference = other.worst_reference;
  worst_error = other.worst_error;
  worst_allowed = other.worst_allowed;
}

std::string Check::message() const {
  if (passed()) return fmt::format("{} elements are right", compared);
  return fmt::format(
      "{} of {} elements are wrong; largest error {:.9g} at index {}: got {:.9g}, expected "
      "{:.9g} within {:.3g}",
      wrong, compared, worst_error, worst_index, worst_value, worst_reference, worst_allowed);
}

}  // namespace warpgauge
