// SPDX-License-Identifier: Apache-2.0
// toml++'s library, of which Debian and Ubuntu have no archive.
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
