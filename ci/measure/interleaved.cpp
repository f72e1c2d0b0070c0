// SPDX-License-Identifier: Apache-2.0
#include "ci/measure/interleaved.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "ci/support/errors.hpp"

namespace warpgauge::ci {
namespace {

Side other(Side side) { return side == Side::before ? Side::after : Side::before; }

// With the name of the side in front of what goes wrong.
template <class Work>
auto named(const std::string& name, Work work) {
  try {
    return work();
  } catch (const NothingMatches&) {
    throw;
  } catch (const Error& error) {
    throw Error(error.exit_status(), fmt::format("{}: {}", name, error.what()));
  }
}

RunOptions with_name(RunOptions options, const std::string& name) {
  options.log = [log = std::move(options.log), name](const std::string& line) {
    log(fmt::format("{}: {}", name, line));
  };
  return options;
}

Measurement beside(const Measurement& holder, const RunOptions& options, const std::string& name) {
  try {
    return named(name, [&] { return Measurement(options, holder); });
  } catch (const NothingMatches&) {
    throw Error(kExitNoVerdict, fmt::format("--filter '{}' matches no benchmark of {}: there is "
                                            "nothing to compare with",
                                            options.filter, name));
  }
}

std::set<std::string> all_of(const Measurement& measurement) {
  return {measurement.ids().begin(), measurement.ids().end()};
}

}  // namespace

std::vector<Side> interleaved_order(int processes, std::mt19937_64& random) {
  std::vector<Side> order;
  for (int pairs = 0; pairs < processes; pairs += 2) {
    // The lowest bit: distributions differ from library to library, and a seed must not.
    const Side first = (random() & 1) == 0 ? Side::before : Side::after;
    order.insert(order.end(), {first, other(first)});
    if (pairs + 1 < processes) order.insert(order.end(), {other(first), first});
  }
  return order;
}

Interleaved::Interleaved(RunOptions before, const std::string& name_before, RunOptions after,
                         std::uint64_t seed, const Measurement* holder)
    : name_before_(name_before),
      processes_(after.processes),
      random_(seed),
      after_(holder == nullptr ? Measurement(as_one_of_both(std::move(after)))
                               : Measurement(as_one_of_both(std::move(after)), *holder)),
      before_(
          beside(after_, as_one_of_both(with_name(std::move(before), name_before)), name_before)) {}

// Each process is one of a measurement that knows of no other.
RunOptions Interleaved::as_one_of_both(RunOptions options) {
  options.progress = [this, show = std::move(options.progress)](Progress progress) {
    if (of_processes_ > 0) {
      progress.process = process_ + 1;
      progress.processes = of_processes_;
      progress.elapsed = std::chrono::steady_clock::now() - start_;
    }
    show(progress);
  };
  return options;
}

void Interleaved::time_again(const std::set<std::string>& ids, int processes) {
  // So many take about five seconds longer.
  constexpr std::size_t kFew = 50;
  const bool more = ids.size() <= kFew;
  before_.take_more_samples(more);
  after_.take_more_samples(more);
  const std::vector<Side> order = interleaved_order(processes, random_);
  start_ = std::chrono::steady_clock::now();
  of_processes_ = order.size();
  for (process_ = 0; process_ < of_processes_; ++process_) {
    if (order[process_] == Side::after) {
      after_.time_again(ids, 1);
    } else {
      named(name_before_, [&] { before_.time_again(ids, 1); });
    }
    order_ += order[process_] == Side::before ? 'A' : 'B';
  }
  of_processes_ = 0;
}

void Interleaved::look() {
  named(name_before_, [&] { before_.look(); });
  after_.look();
}

void Interleaved::count_lines(const std::set<std::string>& ids) {
  named(name_before_, [&] { before_.count_lines(ids); });
  after_.count_lines(ids);
}

void Interleaved::leave_untimed(const std::map<std::string, std::string>& reasons) {
  before_.leave_untimed(reasons);
  after_.leave_untimed(reasons);
}

void Interleaved::observe_all() {
  std::set<std::string> all = all_of(after_);
  all.merge(all_of(before_));
  observe_all(all);
}

void Interleaved::observe_all(const std::set<std::string>& timed) {
  if (has_clock()) time_again(timed, processes_);
  named(name_before_, [&] { before_.observe_untimed(); });
  after_.observe_untimed();
}

}  // namespace warpgauge::ci
