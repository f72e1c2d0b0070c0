// SPDX-License-Identifier: Apache-2.0
// Errors of CUPTI. The backend decides what they mean for the benchmark.
#pragma once

#include <cupti_result.h>

#include <stdexcept>
#include <string>

namespace warpgauge::cupti {

// A CUPTI call failed. The message names the call, CUPTI's reason and what to do.
class CuptiError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a user can do about `result`; empty when nothing is known to help.
[[nodiscard]] std::string remedy(CUptiResult result);

// Throws CuptiError unless `result` is success.
void require_cupti(CUptiResult result, const char* call);

}  // namespace warpgauge::cupti
