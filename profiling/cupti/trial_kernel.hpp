// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpgauge::cupti {

// The least kernel there is, to see whether one can be counted. Throws DeviceError.
void launch_trial_kernel();

}  // namespace warpgauge::cupti
