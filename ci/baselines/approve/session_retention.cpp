// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/approve/session_retention.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "ci/support/errors.hpp"
#include "ci/support/files/folder_lock.hpp"
#include "profiling/results/environment.hpp"

namespace warpgauge::ci {

using results::Results;
using results::Session;

void begin_environment(const ApprovalRequest& request, const Family& approved, Baseline& baseline) {
  std::set<std::string> foreign;
  for (const auto& each : baseline.sessions) {
    const Session& then = each.second.session;
    const bool differs =
        std::any_of(request.sessions.begin(), request.sessions.end(),
                    [&](const Results& now) { return environments_differ(then, *now.session); });
    if (differs) foreign.insert(each.first);
  }
  // The other benchmarks keep theirs; here, nothing is held against them.
  std::size_t dropped = 0;
  for (auto& [name, family] : baseline.families) {
    for (auto& [id, old] : family) {
      std::size_t of_this = 0;
      for (auto& [metric, sessions] : old.statistical) {
        of_this += std::erase_if(sessions, [&](const SessionFigures& figures) {
          return foreign.contains(figures.session);
        });
      }
      std::erase_if(old.statistical, [](const auto& metric) { return metric.second.empty(); });
      if (!approved.contains(id)) continue;
      dropped += of_this;
      old.ranges.clear();
    }
  }
  // Where the rest was measured is not said by what was dropped.
  if (foreign.size() < baseline.sessions.size()) {
    std::erase_if(baseline.sessions,
                  [&](const auto& each) { return foreign.contains(each.first); });
  }
  if (dropped > 0 || request.beside) return;
  throw Error(kExitUsage,
              fmt::format("--new-environment: {} has no session of these benchmarks with another "
                          "driver, CUDA toolkit or command than that of the results, or with hot "
                          "times for cold; leave it out",
                          baseline.folder.string()));
}

void check_one_environment(const ApprovalRequest& request) {
  const Results& first = request.sessions.front();
  for (const Results& results : request.sessions) {
    if (!environments_differ(*first.session, *results.session)) continue;
    throw Error(kExitUsage, fmt::format("--new-environment: {} and {} are of two environments; "
                                        "approve one at a time",
                                        first.name, results.name));
  }
}

void keep_newest(std::size_t count, const std::map<std::string, ApprovedSession>& known,
                 std::vector<SessionFigures>& sessions,
                 const std::function<void(const std::string&)>& dropped) {
  std::sort(sessions.begin(), sessions.end(), [&](const auto& a, const auto& b) {
    return std::tie(known.at(a.session).session.created, a.session) <
           std::tie(known.at(b.session).session.created, b.session);
  });
  while (sessions.size() > count) {
    if (dropped) dropped(sessions.front().session);
    sessions.erase(sessions.begin());
  }
}

std::map<std::string, std::map<std::string, std::size_t>> prune_baselines(
    const std::filesystem::path& folder, const std::vector<std::string>& devices,
    std::size_t keep) {
  const FolderLock lock(folder, FolderLock::Kind::exclusive);
  std::map<std::string, std::map<std::string, std::size_t>> dropped;
  for (const std::string& device : devices) {
    std::optional<Baseline> baseline = load_baseline(folder, device);
    if (!baseline) continue;
    for (auto& [name, family] : baseline->families) {
      for (auto& [id, approved] : family) {
        std::set<std::string> of_benchmark;
        for (auto& [metric, sessions] : approved.statistical) {
          keep_newest(keep, baseline->sessions, sessions,
                      [&](const std::string& label) { of_benchmark.insert(label); });
        }
        for (const std::string& label : of_benchmark) ++dropped[device][label];
      }
    }
    if (dropped.contains(device)) (void)save_baseline(std::move(*baseline));
  }
  return dropped;
}

}  // namespace warpgauge::ci
