// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/counting/line_counter.hpp"

namespace warpgauge::inject {

void LineCounter::begin(CUcontext context, std::uint32_t device) {
  if (counting_ != nullptr && context == context_) {
    (void)counting_->read();  // of what was launched meanwhile
    return;
  }
  forget(context);
  std::unique_ptr<cupti::SassSession>& known = devices_[device];
  if (known == nullptr) known = std::make_unique<cupti::SassSession>(device);
  known->begin(context);
  counting_ = known.get();
  context_ = context;
}

void LineCounter::end() { counts_ = counting_->read(); }

void LineCounter::write(const std::string& symbol, CountWriter& to) {
  bool any = false;
  for (auto& [place, instruction] : counts_) {
    if (place.first != symbol) continue;
    any = true;
    instruction.offset_bytes = place.second;
    if (instruction.wavefronts > 0 || instruction.sectors > 0) to.instruction(instruction);
  }
  // It counts on where the kernel was not patched yet: its next launch is.
  if (any) return forget(context_);
  to.not_counted("", "the device counted nothing of it");
}

void LineCounter::forget(CUcontext /*context*/) noexcept {
  if (counting_ != nullptr) counting_->end();
  counting_ = nullptr;
}

}  // namespace warpgauge::inject
