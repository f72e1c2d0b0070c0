// SPDX-License-Identifier: Apache-2.0
#include "tests/system/gate/code_kernels.cuh"
