// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/counting/range_counter.hpp"

#include "profiling/cupti/cupti_error.hpp"

namespace warpgauge::inject {
namespace {

// Of one launch; a kernel may launch others.
constexpr std::size_t kMostRanges = 8;

}  // namespace

RangeCounter::OfContext::OfContext(CUcontext context, const std::string& chip,
                                   const std::vector<std::string>& more)
    : host(chip, cupti::counter_availability(context)),
      plan(cupti::plan_counters(host, chip, more)),
      metrics(cupti::metric_names(plan)),
      schedule(host.schedule(metrics)),
      session(context) {
  session.configure(metrics, schedule, kMostRanges);
}

void RangeCounter::begin(CUcontext context, std::uint32_t device) {
  std::unique_ptr<OfContext>& known = contexts_[context];
  if (known == nullptr) {
    known = std::make_unique<OfContext>(context, cupti::chip_of(device), more_);
  }
  counting_ = known.get();
  counting_->session.start();
}

void RangeCounter::end() {
  const OfContext& of = *counting_;
  if (!counting_->session.stop()) {
    throw cupti::CuptiError("CUPTI had no room for what one launch counts");
  }
  std::vector<std::vector<double>> kernels;
  for (std::size_t range = 0; range < of.session.ranges(); ++range) {
    kernels.push_back(of.host.evaluate(of.session.counter_data(), range, of.metrics));
  }
  if (kernels.empty()) throw cupti::CuptiError("CUPTI counted nothing of it");
  readings_ = cupti::combine(of.plan, kernels);
}

void RangeCounter::write(const std::string& /*symbol*/, CountWriter& to) {
  const std::size_t passes = cupti::passes_of(counting_->schedule);
  for (const auto& [name, value] : readings_.values) to.counter(name, value, passes);
  for (const auto& [name, reason] : readings_.not_measured) to.not_counted(name, reason);
}

void RangeCounter::forget(CUcontext context) noexcept {
  counting_ = nullptr;
  contexts_.erase(context);
}

}  // namespace warpgauge::inject
