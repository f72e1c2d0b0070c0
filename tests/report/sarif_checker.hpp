// SPDX-License-Identifier: Apache-2.0
// What SARIF 2.1.0 and GitHub's code scanning require of the parts that Warpgauge writes; any other
// part is a fault. For tests only.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

namespace warpgauge {

class SarifChecker {
 public:
  using Json = nlohmann::json;

  // The first fault and its place; empty: none.
  std::string check(const Json& sarif) {
    keys(sarif, "", {"$schema", "version", "runs"}, {});
    if (fault_.empty() && sarif["version"] != "2.1.0") complain("version");
    if (fault_.empty() && sarif["runs"].size() != 1) complain("runs");
    if (fault_.empty()) run(sarif["runs"][0]);
    return fault_;
  }

 private:
  void complain(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  // An object with all of `required`, perhaps some of `optional`, and nothing else.
  bool keys(const Json& json, const std::string& place, std::initializer_list<const char*> required,
            std::initializer_list<const char*> optional) {
    if (!json.is_object()) {
      complain(place + " is no object");
      return false;
    }
    std::set<std::string> known(required.begin(), required.end());
    for (const std::string& key : known) {
      if (!json.contains(key)) complain(place + "." + key + " is missing");
    }
    known.insert(optional.begin(), optional.end());
    for (const auto& [key, value] : json.items()) {
      if (!known.contains(key)) complain(place + "." + key + " is not known");
    }
    return fault_.empty();
  }

  void text(const Json& json, const std::string& place, std::size_t longest) {
    if (!json.is_string() || json.get_ref<const std::string&>().empty()) {
      complain(place + " is no text");
    } else if (json.get_ref<const std::string&>().size() > 4 * longest) {
      complain(place + " is too long");
    }
  }

  void message(const Json& json, const std::string& place) {
    if (keys(json, place, {"text"}, {})) text(json["text"], place + ".text", 1024);
  }

  void level(const Json& json, const std::string& place) {
    if (json != "error" && json != "warning" && json != "note") complain(place + " is no level");
  }

  void run(const Json& run) {
    if (!keys(run, "run", {"tool", "columnKind", "originalUriBaseIds", "invocations", "results"},
              {})) {
      return;
    }
    if (run["columnKind"] != "unicodeCodePoints") complain("columnKind");
    const Json& driver = run["tool"]["driver"];
    if (!keys(driver, "driver", {"name", "rules"}, {"version"})) return;
    std::set<std::string> ids;
    for (const Json& rule : driver["rules"]) {
      if (!keys(rule, "rule",
                {"id", "shortDescription", "fullDescription", "help", "defaultConfiguration",
                 "properties"},
                {})) {
        return;
      }
      text(rule["id"], "rule.id", 255);
      if (!ids.insert(rule["id"].get<std::string>()).second) complain("rule.id occurs twice");
      message(rule["shortDescription"], "shortDescription");
      message(rule["fullDescription"], "fullDescription");
      message(rule["help"], "help");
      level(rule["defaultConfiguration"]["level"], "defaultConfiguration.level");
    }
    if (run["results"].size() > 25'000) complain("too many results");
    std::set<std::string> prints;
    for (const Json& each : run["results"]) result(each, driver["rules"], run, prints);
    for (const Json& invocation : run["invocations"]) {
      if (!keys(invocation, "invocation",
                {"executionSuccessful", "exitCode", "toolExecutionNotifications"}, {})) {
        return;
      }
      if (!invocation["executionSuccessful"].is_boolean()) complain("executionSuccessful");
      if (!invocation["exitCode"].is_number_integer()) complain("exitCode");
      for (const Json& each : invocation["toolExecutionNotifications"]) {
        if (!keys(each, "notification", {"level", "message"}, {})) return;
        level(each["level"], "notification.level");
        message(each["message"], "notification.message");
      }
    }
  }

  void result(const Json& result, const Json& rules, const Json& run,
              std::set<std::string>& prints) {
    if (!keys(result, "result",
              {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"},
              {})) {
      return;
    }
    const auto index = result["ruleIndex"].get<std::size_t>();
    if (index >= rules.size() || rules[index]["id"] != result["ruleId"]) complain("ruleIndex");
    level(result["level"], "result.level");
    message(result["message"], "result.message");
    if (result["locations"].size() != 1) {
      complain("locations");
      return;
    }
    const Json& place = result["locations"][0]["physicalLocation"];
    if (!keys(place, "physicalLocation", {"artifactLocation", "region"}, {})) return;
    if (!keys(place["region"], "region", {"startLine"}, {"startColumn"})) return;
    for (const auto& [key, number] : place["region"].items()) {
      if (!number.is_number_integer() || number < 1) complain("region." + key);
    }
    const Json& artifact = place["artifactLocation"];
    if (!keys(artifact, "artifactLocation", {"uri"}, {"uriBaseId"})) return;
    uri(artifact["uri"].get<std::string>(), artifact.contains("uriBaseId"));
    if (artifact.contains("uriBaseId") &&
        !run["originalUriBaseIds"].contains(artifact["uriBaseId"].get<std::string>())) {
      complain("uriBaseId");
    }
    static const std::regex kPrint("[0-9a-f]{16}");
    if (result["partialFingerprints"].size() != 1) complain("partialFingerprints");
    for (const auto& [key, print] : result["partialFingerprints"].items()) {
      const auto value = print.get<std::string>();
      if (!std::regex_match(value, kPrint)) complain("fingerprint");
      if (!prints.insert(value).second) complain("fingerprint occurs twice");
    }
  }

  // RFC 3986: a path; with a base it is relative, without a scheme.
  void uri(const std::string& uri, bool relative) {
    static const std::string kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/!$&'()*+,;=@%";
    if (uri.empty() || uri.find_first_not_of(kPlain) != uri.npos) complain("uri: " + uri);
    for (std::size_t at = uri.find('%'); at != uri.npos; at = uri.find('%', at + 1)) {
      if (uri.size() < at + 3 ||
          uri.substr(at + 1, 2).find_first_not_of("0123456789ABCDEF") != uri.npos) {
        complain("uri: " + uri);
      }
    }
    if (relative && uri.starts_with("/")) complain("uri is absolute: " + uri);
  }

  std::string fault_;
};

inline std::string sarif_fault(const nlohmann::json& sarif) { return SarifChecker().check(sarif); }

}  // namespace warpgauge
