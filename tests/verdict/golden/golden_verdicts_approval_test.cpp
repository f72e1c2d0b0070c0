// SPDX-License-Identifier: Apache-2.0
// Decisions of `warpgauge approve`: what it accepts, and what then stands in the baseline. See
// golden_verdicts.hpp.
#include <map>
#include <string>
#include <utility>

#include "tests/verdict/golden/golden_verdicts.hpp"

namespace warpgauge {
namespace {

namespace fs = std::filesystem;
using golden::Golden;
using golden::hour;
using golden::in_session;
using results::Access;
using results::Json;
using results::Status;

class GoldenApproval : public Golden<InFolder> {
 protected:
  // Which sessions and what else stand in the baseline of each benchmark.
  [[nodiscard]] Json kept() const {
    Json all = Json::object();
    for (const auto& [path, text] : all_files()) {
      if (path.find("/baselines/") == path.npos || path.ends_with("/device.json")) continue;
      const Json family = Json::parse(text);
      for (const auto& [id, approved] : family.at("benchmarks").items()) {
        all[id] = kept_of(approved);
      }
    }
    return all;
  }

  // By the hour in its name.
  static int session_number(const Json& label) {
    return std::stoi(label.get<std::string>().substr(std::string("2026-11-21T").size(), 2));
  }

  static Json kept_of(const Json& approved) {
    Json kept{{"counted", session_number(approved.at("counted"))}};
    const Json statistical = approved.value("statistical", Json::object());
    for (const auto& [metric, sessions] : statistical.items()) {
      for (const Json& session : sessions)
        kept[metric].push_back(session_number(session.at("session")));
    }
    kept["exact"] = approved.at("exact");
    for (const char* part : {"ranges", "lines", "launches", "machine_code"}) {
      const auto size = approved.value(part, Json::array()).size();
      if (size > 0) kept[part] = size;
    }
    return kept;
  }

  // How many benchmarks have so many sessions.
  [[nodiscard]] Json sessions_kept() const {
    std::map<std::size_t, int> benchmarks;
    const Json all = kept();
    for (const auto& [id, approved] : all.items()) {
      ++benchmarks[approved.value("time", Json::array()).size()];
    }
    Json counts = Json::object();
    for (const auto& [sessions, count] : benchmarks)
      counts[fmt::format("{} sessions", sessions)] = count;
    return counts;
  }

  // What `approve --json` says, without prose.
  static Json decisions_of_approval(const Json& said) {
    Json decisions = Json::object();
    for (const auto& [key, value] : said.items()) {
      if (key == "written" || value == 0 || value.empty()) continue;
      decisions[key] = value.is_array() ? Json(value.size()) : value;
    }
    return decisions;
  }

  Finished run_approve(const std::string& name, const std::string& arguments,
                       const std::string& policy = "policy.toml") {
    const Finished finished = warpgauge("approve " + arguments + " --json --reason test --policy " +
                                        quoted(policy) + " > said.json");
    cases_[name]["exit_status"] = finished.status;
    if (finished.status == 0) {
      const Json said = Json::parse(results::read_file(folder_ / "said.json"));
      cases_[name]["said"] = decisions_of_approval(said);
    }
    return finished;
  }

  void approve(const std::string& name, const std::string& arguments) {
    const auto before = kept();
    run_approve(name, arguments);
    const Json after = kept();
    if (after == before) {
      cases_[name]["baseline"] = "unchanged";
    } else {
      for (const auto& [id, benchmark] : after.items()) {
        if (benchmark != before.value(id, Json())) cases_[name]["changed"][id] = benchmark;
      }
      for (const auto& [id, benchmark] : before.items()) {
        if (!after.contains(id)) cases_[name]["gone"].push_back(id);
      }
    }
  }

  // Two benchmarks in one session, of which the first is that many times as slow.
  static std::vector<Measured> suite(double factor = 1, double wavefronts = 8, char code = 'a') {
    std::vector<Measured> all;
    for (const char* id : {"scan/x/1", "transpose/padded/8x8"}) {
      Measured& measured = all.emplace_back();
      measured.id = id;
      measured.times_ns = {100'000};
      measured.counters = {
          {"shared_load_requests", 8}, {"shared_load_wavefronts", 8}, {"hot_bytes", 9}};
      measured.lines = {source_line(31, Access::shared_load, 8, 8, "out = tile[x];")};
      if (code != '-') measured.machine_code = {kernel_code("k()", 'a')};
    }
    all[0].times_ns[0] *= factor;
    all[0].counters["shared_load_wavefronts"] = wavefronts;
    if (code != '-') all[0].machine_code = {kernel_code("k()", code)};
    return all;
  }

  std::string session(int number, const std::vector<Measured>& benchmarks,
                      const std::string& driver = "580.1", bool hot = false) {
    results::Device device = h200();
    device.driver = driver;
    Json json = Json::parse(results_text(device, in_session(benchmarks, number), hour(number)));
    if (hot) json["context"]["warpgauge"]["hot"] = true;
    const std::string name = fmt::format("session{}.json", number);
    write(name, json.dump());
    return name + " ";
  }

  // A baseline of five sessions, from which a case begins.
  void begin(const std::vector<Measured>& benchmarks = suite(), int sessions = 5) {
    fs::remove_all(folder_ / "baselines");
    std::string files;
    for (int i = 0; i < sessions; ++i) files += session(i, benchmarks);
    ASSERT_EQ(warpgauge("approve " + files + "--reason first --policy policy.toml").status, 0);
  }

  // As in_session would not have it: processes of one session wide apart.
  std::string doubtful(int number, std::vector<Measured> benchmarks,
                       const std::string& driver = "580.1") {
    results::Device device = h200();
    device.driver = driver;
    benchmarks = in_session(std::move(benchmarks), number);
    benchmarks[0].times_ns = {90'010, 109'020, 100'030, 115'040, 94'050};
    write("doubtful.json", results_text(device, benchmarks, hour(number)));
    return "doubtful.json ";
  }
};

TEST_F(GoldenApproval, OfTimes) {
  approve("the first", session(0, suite()) + session(1, suite()));
  begin();
  approve("another session of the same", session(5, suite()));
  approve("the same session again", session(5, suite()));
  approve("one session given twice", session(6, suite()) + session(6, suite()));
  begin();
  approve("slower, of other code", session(5, suite(1.3, 8, 'b')));
  begin();
  approve("faster, of other code", session(5, suite(0.7, 8, 'b')) + session(6, suite(0.7, 8, 'b')));
  begin();
  approve("slower by 3 % with the same code", session(5, suite(1.03)));
  begin();
  approve("much slower with the same code", session(5, suite(1.3)));
  begin();
  approve("inconclusive with the same code", doubtful(5, suite()));
  begin();
  approve("inconclusive with the same code, another driver", doubtful(5, suite(), "590.1"));
  approve("inconclusive with other counters", doubtful(5, suite(1, 9)));
  approve("inconclusive, of other code", doubtful(5, suite(1, 8, 'b')));
  approve("inconclusive, of no code", doubtful(5, suite(1, 8, '-')));
  approve("inconclusive, but filtered out", doubtful(5, suite(1, 8, 'b')) + "--filter padded");
  begin(suite(), 12);
  approve("a thirteenth session", session(12, suite()));
  Measured once{.id = "a/b/1", .times_ns = {50'000}};
  write("once.json", results_text(h200(), {once}, hour(1)));
  fs::remove_all(folder_ / "baselines");
  approve("one process", "once.json");
  once.times_ns = {60'010, 60'030};
  write("twice.json", results_text(h200(), {once}, hour(2)));
  approve("better ones in its place", "twice.json");
}

TEST_F(GoldenApproval, OfCountersCodeAndLaunches) {
  const auto edited = [](const auto& edit) {
    std::vector<Measured> all = suite();
    edit(all[0]);
    return all;
  };
  begin();
  approve("a counter that the same code does not repeat", session(5, suite(1, 9)));
  begin();
  approve("a counter of other code", session(5, suite(1, 9, 'b')));
  approve("a counter that differs from session to session",
          session(6, suite(1, 9, 'b')) + session(7, suite(1, 10, 'b')));
  approve("two builds", session(6, suite(1, 9, 'b')) + session(7, suite(1, 9, 'c')));
  begin();
  approve("without code, and it confirms the rest", session(5, suite(1, 8, '-')));
  approve("without code, and it counts otherwise", session(6, suite(1, 9, '-')));
  begin();
  approve("a counter gone",
          session(5, edited([](Measured& each) { each.counters.erase("shared_load_requests"); })));
  approve("time gone", session(5, edited([](Measured& each) { each.times_ns.clear(); })));
  approve("all gone", session(5, edited([](Measured& each) {
                                each.times_ns.clear();
                                each.counters.clear();
                              })));
  write("usual.toml", golden::kPolicy);
  write("policy.toml", std::string(golden::kPolicy) +
                           "[[override]]\nbenchmarks = \"*\"\nmetrics = [\"shared_load_requests\", "
                           "\"time\"]\noptional = true\nreason = \"r\"\n");
  approve("an optional counter gone",
          session(5, edited([](Measured& each) { each.counters.erase("shared_load_requests"); })));
  approve("optional time gone", session(6, edited([](Measured& each) { each.times_ns.clear(); })));
  write("policy.toml", golden::kPolicy);
  const auto launched = [&](unsigned blocks) {
    return edited([blocks](Measured& each) {
      each.launches = {{.kernel = "k()", .grid = {blocks, 1, 1}}};
    });
  };
  begin(launched(32));
  approve("launched alike", session(5, launched(32)));
  approve("launches not told", session(6, suite()));
  approve("launched otherwise", session(7, launched(64)));
  begin(launched(32));
  approve("launches not told, and it counts otherwise", session(5, suite(1, 9)));
  approve("launches told again", session(6, launched(32)));
  approve("launched otherwise within sessions",
          session(8, launched(32)) + session(9, launched(64)));
  begin();
  approve("lines that moved", session(5, edited([](Measured& each) { each.lines[0].line = 35; })));
}

TEST_F(GoldenApproval, OfBenchmarksAndEnvironments) {
  const auto with = [](std::vector<Measured> all, const std::string& id,
                       const results::Outcome& outcome = {}) {
    all.push_back({.id = id, .times_ns = {50'000}, .outcome = outcome});
    return all;
  };
  begin();
  approve("a new benchmark", session(5, with(suite(), "scan/new/1")));
  approve("a benchmark removed", session(6, suite()) + "--remove scan/new/1");
  approve("removed and there", session(7, suite()) + "--remove scan/x/1");
  approve("removed and unknown", session(7, suite()) + "--remove scan/none/1");
  approve("a benchmark that failed",
          session(7, with(suite(), "scan/bad/1", {Status::crashed, "SIGSEGV"})));
  approve(
      "one that failed, filtered out",
      session(7, with(suite(), "scan/bad/1", {Status::crashed, "SIGSEGV"})) + "--filter padded");
  approve("a family that is no file name", session(8, with(suite(), "device/x/1")));
  approve("a filter that matches nothing", session(8, suite()) + "--filter nothing");
  begin();
  approve("another driver", session(5, suite(), "590.1"));
  approve("another driver as a new environment",
          session(5, suite(), "590.1") + "--new-environment");
  approve("no new environment any more", session(6, suite(), "590.1") + "--new-environment");
  approve("two environments",
          session(7, suite(), "590.1") + session(8, suite(), "600.1") + "--new-environment");
  begin();
  approve("hot", session(5, suite(0.5), "580.1", true));
  approve("hot beside cold", session(5, suite(0.5), "580.1", true) + session(6, suite()));
  approve("hot for a part",
          session(5, suite(0.5), "580.1", true) + "--new-environment --filter padded");
  approve("hot for all", session(5, suite(0.5), "580.1", true) + "--new-environment");
  approve("cold again", session(7, suite()));
  begin();
  write("emulated.json", results_text(emulated(), suite(), hour(5)));
  approve("two devices", session(5, suite()) + "emulated.json");
  write("plain.json", plain_text({nanoseconds("10")}));
  approve("a plain file", "plain.json");
}

TEST_F(GoldenApproval, OfTheRecordedSuite) {
  const auto recorded = [](int first, int last) {
    std::string files;
    for (int i = first; i <= last; ++i) {
      files +=
          quoted(fmt::format("{}/tests/verdict/recorded/h200-{:02}.json", SOURCE_ROOT, i)) + " ";
    }
    return files;
  };
  const auto judge = [&](const std::string& name, const std::string& files) {
    const Finished finished =
        run_approve(name, files, SOURCE_ROOT "/tests/verdict/recorded/policy.toml");
    cases_[name]["benchmarks_with"] = sessions_kept();
    return finished;
  };
  judge("six sessions", recorded(1, 6));
  judge("five more", recorded(7, 11));
  judge("the last", recorded(12, 12));
  judge("the last again", recorded(12, 12));
  Json slower = Json::parse(results::read_file(SOURCE_ROOT "/tests/verdict/recorded/h200-12.json"));
  slower["context"]["warpgauge"]["created"] = "2026-11-23T01:00:00Z";
  for (Json& entry : slower["benchmarks"]) {
    const auto id = entry["warpgauge"]["id"].get<std::string>();
    if (!id.starts_with("scan_")) continue;
    entry["warpgauge"]["time_ns"] = entry["warpgauge"]["time_ns"].get<double>() * 1.12;
  }
  write("slower.json", slower.dump());
  judge("a family slower by 12 %", "slower.json");
}

}  // namespace
}  // namespace warpgauge
