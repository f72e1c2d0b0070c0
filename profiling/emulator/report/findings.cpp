// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/report/findings.hpp"

namespace warpgauge::emulator {

std::size_t Findings::add(const void* kernel, const std::vector<PlacedError>& errors,
                          const Severities& severities) {
  const std::size_t before = all_.size();
  for (const PlacedError& placed : errors) {
    const auto [known, added] = known_.try_emplace({kernel, placed.place}, all_.size());
    if (added) {
      all_.push_back({.is_error = severities.of(placed.error.mistake.kind) == Severity::error,
                      .text = placed.error.text});
    }
    Finding& finding = all_[known->second];
    finding.times += placed.error.times;
    ++finding.launches;
  }
  return all_.size() - before;
}

std::vector<std::string> Findings::texts(bool errors) const {
  std::vector<std::string> texts;
  for (const Finding& finding : all_) {
    if (finding.is_error == errors) texts.push_back(finding.text);
  }
  return texts;
}

}  // namespace warpgauge::emulator
