// SPDX-License-Identifier: Apache-2.0
// cuda::std: the host's standard library, which kernels are compiled with.
#pragma once

namespace cuda::std {
using namespace ::std;
}  // namespace cuda::std
