// SPDX-License-Identifier: Apache-2.0
// Which mistakes are errors and which are remarks. A mistake is an error if what a GPU computes may
// depend on it; a user may see some of them otherwise.
#pragma once

#include <map>
#include <string_view>

#include "profiling/emulator/report/error_log.hpp"

namespace warpgauge::emulator {

enum class Severity { error, remark };

class Severities {
 public:
  // text: "same-value=error,race=remark"; empty: nothing is changed. Throws std::invalid_argument,
  // with what may be said.
  explicit Severities(std::string_view text = {});

  [[nodiscard]] Severity of(ErrorKind kind) const;

 private:
  std::map<ErrorKind, Severity> changed_;
};

}  // namespace warpgauge::emulator
