// SPDX-License-Identifier: Apache-2.0
#pragma once
#define TOML_ASSERT(expression) static_cast<void>(0)
