// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/counters/instruction_counter.hpp"

#include <cstdint>
#include <utility>

#include "profiling/cupti/counters/run_launch.hpp"
#include "profiling/cupti/cupti_error.hpp"
#include "profiling/harness/launch.hpp"
#include "profiling/machine_code/names/symbol_names.hpp"

namespace warpgauge::cupti {
namespace {

void ignore(void* /*user*/, CUpti_CallbackDomain /*domain*/, CUpti_CallbackId /*id*/,
            const void* /*what*/) {}

}  // namespace

InstructionCounter::InstructionCounter() {
  int device = 0;
  require_success(cudaGetDevice(&device), "cudaGetDevice");
  require_success(cudaFree(nullptr), "cudaFree, which makes the context");
  require_cupti(cuptiSubscribe(&subscriber_, ignore, nullptr), "cuptiSubscribe");
  try {
    require_cupti(cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_RESOURCE), "cuptiEnableDomain");
    session_.emplace(static_cast<std::uint32_t>(device));
  } catch (...) {
    cuptiUnsubscribe(subscriber_);
    throw;
  }
}

InstructionCounter::~InstructionCounter() {
  session_.reset();
  cuptiUnsubscribe(subscriber_);
}

InstructionCounts InstructionCounter::count(const std::function<void()>& launch) {
  // Reports the benchmark's own errors before CUPTI takes part.
  run(launch);

  SassSession::Counts counted;
  try {
    session_->begin(nullptr);
    run(launch);
    counted = session_->read();
  } catch (...) {
    session_->end();
    throw;
  }
  session_->end();
  InstructionCounts counts;
  for (auto& [place, instruction] : counted) {
    instruction.kernel = machine_code::demangled(place.first);
    instruction.offset_bytes = place.second;
    if (counts.kernels.empty() || counts.kernels.back() != instruction.kernel) {
      counts.kernels.push_back(instruction.kernel);
    }
    const bool moved = instruction.wavefronts > 0 || instruction.sectors > 0;
    if (moved) counts.instructions.push_back(std::move(instruction));
  }
  return counts;
}

}  // namespace warpgauge::cupti
