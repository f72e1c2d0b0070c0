// SPDX-License-Identifier: Apache-2.0
#include "profiling/cupti/inject/program_hooks/loaded_libraries.hpp"

#include <cstddef>

namespace warpgauge::inject {
namespace {

struct Visit {
  bool (*look)(const link_map& library, void* user);
  void* user;
  unsigned long long loaded_ever;
};

int visit_all(dl_phdr_info* program, std::size_t /*size*/, void* data) {
  auto& visit = *static_cast<Visit*>(data);
  visit.loaded_ever = program->dlpi_adds;
  for (const link_map* each = _r_debug.r_map; each != nullptr; each = each->l_next) {
    if (!visit.look(*each, visit.user)) break;
  }
  return 1;
}

}  // namespace

unsigned long long each_library(bool (*look)(const link_map& library, void* user), void* user) {
  Visit visit{look, user, 0};
  ::dl_iterate_phdr(visit_all, &visit);
  return visit.loaded_ever;
}

}  // namespace warpgauge::inject
