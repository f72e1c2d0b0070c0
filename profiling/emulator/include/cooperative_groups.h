// SPDX-License-Identifier: Apache-2.0
// Cooperative groups, for the emulator. See cuda_runtime.h.
#pragma once

#include "warpgauge_emulator/groups/cluster_group.h"
#include "warpgauge_emulator/groups/cooperative_groups.h"
#include "warpgauge_emulator/groups/thread_group.h"
