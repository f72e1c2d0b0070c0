// SPDX-License-Identifier: Apache-2.0
#include "ci/report/formats/sarif.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "ci/report/findings.hpp"
#include "ci/report/formats/report_formats.hpp"
#include "ci/support/text.hpp"
#include "ci/support/utf8.hpp"
#include "profiling/results/json/record_json.hpp"

namespace warpgauge::ci {
namespace {

using results::Json;

constexpr std::size_t kLongestRule = 255;
constexpr std::size_t kMostNotifications = 1'000;
constexpr const char* kRoot = "SRCROOT";

const char* name_of(Level level) { return level == Level::error ? "error" : "warning"; }

// Brackets would make links of what stands in them, also to elsewhere.
Json message(const std::string& text) {
  std::string plain;
  for (const char character : shortened(text, kLongestMessage)) {
    if (std::string_view("[]\\").find(character) != std::string_view::npos) plain += '\\';
    plain += character;
  }
  return {{"text", std::move(plain)}};
}

// Percent-encodes all characters except those that a URI's path may contain.
std::string uri_of(const std::string& file) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/!$&'()*+,;=@";
  std::string uri;
  for (const char character : file) {
    uri += kPlain.find(character) != kPlain.npos
               ? std::string(1, character)
               : fmt::format("%{:02X}", static_cast<unsigned char>(character));
  }
  return uri;
}

Json location(const FindingPlace& place) {
  Json region{{"startLine", place.line}};
  if (place.column > 0) region["startColumn"] = place.column;
  Json artifact{{"uri", uri_of(place.file)}, {"uriBaseId", kRoot}};
  return {{"physicalLocation",
           {{"artifactLocation", std::move(artifact)}, {"region", std::move(region)}}}};
}

class Rules {
 public:
  std::size_t index_of(const std::string& rule) {
    const auto [place, is_new] = places_.try_emplace(rule, rules_.size());
    if (is_new) {
      const std::string id = shortened(rule.empty() ? "unnamed" : rule, kLongestRule);
      rules_.push_back({{"id", id},
                        {"shortDescription", {{"text", describe_rule(rule)}}},
                        {"fullDescription", {{"text", describe_rule(rule)}}},
                        {"help", {{"text", describe_rule(rule)}}},
                        {"defaultConfiguration", {{"level", "error"}}},
                        {"properties", {{"tags", {"performance"}}}}});
    }
    return place->second;
  }
  [[nodiscard]] std::string id_of(std::size_t index) const { return rules_[index].at("id"); }
  Json take() { return std::move(rules_); }

 private:
  Json rules_ = Json::array();
  std::map<std::string, std::size_t> places_;
};

Json result(const Finding& finding, Rules& rules) {
  const std::size_t rule = rules.index_of(finding.rule);
  return {{"ruleId", rules.id_of(rule)},
          {"ruleIndex", rule},
          {"level", name_of(finding.level)},
          {"message", message(finding.message)},
          {"locations", Json::array({location(*finding.place)})},
          {"partialFingerprints", {{"warpgauge/v1", finding.fingerprint}}}};
}

Json notification(const Finding& finding) {
  return {{"level", name_of(finding.level)}, {"message", message(finding.message)}};
}

Json left_out(std::size_t count, const char* what) {
  return {{"level", "warning"},
          {"message",
           message(fmt::format("{} left out here; verdict.json holds all", counted(count, what)))}};
}

}  // namespace

std::string sarif_report(const GateVerdict& verdict) {
  const Findings all = findings(verdict);
  Rules rules;
  Json results = Json::array();
  Json notifications = Json::array();
  for (const Finding& finding : all.list) {
    if (finding.place) {
      if (results.size() < kMostSarifResults) results.push_back(result(finding, rules));
    } else if (notifications.size() < kMostNotifications) {
      notifications.push_back(notification(finding));
    }
  }
  const std::size_t placed = all.count_placed(true);
  const std::size_t unplaced = all.count_placed(false);
  if (placed > kMostSarifResults) {
    notifications.push_back(left_out(placed - kMostSarifResults, "result"));
  }
  if (unplaced > kMostNotifications) {
    notifications.push_back(left_out(unplaced - kMostNotifications, "notification"));
  }

  Json driver{{"name", "Warpgauge"}, {"rules", rules.take()}};
  if (!verdict.version.empty()) driver["version"] = verdict.version;
  // Successful means that the gate reached a verdict, whichever.
  Json invocation{{"executionSuccessful", true},
                  {"exitCode", verdict.exit_status},
                  {"toolExecutionNotifications", std::move(notifications)}};
  Json run{{"tool", {{"driver", std::move(driver)}}},
           {"columnKind", "unicodeCodePoints"},
           {"originalUriBaseIds",
            {{kRoot, {{"description", {{"text", "Root of the sources that were measured."}}}}}}},
           {"invocations", Json::array({std::move(invocation)})},
           {"results", std::move(results)}};
  const Json sarif{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({std::move(run)})}};
  return sarif.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace warpgauge::ci
