// SPDX-License-Identifier: Apache-2.0
#include "profiling/emulator/report/source_lines.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace warpgauge::emulator {
namespace {

using results::Access;
using results::SourceLine;

using Key = std::tuple<std::string, int, int, Access, int, std::string>;

Access shared_access(RecordKind kind) {
  if (kind == RecordKind::load) return Access::shared_load;
  return kind == RecordKind::store ? Access::shared_store : Access::shared_atomic;
}

Access global_access(RecordKind kind) {
  if (kind == RecordKind::load) return Access::global_load;
  return kind == RecordKind::store ? Access::global_store : Access::global_atomic;
}

SourceLine& entry(std::map<Key, SourceLine>& lines, const SourceLocation& location, Access access,
                  int width_bytes) {
  SourceLine& line = lines[Key(location.file, location.line, location.column, access, width_bytes,
                               location.function)];
  line.file = location.file;
  line.line = location.line;
  line.column = location.column;
  line.function = location.function;
  line.access = access;
  line.width_bytes = width_bytes;
  return line;
}

template <class Locate>
std::vector<SourceLine> lines_of(const Traffic& traffic, const Locate& locate) {
  std::map<Key, SourceLine> lines;
  for (const SiteTraffic& from : traffic.sites()) {
    const SourceLocation location = locate(from.site.pc);
    if (from.shared.requests > 0) {
      SourceLine& line = entry(lines, location, shared_access(from.site.kind), from.site.bytes);
      line.requests += from.shared.requests;
      line.wavefronts += from.shared.wavefronts;
      line.ideal_wavefronts += from.shared.ideal_wavefronts;
    }
    if (from.global.requests > 0) {
      SourceLine& line = entry(lines, location, global_access(from.site.kind), from.site.bytes);
      line.requests += from.global.requests;
      line.sectors += from.global.sectors;
      line.ideal_sectors += from.global.ideal_sectors;
    }
  }
  std::vector<SourceLine> sorted;
  sorted.reserve(lines.size());
  for (auto& [key, line] : lines) sorted.push_back(std::move(line));
  return sorted;
}

}  // namespace

std::vector<SourceLine> source_lines(const Traffic& traffic, Program& program) {
  return lines_of(traffic, [&](std::uint32_t pc) { return program.locate(pc); });
}

std::vector<SourceLine> lines_without_places(const Traffic& traffic) {
  return lines_of(traffic, [](std::uint32_t) { return SourceLocation{}; });
}

}  // namespace warpgauge::emulator
