// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/device_effects.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ci/statistics/mean.hpp"

namespace warpgauge::ci {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kMostComponents = 3;
constexpr std::size_t kRestForChance = 2;
constexpr double kFewestCarriers = 2.5;  // of a component
// Variance of sessions about the plane in units of what processes explain, where it cannot be told.
constexpr double kUsualScatter = 2.5;
constexpr double kLeastVariance = 1e-6;  // of a control's mean: 0.1 %, squared
constexpr double kPriorVariance = 1;     // of a slope

MatrixXd matrix_of(std::span<const MachineScore> scores) {
  const Index columns = scores.empty() ? 0 : static_cast<Index>(scores.front().size());
  MatrixXd matrix(static_cast<Index>(scores.size()), columns);
  for (Index row = 0; row < matrix.rows(); ++row) {
    const MachineScore& score = scores[static_cast<std::size_t>(row)];
    matrix.row(row) = VectorXd::Map(score.data(), columns).transpose();
  }
  return matrix;
}

std::vector<MachineScore> rows_of(const MatrixXd& matrix) {
  std::vector<MachineScore> rows;
  for (Index row = 0; row < matrix.rows(); ++row) {
    MachineScore& into = rows.emplace_back(static_cast<std::size_t>(matrix.cols()));
    VectorXd::Map(into.data(), matrix.cols()) = matrix.row(row).transpose();
  }
  return rows;
}

VectorXd centred_logarithms(std::span<const ProcessFigures> sessions) {
  VectorXd logarithms(static_cast<Index>(sessions.size()));
  for (Index i = 0; i < logarithms.size(); ++i) {
    logarithms[i] = std::log(mean_of(sessions[static_cast<std::size_t>(i)]));
  }
  return logarithms.array() - logarithms.mean();
}

MatrixXd centred_columns(MatrixXd matrix) {
  matrix.rowwise() -= matrix.colwise().mean();
  return matrix;
}

// By how many controls a component is carried, if all carried it alike: the inverse of the sum of
// the squares of their shares.
double carriers(const VectorXd& weighted_slopes) {
  const VectorXd squares = weighted_slopes.cwiseAbs2();
  return squares.sum() * squares.sum() / squares.squaredNorm();
}

// Which of the components, by their falling eigenvalues, are of machines. The last eigenvalue is 0,
// since means are taken out.
std::vector<Index> components_of(const VectorXd& eigenvalues, const MatrixXd& weighted_slopes) {
  const Index controls = weighted_slopes.rows();
  const Index directions = eigenvalues.size() - 1;
  std::vector<Index> components;
  if (directions < 1 || !(eigenvalues[0] > 0)) return components;
  // What one control of several does alone, or two of many, is their own, and says nothing of other
  // benchmarks.
  const double fewest = std::min(kFewestCarriers, 0.6 * static_cast<double>(controls));
  const auto is_shared = [&](Index j) { return carriers(weighted_slopes.col(j)) >= fewest; };
  if (static_cast<std::size_t>(controls) < kManyControls) {
    if (controls < 3 || is_shared(0)) components.push_back(0);
    return components;
  }
  const auto root = [](Index count) { return std::sqrt(static_cast<double>(count)); };
  for (Index j = 0; j < directions && components.size() < kMostComponents; ++j) {
    std::vector<double> rest(eigenvalues.begin() + j + 1, eigenvalues.begin() + directions);
    // The greatest that chance makes of so many controls and sessions (Marchenko and Pastur 1967),
    // and half as much again, since sessions scatter by more than chance.
    const double chance =
        rest.size() < kRestForChance
            ? kUsualScatter
            : std::max(1.0, median_of(std::move(rest)) / static_cast<double>(controls));
    const double greatest = chance * std::pow(root(controls) + root(directions), 2);
    if (eigenvalues[j] <= 1.5 * greatest) break;
    if (is_shared(j)) components.push_back(j);
  }
  return components;
}

}  // namespace

MachineScores machine_scores(std::span<const ControlTimes> controls) {
  if (controls.empty()) return {};
  const auto rows = static_cast<Index>(controls.size());
  const auto sessions = static_cast<Index>(controls.front().of_sessions.size());
  MachineScores scores;
  MatrixXd logarithms(rows, sessions);
  VectorXd deviations(rows);
  for (Index c = 0; c < rows; ++c) {
    const ControlTimes& control = controls[static_cast<std::size_t>(c)];
    logarithms.row(c) =
        VectorXd::Map(control.of_sessions.data(), sessions).array().log().transpose();
    const double mean = logarithms.row(c).mean();
    logarithms.row(c).array() -= mean;
    scores.mean_logarithms.push_back(mean);
    scores.variances.push_back(std::max(control.variance, kLeastVariance));
    deviations[c] = std::sqrt(scores.variances.back());
  }
  const MatrixXd weighted = deviations.cwiseInverse().asDiagonal() * logarithms;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(weighted.transpose() * weighted);
  const VectorXd eigenvalues = solver.eigenvalues().reverse().cwiseMax(0);
  const MatrixXd all_directions = solver.eigenvectors().rowwise().reverse();
  const std::vector<Index> components = components_of(eigenvalues, weighted * all_directions);

  const auto count = static_cast<Index>(components.size());
  const MatrixXd directions = all_directions(Eigen::all, components);
  MatrixXd slopes = logarithms * directions;
  const VectorXd sizes = slopes.colwise().norm() / std::sqrt(static_cast<double>(rows));
  slopes *= sizes.cwiseInverse().asDiagonal();
  scores.of_sessions = rows_of(directions * sizes.asDiagonal());
  scores.slopes = rows_of(slopes);

  const Index freely = (sessions - 1 - count) * (rows - count);
  double left = eigenvalues.sum();
  for (const Index component : components) left -= eigenvalues[component];
  left = std::max(left, 0.0);  // a difference of what may be equal
  const double chance = freely > 0 ? left / static_cast<double>(freely)
                        : rows > 1 ? kUsualScatter
                                   : 0;
  for (Index j = 0; j < count; ++j) {
    const Index component = components[static_cast<std::size_t>(j)];
    scores.noise.push_back(chance * sizes[j] * sizes[j] / eigenvalues[component]);
  }
  for (double& variance : scores.variances) variance *= freely > 0 ? chance : kUsualScatter;
  return scores;
}

std::optional<MachinePlace> place_of(const MachineScores& known,
                                     std::span<const std::optional<double>> times) {
  const auto count = static_cast<Index>(known.noise.size());
  std::vector<std::size_t> controls;
  for (std::size_t c = 0; c < times.size(); ++c) {
    if (times[c]) controls.push_back(c);
  }
  const auto rows = static_cast<Index>(controls.size());
  // With hardly more than there are unknowns, their own noise would be taken for the machine.
  const bool all = controls.size() == times.size();
  if (rows == 0 || rows < count || (!all && rows < 3 * count)) return std::nullopt;
  MatrixXd slopes(rows, count);
  VectorXd logarithms(rows);
  VectorXd deviations(rows);
  for (Index row = 0; row < rows; ++row) {
    const std::size_t c = controls[static_cast<std::size_t>(row)];
    deviations[row] = std::sqrt(std::max(known.variances[c], kLeastVariance));
    slopes.row(row) = VectorXd::Map(known.slopes[c].data(), count).transpose() / deviations[row];
    logarithms[row] = (std::log(*times[c]) - known.mean_logarithms[c]) / deviations[row];
  }

  VectorXd place = VectorXd::Zero(count);
  VectorXd weights = VectorXd::Ones(rows);
  const int steps = controls.size() >= kManyControls ? 30 : 1;
  for (int step = 0; step < steps && count > 0; ++step) {
    const VectorXd roots = weights.cwiseSqrt();
    const MatrixXd weighted = roots.asDiagonal() * slopes;
    const Eigen::ColPivHouseholderQR<MatrixXd> solver(weighted);
    if (solver.rank() < count) return std::nullopt;
    place = solver.solve(roots.cwiseProduct(logarithms));
    // Huber's weights: beyond two standard deviations a control pulls no harder.
    const VectorXd residuals = (logarithms - slopes * place).cwiseAbs();
    const double scale = 1.4826 * median_of({residuals.begin(), residuals.end()});
    weights = (2 * scale * residuals.cwiseInverse()).cwiseMin(1.0);
    if (!(scale > 0)) break;
  }

  VectorXd squares = (logarithms - slopes * place).cwiseProduct(deviations).cwiseAbs2();
  const Index own = std::min<Index>(rows / 20, 2);
  for (Index i = 0; i < own; ++i) {
    Index greatest = 0;
    squares.maxCoeff(&greatest);
    squares[greatest] = 0;
  }
  const double by_chance = deviations.squaredNorm() / static_cast<double>(rows);
  const double unseen = squares.sum() / static_cast<double>(std::max<Index>(rows - count, 1));
  return MachinePlace{{place.begin(), place.end()}, std::max(0.0, unseen - by_chance)};
}

MachineScore mean_score(std::span<const MachineScore> scores) {
  const VectorXd mean = matrix_of(scores).colwise().mean();
  return {mean.begin(), mean.end()};
}

SessionSpread spread_about_plane(std::span<const ProcessFigures> sessions,
                                 std::span<const MachineScore> scores) {
  const SessionSpread about_mean = spread_between(sessions);
  const MatrixXd places = centred_columns(matrix_of(scores));
  if (places.cols() == 0) return about_mean;
  const Eigen::ColPivHouseholderQR<MatrixXd> solver(places);
  const Index degrees = places.rows() - 1 - solver.rank();
  if (solver.rank() == 0 || degrees < 1) return about_mean;
  const VectorXd logarithms = centred_logarithms(sessions);
  double residual = (logarithms - places * solver.solve(logarithms)).squaredNorm();
  // One control alone lies on its own scores: that is no spread, and no rounding error either.
  constexpr double kRounding = 1e-20;
  if (residual < kRounding * logarithms.squaredNorm()) residual = 0;
  return {residual / static_cast<double>(degrees), static_cast<double>(degrees)};
}

MachineEffect machine_effect(std::span<const ProcessFigures> sessions,
                             std::span<const MachineScore> scores, const MachinePlace& there,
                             const MachineScore& noise, SessionSpread spread, bool same_code) {
  const MatrixXd all = matrix_of(scores);
  const MatrixXd places = centred_columns(all);
  const Index count = places.cols();
  const VectorXd distance =
      VectorXd::Map(there.score.data(), count) - all.colwise().mean().transpose();

  // The share of each way's squares that is more than chance: four times what chance gives on
  // average is what it hardly ever gives. None where `there` is further off than was seen.
  constexpr double kSurelyMore = 4;
  MachineEffect effect;
  VectorXd shares = VectorXd::Zero(count);
  VectorXd prior = VectorXd::Zero(count);  // the uncertainty of a way of which nothing is known
  for (Index j = 0; j < count; ++j) {
    const double low = all.col(j).minCoeff();
    const double high = all.col(j).maxCoeff();
    const double range = high - low;
    const double at = there.score[static_cast<std::size_t>(j)];
    const bool seen = spread.degrees_of_freedom > 0 && at >= low - range && at <= high + range;
    const double squares = places.col(j).squaredNorm();
    const double by_chance =
        kSurelyMore * noise[static_cast<std::size_t>(j)] * static_cast<double>(places.rows() - 1);
    if (seen && squares > by_chance) shares[j] = 1 - by_chance / squares;
    if (!(shares[j] > 0) && !same_code) prior[j] = kPriorVariance;
  }
  constexpr double kLeastSpread = 1e-16;
  const double variance = std::max(spread.variance, kLeastSpread);
  const VectorXd roots = shares.cwiseSqrt();
  const MatrixXd precision =
      MatrixXd::Identity(count, count) / kPriorVariance +
      (roots.asDiagonal() * places.transpose() * places * roots.asDiagonal()) / variance;
  const Eigen::LDLT<MatrixXd> solver(precision);
  const VectorXd slopes =
      solver.solve(shares.asDiagonal() * places.transpose() * centred_logarithms(sessions)) /
      variance;
  effect.slopes.assign(slopes.begin(), slopes.end());
  // What was seen has the regression's uncertainty, the rest the prior's or none.
  const VectorXd known = (shares.array() > 0).select(distance, 0.0);
  effect.variance = known.dot(solver.solve(known)) + prior.dot(distance.cwiseAbs2());
  if (!same_code) effect.variance += kPriorVariance * there.unseen;
  return effect;
}

}  // namespace warpgauge::ci
