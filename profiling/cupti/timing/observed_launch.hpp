// SPDX-License-Identifier: Apache-2.0
// What a benchmark asks of the driver in one launch: kernels with their arguments, and what a host
// pays for beside them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/results/host_calls.hpp"
#include "profiling/results/record.hpp"

namespace warpgauge::cupti {

class ObservedLaunch {
 public:
  // Calls all three once, in this order, and looks at what `launch` asks for. `open` and `close`
  // are the harness's own. What cannot be looked at stays unknown.
  ObservedLaunch(const std::function<void()>& open, const std::function<void()>& launch,
                 const std::function<void()>& close);

  // Sets `arguments` of these launches, whose kernels are mangled symbols. It is one digest for all
  // launches of a kernel, in their order, since equal launches are not told apart here.
  void add_to(std::vector<results::KernelLaunch>& launches) const;

  // Nothing: CUPTI did not let us look.
  [[nodiscard]] const std::optional<results::HostCalls>& host_calls() const { return host_calls_; }

 private:
  std::map<std::string, std::string> digests_;  // by symbol
  std::optional<results::HostCalls> host_calls_;
};

}  // namespace warpgauge::cupti
