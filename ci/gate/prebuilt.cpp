// SPDX-License-Identifier: Apache-2.0
#include "ci/gate/prebuilt.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <random>
#include <utility>

#include "ci/gate/other_build.hpp"
#include "profiling/results/run_record.hpp"

namespace warpgauge::ci {

Prebuilt::Prebuilt(PrebuiltOptions options, const RunOptions& run)
    : options_(std::move(options)),
      after_(run),
      before_(run_of_build(run, options_.build, "--against-prebuilt")),
      seed_(options_.seed ? *options_.seed : std::random_device{}()) {}

TurnTaking Prebuilt::begin(const Measurement& holder) {
  const results::Source source = source_of_build(before_);
  constexpr std::size_t kShortSha = 12;
  before_.source = source;
  name_ = source.revision.empty() ? fmt::format("the build in {}", options_.build.string())
                                  : source.revision.substr(0, kShortSha);
  suites_ = std::make_unique<Interleaved>(before_, name_, after_, seed_, &holder);
  TurnTaking taking;
  taking.with = name_;
  taking.time_again = [this](const std::set<std::string>& ids, int processes) {
    suites_->time_again(ids, processes);
  };
  taking.measured = [this] {
    return Sides{results_from(suites_->before(), options_.out_before.string()),
                 results_from(suites_->after(), options_.out.string())};
  };
  return taking;
}

std::string Prebuilt::keep(results::NewFiles& files) const {
  if (!suites_ || suites_->order().empty()) return {};
  files.add(options_.out_before, to_json_text(suites_->before()));
  files.add(options_.out, to_json_text(suites_->after()));
  return fmt::format(
      "what the baseline left open was measured in turns with {}, on the same device; results: {} "
      "and {}; processes in the order {} (A: {}, B: this; seed {})",
      name_, options_.out_before.string(), options_.out.string(), suites_->order(), name_, seed_);
}

}  // namespace warpgauge::ci
