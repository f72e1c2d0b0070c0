// SPDX-License-Identifier: Apache-2.0
// Lets what counts, which calls CUPTI by its names, run in a program that has its own libcupti.
#pragma once

namespace warpgauge::inject {

// library: the handle of the libcupti to which all calls go from now on.
void forward_cupti_to(void* library);

}  // namespace warpgauge::inject
