// SPDX-License-Identifier: Apache-2.0
#include "ci/statistics/series/change_points.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "ci/statistics/mean.hpp"
#include "ci/statistics/series/divergence.hpp"
#include "ci/statistics/series/prefixes.hpp"
#include "ci/statistics/series/usual_points.hpp"
#include "ci/statistics/students_t.hpp"

namespace warpgauge::ci {
namespace {

// Lengths of seeded intervals decay by this; its authors' choice.
constexpr double kDecay = 0.70710678118654752;

// Of the differences between neighbours, the share that may be steps and odd runs.
constexpr double kLeftOutDifferences = 0.05;

// Chance of a t at least as far from 0 on either side.
double two_sided(double t, double degrees) {
  if (std::isnan(t)) return 1;
  const StudentsT distribution(degrees);
  return 2 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double ratio(double difference, double standard_error) {
  if (difference == 0) return 0;
  return difference / standard_error;  // infinite where nothing scatters
}

// What a series scatters by, about whatever it does.
struct Scatter {
  double variance = 0;
  double degrees_of_freedom = 0;
};

// From differences of neighbours without the largest, so that neither steps nor drifts nor a few
// odd runs are in the way. Never less than measuring explains: points that agree to the clock's
// step prove nothing.
Scatter scatter_of(std::span<const double> values, const Prefixes& points) {
  std::vector<double> squares;
  for (std::size_t i = 1; i < values.size(); ++i) {
    squares.push_back((values[i] - values[i - 1]) * (values[i] - values[i - 1]));
  }
  std::sort(squares.begin(), squares.end());
  const auto left_out = static_cast<std::size_t>(
      std::ceil(kLeftOutDifferences * static_cast<double>(squares.size())));
  const std::size_t kept = squares.size() - left_out;
  const auto share = static_cast<double>(kept) / static_cast<double>(squares.size());
  // Of normal deviates, those within this many deviations are kept, and have so much of the
  // variance.
  const boost::math::normal normal;
  const double within = boost::math::quantile(normal, (1 + share) / 2);
  const double variance_kept = 1 - 2 * within * boost::math::pdf(normal, within) / share;
  const double mean = mean_of(std::span(squares).first(kept));
  // A difference has the variance of two points.
  return {std::max(mean / variance_kept / 2, points.least_variance(0, values.size())),
          static_cast<double>(values.size()) / 2};
}

// The variance of points about their level or line, which leaves `squares` of them. It is never
// taken to be less than the series scatters elsewhere: of all the stretches that are looked at,
// some are smooth by luck.
double variance_of(double squares, double degrees, const Scatter& scatter) {
  return degrees > 0 ? std::max(squares / degrees, scatter.variance) : scatter.variance;
}

// Welch's t-test of the points on both sides of `split`. Each side has a variance of its own, or
// two odd runs among the last three would be taken for a new level.
double p_of_step(const Prefixes& points, const Scatter& scatter, std::size_t begin,
                 std::size_t split, std::size_t end) {
  const double before = Prefixes::length(begin, split);
  const double after = Prefixes::length(split, end);
  const double a = variance_of(points.squares(begin, split), before - 1, scatter) / before;
  const double b = variance_of(points.squares(split, end), after - 1, scatter) / after;
  const double degrees =
      a + b > 0 ? (a + b) * (a + b) / (a * a / (before - 1) + b * b / (after - 1)) : 1;
  const double difference = points.mean(split, end) - points.mean(begin, split);
  return two_sided(ratio(difference, std::sqrt(a + b)),
                   std::max(degrees, scatter.degrees_of_freedom));
}

struct Split {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t at = 0;
  double p = 1;
};

// The most divergent place of an interval; nothing when it is too short to have one.
std::optional<Split> best_split(std::span<const double> values, const Prefixes& points,
                                const Scatter& scatter, std::size_t begin, std::size_t end) {
  if (end - begin < 2 * kFewestPoints) return std::nullopt;
  const std::vector<double> all = divergences(values.subspan(begin, end - begin));
  const auto first = all.begin() + kFewestPoints;
  const auto last = all.end() - kFewestPoints;
  const auto best = std::max_element(first, last);
  const auto at = begin + static_cast<std::size_t>(best - all.begin());
  return Split{begin, end, at, p_of_step(points, scatter, begin, at, end)};
}

// Of all seeded intervals, the whole series the first.
std::vector<Split> seeded_splits(std::span<const double> values, const Prefixes& points,
                                 const Scatter& scatter) {
  std::vector<Split> splits;
  const auto n = static_cast<double>(values.size());
  for (double length = n; length >= 2 * kFewestPoints; length *= kDecay) {
    const auto count = 2 * static_cast<std::size_t>(std::ceil(n / length)) - 1;
    const double shift = count == 1 ? 0 : (n - length) / static_cast<double>(count - 1);
    for (std::size_t i = 0; i < count; ++i) {
      const double from = static_cast<double>(i) * shift;
      const auto begin = static_cast<std::size_t>(std::floor(from));
      const auto end = std::min(values.size(), static_cast<std::size_t>(std::ceil(from + length)));
      if (const auto split = best_split(values, points, scatter, begin, end))
        splits.push_back(*split);
    }
  }
  return splits;
}

class Segmentation {
 public:
  Segmentation(std::span<const double> values, const Prefixes& points, const Scatter& scatter,
               double alpha)
      : values_(values),
        points_(points),
        scatter_(scatter),
        // Of so many places the best was taken.
        places_(static_cast<double>(values.size() - 1)),
        alpha_(alpha),
        seeded_(seeded_splits(values, points, scatter)) {}

  // First points of the segments, but for the first segment's.
  std::vector<std::size_t> steps() {
    std::vector<std::size_t> steps;
    divide(0, values_.size(), steps);
    std::sort(steps.begin(), steps.end());
    while (drop_the_weakest(steps)) {
    }
    return steps;
  }

  [[nodiscard]] double adjusted(double p) const { return std::min(1.0, p * places_); }

 private:
  void divide(std::size_t begin, std::size_t end, std::vector<std::size_t>& steps) {
    std::optional<Split> best = best_split(values_, points_, scatter_, begin, end);
    if (!best) return;
    for (const Split& split : seeded_) {
      const bool within = split.begin >= begin && split.end <= end;
      if (within && split.p < best->p) best = split;
    }
    if (adjusted(best->p) >= alpha_) return;
    steps.push_back(best->at);
    divide(begin, best->at, steps);
    divide(best->at, end, steps);
  }

  // A step that was one within its interval may be none between the segments as they became.
  bool drop_the_weakest(std::vector<std::size_t>& steps) const {
    std::size_t weakest = steps.size();
    double p_of_weakest = alpha_;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const std::size_t begin = i == 0 ? 0 : steps[i - 1];
      const std::size_t end = i + 1 == steps.size() ? values_.size() : steps[i + 1];
      const double p = adjusted(p_of_step(points_, scatter_, begin, steps[i], end));
      if (p < p_of_weakest) continue;
      p_of_weakest = p;
      weakest = i;
    }
    if (weakest == steps.size()) return false;
    steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(weakest));
    return true;
  }

  std::span<const double> values_;
  const Prefixes& points_;
  Scatter scatter_;
  double places_;
  double alpha_;
  std::vector<Split> seeded_;
};

// Some segments together: one level, or one line.
struct Piece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_line = false;
};

// Chance of a slope at least as steep in points without one.
double p_of_line(const Prefixes& points, const Scatter& scatter, const Piece& piece) {
  const Prefixes::Line line = points.line(piece.begin, piece.end);
  const double degrees = Prefixes::length(piece.begin, piece.end) - 2;
  const double variance = variance_of(line.squares, degrees, scatter) / line.squares_of_x;
  return two_sided(ratio(line.slope, std::sqrt(variance)), degrees);
}

// Joins segments into lines where that explains the series with fewer figures, by dynamic
// programming over where the last piece begins. A level costs two figures, itself and where it
// begins; a line costs three.
std::vector<Piece> pieces_of(const std::vector<std::size_t>& bounds, const Prefixes& points,
                             const Scatter& scatter, const Segmentation& segmentation,
                             double alpha) {
  // Where nothing scatters, what is left is rounding.
  const double variance = std::max(scatter.variance, std::numeric_limits<double>::min());
  const std::size_t segments = bounds.size() - 1;
  const double a_figure = std::log(static_cast<double>(bounds.back()));
  std::vector<double> cost(segments + 1, std::numeric_limits<double>::infinity());
  std::vector<Piece> last(segments + 1);
  std::vector<std::size_t> from(segments + 1);
  cost[0] = 0;
  const auto offer = [&](std::size_t i, std::size_t j, const Piece& piece, double costs) {
    if (cost[i] + costs >= cost[j]) return;
    cost[j] = cost[i] + costs;
    last[j] = piece;
    from[j] = i;
  };
  for (std::size_t j = 1; j <= segments; ++j) {
    const std::size_t begin = bounds[j - 1];
    offer(j - 1, j, {begin, bounds[j], false},
          points.squares(begin, bounds[j]) / variance + 2 * a_figure);
    for (std::size_t i = 0; i < j; ++i) {
      const Piece line{bounds[i], bounds[j], true};
      if (line.end - line.begin < kFewestDriftPoints) continue;
      if (segmentation.adjusted(p_of_line(points, scatter, line)) >= alpha) continue;
      offer(i, j, line, points.line(line.begin, line.end).squares / variance + 3 * a_figure);
    }
  }
  std::vector<Piece> pieces;
  for (std::size_t j = segments; j > 0; j = from[j]) pieces.push_back(last[j]);
  std::reverse(pieces.begin(), pieces.end());
  return pieces;
}

// What the piece says of its point at the end that touches the next piece, or the one before.
struct Edge {
  double value = 0;
  double variance = 0;  // of the value, for a variance of 1 about the piece
};

Edge edge_of(const Prefixes& points, const Piece& piece, bool at_end) {
  const double n = Prefixes::length(piece.begin, piece.end);
  if (!piece.is_line) return {points.mean(piece.begin, piece.end), 1 / n};
  const Prefixes::Line line = points.line(piece.begin, piece.end);
  const double reach = (n - 1) / 2;
  return {at_end ? line.at_end : line.at_begin, 1 / n + reach * reach / line.squares_of_x};
}

double squares_about(const Prefixes& points, const Piece& piece) {
  return piece.is_line ? points.line(piece.begin, piece.end).squares
                       : points.squares(piece.begin, piece.end);
}

// The step between two pieces; nothing where a line merely ends, or begins.
std::optional<Change> step_between(const Prefixes& points, const Scatter& scatter,
                                   const Piece& before, const Piece& after,
                                   const Segmentation& segmentation, double alpha) {
  const Edge left = edge_of(points, before, true);
  const Edge right = edge_of(points, after, false);
  const double figures = (before.is_line ? 2 : 1) + (after.is_line ? 2 : 1);
  const double degrees = Prefixes::length(before.begin, after.end) - figures;
  if (degrees < 1) return std::nullopt;
  const double variance =
      variance_of(squares_about(points, before) + squares_about(points, after), degrees, scatter);
  const double t =
      ratio(right.value - left.value, std::sqrt(variance * (left.variance + right.variance)));
  const double p = segmentation.adjusted(two_sided(t, degrees));
  if (p >= alpha) return std::nullopt;
  return Change{ChangeKind::step, after.begin, after.begin, left.value, right.value, p};
}

}  // namespace

std::vector<Change> find_changes(std::span<const SeriesPoint> all, const ChangeOptions& options) {
  const auto [indices, points] = usual_points(all);
  if (points.size() < 2 * kFewestPoints) return {};
  std::vector<double> values;
  values.reserve(points.size());
  for (const SeriesPoint& point : points) values.push_back(point.value);
  const Prefixes prefixes(points);
  const Scatter scatter = scatter_of(values, prefixes);
  Segmentation segmentation(values, prefixes, scatter, options.alpha);
  const std::vector<std::size_t> steps = segmentation.steps();

  std::vector<std::size_t> bounds{0};
  bounds.insert(bounds.end(), steps.begin(), steps.end());
  bounds.push_back(values.size());
  const std::vector<Piece> pieces =
      pieces_of(bounds, prefixes, scatter, segmentation, options.alpha);

  std::vector<Change> changes;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (i > 0) {
      if (const auto step =
              step_between(prefixes, scatter, pieces[i - 1], piece, segmentation, options.alpha)) {
        changes.push_back(*step);
      }
    }
    if (!piece.is_line) continue;
    const Prefixes::Line line = prefixes.line(piece.begin, piece.end);
    changes.push_back({ChangeKind::drift, piece.begin, piece.end - 1, line.at_begin, line.at_end,
                       segmentation.adjusted(p_of_line(prefixes, scatter, piece))});
  }
  for (Change& change : changes) {
    change.first = indices[change.first];
    change.last = indices[change.last];
  }
  return changes;
}

std::vector<std::size_t> find_exact_changes(std::span<const double> values) {
  std::vector<std::size_t> changes;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] != values[i - 1]) changes.push_back(i);
  }
  return changes;
}

}  // namespace warpgauge::ci
