// SPDX-License-Identifier: Apache-2.0
#include "ci/baselines/baseline_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "ci/baselines/anchor.hpp"
#include "ci/statistics/mean.hpp"
#include "ci/support/figures.hpp"
#include "ci/support/text.hpp"
#include "ci/verdict/identity/code_identity.hpp"
#include "ci/verdict/metrics/counter_range.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;
using Row = std::vector<std::string>;

// Of a new suite's hundreds of rows the diff of the baseline tells more than a terminal.
constexpr std::size_t kMostRows = 40;

std::string and_more(std::size_t all, std::size_t shown) {
  return all > shown ? fmt::format("  … and {} more: see the diff\n", all - shown) : "";
}

std::string moved_text(const std::vector<Approval::Moved>& moved) {
  if (moved.empty()) return {};
  std::vector<Row> rows;
  const std::string* above = nullptr;
  for (const Approval::Moved& each : moved) {
    if (rows.size() == kMostRows) break;
    const bool first = above == nullptr || *above != each.id;
    above = &each.id;
    ReadablePair figures = readable_pair(each.metric, each.before, each.after);
    rows.push_back({first ? one_line(each.id) : "", one_line(each.metric),
                    std::move(figures.before), std::move(figures.after),
                    readable_change(each.before, each.after)});
  }
  return aligned_table({{"benchmark"},
                        {"metric"},
                        {"before", Align::right},
                        {"after", Align::right},
                        {"change", Align::right}},
                       rows) +
         and_more(moved.size(), rows.size());
}

std::string ids_text(const char* what, const std::vector<std::string>& ids) {
  std::string text;
  const std::size_t shown = std::min(ids.size(), kMostRows);
  // A word is a column, and more than one are the beginning of a sentence.
  std::string label = what;
  if (label.find(' ') != label.npos) label += ':';
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("{:<9} {}\n", label, one_line(ids[i]));
  }
  return text + and_more(ids.size(), shown);
}

// "carried over: 135 metrics of 12 sessions, by -0.8 % to +2.1 %".
std::string carried_text(const Approval& approval) {
  std::string text;
  if (!approval.carried.empty()) {
    const auto [least, most] =
        std::minmax_element(approval.carried.begin(), approval.carried.end(),
                            [](const auto& a, const auto& b) { return a.by.ratio < b.by.ratio; });
    text = fmt::format("carried over: {} of {}, by {} to {}\n",
                       counted(approval.carried.size(), "metric"),
                       counted(approval.carried_sessions, "session"),
                       readable_change(1, least->by.ratio), readable_change(1, most->by.ratio));
  }
  return text + ids_text("started over", approval.begun_anew);
}

std::string session_text(const std::string& label, const ApprovedSession& approved) {
  const results::Session& session = approved.session;
  std::vector<std::string> facts;
  if (!session.source.revision.empty()) {
    facts.push_back(fmt::format("revision {}{}", session.source.revision,
                                session.source.modified ? ", modified" : ""));
  }
  if (!session.device.driver.empty()) facts.push_back("driver " + session.device.driver);
  if (!session.toolchain.cuda.empty()) facts.push_back("CUDA " + session.toolchain.cuda);
  if (!session.toolchain.host_compiler.empty()) facts.push_back(session.toolchain.host_compiler);
  if (session.hot) facts.emplace_back("caches hot");
  if (!approved.carried.empty()) facts.push_back("carried over: " + approved.carried);
  return fmt::format("    {}\n      {}\n      approved {} by {}: {}\n", one_line(label),
                     one_line(fmt::format("{}", fmt::join(facts, ", "))),
                     one_line(approved.approved), one_line(approved.by), one_line(approved.reason));
}

// What it took there, and how far off it is now: of other sessions, so that it proves nothing.
std::string anchor_text(const Baseline& baseline, const Approved& approved) {
  const Anchor& anchor = anchor_of(baseline, approved);
  const double then = mean_of(approved.anchored->times);
  std::string text =
      fmt::format("  anchor\n    revision {}\n      set {} by {}: {}\n", anchor.revision,
                  one_line(anchor.set), one_line(anchor.by), one_line(anchor.reason));
  text += fmt::format("      {} then", readable_figure(results::kTimeMetric, then));
  if (approved.anchored->carried) {
    text += fmt::format(" (carried over by {})", readable_change(1, *approved.anchored->carried));
  }
  const auto now = approved.statistical.find(results::kTimeMetric);
  if (now != approved.statistical.end()) {
    text += fmt::format(", {} in the sessions above",
                        readable_change(then, mean_of_sessions(now->second)));
  }
  return text + "\n";
}

std::string line_text(const results::SourceLine& line) {
  const bool shared = line.sectors == 0 && line.ideal_sectors == 0;
  const auto count = [](std::uint64_t value) { return readable_count(static_cast<double>(value)); };
  return one_line(fmt::format("    {}:{} {} {}, {} {}: {}", line.file, line.line,
                              to_string(line.access), counted(line.requests, "request"),
                              count(shared ? line.wavefronts : line.sectors),
                              shared ? "wavefronts" : "sectors", line.text)) +
         "\n";
}

// A row of the list.
struct ListedFamily {
  std::filesystem::path folder;  // of the device
  std::string name;
  std::size_t benchmarks = 0;
  std::size_t sessions = 0;
  std::string newest;
};

std::vector<ListedFamily> families_of(const std::vector<Baseline>& baselines) {
  std::vector<ListedFamily> families;
  for (const Baseline& baseline : baselines) {
    for (const auto& [name, family] : baseline.families) {
      std::set<std::string> labels;
      std::string newest;
      for (const auto& [id, approved] : family) {
        for (const std::string& label : sessions_of(approved)) {
          labels.insert(label);
          newest = std::max(newest, baseline.sessions.at(label).session.created);
        }
      }
      families.push_back({baseline.folder, name, family.size(), labels.size(), std::move(newest)});
    }
  }
  return families;
}

}  // namespace

std::string approval_text(const Approval& approval) {
  const std::string left_out =
      ids_text("left out, since time moved or is unclear", approval.left_out);
  if (approval.written.empty()) {
    return left_out.empty() ? "nothing to approve: the baseline already says this\n" : left_out;
  }
  std::string text = left_out + moved_text(approval.moved);
  if (approval.extended > 0) {
    text += fmt::format("the same: {}, its sessions added to the earlier ones\n",
                        counted(approval.extended, "metric"));
  }
  if (approval.of_the_machine > 0) {
    text += fmt::format(
        "inconclusive among these: {}, with the same machine code, counters and launches, so it is "
        "the machines that differ\n",
        counted(approval.of_the_machine, "metric"));
  }
  if (approval.replaced > 0) {
    text += fmt::format("moved: {}, now from the new sessions only\n",
                        counted(approval.replaced, "metric"));
  }
  text += carried_text(approval);
  text += ids_text("launched differently", approval.relaunched);
  text += ids_text("other counts of the same machine code", approval.not_repeated);
  if (!approval.not_repeated.empty()) {
    text +=
        "  the benchmark launches its kernels differently or on other input, or these counters do "
        "not repeat: then set gate = false for them in the policy, with a reason\n";
  }
  text += ids_text("new", approval.added);
  text += ids_text("removed", approval.removed);
  if (!approval.anchored.empty()) {
    text += fmt::format("anchored  {}\n", counted(approval.anchored.size(), "benchmark"));
  }
  text += ids_text("measured with changes that no commit has", approval.of_modified_sources);
  if (!approval.of_modified_sources.empty()) {
    text += "  --against and bisect cannot build that again: commit, build and measure\n";
  }
  for (const auto& path : approval.written) {
    text += fmt::format("{:<9} {}\n", "wrote", one_line(path.string()));
  }
  return text;
}

Json approval_json(const Approval& approval) {
  Json json{{"moved", Json::array()},
            {"extended", approval.extended},
            {"of_the_machine", approval.of_the_machine},
            {"replaced", approval.replaced},
            {"relaunched", approval.relaunched},
            {"not_repeated", approval.not_repeated},
            {"left_out", approval.left_out},
            {"added", approval.added},
            {"removed", approval.removed},
            {"anchored", approval.anchored},
            {"of_modified_sources", approval.of_modified_sources},
            {"carried", Json::array()},
            {"begun_anew", approval.begun_anew},
            {"written", Json::array()}};
  for (const Approval::Moved& each : approval.moved) {
    Json moved{{"id", each.id}, {"metric", each.metric}};
    if (each.before) moved["before"] = *each.before;
    if (each.after) moved["after"] = *each.after;
    json["moved"].push_back(std::move(moved));
  }
  for (const Approval::CarriedOver& each : approval.carried) {
    json["carried"].push_back({{"id", each.id},
                               {"metric", each.metric},
                               {"ratio", each.by.ratio},
                               {"standard_error", each.by.standard_error}});
  }
  for (const auto& path : approval.written) json["written"].push_back(path.string());
  return json;
}

std::string list_text(const std::vector<Baseline>& baselines) {
  std::vector<Row> rows;
  for (const ListedFamily& each : families_of(baselines)) {
    rows.push_back({one_line(each.folder.string()), one_line(each.name),
                    readable_count(static_cast<double>(each.benchmarks)),
                    readable_count(static_cast<double>(each.sessions)), one_line(each.newest)});
  }
  return aligned_table({{"folder"},
                        {"family"},
                        {"benchmarks", Align::right},
                        {"sessions", Align::right},
                        {"newest"}},
                       rows);
}

Json list_json(const std::vector<Baseline>& baselines) {
  Json families = Json::array();
  for (const ListedFamily& each : families_of(baselines)) {
    families.push_back({{"device", each.folder.filename().string()},
                        {"family", each.name},
                        {"benchmarks", each.benchmarks},
                        {"sessions", each.sessions},
                        {"newest", each.newest}});
  }
  return {{"families", std::move(families)}};
}

std::string benchmark_text(const Baseline& baseline, const std::string& id,
                           const Approved& approved) {
  std::string text = fmt::format("{} ({})\n", one_line(id), baseline.folder.filename().string());
  for (const auto& [metric, sessions] : approved.statistical) {
    text += fmt::format("  {}, a figure a process\n", one_line(metric));
    for (const SessionFigures& session : sessions) {
      std::vector<std::string> figures;
      for (const double figure : session.figures) {
        figures.push_back(readable_figure(metric, figure));
      }
      const std::string carried = session.carried
                                      ? fmt::format(", carried over by {}, known to {:.2g} %",
                                                    readable_change(1, session.carried->ratio),
                                                    100 * session.carried->standard_error)
                                      : "";
      text += fmt::format("    {}: {}{}\n", one_line(session.session), fmt::join(figures, ", "),
                          carried);
    }
  }
  if (approved.anchored) text += anchor_text(baseline, approved);
  if (!approved.exact.empty()) text += "  exact\n";
  for (const auto& [metric, value] : approved.exact) {
    text += fmt::format("    {}: {}\n", one_line(metric), readable_count(value));
  }
  if (!approved.ranges.empty()) text += "  shown, by repetition\n";
  for (const auto& [metric, range] : approved.ranges) {
    text += fmt::format("    {}: {}\n", one_line(metric), range_text(range));
  }
  if (!approved.launches.empty()) text += "  launches\n";
  for (const results::KernelLaunch& launch : approved.launches) {
    text += fmt::format("    {}\n", one_line(launch_text(launch)));
  }
  if (!approved.lines.empty()) text += "  lines\n";
  for (const results::SourceLine& line : approved.lines) text += line_text(line);
  text += "  sessions\n";
  for (const std::string& label : sessions_of(approved)) {
    text += session_text(label, baseline.sessions.at(label));
  }
  return text;
}

Json benchmark_json(const Baseline& baseline, const std::string& id, const Approved& approved) {
  Json json{{"device", baseline.folder.filename().string()}, {"id", id}};
  json.update(Json::parse(fmt::format("{{{}}}", to_text(id, approved))).front());
  if (approved.anchored) {
    const Anchor& anchor = anchor_of(baseline, approved);
    json["anchor"]["revision"] = anchor.revision;
    json["anchor"]["by"] = anchor.by;
    json["anchor"]["reason"] = anchor.reason;
  }
  for (const std::string& label : sessions_of(approved)) {
    const ApprovedSession& from = baseline.sessions.at(label);
    Json session{{"approved", from.approved}, {"by", from.by}, {"reason", from.reason}};
    if (!from.carried.empty()) session["carried"] = from.carried;
    session.update(to_json(from.session));
    results::erase_member(session, "schema");
    json["sessions"][label] = std::move(session);
  }
  return json;
}

std::string pruned_text(const Dropped& dropped) {
  if (dropped.empty()) return "nothing to drop\n";
  std::string text;
  for (const auto& [device, sessions] : dropped) {
    for (const auto& [label, benchmarks] : sessions) {
      text += fmt::format("dropped  {}  {}  of {}\n", device, one_line(label),
                          counted(benchmarks, "benchmark"));
    }
  }
  return text;
}

Json pruned_json(const Dropped& dropped) {
  Json json = Json::array();
  for (const auto& [device, sessions] : dropped) {
    for (const auto& [label, benchmarks] : sessions) {
      json.push_back({{"device", device}, {"session", label}, {"benchmarks", benchmarks}});
    }
  }
  return {{"dropped", std::move(json)}};
}

std::string check_text(const BaselineCheck& check) {
  std::string text;
  for (const std::string& fault : check.faults) text += one_line(fault) + "\n";
  return text + fmt::format("{}: {}, {}, {}\n", check.faults.empty() ? "whole" : "not whole",
                            counted(check.devices, "device"), counted(check.families, "file"),
                            counted(check.benchmarks, "benchmark"));
}

Json check_json(const BaselineCheck& check) {
  return {{"devices", check.devices},
          {"families", check.families},
          {"benchmarks", check.benchmarks},
          {"faults", check.faults}};
}

}  // namespace warpgauge::ci
