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
  } catch (const Error& error) {
    throw Error(error.exit_status(), fmt::format("{}: {}", name, error.what()));
  }
}

RunOptions with_name(RunOptions options, const std::string& name) {
  options.tell = [tell = std::move(options.tell), name](const std::string& line) {
    tell(fmt::format("{}: {}", name, line));
  };
  return options;
}

std::set<std::string> all_of(const Measurement& measurement) {
  return {measurement.ids().begin(), measurement.ids().end()};
}

}  // namespace

std::vector<Side> turns_of(int processes, std::mt19937_64& random) {
  std::vector<Side> turns;
  for (int pairs = 0; pairs < processes; pairs += 2) {
    // The lowest bit: distributions differ from library to library, and a seed must not.
    const Side first = (random() & 1) == 0 ? Side::before : Side::after;
    turns.insert(turns.end(), {first, other(first)});
    if (pairs + 1 < processes) turns.insert(turns.end(), {other(first), first});
  }
  return turns;
}

Turns::Turns(RunOptions before, const std::string& name_before, RunOptions after,
             std::uint64_t seed)
    : name_before_(name_before),
      processes_(after.processes),
      random_(seed),
      after_(in_turn(std::move(after))),
      before_(named(name_before, [&] {
        return Measurement(in_turn(with_name(std::move(before), name_before)), after_);
      })) {}

// Each turn is a process of a measurement that knows of no other.
RunOptions Turns::in_turn(RunOptions options) {
  options.progress = [this, progress = std::move(options.progress)](Progress of_turn) {
    if (turns_ > 0) {
      of_turn.process = turn_ + 1;
      of_turn.processes = turns_;
      of_turn.elapsed = std::chrono::steady_clock::now() - start_;
    }
    progress(of_turn);
  };
  return options;
}

bool Turns::has_clock() const { return before_.has_clock() && after_.has_clock(); }

void Turns::time_again(const std::set<std::string>& ids, int processes) {
  const std::vector<Side> turns = turns_of(processes, random_);
  start_ = std::chrono::steady_clock::now();
  turns_ = turns.size();
  for (turn_ = 0; turn_ < turns_; ++turn_) {
    if (turns[turn_] == Side::after) {
      after_.time_again(ids, 1);
    } else {
      named(name_before_, [&] { before_.time_again(ids, 1); });
    }
    order_ += turns[turn_] == Side::before ? 'A' : 'B';
  }
  turns_ = 0;
}

void Turns::observe_all() {
  if (has_clock()) {
    std::set<std::string> all = all_of(after_);
    all.merge(all_of(before_));
    time_again(all, processes_);
  }
  named(name_before_, [&] { before_.observe_untimed(); });
  after_.observe_untimed();
}

}  // namespace warpgauge::ci
