// SPDX-License-Identifier: Apache-2.0
// What could be green by accident is not: a policy that speaks of something else, or of nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/helpers/one_line.hpp"
#include "tests/helpers/sample_results.hpp"

namespace warpgauge {
namespace {

using NeverGreen = InFolder;

TEST_F(NeverGreen, APolicyThatSpeaksOfNoMetricPassesNothingAndTheReportsSayIt) {
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}},
                                                  {.id = "c/d/1", .counters = {{"hits", 2}}}}));
  const auto with_metric = [&](const std::string& metric) {
    write("policy.toml",
          "[[metric]]\nnames = [\"barriers\", \"" + metric + "\"]\nclass = \"exact\"\n");
  };
  with_metric("hits");
  ASSERT_EQ(warpgauge("approve results.json --policy policy.toml --reason test").status, 0);
  const std::string before = results::read_file(folder_ / "baselines/emulated/c.json");
  with_metric("hitz");
  for (const char* sides : {"baselines results.json", "results.json results.json",
                            "none results.json", "baselines results.json --filter a/b"}) {
    const Finished finished = warpgauge(
        std::string("compare ") + sides +
        " --policy policy.toml --json verdict.json --report junit=junit.xml --summary summary.md");
    EXPECT_EQ(finished.status, 4) << sides;
    for (const char* file : {"verdict.json", "junit.xml", "summary.md"}) {
      const std::string report = results::read_file(folder_ / file);
      EXPECT_NE(report.find("hits"), std::string::npos) << file << report;
      std::filesystem::remove(folder_ / file);
    }
    EXPECT_NE(finished.output.find("policy.toml:1:1: the policy gates 'hitz'"), std::string::npos)
        << finished.output;
  }
  expect_one_line(warpgauge("approve results.json --policy policy.toml --reason test"), 4,
                  "(did you mean 'hits'?)");
  EXPECT_EQ(results::read_file(folder_ / "baselines/emulated/c.json"), before);
  with_metric("hits");
  EXPECT_EQ(warpgauge("compare baselines results.json --filter a/b --policy policy.toml").status, 0)
      << "it is known of what is left out";
}

// What is dated ahead would stay the newest for good; what says no date at all, any.
TEST_F(NeverGreen, ResultsOfAnotherTimeAreRefused) {
  const std::vector<Measured> benchmarks{{.id = "a/b/1", .counters = {{"barriers", 2}}}};
  write("good.json", results_text(emulated(), benchmarks));
  ASSERT_EQ(warpgauge("compare good.json good.json").status, 0);
  for (const auto& [created, said] :
       {std::pair("2096-01-01T00:00:00Z", "2096-01-01T00:00:00Z is yet to come"),
        {"yesterday", "'yesterday' is no time"}}) {
    write("odd.json", results_text(emulated(), benchmarks, created));
    for (const char* sides : {"good.json odd.json", "odd.json good.json", "baselines odd.json"}) {
      expect_one_line(warpgauge(std::string("compare ") + sides), 4,
                      "odd.json: context.warpgauge.created: " + std::string(said));
    }
  }
  write("plain.json", R"({"context": {"date": "2096-01-01T00:00:00+00:00"}, "benchmarks": [
    {"name": "a", "real_time": 4, "time_unit": "ns"}]})");
  expect_one_line(warpgauge("import plain.json --device X --out imported.json"), 4,
                  "plain.json: context.warpgauge.created: 2096-01-01T00:00:00Z is yet to come");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "imported.json"));
}

TEST_F(NeverGreen, AMetricOfAnyOfTheResultsIsKnown) {
  const auto session = [&](const std::string& name, const std::string& id,
                           const std::string& metric) {
    write(name, results_text(emulated(), {{.id = id, .counters = {{metric, 2}}}}));
  };
  session("first.json", "a/b/1", "barriers");
  session("second.json", "c/d/1", "hits");
  write("policy.toml", "[[metric]]\nnames = [\"barriers\", \"hits\"]\nclass = \"exact\"\n");
  const std::string approve = "approve --policy policy.toml --reason test first.json";
  expect_one_line(warpgauge(approve), 4, "the policy gates 'hits'");
  EXPECT_EQ(warpgauge(approve + " second.json").status, 0);
  EXPECT_EQ(warpgauge(approve).status, 0) << "the baseline has it";
}

TEST_F(NeverGreen, AFigureIsDroppedFromTheBaselineOnlyWhenThatIsSaid) {
  write("results.json",
        results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}, {"hits", 3}}}}));
  const std::string approve = "approve results.json --reason test --policy ";
  const std::string barriers = "[[metric]]\nnames = [\"barriers\"]\nclass = \"exact\"\n";
  write("both.toml", barriers + "[[metric]]\nnames = [\"hits\"]\nclass = \"exact\"\n");
  write("one.toml", barriers);
  ASSERT_EQ(warpgauge(approve + "both.toml").status, 0);
  const auto before = all_files();
  expect_one_line(warpgauge(approve + "one.toml"), 4,
                  "would lose what one.toml does not gate: a/b/1: hits; gate it again, or let go "
                  "of it with --drop-figures");
  EXPECT_EQ(all_files(), before);
  const Finished dropped = warpgauge(approve + "one.toml --drop-figures");
  EXPECT_EQ(dropped.status, 0) << dropped.output;
  EXPECT_NE(dropped.output.find("hits"), std::string::npos) << dropped.output;
  const std::string family = results::read_file(folder_ / "baselines/emulated/a.json");
  EXPECT_EQ(family.find("hits"), std::string::npos) << family;
  EXPECT_NE(family.find("barriers"), std::string::npos) << family;
}

TEST_F(NeverGreen, APolicyThatGatesNothingOfTheResultsApprovesNothing) {
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"hits", 3}}}}));
  expect_one_line(warpgauge("approve results.json --reason test"), 4,
                  "built-in policy gates nothing of results.json");
}

TEST_F(NeverGreen, AFileInThePlaceOfAnotherIsNamedAsWhatItIs) {
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}}));
  write("policy.toml", "[[metric]]\nnames = [\"barriers\"]\nclass = \"exact\"\n");
  ASSERT_EQ(warpgauge("approve results.json --reason test").status, 0);
  ASSERT_EQ(warpgauge("compare baselines results.json --json verdict.json --report "
                      "junit=report.xml --report sarif=report.sarif")
                .status,
            0);
  for (const auto& [file, kind] :
       {std::pair("verdict.json", "a verdict"),
        {"policy.toml", "a policy"},
        {"report.xml", "a report"},
        {"report.sarif", "a report in SARIF"},
        {"baselines/emulated/a.json", "a family of a baseline"},
        {"baselines/emulated/device.json", "the device of a baseline"}}) {
    const std::string name = file;
    const std::string not_results = name + ": is " + kind + ", not results; name what";
    expect_one_line(warpgauge("compare baselines " + name), 4, not_results);
    expect_one_line(warpgauge("compare " + name + " results.json"), 4, not_results);
    expect_one_line(warpgauge("approve --reason test " + name), 4, not_results);
    if (name == "policy.toml") continue;
    expect_one_line(warpgauge("compare baselines results.json --policy " + name), 4,
                    name + ": is " + kind + ", not a policy; name");
  }
  expect_one_line(warpgauge("compare baselines results.json --policy results.json"), 4,
                  "results.json: is results, not a policy");
  expect_one_line(warpgauge("report results.json"), 4, "results.json: is results, not a verdict");
}

// As after a change of folder: what the project's limits fail would pass.
TEST_F(NeverGreen, AnotherFolderDoesNotLoseTheProjectsPolicy) {
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 9}}}}));
  write("ci/policy.toml",
        "[[metric]]\nnames = [\"barriers\"]\nclass = \"exact\"\n"
        "[[limit]]\nmetric = \"barriers\"\nmost = 2\nreason = \"so few\"\n");
  ASSERT_EQ(warpgauge("approve results.json --reason test").status, 0);
  const Finished failed = warpgauge("compare baselines results.json");
  ASSERT_EQ(failed.status, 1) << failed.output;
  std::filesystem::create_directories(folder_ / "sub");
  const auto in_sub = [&](const std::string& command) {
    return shell("cd " + quoted(folder_ / "sub") + " && " + quoted(WARPGAUGE) + " " + command);
  };
  const std::string message =
      "there is no ci/policy.toml here, but the baselines' project has "
      "one: name it with --policy " +
      (folder_ / "ci/policy.toml").string();
  const auto before = all_files();
  for (const char* command :
       {"compare ../baselines ../results.json", "compare ../baselines/ ../results.json",
        "gate --suite none --baselines ../baselines",
        "gate --suite none --baselines ../baselines/bench",
        "approve ../results.json --baselines ../baselines --reason test"}) {
    expect_one_line(in_sub(command), 4, message);
  }
  EXPECT_EQ(all_files(), before);
  EXPECT_EQ(in_sub("compare ../baselines ../results.json --policy ../ci/policy.toml").status, 1);
}

// As a cache that was being written: what got worse may be in the rest of it.
TEST_F(NeverGreen, MachineCodeThatCannotBeReadIsNotTheSame) {
  const std::string cubin =
      results::read_file(std::string(SOURCE_ROOT) + "/tests/fuzz/corpus/machine_code/add.cubin");
  for (const char* file : {"whole/a.cubin", "whole/b.cubin", "cut/a.cubin"}) write(file, cubin);
  write("cut/b.cubin", cubin.substr(0, cubin.size() / 2));
  for (const char* sides : {"cut --against whole", "whole --against cut", "cut"}) {
    const Finished finished = warpgauge(std::string("static ") + sides);
    EXPECT_EQ(finished.status, 4) << sides << finished.output;
    EXPECT_NE(finished.output.find("Not read: cut/b.cubin"), std::string::npos) << finished.output;
    EXPECT_EQ(finished.output.find("Nothing got worse.\n"), std::string::npos) << finished.output;
  }
  EXPECT_EQ(warpgauge("static cut --out results.json").status, 4);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "results.json"));
  EXPECT_EQ(warpgauge("static whole --against whole").status, 0);
}

// A policy may be of suites, too, of which machine code alone knows nothing: so it is a note.
TEST_F(NeverGreen, APatternThatMatchesNoMachineCodeIsNamed) {
  const std::string image = std::string(SOURCE_ROOT) + "/tests/fuzz/corpus/machine_code/add.cubin";
  ASSERT_EQ(warpgauge("static " + quoted(image) + " --out results.json").status, 0);
  ASSERT_EQ(warpgauge("approve results.json --reason test").status, 0);
  write("limits.toml",
        "[[limit]]\nmetric = \"registers\"\nmost = 4\nbenchmarks = \"nothing/*\"\nreason = "
        "\"two blocks\"\n");
  const Finished finished = warpgauge("compare baselines results.json --policy limits.toml");
  EXPECT_NE(
      finished.output.find("note: limits.toml:1:1: [[limit]] of 'nothing/*' matches no benchmark"),
      std::string::npos)
      << finished.output;
}

TEST_F(NeverGreen, AFolderOfBaselinesThatIsNamedTooDeepIsNotEmpty) {
  write("results.json", results_text(emulated(), {{.id = "a/b/1", .counters = {{"barriers", 2}}}}));
  ASSERT_EQ(warpgauge("approve results.json --reason test").status, 0);
  const std::string message =
      "baselines/emulated is the baseline of one device; name the folder it is in, baselines";
  const auto before = all_files();
  expect_one_line(warpgauge("compare baselines/emulated results.json"), 64, message);
  expect_one_line(warpgauge("approve results.json --reason test --baselines baselines/emulated"),
                  64, message);
  expect_one_line(warpgauge("baseline list --baselines baselines/emulated"), 64, message);
  EXPECT_EQ(all_files(), before);
}

}  // namespace
}  // namespace warpgauge
