// SPDX-License-Identifier: Apache-2.0
// Whatever is wrong with the input: the exit status says so, exactly one line says what, and no
// file changes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "profiling/results/json/session_json.hpp"
#include "profiling/results/limits.hpp"
#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

const std::string kGood = plain_text({nanoseconds("10.00"), nanoseconds("10.01")});

std::string nested() { return std::string(200'000, '['); }

std::string with_schema(const std::string& version) {
  std::string text = results_text(h200(), {{.id = "a/b/1", .times_ns = {100, 101}}});
  text.replace(text.find("\"schema\": 1"), 11, "\"schema\": " + version);
  return text;
}

std::string ours(const std::string& from, const std::string& to) {
  std::string text = results_text(
      h200(), {{.id = "a/b/1", .times_ns = {100, 101}, .counters = {{"barriers", 7}}}});
  const std::size_t place = text.find(from);
  if (place == text.npos) throw std::logic_error("no " + from);
  return text.replace(place, from.size(), to);
}

struct BadFile {
  const char* what;
  std::string content;
  std::string message;  // contained in the line
};

std::vector<BadFile> bad_files() {
  return {
      {"empty", "", "bad.json: is empty"},
      {"blank", " \n\n", "bad.json: is empty"},
      {"truncated", kGood.substr(0, kGood.size() / 2), "bad.json: ends too early, in line 2"},
      {"truncated at the end", kGood.substr(0, kGood.size() - 3), "bad.json: ends too early"},
      {"not JSON", "<html></html>", "bad.json: is not JSON: unexpected text at line 1, column 1"},
      {"binary", std::string("\x7f\x45\x4c\x46\x00\xff\xfe", 7), "bad.json: is not JSON"},
      {"text behind", kGood + "x", "bad.json: is not JSON"},
      {"text behind a zero", kGood + std::string("\0{}", 3), "bad.json: has a zero byte"},
      {"nested", nested(), "bad.json: is a list"},
      {"nested in an unknown field", R"({"x": )" + nested(), "is nested more than 64 deep"},
      {"nested in an entry", R"({"benchmarks": [{"name": "a", "x": )" + nested(), "64 deep"},
      {"a list", "[]", "bad.json: is a list"},
      {"a number", "3", "bad.json: is a number"},
      {"no benchmarks", R"({"context": {}})", "bad.json: has no list 'benchmarks'"},
      {"benchmarks no list", R"({"benchmarks": 3})", "'benchmarks' is a number"},
      {"entry no object", R"({"benchmarks": [3]})", "an entry of 'benchmarks' is a number"},
      {"entry a list", R"({"benchmarks": [[3]]})", "an entry of 'benchmarks' is a list"},
      {"entry without a name", R"({"benchmarks": [{"a": 3}]})", "has no name"},
      {"no entries", R"({"context": {}, "benchmarks": []})", "bad.json: has no benchmarks"},
      {"overflow", plain_text({nanoseconds("1e999")}), "bad.json: is not JSON"},
      {"NaN", plain_text({nanoseconds("10"), nanoseconds("NaN")}),
       "bad.json: BM_copy/1024: time is NaN in repetition 1; measure again"},
      {"infinite", plain_text({nanoseconds("Infinity")}), "BM_copy/1024: time is infinite"},
      {"minus infinite", plain_text({nanoseconds("-Infinity")}), "time is infinite"},
      {"negative", plain_text({nanoseconds("-3.5")}), "time is negative (-3.5)"},
      {"zero", plain_text({nanoseconds("0")}), "time is 0"},
      {"too large to be squared", plain_text({nanoseconds("1e300")}), "time is too large (1e+300)"},
      {"string", plain_text({nanoseconds("\"10\"")}), "time is a string"},
      {"null", plain_text({nanoseconds("null")}), "time is null"},
      {"missing", plain_text({R"("cpu_time": 1, "time_unit": "ns")"}), "time has no real_time"},
      {"unknown unit", plain_text({R"("real_time": 1, "time_unit": "min")"}),
       "bad.json: BM_copy/1024: time_unit: \"min\" is not one of ns, us, ms, s"},
      {"no unit", plain_text({R"("real_time": 1)"}), "time_unit: missing"},
      {"equal entries",
       R"({"benchmarks": [{"name": "a", "real_time": 1, "time_unit": "ns"},
                          {"name": "a", "real_time": 1, "time_unit": "ns"}]})",
       "bad.json: a: occurs twice"},
      {"a name of several lines", plain_text({nanoseconds("NaN")}, R"(a\nb)"),
       "bad.json: the name of a benchmark has a control character in it"},
      {"schema 2", with_schema("2"), "context.warpgauge.schema: 2 is not 1"},
      {"schema a string", with_schema("\"1\""), "context.warpgauge.schema: \"1\" is not 1"},
      {"no schema", ours("\"schema\": 1,", ""), "context.warpgauge: 'schema' is missing"},
      {"device key a path", ours("\"key\": \"nvidia-h200\"", "\"key\": \"../../etc\""),
       "context.warpgauge.device.key"},
      {"our time NaN", ours("\"time_ns\":100.0", "\"time_ns\":NaN"), "a/b/1: time is NaN"},
      {"our time negative", ours("\"time_ns\":100.0", "\"time_ns\":-1"), "time is negative"},
      {"our time a string", ours("\"time_ns\":100.0", "\"time_ns\":\"1\""), "time is a string"},
      {"our time missing", ours("\"time_ns\":100.0", "\"x\":1"), "a/b/1: time is missing"},
      {"exact counter NaN", ours("\"barriers\":7.0", "\"barriers\":NaN"), "barriers is NaN"},
      {"exact counter negative", ours("\"barriers\":7.0", "\"barriers\":-7"), "is negative"},
      {"exact counter a string", ours("\"barriers\":7.0", "\"barriers\":\"7\""), "is a string"},
      {"outcome unknown", ours("\"status\":\"ok\"", "\"status\":\"fine\""),
       "warpgauge.outcome.status: 'fine' is not one of"},
      {"skipped, they say", ours("\"real_time\"", "\"skipped\":true,\"real_time\""),
       "skipped is true, but warpgauge.outcome is ok"},
      {"entry's object a number", ours("\"warpgauge\":{\"id\"", "\"warpgauge\":3,\"x\":{\"id\""),
       "warpgauge: must be an object"},
  };
}

using BadInput = InFolder;

TEST_F(BadInput, AsNewOrAsBaseIsOneLineAndNoChange) {
  // Against our own results, so that floors of timestamps and gated counters count.
  write("good.json", kGood);
  write("good.results.json", results_text(h200(), {{.id = "a/b/1", .times_ns = {100, 101}}}));
  for (const BadFile& bad : bad_files()) {
    SCOPED_TRACE(bad.what);
    write("bad.json", bad.content);
    const auto before = all_files();
    const std::string other =
        bad.content.find("\"warpgauge\"") == std::string::npos ? "good.json" : "good.results.json";
    expect_one_line(warpgauge("compare " + other + " bad.json"), 4, bad.message);
    expect_one_line(warpgauge("compare bad.json " + other), 4, bad.message);
    EXPECT_EQ(all_files(), before);
  }
}

TEST_F(BadInput, CannotBeApproved) {
  for (const BadFile& bad : bad_files()) {
    SCOPED_TRACE(bad.what);
    write("bad.json", bad.content);
    const auto before = all_files();
    expect_one_line(warpgauge("approve bad.json --reason why"), 4, "bad.json: ");
    EXPECT_EQ(all_files(), before);
  }
}

TEST_F(BadInput, TooMuchInAllOfManyFiles) {
  for (const char* name : {"a.json", "b.json", "c.json"}) {
    write(name, "{}");
    std::filesystem::resize_file(folder_ / name, 50 * results::kMebibyte);
  }
  const std::string too_large =
      "cannot read all 3 files: it is larger than 128 MiB, the most that "
      "is read of all ";
  for (const char* command :
       {"approve a.json b.json c.json --reason why", "calibrate a.json b.json c.json",
        "calibrate a.json b.json --slowed c.json"}) {
    expect_one_line(warpgauge(command), 4, too_large + "results files of a command");
  }
  expect_one_line(warpgauge("import a.json b.json c.json"), 4, too_large + "files of an import");
}

// Each alone may be read.
TEST_F(BadInput, TooManyMetricsInAllOfManyFiles) {
  constexpr std::size_t kOfOne = 4'000;
  static_assert(results::kMostMetricsOfAll == 800'000);
  std::string counters;
  for (std::size_t i = 0; i < kOfOne; ++i) counters += ",\"" + std::to_string(i) + "c\":1";
  std::string text = R"({"benchmarks":[)";
  for (int i = 0; i < 90; ++i) {
    text += (i == 0 ? "" : ",") + (R"({"name":"a/)" + std::to_string(i)) +
            R"(","real_time":1,"time_unit":"ns")" + counters + "}";
  }
  write("a.json", text + "]}");
  expect_one_line(warpgauge("approve a.json a.json a.json --reason why"), 4,
                  "all 3 files have more than 400000 benchmarks or 800000 metrics together, the "
                  "most that one command reads; give fewer");
}

// Its message comes with "error: " before it, and is then longer than what is read.
TEST_F(BadInput, AVerdictThatCouldNotBeReadAgainIsShownAllTheSame) {
  write("good.json", ours("\"schema\": 1", "\"schema\": 1"));
  write("bad.json",
        ours(R"("status":"ok","message":")",
             R"("status":"error","message":")" + std::string(results::kLongestText, 'x')));
  write("verdict.json", "an earlier one");
  const Finished finished = warpgauge(
      "compare good.json bad.json --json verdict.json --summary summary.md --report junit=j.xml");
  EXPECT_EQ(finished.status, 4);
  const std::size_t table = finished.output.find("not measured: 1 failed of 1 benchmark");
  const std::size_t error = finished.output.find(
      "warpgauge: the verdict on 1 benchmark would not be read again: a text "
      "has 1048583 bytes, at most 1048576");
  EXPECT_NE(table, std::string::npos) << finished.output.substr(0, 2'000);
  EXPECT_NE(error, std::string::npos);
  EXPECT_LT(table, error);
  for (const char* made : {"summary.md", "j.xml"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / made)) << made;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "verdict.json"));
}

TEST_F(BadInput, WhatIsNotGatedMayBeAnything) {
  write("good.json", kGood);
  for (const char* value : {"NaN", "-Infinity", "-3", "\"text\"", "null"}) {
    const std::string extra = std::string(R"(, "hit_rate": )") + value;
    write("odd.json", plain_text({nanoseconds("10.00") + extra, nanoseconds("10.01") + extra}));
    EXPECT_EQ(warpgauge("compare good.json odd.json").status, 0) << value;
  }
}

TEST_F(BadInput, AFileThatIsNotThere) {
  write("good.json", kGood);
  expect_one_line(warpgauge("compare good.json none.json"), 4, "cannot read none.json");
  expect_one_line(warpgauge("compare none.json good.json"), 4, "cannot read none.json");
  expect_one_line(warpgauge("compare good.json ."), 4, "cannot read .");
}

TEST_F(BadInput, APlainFileAgainstAFolder) {
  write("good.json", kGood);
  expect_one_line(warpgauge("compare baselines good.json"), 4, "does not name its device");
}

TEST_F(BadInput, UnwritablePlaces) {
  write("good.json", kGood);
  write("results.json", results_text(h200(), {{.id = "a/b/1", .times_ns = {100, 101}}}));
  write("file", "in the way");
  const auto before = all_files();
  expect_one_line(warpgauge("compare good.json good.json --summary file/summary.md"), 4, "file");
  expect_one_line(warpgauge("compare good.json good.json --summary /proc/x/summary.md"), 4,
                  "/proc");
  expect_one_line(warpgauge("approve results.json --baselines file --reason why"), 4, "file");
  expect_one_line(warpgauge("approve results.json --baselines /proc/none --reason why"), 4,
                  "/proc");
  EXPECT_EQ(all_files(), before);
}

TEST_F(BadInput, AWrongPolicy) {
  write("good.json", kGood);
  write("policy.toml", "alpha = 0.01\ngamma = 1\n");
  expect_one_line(warpgauge("compare good.json good.json --policy policy.toml"), 4,
                  "policy.toml:2:1: unknown key 'gamma'");
  expect_one_line(warpgauge("compare good.json good.json --policy none.toml"), 64, "none.toml");
}

TEST_F(BadInput, APolicyThatSpeaksOfNoBenchmark) {
  const std::string metric = "[[metric]]\nnames = [\"time\"]\nclass = \"statistical\"\n";
  const auto with_pattern = [&](const std::string& pattern) {
    write("policy.toml",
          metric + "[[override]]\nbenchmarks = \"" + pattern + "\"\nrelative_floor = 0.1\n");
  };
  const std::vector<double> times{100, 100};
  write("gpu.json", results_text(h200(), {{.id = "a/gpu/1", .times_ns = times}}));
  write("emulated.json", results_text(emulated(), {{.id = "a/both/1", .times_ns = times}}));
  ASSERT_EQ(warpgauge("approve gpu.json --reason test").status, 0);
  const std::string compare = "compare baselines emulated.json --policy policy.toml";
  with_pattern("nothing/*");
  EXPECT_EQ(warpgauge(compare).status, 3) << "there is no baseline yet";
  ASSERT_EQ(warpgauge("approve emulated.json --reason test").status, 0);
  expect_one_line(warpgauge(compare), 4,
                  "policy.toml:4:1: [[override]] of 'nothing/*' matches no benchmark");
  EXPECT_EQ(warpgauge(compare + " --filter a/both").status, 0) << "not the whole suite";
  const std::string idle = "policy.toml:4:1: [[override]] of 'nothing/*' matches no benchmark";
  const std::string files = "compare emulated.json emulated.json --policy policy.toml";
  expect_one_line(warpgauge(files), 4, idle);
  EXPECT_EQ(warpgauge(files + " --filter a/both").status, 0) << "not the whole suite";
  write("plain.json", plain_text({nanoseconds("10"), nanoseconds("10")}));
  const std::string plain = "compare plain.json plain.json";
  expect_one_line(warpgauge(plain + " --policy policy.toml"), 4, idle);
  EXPECT_EQ(warpgauge(plain).status, 0) << "by the built-in policy";
  ASSERT_EQ(warpgauge("import plain.json --device X --out imported.json").status, 0);
  expect_one_line(warpgauge("compare imported.json imported.json --policy policy.toml"), 4, idle);
  with_pattern("BM_copy/*");
  EXPECT_EQ(warpgauge(plain + " --policy policy.toml").status, 0);
  with_pattern("*/gpu/*");
  EXPECT_EQ(warpgauge(plain + " --policy policy.toml").status, 0) << "a baseline has it";
  with_pattern("*/new/*");
  write("new.json", results_text(emulated(), {{.id = "a/both/1", .times_ns = times},
                                              {.id = "a/new/1", .times_ns = times}}));
  EXPECT_EQ(warpgauge("compare baselines new.json --policy policy.toml").status, 3)
      << "new, but there";
  with_pattern("*/gpu/*");
  EXPECT_EQ(warpgauge(compare).status, 0) << "it is in the baseline of another device";
}

TEST_F(BadInput, AnOverrideOfLongAgoHasExpired) {
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}}));
  write("policy.toml",
        "[[metric]]\nnames = [\"barriers\"]\nclass = \"exact\"\n"
        "[[override]]\nbenchmarks = \"*\"\ngate = false\nreason = \"r\"\nexpires = 2020-02-29\n");
  const Finished finished = warpgauge("compare results.json results.json --policy policy.toml");
  EXPECT_EQ(finished.status, 0);
  EXPECT_NE(
      finished.output.find("note: policy.toml:4: [[override]] of '*' has expired on 2020-02-29"),
      std::string::npos)
      << finished.output;
}

TEST_F(BadInput, ADamagedBaseline) {
  write("results.json",
        results_text(h200(),
                     {{.id = "a/b/1", .times_ns = {100, 101}, .counters = {{"barriers", 2}}}}));
  ASSERT_EQ(warpgauge("approve results.json --reason why").status, 0);
  const std::string family = "baselines/nvidia-h200/a.json";
  const std::string good = results::read_file(folder_ / family);
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    return text.replace(text.find(from), from.size(), to);
  };
  for (const auto& [content, message] :
       {std::pair(std::string(), "is not JSON"),
        {good.substr(0, good.size() / 2), "is not JSON"},
        {"{\"schema\": " + nested() + std::string(nested().size(), ']') + "}",
         "is nested more than 64 deep"},
        {replaced("\"schema\": 2", "\"schema\": 1"), "schema is not 2"},
        {replaced("\"barriers\": 2", "\"barriers\": \"2\""),
         "a/b/1.exact.barriers: must be a number"},
        {replaced("\"barriers\": 2", "\"barriers\": -2"), "a/b/1.exact.barriers: must be a number"},
        {replaced("[100, 101]", "[100, 0]"), "processes[1]: must be a positive number"},
        {replaced("[100, 101]", "[]"), "processes: must be a list that is not empty"},
        {replaced("[100, 101]", "100"), "processes: must be a list"},
        {replaced("\"time\": [", "\"time\": [], \"x\": ["),
         "a/b/1.statistical.time: must be a list"},
        {replaced("\"lines\": []", "\"lines\": {}"), "a/b/1.lines: must be a list"},
        {replaced("\"lines\"", "\"limes\""), "a/b/1: 'lines' is missing"}}) {
    write(family, content);
    const auto before = all_files();
    expect_one_line(warpgauge("compare baselines results.json"), 4, message);
    expect_one_line(warpgauge("approve results.json --reason why"), 4, message);
    EXPECT_EQ(all_files(), before);
  }
  write(family, good);
  write("baselines/nvidia-h200/device.json", "{}");
  expect_one_line(warpgauge("compare baselines results.json"), 4, "device.json: schema is not 2");
  std::filesystem::remove(folder_ / "baselines/nvidia-h200/device.json");
  expect_one_line(warpgauge("compare baselines results.json"), 4, "device.json");
}

TEST_F(BadInput, WrongUsageNamesTheHelpOfTheSubcommand) {
  for (const auto& [arguments, help] :
       {std::pair("", "warpgauge --help"),
        {"compare", "warpgauge compare --help"},
        {"compare one.json", "warpgauge compare --help"},
        {"run", "warpgauge run --help"},
        {"gate", "warpgauge gate --help"},
        {"approve", "warpgauge approve --help"},
        {"approve results.json", "warpgauge approve --help"},
        {"baseline", "warpgauge baseline --help"},
        {"baseline show", "warpgauge baseline show --help"},
        {"baseline prune --keep 4", "warpgauge baseline prune --help"},
        {"compare a b --allow regressed", "warpgauge compare --help"},
        {"compare a b --filter '['", "warpgauge --help"},
        {"run --suite x --processes 0", "warpgauge run --help"},
        {"run --suite x --timeout -1", "warpgauge run --help"},
        {"run --suite x --timeout nan", "warpgauge run --help"},
        {"run --suite x --timeout inf", "warpgauge run --help"},
        {"run --suite x --lock-wait nan", "warpgauge run --help"},
        {"compare a b --threshold 0", "warpgauge compare --help"},
        {"compare a b --threshold nan", "warpgauge compare --help"}}) {
    SCOPED_TRACE(arguments);
    expect_one_line(warpgauge(arguments), 64, std::string("see ") + help);
  }
}

// Also where something else is wrong that follows from it, as the subcommand that is then missing.
TEST_F(BadInput, AWordThatIsNotUnderstoodIsNamedWithTheNearest) {
  for (const auto& [arguments, answer] :
       {std::pair("comapre a b --allow new",
                  "warpgauge has no subcommand 'comapre' (did you mean 'compare'?); see warpgauge "
                  "--help"),
        {"frobnicate", "warpgauge has no subcommand 'frobnicate'; see warpgauge --help"},
        {"baseline lsit",
         "warpgauge baseline has no subcommand 'lsit' (did you mean 'list'?); see warpgauge "
         "baseline --help"},
        {"run --siute x",
         "warpgauge run has no option --siute (did you mean '--suite'?); see warpgauge run --help"},
        {"run --siute=x",
         "warpgauge run has no option --siute (did you mean '--suite'?); see warpgauge run --help"},
        {"compare --explian x a b",
         "warpgauge compare has no option --explian (did you mean '--explain'?); see warpgauge "
         "compare --help"},
        {"compare a b --format sarif",
         "warpgauge compare has no option --format; see warpgauge compare --help"},
        {"gate --suite x --threshold 5",
         "warpgauge gate has no option --threshold; see warpgauge gate --help"},
        {"baseline list --jsno",
         "warpgauge baseline list has no option --jsno (did you mean '--json'?); see warpgauge "
         "baseline list --help"},
        {"gate --baseline x -- true",
         "warpgauge gate has no option --baseline (did you mean '--baselines'?); see warpgauge "
         "gate "
         "--help"},
        {"gate true --steps 10",
         "warpgauge gate has no option --steps; a program and its options stand after --; see "
         "warpgauge gate --help"},
        {"--json compare a b", "warpgauge has no option --json; see warpgauge --help"},
        {"compare a b c", "warpgauge compare has no use for 'c'; see warpgauge compare --help"}}) {
    SCOPED_TRACE(arguments);
    expect_one_line(warpgauge(arguments), 64, answer);
  }
}

// The parser takes what follows for the value, and misses it where it belongs.
TEST_F(BadInput, AnOptionBeforeAnotherOneHasNoValue) {
  for (const auto& [arguments, answer] :
       {std::pair("gate --machine-code -- ./program",
                  "--machine-code needs a value, and -- follows it; see warpgauge gate --help"),
        {"gate --machine-code --suite x",
         "--machine-code needs a value, and --suite follows it; see warpgauge gate --help"},
        {"gate --suite x --policy --out=y",
         "--policy needs a value, and --out follows it; see warpgauge gate --help"},
        {"affected --before -- x",
         "--before needs a value, and -- follows it; see warpgauge affected --help"},
        {"baseline list --baselines --json",
         "--baselines needs a value, and --json follows it; see warpgauge baseline list --help"}}) {
    SCOPED_TRACE(arguments);
    expect_one_line(warpgauge(arguments), 64, answer);
  }
  EXPECT_NE(warpgauge("run --suite x --filter -x --processes 0").output.find("0 is no"),
            std::string::npos);
  EXPECT_NE(warpgauge("run --suite x -- --filter --suite").output.find("--filter is a program"),
            std::string::npos);
}

TEST_F(BadInput, AnApprovalNeedsAReason) {
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}}));
  const auto before = all_files();
  expect_one_line(warpgauge("approve results.json"), 64, "--reason is required");
  for (const char* reason : {"''", "'  '", "'…'", "..."}) {
    expect_one_line(warpgauge(std::string("approve results.json --reason ") + reason), 64,
                    "say why this becomes the baseline");
  }
  EXPECT_EQ(all_files(), before);
}

TEST_F(BadInput, ABaselineThatIsNotThereOrHasNoSuchBenchmark) {
  for (const char* command : {"list", "show x", "prune"}) {
    expect_one_line(warpgauge(std::string("baseline ") + command), 4,
                    "baselines holds no baseline");
  }
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}}));
  ASSERT_EQ(warpgauge("approve results.json --reason first").status, 0);
  expect_one_line(warpgauge("baseline show b/2"), 64, "'b/2' matches no benchmark in baselines");
  expect_one_line(warpgauge("baseline show '['"), 64, "see warpgauge --help");
  expect_one_line(warpgauge("baseline list --device h200"), 64, "has baselines for emulated only");
}

TEST_F(BadInput, AFolderThatOnlyHoldsFoldersOfBaselinesIsNotTakenForOne) {
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}}));
  const std::string named = " --baselines baselines/bench";
  ASSERT_EQ(warpgauge("approve results.json --reason first" + named).status, 0);
  const auto before = all_files();
  for (const char* command : {"approve results.json --reason more", "baseline list",
                              "baseline show a", "baseline check", "baseline prune"}) {
    SCOPED_TRACE(command);
    expect_one_line(warpgauge(command), 64,
                    "the baselines here belong into baselines/bench, not into baselines itself: "
                    "name the folder that is meant, as --baselines baselines/bench");
    EXPECT_EQ(all_files(), before);
  }
  const Finished listed = warpgauge("baseline list" + named);
  EXPECT_EQ(listed.status, 0) << listed.output;
  EXPECT_NE(listed.output.find("baselines/bench/emulated"), std::string::npos) << listed.output;
}

// The first time there is no such folder yet.
TEST_F(BadInput, TheScriptOfInitTellsWhichBaselinesAreMeant) {
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}}));
  write("ci/warpgauge.sh", "baselines=baselines/my-bench2\nother=baselines/none\n");
  const auto before = all_files();
  expect_one_line(warpgauge("approve results.json --reason first"), 64,
                  "as --baselines baselines/my-bench2");
  EXPECT_EQ(all_files(), before);
}

TEST_F(BadInput, WhatIsNoNumberIsNotCalledOutOfRange) {
  for (const auto& [arguments, text] :
       {std::pair("gate --suite x --processes many", "many is no whole number from 1 to 1000"),
        {"gate --suite x --processes 1.5", "1.5 is no whole number from 1 to 1000"},
        {"gate --suite x --processes 2000", "2000 is no whole number from 1 to 1000"},
        {"static x --block 64x4", "64x4 is no whole number from 1 to 1024"},
        {"history prune --keep all", "all is no whole number from 1 to 1000000"}}) {
    expect_one_line(warpgauge(arguments), 64, text);
  }
}

TEST_F(BadInput, AFilterThatMatchesNothingDoesNotPass) {
  write("good.json", kGood);
  expect_one_line(warpgauge("compare good.json good.json --filter nothing"), 64,
                  "--filter 'nothing' matches no benchmark");
}

TEST_F(BadInput, AFilterThatMatchesNothingNamesTheNearest) {
  write("results.json",
        results_text(emulated(), {{.id = "scan/lookback/1", .counters = {{"barriers", 2}}}}));
  ASSERT_EQ(warpgauge("approve results.json --reason test").status, 0);
  results::Json plan{{"backend", "emulated"},
                     {"passes", results::Json::array({"counters"})},
                     {"device", to_json(emulated())}};
  plan["benchmarks"]["scan/lookback/1"]["counters"] = {{"barriers", 2}};
  write("plan.json", plan.dump());
  for (const char* glob : {"scan/*back/1", "*scan*"}) {
    expect_one_line(
        warpgauge(std::string("compare baselines results.json --filter '") + glob + "'"), 64,
        " (in a regular expression .* stands for any characters, and . for one)");
  }
  const Finished repeated = warpgauge("compare baselines results.json --filter +scan");
  EXPECT_EQ(repeated.output.find("stands for any"), std::string::npos) << repeated.output;
  expect_one_line(warpgauge("compare baselines results.json --baselines other"), 64,
                  "--baselines: baselines is a folder, and its own edits are named");
  expect_one_line(warpgauge("compare baselines results.json --explain 'scna.*'"), 64,
                  "(it takes no regular expression");
  const Finished check = warpgauge("compare baselines results.json --check --filter scna");
  EXPECT_EQ(check.status, 0);
  EXPECT_NE(check.output.find("note: --filter 'scna' matches nothing in baselines (did you mean "
                              "'scan'?): only new benchmarks can match it\n"),
            std::string::npos)
      << check.output;
  write("listed", "scan/lookback/1\nBM_new<float>/8\n");
  expect_one_line(warpgauge("compare baselines results.json --check --listed listed --filter scna"),
                  64, "--filter 'scna' matches no benchmark (did you mean 'scan'?)");
  const Finished of_new =
      warpgauge("compare baselines results.json --check --listed listed --filter BM_new_float/8");
  EXPECT_EQ(of_new.status, 0) << of_new.output;
  for (const auto& [filter, meant] : {std::pair("^scna/", "scan"),
                                      {"scan/lokback", "scan/lookback"},
                                      {"scan/lookback/2$", "scan/lookback/1"}}) {
    const std::string with = std::string(" --filter '") + filter + "'";
    const std::string proposal = std::string("(did you mean '") + meant + "'?)";
    for (const char* command :
         {"compare baselines results.json", "compare results.json results.json",
          "approve results.json --reason test", "lines results.json"}) {
      expect_one_line(warpgauge(command + with), 64, proposal);
    }
    const Finished run =
        shell(fmt::format("cd {} && FAKE_SUITE_PLAN=plan.json {} run --quiet --suite {}{}",
                          quoted(folder_.string()), quoted(WARPGAUGE), quoted(FAKE_SUITE), with));
    EXPECT_EQ(run.status, 64) << run.output;
    EXPECT_NE(run.output.find(proposal), std::string::npos) << run.output;
  }
}

// Before anything is measured: the suite is not even looked for.
TEST_F(BadInput, AFolderOfBaselinesThatIsMisspeltIsNotAnEmptyOne) {
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}}));
  ASSERT_EQ(warpgauge("approve results.json --reason test").status, 0);
  for (const char* misspelt : {"baselnies", "./baseline", "baseline/"}) {
    expect_one_line(warpgauge(std::string("gate --suite none --baselines ") + misspelt), 64,
                    "(did you mean 'baselines'?)");
  }
  const Finished other = warpgauge("gate --suite none --baselines others");
  EXPECT_EQ(other.status, 4) << other.output;
  EXPECT_EQ(other.output.find("there is no folder"), std::string::npos) << other.output;
  // Each program has its own, and they may have names alike.
  const Finished program = warpgauge("gate --baselines baseline -- true");
  EXPECT_EQ(program.output.find("there is no folder"), std::string::npos) << program.output;
}

TEST_F(BadInput, AThresholdIsInPerCent) {
  write("once.json", plain_text({nanoseconds("100")}));
  write("again.json", plain_text({nanoseconds("104")}));
  EXPECT_EQ(warpgauge("compare once.json again.json").status, 3);
  EXPECT_EQ(warpgauge("compare once.json again.json --threshold 5").status, 0);
  EXPECT_EQ(warpgauge("compare once.json again.json --threshold 3").status, 1);
}

TEST_F(BadInput, AnExplanationOfNothingIsWrongUsageAndOneOfSomethingPrecedesTheReport) {
  write("good.json", kGood);
  expect_one_line(warpgauge("compare good.json good.json --explain 'BM_cpy/*'"), 64,
                  "--explain 'BM_cpy/*' matches no benchmark (did you mean 'BM_copy/1024'?)");
  expect_one_line(warpgauge("compare good.json good.json --explain '^BM_.*'"), 64,
                  "(it takes no regular expression, but a pattern");
  const Finished finished = warpgauge("compare good.json good.json --explain 'BM_*'");
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.output.substr(0, 19), "BM_copy/1024: same\n") << finished.output;
  EXPECT_NE(finished.output.find("\npass: 1 same of 1 benchmark.\n"), std::string::npos);
}

TEST_F(BadInput, HelpSaysTheExitStatusesAndGivesExamples) {
  const Finished help = warpgauge("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_NE(help.output.find("64  wrong usage"), std::string::npos) << help.output;
  for (const char* command : {"run", "compare", "gate", "approve", "baseline"}) {
    const Finished of_command = warpgauge(std::string(command) + " --help");
    EXPECT_EQ(of_command.status, 0);
    EXPECT_NE(of_command.output.find(std::string("  warpgauge ") + command), std::string::npos)
        << of_command.output;
  }
}

}  // namespace
}  // namespace warpgauge
