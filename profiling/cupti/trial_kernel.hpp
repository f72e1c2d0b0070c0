// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace warpgauge::cupti {

// Launches a trivial kernel, to see whether kernels can be counted. Throws DeviceError.
void launch_trial_kernel();

}  // namespace warpgauge::cupti
