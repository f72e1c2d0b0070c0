// SPDX-License-Identifier: Apache-2.0
#include "ci/verdict/environment_table.hpp"

#include <fmt/format.h>

#include <optional>

#include "profiling/results/environment.hpp"

namespace warpgauge::ci {
namespace {

using results::Session;

std::string revision(const Session& session) {
  constexpr std::size_t kShort = 12;
  const auto& source = session.source;
  return source.revision.substr(0, kShort) + (source.modified ? " with changes" : "");
}

}  // namespace

std::vector<EnvironmentRow> environment(const GateVerdict& verdict) {
  std::vector<EnvironmentRow> rows;
  if (!verdict.before_session && !verdict.after_session) return rows;
  const auto add = [&](const char* what, auto get, bool by_nature = false) {
    EnvironmentRow row{what, "", "", false};
    if (verdict.before_session) row.before = get(*verdict.before_session);
    if (verdict.after_session) row.after = get(*verdict.after_session);
    const bool both = verdict.before_session && verdict.after_session;
    row.differs = both && !by_nature && row.before != row.after;
    if (!row.before.empty() || !row.after.empty()) rows.push_back(row);
  };
  add(
      "measured", [](const Session& s) { return s.created; }, true);
  add("source", revision, true);
  add("measured by", [](const Session& s) { return s.imported ? s.imported->program : ""; });
  add("device", [](const Session& s) { return s.device.name; });
  add("its UUID", results::uuids_of);
  add("driver", [](const Session& s) { return s.device.driver; });
  add("CUDA", [](const Session& s) { return s.toolchain.cuda; });
  add("host compiler", [](const Session& s) { return s.toolchain.host_compiler; });
  add("build type", [](const Session& s) { return s.toolchain.build_type; });
  add("Warpgauge", [](const Session& s) { return s.toolchain.version; });
  const auto hot = [](const std::optional<Session>& session) { return session && session->hot; };
  if (hot(verdict.before_session) || hot(verdict.after_session)) add("caches", results::caches_of);
  add("processes", [](const Session& s) { return fmt::format("{}", s.processes); });
  return rows;
}

}  // namespace warpgauge::ci
