// SPDX-License-Identifier: Apache-2.0
// Puts functions of ours in the place of others, in the tables by which the program's libraries
// call what they import. So os._exit, which runs no handler, can be seen without LD_PRELOAD, which
// would follow the program into everything that it starts.
#pragma once

namespace warpgauge::inject {

struct ImportHook {
  const char* symbol = "";
  void* function = nullptr;  // in its place
};

// Nothing, as long as no library was loaded since the last call. Else: in every library that is
// loaded now and was not at the last call, but for this one, libc, libcuda and libcupti, which call
// each other as they are. Calls of a library within itself go on as before.
void hook_imports(const ImportHook* hooks, int count);

// Around a fork: the child may load libraries, whose list nobody reads then.
void lock_imports();
void unlock_imports();

}  // namespace warpgauge::inject
