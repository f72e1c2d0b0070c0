// SPDX-License-Identifier: Apache-2.0
// Least squares of which outliers take little, for figures that differ by more than chance
// explains. Pure functions.
#pragma once

#include <Eigen/Core>
#include <optional>

namespace warpgauge::ci {

struct RobustFit {
  Eigen::VectorXd coefficients;
  Eigen::VectorXd variances;  // of each, by chance and by what is left over
  double left_over = 0;       // variance that the figures share beyond their own by chance
  double degrees = 0;         // of freedom of `left_over`
};

// Coefficients of `columns` that give `figures`, each of which has its variance by chance: weighted
// least squares with Huber's weights, beyond two standard deviations by the median of the
// residuals. What is left over is that of R. C. Paule and J. Mandel, "Consensus values and
// weighting factors", 1982, without the worst residuals: one of twenty figures and more, two of
// forty. It weighs too. Nothing where the figures do not determine the coefficients, or are not
// more than these.
[[nodiscard]] std::optional<RobustFit> robust_fit(const Eigen::MatrixXd& columns,
                                                  const Eigen::VectorXd& figures,
                                                  const Eigen::VectorXd& variances);

}  // namespace warpgauge::ci
