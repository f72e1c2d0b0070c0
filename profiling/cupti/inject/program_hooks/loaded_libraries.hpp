// SPDX-License-Identifier: Apache-2.0
// The libraries of the program that this one is in, while other threads of it load more.
#pragma once

#include <link.h>

namespace warpgauge::inject {

// Calls look(library, user) for each library that is loaded, the program itself first, until it
// returns false, while none can be added or removed. Returns how many were loaded ever.
//
// dl_iterate_phdr() itself asks for each library's thread-local data, too, and crashes (seen with
// glibc 2.39) if another thread loads one just then: it is in the list before the table of such
// data has grown. So only its lock is used, at the program itself, and the list is read here.
unsigned long long each_library(bool (*look)(const link_map& library, void* user), void* user);

}  // namespace warpgauge::inject
