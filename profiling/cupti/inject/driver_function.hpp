// SPDX-License-Identifier: Apache-2.0
// Functions of the driver that the program has loaded. Whoever calls them holds no lock that the
// driver's callbacks take.
#pragma once

#include <dlfcn.h>

namespace warpgauge::inject {

// Null: there is none of this name.
template <class Function>
[[nodiscard]] Function* driver_function(const char* name) {
  void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(driver, name));
}

}  // namespace warpgauge::inject
