// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/device_effects.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ci/statistics/mean.hpp"
#include "ci/statistics/robust_fit.hpp"

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
  // With fewer sessions what they do alone is more than what machines have in common.
  constexpr Index kFewestSessions = 4;
  if (eigenvalues.size() < kFewestSessions) return components;
  const auto most = std::min(kMostComponents, static_cast<std::size_t>(eigenvalues.size()) - 3);
  const auto root = [](Index count) { return std::sqrt(static_cast<double>(count)); };
  for (Index j = 0; j < directions && components.size() < most; ++j) {
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

// By row those of a control's times, about their mean.
MatrixXd centred_logarithms(std::span<const ControlTimes> controls, std::vector<double>& means,
                            VectorXd& variances) {
  const auto sessions = static_cast<Index>(controls.front().of_sessions.size());
  MatrixXd logarithms(static_cast<Index>(controls.size()), sessions);
  for (Index c = 0; c < logarithms.rows(); ++c) {
    const ControlTimes& control = controls[static_cast<std::size_t>(c)];
    logarithms.row(c) =
        VectorXd::Map(control.of_sessions.data(), sessions).array().log().transpose();
    means.push_back(logarithms.row(c).mean());
    logarithms.row(c).array() -= means.back();
    variances[c] = std::max(control.variance, kLeastVariance);
  }
  return logarithms;
}

// Takes out of the controls' logarithms, by row, what they have in common in each session, and
// returns it.
VectorXd take_out_common(const VectorXd& variances, MatrixXd& logarithms) {
  VectorXd common = VectorXd::Zero(logarithms.cols());
  if (logarithms.cols() < 2) return common;
  const MatrixXd ones = MatrixXd::Ones(logarithms.rows(), 1);
  for (Index session = 0; session < logarithms.cols(); ++session) {
    const auto fit = robust_fit(ones, logarithms.col(session), variances);
    if (fit) common[session] = fit->coefficients[0];
  }
  common.array() -= common.mean();
  logarithms.rowwise() -= common.transpose();
  return common;
}

// What no component tells of the controls' times in a session of these, and chance does not.
double unseen_in(const MatrixXd& residuals, const VectorXd& variances, Index components) {
  const Index sessions = residuals.cols();
  const Index freely = sessions - 1 - components;
  if (freely < 1) return 0;
  const double share = static_cast<double>(freely) / static_cast<double>(sessions);
  const MatrixXd nothing(residuals.rows(), 0);
  double sum = 0;
  for (Index session = 0; session < sessions; ++session) {
    const auto fit = robust_fit(nothing, residuals.col(session) / std::sqrt(share), variances);
    if (fit) sum += fit->left_over;
  }
  return sum / static_cast<double>(sessions);
}

// By a few controls, of which none can be called an outlier.
std::optional<MachinePlace> place_by_few(const MatrixXd& slopes, const VectorXd& logarithms,
                                         const VectorXd& variances) {
  const Index count = slopes.cols();
  const VectorXd roots = variances.cwiseSqrt().cwiseInverse();
  VectorXd score = VectorXd::Zero(count);
  if (count > 0) {
    const Eigen::ColPivHouseholderQR<MatrixXd> solver(roots.asDiagonal() * slopes);
    if (solver.rank() < count) return std::nullopt;
    score = solver.solve(roots.cwiseProduct(logarithms));
  }
  const Index rows = logarithms.size();
  const double unseen = (logarithms - slopes * score).squaredNorm() /
                        static_cast<double>(std::max<Index>(rows - count, 1));
  MachinePlace place;
  place.score.assign(score.begin(), score.end());
  place.unseen = std::max(0.0, unseen - variances.mean());
  return place;
}

}  // namespace

MachineScores machine_scores(std::span<const ControlTimes> controls) {
  if (controls.empty()) return {};
  MachineScores scores;
  scores.by_many = controls.size() >= kManyControls;
  VectorXd variances(static_cast<Index>(controls.size()));
  MatrixXd logarithms = centred_logarithms(controls, scores.mean_logarithms, variances);
  const Index rows = logarithms.rows();
  const Index sessions = logarithms.cols();
  VectorXd common = VectorXd::Zero(sessions);
  if (scores.by_many) common = take_out_common(kUsualScatter * variances, logarithms);
  scores.common.assign(common.begin(), common.end());

  const VectorXd deviations = variances.cwiseSqrt();
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
  const MatrixXd places = directions * sizes.asDiagonal();
  scores.of_sessions = rows_of(places);
  scores.slopes = rows_of(slopes);

  const Index freely = (sessions - 1 - count) * (rows - count - (scores.by_many ? 1 : 0));
  // A difference of what may be equal.
  const double left = std::max(eigenvalues.sum() - eigenvalues(components).sum(), 0.0);
  const double chance = freely > 0 ? left / static_cast<double>(freely)
                        : rows > 1 ? kUsualScatter
                                   : 0;
  const VectorXd noise =
      chance * sizes.cwiseAbs2().cwiseQuotient(VectorXd(eigenvalues(components)));
  scores.noise.assign(noise.begin(), noise.end());
  // Many tell apart what they scatter by and what machines do to them.
  variances *= freely > 0 && !scores.by_many ? chance : kUsualScatter;
  scores.variances.assign(variances.begin(), variances.end());
  if (scores.by_many) {
    scores.unseen = unseen_in(logarithms - slopes * places.transpose(), variances, count);
  }
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
  const Index unknown = count + (known.by_many ? 1 : 0);
  const bool all = controls.size() == times.size();
  if (rows == 0 || rows < unknown || (!all && rows < 3 * count) || (!all && rows < 2 * unknown))
    return std::nullopt;
  const double of_mean = 1 / static_cast<double>(known.of_sessions.size());
  MatrixXd columns = MatrixXd::Ones(rows, unknown);
  VectorXd logarithms(rows);
  VectorXd variances(rows);
  for (Index row = 0; row < rows; ++row) {
    const std::size_t c = controls[static_cast<std::size_t>(row)];
    variances[row] = std::max(known.variances[c], kLeastVariance);
    columns.row(row).head(count) = VectorXd::Map(known.slopes[c].data(), count).transpose();
    logarithms[row] = std::log(*times[c]) - known.mean_logarithms[c];
  }
  if (!known.by_many) return place_by_few(columns, logarithms, variances);
  const auto fit = robust_fit(columns, logarithms, variances * (1 + of_mean));
  if (!fit) return std::nullopt;
  MachinePlace place;
  place.score.assign(fit->coefficients.begin(), fit->coefficients.begin() + count);
  place.unseen = fit->left_over;
  place.unseen_degrees = fit->degrees;
  place.common = fit->coefficients[count];
  place.common_variance = fit->variances[count];
  return place;
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
  return effect;
}

}  // namespace warpgauge::ci
