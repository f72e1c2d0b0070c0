// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/proportion.hpp"

#include <boost/math/distributions/binomial.hpp>

namespace warpgauge::ci {
namespace {

using Binomial = boost::math::binomial_distribution<>;

constexpr double kRisk = 0.05;

}  // namespace

double upper_limit(const Proportion& proportion) {
  if (proportion.hits == proportion.of) return 1;
  return Binomial::find_upper_bound_on_p(static_cast<double>(proportion.of),
                                         static_cast<double>(proportion.hits), kRisk);
}

double lower_limit(const Proportion& proportion) {
  if (proportion.hits == 0) return 0;
  return Binomial::find_lower_bound_on_p(static_cast<double>(proportion.of),
                                         static_cast<double>(proportion.hits), kRisk);
}

}  // namespace warpgauge::ci
