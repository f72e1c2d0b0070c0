// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/robust_fit.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "ci/statistics/mean.hpp"

namespace warpgauge::ci {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Standard deviation, as the median tells it.
double deviation_of(const VectorXd& residuals) {
  const VectorXd sizes = residuals.cwiseAbs();
  return 1.4826 * median_of({sizes.begin(), sizes.end()});
}

// Huber's weights: beyond two standard deviations, as the median tells them, a figure pulls no
// harder.
VectorXd weights_of(const VectorXd& residuals) {
  const double scale = deviation_of(residuals);
  if (!(scale > 0)) return VectorXd::Ones(residuals.size());
  return (2 * scale * residuals.cwiseAbs().cwiseInverse()).cwiseMin(1.0);
}

// Those that a few figures carry alone.
Index worst_of(Index figures) { return std::min<Index>(figures / 20, 2); }

// The variance at which the squares of the residuals are as many as there are degrees of freedom.
double left_over_of(const VectorXd& residuals, const VectorXd& variances, double degrees) {
  const auto squares_at = [&](double more) {
    const VectorXd terms = residuals.cwiseAbs2().cwiseQuotient((variances.array() + more).matrix());
    std::vector<double> sorted(terms.begin(), terms.end());
    std::sort(sorted.begin(), sorted.end());
    sorted.resize(sorted.size() - static_cast<std::size_t>(worst_of(residuals.size())));
    return std::accumulate(sorted.begin(), sorted.end(), 0.0);
  };
  if (!(degrees > 0) || squares_at(0) <= degrees) return 0;
  double low = 0;
  double high = residuals.cwiseAbs2().sum();
  constexpr int kHalvings = 30;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (squares_at(middle) > degrees ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::optional<RobustFit> robust_fit(const MatrixXd& columns, const VectorXd& figures,
                                    const VectorXd& variances) {
  const Index rows = figures.size();
  const Index count = columns.cols();
  if (rows <= count) return std::nullopt;
  RobustFit fit;
  fit.degrees = static_cast<double>(std::max<Index>(rows - count - worst_of(rows), 1));
  fit.coefficients = VectorXd::Zero(count);
  VectorXd weights = VectorXd::Ones(rows);
  VectorXd roots;
  double scale = 1;
  constexpr int kSteps = 10;
  for (int step = 0; step < kSteps; ++step) {
    roots = weights.array().sqrt() / (variances.array() + fit.left_over).sqrt();
    if (count > 0) {
      const Eigen::ColPivHouseholderQR<MatrixXd> solver(roots.asDiagonal() * columns);
      if (solver.rank() < count) return std::nullopt;
      fit.coefficients = solver.solve(roots.cwiseProduct(figures));
    }
    const VectorXd residuals = figures - columns * fit.coefficients;
    fit.left_over = left_over_of(residuals, variances, fit.degrees);
    const VectorXd normalised =
        residuals.cwiseQuotient((variances.array() + fit.left_over).sqrt().matrix());
    weights = weights_of(normalised);
    scale = deviation_of(normalised);
  }
  if (count == 0) return fit;
  // What a few outliers leave over says little of the coefficients, which hardly follow them.
  const MatrixXd weighted = roots.asDiagonal() * columns;
  const VectorXd by_chance = variances.cwiseSqrt().cwiseInverse();
  const MatrixXd exactly = by_chance.asDiagonal() * columns;
  fit.variances =
      (weighted.transpose() * weighted).inverse().diagonal() * std::min(1.0, scale * scale);
  fit.variances = fit.variances.cwiseMax((exactly.transpose() * exactly).inverse().diagonal());
  return fit;
}

}  // namespace warpgauge::ci
