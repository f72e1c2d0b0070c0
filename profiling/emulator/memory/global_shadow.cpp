// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/memory/global_shadow.hpp"

namespace warpgauge::emulator {

void GlobalShadow::begin_launch() {
  in_order_ = true;
  ordered_.begin_launch();
  unordered_.begin_launch();
}

void GlobalShadow::blocks_are_unordered() {
  in_order_ = false;
  Cursor cursor;
  ordered_.for_each([&](const WarpAccess& access, std::uintptr_t address) {
    LaneAddresses addresses{};
    addresses[0] = address;
    unordered_.note(cursor, access, addresses);
  });
}

}  // namespace warpgauge::emulator
