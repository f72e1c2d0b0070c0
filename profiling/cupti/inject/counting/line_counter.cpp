// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/counting/line_counter.hpp"

namespace warpgauge::inject {

void LineCounter::begin(CUcontext context, std::uint32_t device) {
  std::unique_ptr<cupti::SassSession>& known = devices_[device];
  if (known == nullptr) known = std::make_unique<cupti::SassSession>(device);
  counting_ = known.get();
  counting_->begin(context);
}

void LineCounter::end() {
  counts_.clear();
  try {
    counts_ = counting_->read();
  } catch (...) {
    counting_->end();
    throw;
  }
  counting_->end();
}

void LineCounter::write(const std::string& symbol, CountWriter& to) {
  bool any = false;
  for (auto& [place, instruction] : counts_) {
    if (place.first != symbol) continue;
    any = true;
    instruction.offset_bytes = place.second;
    if (instruction.wavefronts > 0 || instruction.sectors > 0) to.instruction(instruction);
  }
  if (!any) to.not_counted("", "the device counted nothing of it");
}

void LineCounter::forget(CUcontext /*context*/) noexcept {
  if (counting_ != nullptr) counting_->end();
}

}  // namespace warpgauge::inject
