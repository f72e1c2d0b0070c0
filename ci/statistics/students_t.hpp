// SPDX-License-Identifier: Apache-2.0
// Student's distribution, as it is asked for many thousand times in a verdict or a calibration.
#pragma once

#include <boost/math/distributions/students_t.hpp>

namespace warpgauge::ci {

// Computed in double. By itself Boost takes long double, which is three times as slow, for digits
// beyond the fourteenth.
using StudentsT = boost::math::students_t_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

}  // namespace warpgauge::ci
