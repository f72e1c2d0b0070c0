// SPDX-License-Identifier: Apache-2.0
// CUPTI said no. What then becomes of the benchmark is decided by the backend.
#pragma once

#include <cupti_result.h>

#include <stdexcept>
#include <string>

namespace warpgauge::cupti {

// A CUPTI call failed. The message holds the call, CUPTI's reason and what can be done.
class CuptiError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a user can do about `result`; empty when nothing is known to help.
[[nodiscard]] std::string remedy(CUptiResult result);

// Throws CuptiError unless `result` is success.
void require_cupti(CUptiResult result, const char* call);

}  // namespace warpgauge::cupti
